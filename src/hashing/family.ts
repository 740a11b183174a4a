import type { Wgsl } from '../wgsl/index.ts';

/** The random constants of one hash function, as kernels get them: a `vec4u`. */
export type HashConstants = readonly [number, number, number, number];

/** A family's functions over sequences of words of any length, such as the bytes of strings. */
export interface HashStream {
  /** WGSL: `(length: u32, constants: vec4u) -> vec2u`, the state before the first word; the length in bytes. */
  readonly begin: Wgsl;
  /** WGSL: `(state: vec2u, word: u32, constants: vec4u) -> vec2u`. */
  readonly absorb: Wgsl;
  /** WGSL: `(state: vec2u, constants: vec4u) -> vec2u`, the hash. */
  readonly end: Wgsl;
  /** Bit-identical to the three together. */
  twin(length: number, words: Iterable<number>, constants: HashConstants): [number, number];
}

/**
 * A family of hash functions over keys of one or more words. A member is chosen by four random words; it gives 64 bits,
 * of which the first 32 choose a slot.
 */
export interface HashFamily {
  readonly name: string;
  /** Greatest number of words in a key; the papers' families know one-word keys only. */
  readonly maxWords: number;
  /** Draws a member, from a source of uniform 32-bit words. Attempts to build a table are counted from 1. */
  draw(random: () => number, attempt?: number): HashConstants;
  /** WGSL: `(w0: u32, …, constants: vec4u) -> vec2u` for keys of that many words. */
  hash(words: number): Wgsl;
  /** Bit-identical to `hash`. */
  hashTwin(words: readonly number[], constants: HashConstants): [number, number];
  /**
   * WGSL: `(hash: u32, w0: u32, …, constants: vec4u) -> u32` for keys of that many words: the last word, from the first word of the
   * hash and all words but the last, for families in which that is a bijection. A table may then keep a part of the hash
   * instead of that word.
   */
  unhash?(words: number): Wgsl;
  /** For keys of variable length; the papers' families have none. */
  readonly stream?: HashStream;
  /** How many words of the hash are functions of the whole key that know nothing of each other. */
  readonly independentWords: 1 | 2;
  /**
   * WGSL: `(constants: vec4u, index: u32) -> vec4u`, the constants of further members for schemes that need several
   * functions; index 0 gives back what was drawn.
   */
  readonly derive: Wgsl;
  /** Bit-identical to `derive`. */
  deriveTwin(constants: HashConstants, index: number): HashConstants;
  /** WGSL: `(hash: u32, range: u32) -> u32`, a slot below `range`. */
  readonly reduce: Wgsl;
  /** Whether a greater hash never gives a lower slot: sorting by hash then sorts by slot. */
  readonly reduceKeepsOrder: boolean;
  /** Bit-identical to `reduce`. */
  reduceTwin(hash: number, range: number): number;
}
