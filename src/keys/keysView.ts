import type { Bound, BufferView } from '../gpu/index.ts';
import { type Binding, type WgslPart, wgsl } from '../wgsl/index.ts';
import type { KeyAccess, KeySide, KeyType } from './keyType.ts';
import { wordsArray } from './words.wgsl.ts';

/** Keys on the GPU: their words, and the bytes that these point into, for keys that have a context. */
export interface KeyBuffers {
  readonly keys: BufferView;
  readonly context?: GPUBuffer | undefined;
}

/** Keys in a buffer, as kernels see them. */
export interface KeysView {
  readonly access: KeyAccess;
  readonly words: Binding;
  /** The words of key `i`, of `wordsType`, safe whoever wrote them. */
  stored(i: WgslPart): WgslPart;
  /** Key `i`, of the access's type. */
  at(i: WgslPart): WgslPart;
  /** What is to be bound for kernels with this view. */
  bind(buffers: KeyBuffers): Bound;
}

/** A view of the keys in one buffer; `name` is what it is called in WGSL. */
export function keysView(key: KeyType, side: KeySide, name = 'keys'): KeysView {
  const access = key.access(side);
  const words = wordsArray(name, key.words);
  const stored = (i: WgslPart): WgslPart => access.safe(wgsl`${words}[${i}]`);
  return {
    access,
    words,
    stored,
    at: (i) => access.of(stored(i)),
    bind: ({ keys, context }) => [[words, keys], ...bindContext(key, access, context)],
  };
}

/** Binds the bytes that keys of one side point into; nothing for keys without a context. */
export function bindContext(key: KeyType, { context }: KeyAccess, buffer: GPUBuffer | undefined): Bound {
  if (!context) return [];
  if (!buffer) throw new Error(`hashnest: no context for ${key.name} keys`);
  return [[context, buffer]];
}
