/** Pictures and volumes as bytes: their sides and background, and the bytes of their table. */
import { HashMap } from '../collections/hashMap.ts';
import { FormatError, type Gpu, InvalidInputError } from '../gpu/index.ts';
import { u32 } from '../keys/index.ts';
import type { Scheme } from '../schemes/contract/index.ts';
import { field, isWord, pack, unpack } from '../table/saved/format.ts';
import { valueTypes } from '../table/values.ts';
import type { Built } from './build.ts';
import { cellsOf, type Grid, gridOf, type Rgba, wordOf } from './grid.ts';

/** What was saved. */
export type SparseKind = 'sparseImage' | 'sparseVolume';

const SIDES = ['width', 'height', 'depth'] as const;

export async function saveGrid(kind: SparseKind, { grid, map }: Built): Promise<Uint8Array<ArrayBuffer>> {
  const sides = Object.fromEntries(SIDES.slice(0, grid.dimensions).map((name, i) => [name, grid.sides[i]]));
  const { buffer } = await map.toBytes();
  return pack({ kind, ...sides, background: wordOf(grid.background) }, [buffer]);
}

/** Checks saved bytes, which anybody may have written, and opens the table in them. */
export async function openGrid(gpu: Gpu, bytes: Uint8Array, kind: SparseKind, scheme: Scheme): Promise<Built> {
  const { description: grid, body } = unpack(bytes, (json) => gridIn(json, kind));
  const map = await HashMap.fromBytes(gpu, body, { key: u32, value: valueTypes.u32, scheme });
  const { size } = map;
  if (size > cellsOf(grid)) {
    map.destroy();
    throw new FormatError(`${size} cells were saved, of a grid that has ${cellsOf(grid)}`);
  }
  return { grid, map };
}

/** The grid that a description tells of. */
function gridIn(json: object, kind: SparseKind): Grid {
  const { kind: saved } = json as { readonly kind?: unknown };
  if (saved !== kind) throw new TypeError(`it is that of a ${String(saved).slice(0, 40)}, not of a ${kind}`);
  const names = SIDES.slice(0, kind === 'sparseImage' ? 2 : 3);
  const word = field(json, 'background', isWord);
  const background: Rgba = [word & 255, (word >>> 8) & 255, (word >>> 16) & 255, word >>> 24];
  try {
    return gridOf(Object.fromEntries(names.map((name) => [name, field(json, name, isWord)])), background);
  } catch (cause) {
    // A side that no grid has is the file's fault, not the caller's.
    throw cause instanceof InvalidInputError ? new TypeError(cause.message, { cause }) : cause;
  }
}
