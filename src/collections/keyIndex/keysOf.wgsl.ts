/** From ids back to keys: a read each. */
import { extentCount, type Gpu, type GpuCount, InvalidInputError, type Target } from '../../gpu/index.ts';
import { type KeyType, wordsType } from '../../keys/index.ts';
import { requireStorage } from '../../primitives/checks.ts';
import { recordCounted } from '../../primitives/counted.ts';
import { header } from '../../schemes/contract/header.wgsl.ts';
import { checkCount, roomFor, sized } from '../../table/source.ts';
import { type Binding, type Kernel, kernel, storage, type Wgsl, wgsl } from '../../wgsl/index.ts';
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

export function keyFunction(key: KeyType): KeyFunction {
  const keysById = storage('keysById', wgsl`array<${wordsType(key.words)}>`);
  const storedKey = wgsl`
fn storedKey(id: u32) -> ${wordsType(key.words)} {
  if (id >= ${header}.count - ${header}.copies) { return ${wordsType(key.words)}(); }
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

interface KeysOfKernel {
  readonly kernel: Kernel;
  readonly keysById: Binding;
  readonly output: Binding;
}

const KERNELS = new WeakMap<KeyType, KeysOfKernel>();

function kernelOf(key: KeyType): KeysOfKernel {
  const known = KERNELS.get(key);
  if (known) return known;
  const { keysById, storedKey } = keyFunction(key);
  const output = storage('output', wgsl`array<${wordsType(key.words)}>`, 'read_write');
  const made = {
    keysById,
    output,
    kernel: kernel({
      label: 'keyIndex/keysOf',
      threads: THREADS,
      body: wgsl`
  if (item >= ${extentCount}) { return; }
  ${output}[item] = ${storedKey}(${ids}[item]);`,
    }),
  };
  KERNELS.set(key, made);
  return made;
}

/** Checks the buffers, then records the reads. */
export function encodeKeysOf(
  gpu: Gpu,
  target: Target,
  byId: KeysById,
  headerBuffer: GPUBuffer,
  { ids: idBuffer, keys, count }: KeysOfBuffers,
): void {
  const keyBytes = byId.key.words * 4;
  requireStorage(idBuffer, 'ids');
  requireStorage(keys, 'keys');
  if (idBuffer === keys) throw new InvalidInputError('ids and keys must not be the same buffer');
  const max = checkCount(count, Math.min(roomFor(idBuffer, 4), roomFor(keys, keyBytes)));
  const { kernel: program, keysById, output } = kernelOf(byId.key);
  recordCounted(gpu, target, 'keyIndex/keysOf', count, max, (recorder, items) =>
    recorder.run(
      program,
      [
        [ids, sized(gpu, idBuffer, max * 4)],
        [keysById, byId.keys],
        [output, sized(gpu, keys, max * keyBytes)],
        [header, headerBuffer],
        [extentCount, typeof items === 'number' ? gpu.constants(items) : items.count],
      ],
      items,
    ),
  );
}
