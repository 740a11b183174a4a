/** The keys of the workload: for each type one maker, which is all that depends on the type. */
import { type Gpu, InvalidInputError, type Recorder, type Workspace } from '../src/gpu/index.ts';
import { f32, i32, i64, type KeyType, u32, u64, utf8, vec2i, vec3i, vec4i } from '../src/keys/index.ts';
import type { Binding, Wgsl } from '../src/wgsl/index.ts';
import type { WorkloadSeeds } from './generators.ts';
import { stringMaker } from './stringMaker.ts';
import { wordsMaker } from './wordsMaker.ts';

/** A list of keys that are to be made: the `parameters` that say which, and how many. */
export interface KeyList {
  readonly parameters: GPUBuffer;
  readonly items: number;
  readonly workspace: Workspace;
}

/** Keys as collections take them. */
interface KeyBuffers {
  readonly keys: GPUBuffer;
  /** The bytes that the keys point into, for keys that have a context. */
  readonly context: GPUBuffer | undefined;
}

/** How keys of one type are made: each follows from its index, and different indices have different keys. */
export interface KeyMaker {
  readonly type: KeyType;
  /** Items that a workload may have. */
  readonly mostItems: number;
  /** Bytes of context that the keys of a list need; 0 for keys that have none. */
  contextBytes(gpu: Gpu, list: KeyList): Promise<number>;
  /** Records the making of the keys of a list. */
  record(recorder: Recorder, list: KeyList, to: KeyBuffers): void;
  /** WGSL: `(index: u32, key) -> bool`, whether words of a buffer are the key of that index; strings are slices of `context`. */
  isKeyOf(context: Binding | undefined): Wgsl;
  /** The keys of some indices, as a caller would pass them. */
  twins(indices: readonly number[], seeds: WorkloadSeeds): unknown;
}

/** Every type that there are workloads of. */
const MAKERS: readonly KeyMaker[] = [
  ...[u32, i32, f32, u64, i64, vec2i, vec3i, vec4i].map((type) => wordsMaker(type)),
  stringMaker(utf8),
];

export const WORKLOAD_KEYS: readonly KeyType[] = MAKERS.map(({ type }) => type);

export function makerOf(type: KeyType): KeyMaker {
  const maker = MAKERS.find((known) => known.type === type);
  if (!maker) throw new InvalidInputError(`the workload has no ${type.name} keys`);
  return maker;
}
