import type { HashFamily } from '../hashing/index.ts';
import type { Binding, Wgsl, WgslPart } from '../wgsl/index.ts';

/** Who a key belongs to. Each side has a WGSL type of its own where keys have a context, so they cannot be mixed up. */
export type KeySide = 'table' | 'input' | 'needle';

/** How kernels see the keys of one side. */
export interface KeyAccess {
  readonly side: KeySide;
  /** The WGSL type that is passed around. */
  readonly type: WgslPart;
  /** From words as they lie in a buffer (`wordsType`) to `type`. */
  of(stored: WgslPart): WgslPart;
  /** The buffer that the words point into, for keys of variable length. */
  readonly context?: Binding;
}

/** Keys as words, ready for the GPU. */
export interface EncodedKeys {
  readonly count: number;
  /** `count × words` words. */
  readonly words: Uint32Array;
}

/**
 * A type of key: how it becomes words, how it is hashed and compared (after Due et al. 2025, section 2.1).
 * `Host` is what the caller passes and gets back.
 */
export interface KeyType<Host = unknown> {
  readonly name: string;
  /** Words of a key as stored in a slot. */
  readonly words: number;
  /** Whether a host value is an array of these keys; used to infer the type. */
  accepts(keys: unknown): keys is Host;
  encode(keys: Host): EncodedKeys;
  /** From words as stored back to what the caller passed. */
  decode(words: Uint32Array): Host;
  access(side: KeySide): KeyAccess;
  /** WGSL: `(key: access.type, constants: vec4u) -> vec2u`. */
  hash(access: KeyAccess, family: HashFamily): Wgsl;
  /** WGSL: `(a: a.type, b: b.type) -> bool`, on the whole key. */
  equals(a: KeyAccess, b: KeyAccess): Wgsl;
  /** WGSL: `(a: a.type, b: b.type) -> bool`; keys without an order cannot use the sorted schemes. */
  less?(a: KeyAccess, b: KeyAccess): Wgsl;
  /**
   * For one-word keys that are equal only if their words are: the inverse of the first word of `hash` in the family
   * `mix`, as WGSL `(hash: u32, constants: vec4u) -> u32`. A table may then keep a part of the hash instead of the key.
   */
  readonly unhash?: Wgsl;
  /** Words from least to most significant, if unsigned comparison of words in that order is the order of `less`. */
  readonly radixWords?: readonly number[];
}
