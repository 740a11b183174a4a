import { mix, multiplyHigh } from '../../hashing/index.ts';
import { fromWords, type KeySide } from '../../keys/index.ts';
import { storage, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { header } from '../contract/header.wgsl.ts';
import { entryOf, entryType, hit, hitType, miss, NO_SLOT } from '../contract/hit.wgsl.ts';
import type { TablePlan, TableShader } from '../contract/scheme.ts';
import { geometry, OWN } from './geometry.wgsl.ts';
import { Bucket, bucketCode } from './layout.wgsl.ts';
import { overflowSlot } from './overflow.wgsl.ts';
import { shapeOf } from './plan.ts';

/** Home first; the other bucket only if a key of this class left home; the overflow only if one left there too. */
export function bucketShader(plan: TablePlan, side: KeySide): TableShader {
  const { key, valueWords } = plan;
  const shape = shapeOf(plan);
  const { layout, exact, payloadWords, overflowWords } = shape;
  const needle = key.access(side);
  const inTable = key.access('table');
  const buckets = storage('buckets', wgsl`array<${Bucket}>`);
  const sideBuffer = storage('side', 'array<u32>');
  const code = bucketCode(layout);
  const { locate, awayFrom, homeFrom, classOf, hashFrom, overflowStart } = geometry(shape, header);
  const perRegion = wgsl`${header}.${OWN.bucketsPerRegion}`;
  const overflowSlots = wgsl`${header}.${OWN.overflowSlots}`;

  const payload = (slot: string, first: number, words: number): WgslPart =>
    fromWords(Array.from({ length: words }, (_, w) => wgsl`${sideBuffer}[${slot} * ${payloadWords}u + ${first + w}u]`));
  const payloadKey = (slot: string) => payload(slot, 0, key.words);
  const valueAt = (bucket: string, slot: string, whole: string): WgslPart => {
    if (valueWords === 0) return '';
    return layout.inlineValues
      ? wgsl`${code.inlineValue}(${bucket}, ${slot})`
      : payload(whole, exact ? 0 : key.words, valueWords);
  };

  // An exact tag occurs once in a bucket and settles it at once; fingerprints have to be verified one by one.
  const inBucket =
    exact && layout.inlineValues
      ? wgsl`
fn inBucket(bucket: ${Bucket}, index: u32, tag: u32, key: ${needle.type}, probes: u32) -> ${hitType(valueWords)} {
  let mask = ${code.matches}(bucket, tag);
  let value = ${code.valueOfMatch}(bucket, mask);
  let slot = select(${NO_SLOT}u, index * ${layout.slots}u + firstTrailingBit(mask), mask != 0u);
  return ${hitType(valueWords)}(mask != 0u, slot, probes, value);
}`
      : wgsl`
fn inBucket(bucket: ${Bucket}, index: u32, tag: u32, key: ${needle.type}, probes: u32) -> ${hitType(valueWords)} {
  for (var mask = ${code.matches}(bucket, tag); mask != 0u; mask &= mask - 1u) {
    let slot = firstTrailingBit(mask);
    let whole = index * ${layout.slots}u + slot;
    ${exact ? '' : wgsl`if (!${key.equals(inTable, needle)}(${inTable.of(payloadKey('whole'))}, key)) { continue; }`}
    return ${hit(valueWords, 'whole', 'probes', valueAt('bucket', 'slot', 'whole'))};
  }
  return ${miss(valueWords, 'probes')};
}`;

  const spilled = overflowSlot(plan, sideBuffer, 'at');
  const firstOverflow = wgsl`arrayLength(&${buckets}) * ${layout.slots}u`;
  const inOverflow = wgsl`
fn inOverflow(key: ${needle.type}, secondHash: u32) -> ${hitType(valueWords)} {
  let slotCount = ${overflowSlots};
  var slot = ${multiplyHigh}(secondHash, slotCount);
  for (var i = 1u; i <= slotCount; i++) {
    let at = ${overflowStart}() + slot * ${overflowWords}u;
    if (${sideBuffer}[at] == 0xffffffffu) { return ${miss(valueWords, '2u + i')}; }
    if (${key.equals(inTable, needle)}(${inTable.of(spilled.key)}, key)) {
      return ${hit(valueWords, wgsl`${firstOverflow} + slot`, '2u + i', spilled.value)};
    }
    slot = select(slot + 1u, 0u, slot + 1u == slotCount);
  }
  return ${miss(valueWords, '2u + slotCount')};
}`;

  const find = wgsl`
fn findSlot(key: ${needle.type}) -> ${hitType(valueWords)} {
  let hash = ${key.hash(needle, mix)}(key, ${header}.hash);
  let place = ${locate}(hash);
  let kind = ${classOf}(place.remainder);
  let base = place.region * ${perRegion};
  let home = ${buckets}[base + place.home];
  let atHome = ${inBucket}(home, base + place.home, place.remainder << 1u, key, 1u);
  if (atHome.found || !${code.hasLeft}(home, kind)) { return atHome; }
  let awayIndex = base + ${awayFrom}(place);
  let away = ${buckets}[awayIndex];
  let isAway = ${inBucket}(away, awayIndex, (place.remainder << 1u) | 1u, key, 2u);
  if (isAway.found || ${header}.stashed == 0u || !${code.hasLeft}(away, kind)) { return isAway; }
  return ${inOverflow}(key, hash.y);
}`;

  // The key of an exact slot is computed: where it is and its tag tell the hash, and the hash tells the key.
  const storedKey = exact
    ? wgsl`${key.unhash ?? ''}(${hashFrom}(region * ${perRegion} + home, remainder), ${header}.hash)`
    : payloadKey('index');
  const entry = wgsl`
fn entry(index: u32) -> ${entryType(key.words, valueWords)} {
  if (index >= ${firstOverflow}) {
    let at = ${overflowStart}() + (index - ${firstOverflow}) * ${overflowWords}u;
    return ${entryOf(key.words, valueWords, wgsl`${sideBuffer}[at] != 0xffffffffu`, spilled.key, spilled.value)};
  }
  let bucket = ${buckets}[index / ${layout.slots}u];
  let slot = index % ${layout.slots}u;
  let tag = ${code.tagOf}(bucket, slot);
  let remainder = tag >> 1u;
  let region = (index / ${layout.slots}u) / ${perRegion};
  let local = (index / ${layout.slots}u) % ${perRegion};
  let home = select(local, ${homeFrom}(local, remainder), (tag & 1u) == 1u);
  return ${entryOf(key.words, valueWords, wgsl`slot < ${code.used}`, storedKey, valueAt('bucket', 'slot', 'index'))};
}`;

  return {
    find,
    entry,
    bindings: new Map([
      ['header', header],
      ['buckets', buckets],
      ['side', sideBuffer],
    ]),
  };
}
