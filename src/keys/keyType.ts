import type { HashConstants, HashFamily } from '../hashing/index.ts';
import type { Binding, Wgsl, WgslPart } from '../wgsl/index.ts';

/** Who a key belongs to. Each side has a WGSL type of its own where keys have a context, so they cannot be mixed up. */
export type KeySide = 'table' | 'input' | 'needle';

/** How kernels see the keys of one side: of one table, of one input, of one set of needles. */
export interface KeyAccess {
  readonly side: KeySide;
  /** The WGSL type that is passed around. */
  readonly type: WgslPart;
  /** From words as they lie in a buffer (`wordsType`) to `type`. */
  of(stored: WgslPart): WgslPart;
  /**
   * Makes words reliable that somebody else wrote: a slice that reaches past its context is cut off there, so that no loop
   * over a key runs on, and a key that can be written in several ways gets the words that are compared. The words in a table
   * have been through this, so they are read without it.
   */
  safe(words: WgslPart): WgslPart;
  /** How many bytes of the context a key takes, from its words; where keys have a context. */
  bytesIn?(words: WgslPart): WgslPart;
  /** The buffer that the words point into, for keys of variable length. It belongs to this access alone. */
  readonly context?: Binding;
}

/** Keys as words, ready for the GPU. */
export interface EncodedKeys {
  readonly count: number;
  /** `count × words` words. */
  readonly words: Uint32Array;
  /**
   * The bytes that the words point into, for keys with a context: pieces that lie one behind the other, each beginning at
   * a multiple of four bytes. They are uploaded piece by piece, never joined on the host.
   */
  readonly context?: readonly Uint8Array[];
}

/** A type of keys that are the same number of words each, without a context: such keys can be parts of tuples. */
export interface FixedKeyType<Host = unknown> extends KeyType<Host> {
  readonly isFixed: true;
  readonly hasContext: false;
}

export const isFixed = (type: KeyType): type is FixedKeyType => (type as Partial<FixedKeyType>).isFixed === true;

/** Keys that are words already, with their type: collections take them like keys of the caller's. */
export interface PreparedKeys<Host = unknown> extends EncodedKeys {
  readonly type: KeyType<Host>;
}

/** An order of keys, for the sorted schemes. */
export interface KeyOrder {
  /** WGSL: `(a: a.type, b: b.type) -> bool`. */
  less(a: KeyAccess, b: KeyAccess): Wgsl;
  /** WGSL: `(key: access.type) -> u32`, the first 32 bits of the order: a lesser key never has a greater lead. */
  lead(access: KeyAccess): Wgsl;
  /**
   * WGSL: `(key: access.type) -> u32` for every word of the order, the most significant first, if comparing these words one
   * after the other is the order. Such keys can be sorted word by word. The first is the lead.
   */
  words?(access: KeyAccess): readonly Wgsl[];
  /**
   * WGSL: `(lead: u32) -> u32`, the inverse of `lead` for one-word keys, of which it is the whole order. A table may then
   * keep the lead instead of the key.
   */
  readonly unlead?: Wgsl;
  /** Whether the lead of such a key is the key itself, as it is stored. */
  readonly isLead?: boolean;
}

/** How a caller's own shader writes a key. */
export interface ShaderKey {
  /** The WGSL type. */
  readonly type: WgslPart;
  /** From that type to words as they lie in a buffer (`wordsType`). */
  toWords(key: WgslPart): WgslPart;
  /** And back. */
  fromWords(stored: WgslPart): WgslPart;
}

/**
 * A type of key: how it becomes words, how it is hashed and compared (after Due et al. 2025, section 3.3).
 * `Host` is what the caller passes and gets back. What a key can do is declared here; nothing is inferred from its name.
 */
export interface KeyType<Host = unknown> {
  /** What saved tables call it. */
  readonly name: string;
  /** Words of a key as stored in a slot. */
  readonly words: number;
  /**
   * Whether a key is one word, and equal only to keys of the same word: the word can then be claimed and compared as it
   * stands, and a table may keep a part of its hash instead (`HashFamily.unhash`).
   */
  readonly isWord: boolean;
  /** Whether the words point into a buffer of bytes. */
  readonly hasContext: boolean;
  /** How many signed integer coordinates a key is, one a word, for schemes that know of space. */
  readonly coordinates?: 2 | 3 | 4;
  /** Whether its words are one whole number, the least significant word first, for schemes that keep neighbours together. */
  readonly isNumber?: true;
  /** What callers pass, for messages: `'a Uint32Array'`. */
  readonly takes?: string;
  /** Whether a host value is an array of these keys. */
  accepts(keys: unknown): keys is Host;
  /**
   * Keys of plain JavaScript, such as `[7, 9]`, as what `encode` takes, for types that know such; throws `InvalidInputError` for
   * those that cannot be.
   */
  collect?(keys: readonly unknown[], name: string): Host;
  /** Throws `InvalidInputError` for keys that cannot be. */
  encode(keys: Host): EncodedKeys;
  /** From words as stored, and the bytes that they point into, back to what the caller passed. */
  decode(words: Uint32Array, context?: Uint8Array): Host;
  /** A new view of keys of that side: with a context, no two share their type or their buffer. */
  access(side: KeySide): KeyAccess;
  /** WGSL: `(key: access.type, constants: vec4u) -> vec2u`. Throws `UnsupportedError` for families that cannot. */
  hash(access: KeyAccess, family: HashFamily): Wgsl;
  /** The same hash on the host, of the key with that number; for keys that can be hashed there. */
  hashTwin?(keys: EncodedKeys, item: number, family: HashFamily, constants: HashConstants): [number, number];
  /**
   * WGSL: `(a: a.type, b: b.type) -> bool`, on the whole key. Equal keys have equal hashes, and neither is less. A key whose
   * words are all ones must not be equal to one of other words: it stands for itself alone.
   */
  equals(a: KeyAccess, b: KeyAccess): Wgsl;
  /** Keys without an order cannot use the sorted schemes. */
  readonly order?: KeyOrder;
  readonly shader: ShaderKey;
}
