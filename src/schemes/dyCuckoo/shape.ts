/** All sizes of a table. They follow from what it is wanted for, and are decided here and nowhere else. */
import { FormatError } from '../../gpu/index.ts';
import type { DynamicRequest } from '../contract/index.ts';
import { requireAddressable } from '../kit/capacity.ts';
import { isExact } from '../kit/partition/parcels.wgsl.ts';

/** What batches and searches have to know of their table. */
export interface Shape {
  readonly request: DynamicRequest;
  readonly subtables: number;
  /** Subtables have 2^bits buckets each, and the first few of them, those that are doubled, twice as many. */
  readonly bits: number;
  readonly doubled: number;
  readonly buckets: number;
  /** Slots of a bucket. */
  readonly perBucket: number;
  /** Whether the tag of a slot tells its key. */
  readonly exact: boolean;
  /** Whether values are in the bucket, behind the tags. */
  readonly inline: boolean;
  /** Words a slot beside the buckets: keys that are not exact, values that are not inside. */
  readonly sideWords: number;
}

/** Of a subtable: 16 buckets. A table never gets smaller, so that it need not be halved for the last few keys. */
const FEWEST_BITS = 4;

/**
 * The smallest table with so many slots. The smallest subtable doubles, of several the first; so the sizes of all follow from how many
 * steps there were, and a table that shrinks goes the same way back: the largest is halved, of several the last.
 */
export function chooseShape(request: DynamicRequest, subtables: number): Shape {
  const { key, valueWords, slots, format } = request;
  const exact = isExact(key);
  const inline = exact && valueWords === 1;
  const perBucket = inline ? 4 : 8;
  let bits = FEWEST_BITS;
  let doubled = 0;
  while ((subtables + doubled) * 2 ** bits * perBucket < slots) {
    doubled = (doubled + 1) % subtables;
    if (doubled === 0) bits++;
  }
  const buckets = (subtables + doubled) * 2 ** bits;
  requireAddressable('dyCuckoo', buckets * perBucket);
  const shape = {
    request,
    subtables,
    bits,
    doubled,
    buckets,
    perBucket,
    exact,
    inline,
    sideWords: (exact ? 0 : key.words) + (inline ? 0 : valueWords),
  };
  if (format !== undefined && format !== formatOf(shape)) {
    throw new FormatError(`dyCuckoo has no format '${format}' for such a table`);
  }
  return shape;
}

/** The fields of the header that say how large a table is: where every subtable begins and how many buckets it has. */
export const headerFields = ({ bits, doubled }: Shape) => ({ bucketBits: bits, doubled });

/** Subtables, and slots of a bucket. */
export const formatOf = ({ subtables, perBucket }: Pick<Shape, 'subtables' | 'perBucket'>): string =>
  `dyCuckoo/1/${subtables}x${perBucket}`;
