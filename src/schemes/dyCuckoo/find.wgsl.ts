import { fromWords, type KeyAccess } from '../../keys/index.ts';
import { type Binding, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { entryOf, entryType, hitType, type TableReader, type TableView } from '../contract/index.ts';
import { findInBucket } from '../kit/bucket.wgsl.ts';
import { geometry } from './geometry.wgsl.ts';
import { bucketCode } from './layout.wgsl.ts';
import type { Shape } from './shape.ts';

/** The WGSL that searches a table through a view of it. */
export function dyCuckooReader(shape: Shape, view: TableView): TableReader {
  const parts = readParts(shape, {
    header: view.header,
    buckets: view.buffer('buckets'),
    side: view.buffer('side'),
    key: view.key,
  });
  return { find: (needle) => find(parts, needle), entry: entry(parts) };
}

/** What of a table is read. */
export interface ReadBindings {
  readonly header: Binding;
  readonly buckets: Binding;
  readonly side: Binding;
  readonly key: KeyAccess;
}

export type ReadParts = ReturnType<typeof readParts>;

/** What all who only read a table have in common. */
export function readParts(shape: Shape, bindings: ReadBindings) {
  const { exact, inline, sideWords, request } = shape;
  const { key, valueWords } = request;
  const { header, side } = bindings;
  const code = bucketCode(shape);
  const where = geometry(shape, header);
  const sidePart = (slot: WgslPart, first: number, words: number): WgslPart =>
    fromWords(Array.from({ length: words }, (_, w) => wgsl`${side}[${slot} * ${sideWords}u + ${first + w}u]`));
  return {
    ...shape,
    ...bindings,
    ...where,
    code,
    /** The key in a slot of a subtable, as stored; `tag` is what stands in that slot. */
    storedKey: (slot: WgslPart, number: WgslPart, tag: WgslPart): WgslPart =>
      exact ? wgsl`${where.keyOfTag}(${number}, ${tag})` : sidePart(slot, 0, key.words),
    /** The value in a slot of a bucket; `whole` is the number of that slot in the whole table. */
    valueAt: (bucket: string, slot: string, whole: string): WgslPart => {
      if (valueWords === 0) return '';
      return inline
        ? wgsl`${code.inlineValue}(${bucket}, ${slot})`
        : sidePart(whole, exact ? 0 : key.words, valueWords);
    },
  };
}

/** Two buckets at most (section V-A). */
function find(parts: ReadParts, needle: KeyAccess): Wgsl {
  const { request, buckets, choices } = parts;
  const inBucket = searchBucket(parts, needle);
  return wgsl`
fn findSlot(key: ${needle.type}) -> ${hitType(request.valueWords)} {
  let both = ${choices(needle)}(key);
  let first = ${inBucket}(${buckets}[both[0].bucket], both[0].bucket, both[0].tag, key, 1u);
  if (first.found) { return first; }
  return ${inBucket}(${buckets}[both[1].bucket], both[1].bucket, both[1].tag, key, 2u);
}`;
}

/** How one bucket is searched. */
export function searchBucket(parts: ReadParts, needle: KeyAccess): Wgsl {
  const { request, exact, inline, perBucket, code, key: access, storedKey, valueAt } = parts;
  const { key, valueWords } = request;
  const isNeedle = () => wgsl`${key.equals(access, needle)}(${access.of(storedKey('whole', '0u', 'tag'))}, key)`;
  return findInBucket(
    {
      slots: perBucket,
      valueWords,
      matches: wgsl`${code.matches}(bucket, tag)`,
      valueOfMatch: inline ? wgsl`${code.valueOfMatch}(bucket, mask)` : undefined,
      isNeedle: exact ? undefined : isNeedle(),
      valueAt,
    },
    needle,
  );
}

function entry(parts: ReadParts): Wgsl {
  const { request, perBucket, code, buckets, subtableOf, storedKey, valueAt } = parts;
  const { key, valueWords } = request;
  const stored = storedKey('index', 'part.number', 'tag');
  return wgsl`
fn entry(index: u32) -> ${entryType(key.words, valueWords)} {
  let whole = index / ${perBucket}u;
  let bucket = ${buckets}[whole];
  let slot = index % ${perBucket}u;
  let tag = ${code.tagOf}(bucket, slot);
  let part = ${subtableOf}(whole);
  let isPresent = (tag & part.mask) == whole - part.start;
  return ${entryOf(key.words, valueWords, 'isPresent', stored, valueAt('bucket', 'slot', 'index'))};
}`;
}
