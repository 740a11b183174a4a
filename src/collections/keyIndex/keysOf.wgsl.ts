/** From ids back to keys: a read each. */
import {
  type Extent,
  extentCount,
  type GpuCount,
  InvalidInputError,
  perform,
  type Recorder,
  requireMembers,
  type Target,
} from '../../gpu/index.ts';
import { type KeyType, wordsArray, wordsType } from '../../keys/index.ts';
import { requireStorage } from '../../primitives/checks.ts';
import { recordCounted } from '../../primitives/counted.ts';
import { sizeIn, type TableView } from '../../schemes/contract/index.ts';
import { contextReadback } from '../../table/contents.wgsl.ts';
import type { Reading } from '../../table/reading.wgsl.ts';
import type { Searchable } from '../../table/searchable.ts';
import { checkCount, roomFor, sized } from '../../table/source.ts';
import { type Binding, kept, kernel, storage, type Wgsl, WORD_BYTES, wgsl } from '../../wgsl/index.ts';
import type { KeysById } from './keysById.ts';

/** Buffers of an encoded way back. */
export interface KeysOfBuffers {
  /** The ids, a word each. */
  readonly ids: GPUBuffer;
  /** Gets the key of every id, in the index's key type; words of zeros for an id that there is none of. */
  readonly keys: GPUBuffer;
  /** How many, known here or on the GPU. */
  readonly count: number | GpuCount;
}

const THREADS = 256;
const ids = storage('ids', 'array<u32>');

/** The way back as a function for shaders. */
export interface KeyFunction {
  readonly keysById: Binding;
  /** WGSL: `(id: u32) -> key`, as words. */
  readonly storedKey: Wgsl;
  /** WGSL: `key(id: u32) -> key`, as shaders write it; zeros for an id that there is none of. */
  readonly key: Wgsl;
}

/** The way back for an index over the table of that view. */
export function keyFunction(key: KeyType, { header }: TableView): KeyFunction {
  const keysById = wordsArray('keysById', key.words);
  const storedKey = wgsl`
fn storedKey(id: u32) -> ${wordsType(key.words)} {
  if (id >= ${sizeIn(header)}) { return ${wordsType(key.words)}(); }
  return ${keysById}[id];
}`;
  return {
    keysById,
    storedKey,
    key: wgsl`
fn key(id: u32) -> ${key.shader.type} {
  return ${key.shader.fromWords(wgsl`${storedKey}(id)`)};
}`,
  };
}

const keysOfKernel = kept(({ request: { key }, view }: Reading) => {
  const { keysById, storedKey } = keyFunction(key, view);
  const output = wordsArray('output', key.words, 'read_write');
  return {
    keysById,
    output,
    program: kernel({
      label: 'keyIndex/keysOf',
      threads: THREADS,
      body: wgsl`
  if (item >= ${extentCount}) { return; }
  ${output}[item] = ${storedKey}(${ids}[item]);`,
    }),
  };
});

/** Checks the buffers, then records the reads. */
export function encodeKeysOf(target: Target, table: Searchable, byId: KeysById, buffers: KeysOfBuffers): void {
  requireMembers(buffers, 'buffers', ['ids', 'keys', 'count']);
  const { ids: idBuffer, keys, count } = buffers;
  const { gpu } = table;
  const keyBytes = byId.key.words * WORD_BYTES;
  requireStorage(idBuffer, 'ids');
  requireStorage(keys, 'keys');
  if (idBuffer === keys) throw new InvalidInputError('ids and keys must not be the same buffer');
  const max = checkCount(count, Math.min(roomFor(idBuffer, 4), roomFor(keys, keyBytes)));
  const { program, keysById, output } = keysOfKernel(table.reading);
  const recordKeys = (recorder: Recorder, items: Extent) =>
    recorder.run(
      program,
      [
        ...table.bound,
        [ids, sized(gpu, idBuffer, max * WORD_BYTES)],
        [keysById, byId.keys],
        [output, sized(gpu, keys, max * keyBytes)],
        [extentCount, items.count],
      ],
      items,
    );
  const { workspace } = byId.scratch;
  recordCounted(gpu, target, { label: 'keyIndex/keysOf', count, max, workspace }, recordKeys);
}

/** The words of the keys of ids, and the bytes that they point into. */
export async function readKeysOf(table: Searchable, byId: KeysById, ids: Uint32Array): Promise<ArrayBuffer[]> {
  const { gpu } = table;
  const bytes = ids.length * byId.key.words * WORD_BYTES;
  const [idBuffer, keys] = (await gpu.allocate([
    { label: 'keysOf/ids', bytes: ids.byteLength },
    { label: 'keysOf/keys', bytes },
  ])) as [GPUBuffer, GPUBuffer];
  try {
    gpu.write(idBuffer, ids);
    return await perform(
      gpu,
      (encoder) => encodeKeysOf(encoder, table, byId, { ids: idBuffer, keys, count: ids.length }),
      [{ buffer: keys, bytes }, ...contextReadback(table)],
    );
  } finally {
    for (const buffer of [idBuffer, keys]) buffer.destroy();
  }
}
