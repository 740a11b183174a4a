import { mix, multiplyHigh, unmix } from '../../hashing/index.ts';
import { fromWords, type KeyAccess, wordsOf } from '../../keys/index.ts';
import { join, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { entryOf, entryType, hit, hitType, miss, type TableReader, type TableView } from '../contract/index.ts';
import { findInBucket } from '../kit/bucket.wgsl.ts';
import { geometry } from './geometry.wgsl.ts';
import { bucketCode } from './layout.wgsl.ts';
import { EMPTY, overflowAt, overflowSlot } from './overflow.wgsl.ts';
import type { Shape } from './shape.ts';

/** The WGSL that searches a table through a view of it. */
export function bucketCuckooReader(shape: Shape, view: TableView): TableReader {
  const parts = readParts(shape, view);
  return { find: (needle) => find(parts, needle), entry: entry(parts) };
}

type ReadParts = ReturnType<typeof readParts>;

/** What a search and a visit of every slot have in common. */
function readParts(shape: Shape, view: TableView) {
  const { layout, keptKeyWords, payloadWords } = shape;
  const { valueWords } = shape.request;
  const [buckets, side] = [view.buffer('buckets'), view.buffer('side')];
  const code = bucketCode(layout);
  const payload = (slot: string, first: number, words: number): WgslPart =>
    fromWords(Array.from({ length: words }, (_, w) => wgsl`${side}[${slot} * ${payloadWords}u + ${first + w}u]`));
  /** What a slot keeps from word `first` on; `whole` is its number in the whole table. */
  const kept = (first: number, words: number) => {
    if (words === 0) return () => '';
    if (layout.inside === 0) return (_: string, __: string, whole: string) => payload(whole, first, words);
    const wordsOfMatch = code.wordsOfMatch(first, words);
    return (bucket: string, slot: string) => wgsl`${wordsOfMatch}(${bucket}, 1u << ${slot})`;
  };
  return {
    ...shape,
    ...geometry(shape, view.header),
    view,
    code,
    buckets,
    side,
    /** The words of the key, and the value, that a slot of a bucket keeps. */
    keptKey: kept(0, keptKeyWords),
    valueAt: kept(keptKeyWords, valueWords),
    /** The first slot of the overflow is behind those of all buckets. */
    firstOverflow: wgsl`arrayLength(&${buckets}) * ${layout.slots}u`,
    /** WGSL: `(slot: u32) -> u32`, the word of the side buffer with the mark of that overflow slot. */
    markAt: overflowAt(shape, view.header),
    /** What is in the overflow slot whose mark is at word `at`. */
    spilled: overflowSlot(shape, side, 'at'),
  };
}

/** Home first; the other bucket only if a key of this class left home; the overflow only if one left there too. */
function find(parts: ReadParts, needle: KeyAccess): Wgsl {
  const { request, view, code, buckets, locate, awayFrom, classOf } = parts;
  const { key, valueWords } = request;
  const { header } = view;
  // Once, so that both searches call the same function.
  const isNeedle = key.equals(view.key, needle);
  const inBucket = searchBucket(parts, needle, isNeedle);
  return wgsl`
fn findSlot(key: ${needle.type}) -> ${hitType(valueWords)} {
  let hash = ${key.hash(needle, mix)}(key, ${header}.hash);
  let address = ${locate}(hash);
  let kind = ${classOf}(address.remainder);
  let base = address.region * ${header}.bucketsPerRegion;
  let home = ${buckets}[base + address.home];
  let atHome = ${inBucket}(home, base + address.home, address.remainder << 1u, key, 1u);
  if (atHome.found || !${code.hasLeft}(home, kind)) { return atHome; }
  let awayIndex = base + ${awayFrom}(address);
  let away = ${buckets}[awayIndex];
  let isAway = ${inBucket}(away, awayIndex, (address.remainder << 1u) | 1u, key, 2u);
  if (isAway.found || ${header}.stashed == 0u || !${code.hasLeft}(away, kind)) { return isAway; }
  return ${findInOverflow(parts, needle, isNeedle)}(key, hash.y);
}`;
}

/** How one bucket is searched. */
function searchBucket(parts: ReadParts, needle: KeyAccess, isNeedle: Wgsl): Wgsl {
  const { request, view, layout, isQuotient, keptKeyWords, code, keptKey, valueAt } = parts;
  const { slots, inside } = layout;
  const { key, valueWords } = request;
  const withTag = wgsl`${code.matches}(bucket, tag)`;
  const firstWords = wordsOf(key.words, 'key').slice(0, keptKeyWords);
  return findInBucket(
    {
      slots,
      valueWords,
      matches:
        isQuotient && keptKeyWords > 0
          ? wgsl`${withTag} & ${code.beginsWith(keptKeyWords)}(bucket, ${fromWords(firstWords)})`
          : withTag,
      valueOfMatch:
        isQuotient && inside > 0
          ? valueWords > 0
            ? wgsl`${code.wordsOfMatch(keptKeyWords, valueWords)}(bucket, mask)`
            : ''
          : undefined,
      isNeedle: isQuotient ? undefined : wgsl`${isNeedle}(${view.key.of(keptKey('bucket', 'slot', 'whole'))}, key)`,
      valueAt,
    },
    needle,
  );
}

function findInOverflow(parts: ReadParts, needle: KeyAccess, isNeedle: Wgsl): Wgsl {
  const { request, view, side, firstOverflow, markAt, spilled } = parts;
  const { valueWords } = request;
  return wgsl`
fn inOverflow(key: ${needle.type}, secondHash: u32) -> ${hitType(valueWords)} {
  let slotCount = ${view.header}.overflowSlots;
  var slot = ${multiplyHigh}(secondHash, slotCount);
  for (var i = 1u; i <= slotCount; i++) {
    let at = ${markAt}(slot);
    if (${side}[at] == ${EMPTY}) { return ${miss(valueWords, '2u + i')}; }
    if (${isNeedle}(${view.key.of(spilled.key)}, key)) {
      return ${hit(valueWords, wgsl`${firstOverflow} + slot`, '2u + i', spilled.value)};
    }
    slot = select(slot + 1u, 0u, slot + 1u == slotCount);
  }
  return ${miss(valueWords, '2u + slotCount')};
}`;
}

/** The last word of a key may have to be computed: where it is and its tag tell the hash, and that tells the word from the others. */
function entry(parts: ReadParts): Wgsl {
  const { request, view, layout, isQuotient, keptKeyWords, code, buckets, side, homeFrom, hashFrom } = parts;
  const { keptKey, valueAt } = parts;
  const { firstOverflow, markAt, spilled } = parts;
  const { key, valueWords } = request;
  const perRegion = wgsl`${view.header}.bucketsPerRegion`;
  const keptWords = wordsOf(keptKeyWords, 'keptKey');
  const lastWord = wgsl`${unmix(key.words)}(${join(['hash', ...keptWords, wgsl`${view.header}.hash`], ', ')})`;
  return wgsl`
fn entry(index: u32) -> ${entryType(key.words, valueWords)} {
  if (index >= ${firstOverflow}) {
    let at = ${markAt}(index - ${firstOverflow});
    return ${entryOf(key.words, valueWords, wgsl`${side}[at] != ${EMPTY}`, spilled.key, spilled.value)};
  }
  let bucket = ${buckets}[index / ${layout.slots}u];
  let slot = index % ${layout.slots}u;
  let tag = ${code.tagOf}(bucket, slot);
  let remainder = tag >> 1u;
  let region = (index / ${layout.slots}u) / ${perRegion};
  let local = (index / ${layout.slots}u) % ${perRegion};
  let home = select(local, ${homeFrom}(local, remainder), (tag & 1u) == 1u);
  ${keptKeyWords > 0 ? wgsl`let keptKey = ${keptKey('bucket', 'slot', 'index')};` : ''}
  ${isQuotient ? wgsl`let hash = ${hashFrom}(region * ${perRegion} + home, remainder);` : ''}
  let storedKey = ${fromWords(isQuotient ? [...keptWords, lastWord] : keptWords)};
  return ${entryOf(key.words, valueWords, wgsl`slot < ${code.used}`, 'storedKey', valueAt('bucket', 'slot', 'index'))};
}`;
}

/** A bucket uses no more slots than it has. */
export const areSoundBuckets = ({ layout }: Shape, view: TableView): Wgsl => wgsl`
fn isSoundBucket(i: u32) -> bool {
  let bucket = ${view.buffer('buckets')}[i];
  return ${bucketCode(layout).used} <= ${layout.slots}u;
}`;
