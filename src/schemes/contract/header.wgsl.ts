/**
 * The first 96 bytes of every table, in a buffer of their own: what a search has to know (a uniform) and how the build
 * went (a storage buffer while building).
 */
import { storage, uniform, type Wgsl, wgsl } from '../../wgsl/index.ts';

export const HEADER_BYTES = 96;

/** Where `copies` is, in bytes: for kernels that count without knowing headers. */
export const COPIES_OFFSET = 28;

/** How a build ended: bits of `header.status`. */
export const STATUS = {
  /** Some items found no slot; another seed or a larger table may help. */
  retry: 1,
  /** A key occurs twice, and the policy forbids it. */
  duplicate: 2,
  /** The count on the GPU was greater than the table was planned for. */
  overflow: 4,
} as const;

const fields = (counter: 'u32' | 'atomic<u32>') => `
  hash: vec4u,         // constants of the hash function
  capacity: u32,       // slots
  count: u32,          // items in the input
  status: ${counter},  // how the build ended
  copies: ${counter},  // items dropped because their key was there already
  longest: ${counter}, // probes of the longest insertion: no search needs more
  failed: ${counter},  // items that found no slot
  example: ${counter}, // an item whose key occurs elsewhere too
  attempts: u32,       // builds begun for this input
  own: vec4u,          // the scheme's own numbers
  stashed: ${counter}, // items outside the table proper
  restarts: ${counter},// parts of the table that were begun again
  rounds: ${counter},  // rounds of parts that are built in rounds, added up
  build: u32,          // how many builds of this table were recorded before
  witness: ${counter}, // where a copy was met, for schemes that move items before they meet
`;

export const Header: Wgsl = wgsl`struct Header {${fields('u32')}}`;
const BuildHeader: Wgsl = wgsl`struct BuildHeader {${fields('atomic<u32>')}}`;

/** The header as searches see it. */
export const header = uniform('header', Header);

/** The header as builds see it. */
export const buildHeader = storage('header', BuildHeader, 'read_write');

/** WGSL: `() -> bool`, whether nothing has gone wrong so far that another attempt or an error has to follow. */
export const isGoingWell: Wgsl = wgsl`
fn isGoingWell() -> bool {
  return (atomicLoad(&${buildHeader}.status) & ${STATUS.retry | STATUS.duplicate}u) == 0u;
}`;

/** A header, read back. */
export interface HeaderRecord {
  readonly hash: readonly number[];
  readonly capacity: number;
  readonly count: number;
  readonly status: number;
  readonly copies: number;
  readonly longest: number;
  readonly failed: number;
  readonly example: number;
  readonly attempts: number;
  readonly stashed: number;
  readonly restarts: number;
  readonly rounds: number;
  readonly build: number;
}

export function readHeader(bytes: ArrayBuffer): HeaderRecord {
  const words = new Uint32Array(bytes);
  const at = (i: number) => words[i] as number;
  return {
    hash: [...words.subarray(0, 4)],
    capacity: at(4),
    count: at(5),
    status: at(6),
    copies: at(7),
    longest: at(8),
    failed: at(9),
    example: at(10),
    attempts: at(11),
    stashed: at(16),
    restarts: at(17),
    rounds: at(18),
    build: at(19),
  };
}

/** The bytes of a header that did not come from kernels. */
export function writeHeader(fields: Partial<HeaderRecord> & { readonly own: readonly number[] }): Uint32Array {
  const { hash = [], own, capacity = 0, count = 0, status = 0, copies = 0, longest = 0, failed = 0 } = fields;
  const { example = 0xffffffff, attempts = 0, stashed = 0, restarts = 0, rounds = 0, build = 0 } = fields;
  const words = new Uint32Array(HEADER_BYTES / 4);
  words.set(hash, 0);
  words.set([capacity, count, status, copies, longest, failed, example, attempts], 4);
  words.set(own, 12);
  words.set([stashed, restarts, rounds, build], 16);
  return words;
}
