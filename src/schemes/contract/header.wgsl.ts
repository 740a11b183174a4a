/**
 * The header of a table, in a buffer of its own: what a search has to know (a uniform) and how the build went (a storage
 * buffer while building). Its struct, its reader, its writer and its reset all come from one list of fields.
 */
import type { HashConstants } from '../../hashing/index.ts';
import {
  type Binding,
  join,
  kept,
  storage,
  uniform,
  type Wgsl,
  type WgslPart,
  WORD_BYTES,
  wgsl,
} from '../../wgsl/index.ts';

/** How a build ended: bits of `header.status`. */
export const STATUS = {
  /** Some items found no slot; another seed or a larger table may help. */
  retry: 1,
  /** A key occurs twice, and the policy forbids it. */
  duplicate: 2,
  /** The count on the GPU was greater than the table was planned for. */
  overflow: 4,
  /** The quick way of a build was not enough. */
  unfinished: 8,
} as const;

/** What every header has behind its hash constants, in this order. Builds see counters as atomics. */
const COMMON = {
  // Slots.
  capacity: {},
  // Items in the input.
  count: {},
  // Builds begun for this input.
  attempts: {},
  // How many builds of this table were recorded before.
  build: {},
  // How the build ended.
  status: { isCounter: true },
  // Items dropped because their key was there already.
  copies: { isCounter: true },
  // Probes of the longest insertion: no search needs more.
  longest: { isCounter: true },
  // Items that found no slot.
  failed: { isCounter: true },
  // An item whose key occurs elsewhere too.
  example: { isCounter: true, initial: 0xffff_ffff },
  // Where a copy was met, or its key, for schemes that move items before they meet.
  witness: { isCounter: true, initial: 0xffff_ffff },
  // Items outside the table proper.
  stashed: { isCounter: true },
  // Parts of the table that were begun again.
  restarts: { isCounter: true },
  // Rounds of parts that are built in rounds, added up.
  rounds: { isCounter: true },
} as const satisfies Readonly<Record<string, Field>>;

interface Field {
  readonly isCounter?: true;
  readonly initial?: number;
}

type CommonField = keyof typeof COMMON;

/** Words of the hash constants. */
const HASH_WORDS = 4;

const COMMON_FIELDS = Object.keys(COMMON) as readonly CommonField[];

/** Where a field that all headers have is, in bytes: for kernels that count without knowing headers. */
export const headerOffset = (field: CommonField): number => (HASH_WORDS + COMMON_FIELDS.indexOf(field)) * WORD_BYTES;

/** The values of a header. */
export type HeaderValues = { readonly [Name in CommonField]: number } & {
  readonly hash: readonly number[];
  /** The plan's fields. */
  readonly own: Readonly<Record<string, number>>;
  /** Distinct keys. */
  readonly size: number;
};

/** The number of distinct keys, from a header as searches see it. */
export const sizeIn = (header: Binding): Wgsl => wgsl`(${header}.count - ${header}.copies)`;

/** The layout of the headers of plans that add these fields. */
export class HeaderLayout {
  readonly bytes: number;
  readonly #fields: readonly (readonly [string, Field])[];
  readonly #read: Wgsl;
  readonly #build: Wgsl;

  private constructor(readonly own: readonly string[]) {
    const taken = own.find((name) => name in COMMON);
    if (taken) throw new Error(`hashnest: every header has a field '${taken}' already`);
    this.#fields = [...Object.entries(COMMON), ...own.map((name) => [name, {}] as const)];
    // A struct that begins with four words is a multiple of them.
    this.bytes = Math.ceil((HASH_WORDS + this.#fields.length) / 4) * 16;
    this.#read = wgsl`struct Header {${this.#members('u32')}}`;
    this.#build = wgsl`struct BuildHeader {${this.#members('atomic<u32>')}}`;
  }

  static readonly #named = kept((...names: readonly string[]) => new HeaderLayout(names));

  /** The layout for a plan's fields: the same one for the same names, so that kernels have the same text. */
  static of(fields: Readonly<Record<string, number>>): HeaderLayout {
    return HeaderLayout.#named(...Object.keys(fields));
  }

  #members(counter: 'u32' | 'atomic<u32>'): Wgsl {
    const lines = this.#fields.map(([name, { isCounter }]) => `\n  ${name}: ${isCounter ? counter : 'u32'},`);
    return join(['\n  hash: vec4u,', ...lines, '\n'], '');
  }

  /** A header as searches see it. */
  forReading(): Binding {
    return uniform('header', this.#read);
  }

  /** A header as builds see it. */
  forBuilding(): Binding {
    return storage('header', this.#build, 'read_write');
  }

  /** The struct of headers as searches see them. */
  get struct(): Wgsl {
    return this.#read;
  }

  /** Statements that set a header that is being built to the values of one as searches see them. */
  assign(header: Binding, values: WgslPart): Wgsl {
    const lines = this.#fields.map(([name, { isCounter }]) =>
      isCounter
        ? wgsl`atomicStore(&${header}.${name}, ${values}.${name});`
        : wgsl`${header}.${name} = ${values}.${name};`,
    );
    return join([wgsl`${header}.hash = ${values}.hash;`, ...lines], '\n  ');
  }

  read(bytes: ArrayBuffer): HeaderValues {
    const words = new Uint32Array(bytes);
    const all = Object.fromEntries(this.#fields.map(([name], i) => [name, words[HASH_WORDS + i] as number]));
    const common = Object.fromEntries(COMMON_FIELDS.map((name) => [name, all[name] as number])) as {
      [Name in CommonField]: number;
    };
    return {
      ...common,
      hash: [...words.subarray(0, HASH_WORDS)],
      own: Object.fromEntries(this.own.map((name) => [name, all[name] as number])),
      size: common.count - common.copies,
    };
  }

  /** The words of a header; what is left out is as in one that nothing has been built with. */
  write(values: { readonly [Name in CommonField]?: number } & { hash: HashConstants; own: HeaderValues['own'] }) {
    const { hash, own, ...common } = values;
    const given: Readonly<Record<string, number | undefined>> = { ...common, ...own };
    const words = new Uint32Array(this.bytes / WORD_BYTES);
    words.set([...hash, ...this.#fields.map(([name, { initial = 0 }]) => given[name] ?? initial)]);
    return words;
  }
}

/** Bits of a status that make a table useless. One with an overflow has the items that fit. */
export const FAILED = STATUS.retry | STATUS.duplicate;

/** WGSL: `() -> bool`, whether nothing has gone wrong so far that another attempt or an error has to follow. */
export const isGoingWell = kept(
  (header: Binding): Wgsl => wgsl`
fn isGoingWell() -> bool {
  return (atomicLoad(&${header}.status) & ${FAILED}u) == 0u;
}`,
);
