/** The door to saved pictures and volumes: what is behind it is loaded by the first call that saves or opens one. */
import { requireScheme } from '../collections/settings.ts';
import { type Abortable, abortable, type Gpu, Later, requireGpu, requireOptions, requireSignal } from '../gpu/index.ts';
import type { Scheme } from '../schemes/contract/index.ts';
import { givenBytes } from '../table/saved/givenBytes.ts';
import { type Built, DEFAULT_SCHEME } from './build.ts';
import type { SparseKind } from './savedGrids.later.ts';

/** How saved pictures and volumes are opened. */
export interface SavedSparseOptions extends Abortable {
  /** The scheme that built the table; its options are those of the saved one. Default `robinHood()`. */
  readonly scheme?: Scheme<never>;
}

const saved = new Later(() => import('./savedGrids.later.ts'));

export function saveGrid(kind: SparseKind, built: Built, options: Abortable): Promise<Uint8Array<ArrayBuffer>> {
  requireOptions(options, ['signal']);
  requireSignal(options.signal);
  const saving = saved.use((part) => part.saveGrid(kind, built));
  return abortable(options.signal, saving);
}

/** Checks saved bytes, which anybody may have written, and opens the table in them. */
export async function openGrid(
  gpu: Gpu,
  given: Uint8Array,
  kind: SparseKind,
  options: SavedSparseOptions,
): Promise<Built> {
  requireGpu(gpu);
  requireOptions(options, ['scheme', 'signal']);
  requireSignal(options.signal);
  const scheme = requireScheme(options.scheme, DEFAULT_SCHEME);
  const bytes = givenBytes(given);
  const own = saved.isLoaded ? bytes : bytes.slice();
  const opening = saved.use((part) => part.openGrid(gpu, own, kind, scheme));
  return abortable(options.signal, opening, ({ map }) => map.destroy());
}
