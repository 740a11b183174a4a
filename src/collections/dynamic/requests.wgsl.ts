/** What shaders ask a collection to take in: a list that they append to, and that the next batch takes. */
import {
  DestroyedError,
  type Gpu,
  InvalidInputError,
  mostBytes,
  requireWhole,
  TooLargeError,
} from '../../gpu/index.ts';
import { type KeyType, wordsArray } from '../../keys/index.ts';
import { storedValue, type ValueType } from '../../table/values.ts';
import { storage, type Wgsl, WORD_BYTES, wgsl } from '../../wgsl/index.ts';
import type { FaceFunctions } from '../face.wgsl.ts';

/** A list of items that shaders have asked for. Its buffers may be used like any others. */
export class Requests {
  #isAlive = true;
  readonly keys: GPUBuffer;
  /** Of collections that have values. */
  readonly values: GPUBuffer | undefined;
  /** A word: how often somebody asked, also when there was no room. */
  readonly count: GPUBuffer;

  private constructor(
    readonly gpu: Gpu,
    readonly key: KeyType,
    readonly value: ValueType | undefined,
    { keys, values, count }: Pick<Requests, 'keys' | 'values' | 'count'>,
  ) {
    this.keys = keys;
    this.values = values;
    this.count = count;
  }

  /** @internal */
  static async make(gpu: Gpu, key: KeyType, value: ValueType | undefined, capacity: number): Promise<Requests> {
    requireWhole(capacity, 'capacity');
    const words = Math.max(key.words, value?.words ?? 0);
    const largest = Math.floor(mostBytes(gpu.limits) / (WORD_BYTES * words));
    if (capacity > largest) {
      throw new TooLargeError(`a list of ${capacity} requests does not fit: this device holds ${largest}`, largest);
    }
    const [count, keys, values] = (await gpu.allocate([
      { label: 'requests/count', bytes: 4 },
      // A shader binds the list even if there is no room for anything.
      { label: 'requests/keys', bytes: Math.max(1, capacity) * key.words * WORD_BYTES },
      ...(value ? [{ label: 'requests/values', bytes: capacity * value.words * WORD_BYTES }] : []),
    ])) as [GPUBuffer, GPUBuffer, GPUBuffer | undefined];
    return new Requests(gpu, key, value, { keys, values, count });
  }

  /** Items that there is room for: as many as were asked for, or a few more. */
  get capacity(): number {
    const { key, value, keys, values } = this;
    const room = (buffer: GPUBuffer, words: number) => Math.floor(buffer.size / (WORD_BYTES * words));
    return Math.min(room(keys, key.words), values && value ? room(values, value.words) : Number.POSITIVE_INFINITY);
  }

  /** Whether it was not destroyed. */
  get isAlive(): boolean {
    return this.#isAlive;
  }

  destroy(): void {
    this.#isAlive = false;
    for (const buffer of [this.keys, this.values, this.count]) buffer?.destroy();
  }

  [Symbol.dispose](): void {
    this.destroy();
  }
}

/** Throws unless a list is one for such keys and values. */
export function requireRequests(requests: Requests, gpu: Gpu, key: KeyType, value: ValueType | undefined): void {
  if (!(requests instanceof Requests) || requests.gpu !== gpu) {
    throw new InvalidInputError('requests must be a list that requests() of this collection made');
  }
  if (requests.key !== key || requests.value !== value) {
    const types = (one: Pick<Requests, 'key' | 'value'>) =>
      `${one.key.name} keys with ${one.value?.name ?? 'no'} values`;
    throw new InvalidInputError(`the requests are ${types(requests)}, not the ${types({ key, value })} of the table`);
  }
  if (!requests.isAlive) throw new DestroyedError('these requests were destroyed');
}

/** `request` for a caller's shader: it appends an item, and tells whether there was room. */
export function requestFunctions(requests: Requests): FaceFunctions {
  const { key, value } = requests;
  const keys = wordsArray('requestKeys', key.words, 'read_write');
  const values = wordsArray('requestValues', value?.words ?? 0, 'read_write');
  const count = storage('requestCount', 'atomic<u32>', 'read_write');
  const { shader } = key;
  const request: Wgsl = wgsl`
fn request(key: ${shader.type}${value ? `, value: ${value.shaderType}` : ''}) -> bool {
  let at = atomicAdd(&${count}, 1u);
  if (at >= ${requests.capacity}u) { return false; }
  ${keys}[at] = ${shader.toWords('key')};
  ${value ? wgsl`${values}[at] = ${storedValue(value, 'value')};` : ''}
  return true;
}`;
  return {
    functions: [request],
    isAlive: () => requests.isAlive,
    bound: () => [
      [keys, requests.keys],
      [values, requests.values ?? requests.keys],
      [count, requests.count],
    ],
  };
}
