import { mix } from '../../hashing/index.ts';
import { fromWords, type KeyAccess } from '../../keys/index.ts';
import { type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { entryOf, entryType, hitType, type TableReader, type TableView } from '../contract/index.ts';
import { findInBucket } from '../kit/bucket.wgsl.ts';
import { keyFromHash } from '../kit/partition/parcels.wgsl.ts';
import { geometry } from './geometry.wgsl.ts';
import { bucketCode, emptyTag, hasInlineValues } from './layout.wgsl.ts';
import type { Shape } from './shape.ts';

/** The WGSL that searches a table through a view of it. */
export function regionCuckooReader(shape: Shape, view: TableView): TableReader {
  const parts = readParts(shape, view);
  return { find: (needle) => find(parts, needle), entry: entry(parts) };
}

type ReadParts = ReturnType<typeof readParts>;

/** What a search and a visit of every slot have in common. */
export function readParts(shape: Shape, view: TableView) {
  const { layout, exact, payloadWords, request } = shape;
  const { key, valueWords } = request;
  const [buckets, side] = [view.buffer('buckets'), view.buffer('side')];
  const code = bucketCode(layout);
  const payload = (slot: string, first: number, words: number): WgslPart =>
    fromWords(Array.from({ length: words }, (_, w) => wgsl`${side}[${slot} * ${payloadWords}u + ${first + w}u]`));
  return {
    ...shape,
    ...geometry(shape, view.header),
    view,
    code,
    buckets,
    /** The key of a slot of the whole table, where tags are fingerprints. */
    payloadKey: (whole: string): WgslPart => payload(whole, 0, key.words),
    /** The value in a slot of a bucket; `whole` is the number of that slot in the whole table. */
    valueAt: (bucket: string, slot: string, whole: string): WgslPart => {
      if (valueWords === 0) return '';
      return hasInlineValues(layout)
        ? wgsl`${code.inlineValue}(${bucket}, ${slot})`
        : payload(whole, exact ? 0 : key.words, valueWords);
    },
  };
}

/** Home first; the other bucket only if a key of this class is away. */
function find(parts: ReadParts, needle: KeyAccess): Wgsl {
  const { request, view, code, buckets, locate, awayFrom, classOf } = parts;
  const { key, valueWords } = request;
  const { header } = view;
  const inBucket = searchBucket(parts, needle);
  return wgsl`
fn findSlot(key: ${needle.type}) -> ${hitType(valueWords)} {
  let address = ${locate}(${key.hash(needle, mix)}(key, ${header}.hash));
  let kind = ${classOf}(address.remainder);
  let base = address.region << ${header}.bucketBits;
  let home = ${buckets}[base + address.home];
  let atHome = ${inBucket}(home, base + address.home, address.remainder << 1u, key, 1u);
  if (atHome.found || !${code.hasLeft}(home, kind)) { return atHome; }
  let away = base + ${awayFrom}(address.home, kind);
  return ${inBucket}(${buckets}[away], away, (address.remainder << 1u) | 1u, key, 2u);
}`;
}

/** How one bucket is searched. */
function searchBucket(parts: ReadParts, needle: KeyAccess): Wgsl {
  const { request, view, layout, exact, code, payloadKey, valueAt } = parts;
  const { key, valueWords } = request;
  const isNeedle = () => wgsl`${key.equals(view.key, needle)}(${view.key.of(payloadKey('whole'))}, key)`;
  return findInBucket(
    {
      slots: layout.slots,
      valueWords,
      matches: wgsl`${code.matches}(bucket, tag)`,
      valueOfMatch: exact && hasInlineValues(layout) ? wgsl`${code.valueOfMatch}(bucket, mask)` : undefined,
      isNeedle: exact ? undefined : isNeedle(),
      valueAt,
    },
    needle,
  );
}

/** The key of an exact slot is computed: where it is and its tag tell the hash, and the hash tells the key. */
function entry(parts: ReadParts): Wgsl {
  const { request, view, layout, exact, code, buckets, homeOf, hashFrom, payloadKey, valueAt } = parts;
  const { key, valueWords } = request;
  const hash = wgsl`${hashFrom}(${homeOf}(whole, tag), tag >> 1u)`;
  const storedKey = exact ? keyFromHash(hash, view.header) : payloadKey('index');
  return wgsl`
fn entry(index: u32) -> ${entryType(key.words, valueWords)} {
  let whole = index / ${layout.slots}u;
  let bucket = ${buckets}[whole];
  let slot = index % ${layout.slots}u;
  let tag = ${code.tagOf}(bucket, slot);
  return ${entryOf(key.words, valueWords, `tag != ${emptyTag(layout)}u`, storedKey, valueAt('bucket', 'slot', 'index'))};
}`;
}
