/** The door to saved entries: what is behind it is loaded by the first call that saves or opens some. */
import { abortable, type Gpu, Later } from '../gpu/index.ts';
import { givenBytes } from '../table/saved/givenBytes.ts';
import type { OpenEntries, OpenedEntries } from './savedEntries.later.ts';

/** What entries are saved and opened by. */
export const savedEntries = new Later(() => import('./savedEntries.later.ts'));

/** Checks saved bytes, and makes a table of the entries in them. */
export function openEntries(gpu: Gpu, given: Uint8Array, request: OpenEntries): Promise<OpenedEntries> {
  // A copy, because the caller may change the array before all of it is inserted.
  const bytes = givenBytes(given).slice();
  const opening = savedEntries.use((part) => part.openEntries(gpu, bytes, request));
  return abortable(request.signal, opening, ({ table }) => table.destroy());
}
