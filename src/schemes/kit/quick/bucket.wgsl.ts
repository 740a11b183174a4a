import { join, unrolled, type Wgsl, type WgslPart, wgsl } from '../../../wgsl/index.ts';
import { Bucket } from '../bucket.wgsl.ts';
import type { QuickSlots } from './slots.wgsl.ts';

/** How a finished bucket is written: statements that change `bucket`. */
export interface QuickBucket {
  /** A bucket without items. */
  readonly empty: WgslPart;
  putTag(slot: number, tag: string): WgslPart;
  /** What a bucket has of an item beside its tag: how it is loaded by number, and put into its slot. */
  readonly inside?: {
    load(number: string): WgslPart;
    put(slot: number, loaded: string): WgslPart;
  };
  /** What else is in bucket `b`, of which `end` slots are used. */
  readonly putRest: WgslPart;
}

/** WGSL: `(b: u32) -> Bucket`, a finished bucket of the region. Where one key occurs twice, there is trouble. */
export function finishedBucket(slots: QuickSlots, { empty, putTag, inside, putRest }: QuickBucket): Wgsl {
  const { shape, word, tagOf, numberOf, used, giveUp, copiesAt, looksCloser } = slots;
  const { slots: perBucket } = shape;
  const each = Array.from({ length: perBucket }, (_, s) => s);
  const slotAt = (s: number) => `b * ${perBucket}u + ${s}u`;
  // All loads first, so that they are under way together.
  const load = (s: number): Wgsl => wgsl`
  let word${s} = ${word(slotAt(s))};
  let tag${s} = ${tagOf(`word${s}`)};
  ${inside ? wgsl`let number${s} = select(0u, ${numberOf(`word${s}`, slotAt(s))}, ${s}u < end);` : ''}
  ${inside ? wgsl`let loaded${s} = ${inside.load(`number${s}`)};` : ''}`;
  const earlier = (s: number): string =>
    each
      .slice(0, s)
      .map((t) => `tag${t} == tag${s}`)
      .join(' || ');
  const put = (s: number): Wgsl => wgsl`
  if (${s}u < end) {
    ${putTag(s, `tag${s}`)}
    ${inside ? inside.put(s, `loaded${s}`) : ''}
    ${s > 0 && copiesAt ? `suspicious |= ${earlier(s)};` : ''}
  }`;
  // Tags may not tell keys.
  const lookCloser = wgsl`
    for (var s = 0u; s < end; s++) {
      if (${copiesAt ?? ''}(b, s) > 1u) { ${giveUp} }
    }`;
  return wgsl`
fn finishedBucket(b: u32) -> ${Bucket} {
  var bucket = ${empty};
  ${copiesAt ? 'var suspicious = false;' : ''}
  let end = ${used}(b);
  ${join(each.map(load), '')}
  ${join(each.map(put), '')}
  ${putRest}
  ${copiesAt ? wgsl`if (suspicious) { ${looksCloser ? lookCloser : giveUp} }` : ''}
  return bucket;
}`;
}

/** Statements for every item of the region, for so many threads; they see the slot `i` of the region that it is in, and its `number`. */
export const eachItem = ({ shape, word, numberOf, used }: QuickSlots, threads: number, then: Wgsl): Wgsl => wgsl`
  for (var i = thread; i < slotCount; i += ${threads}u) {
    if (i % ${shape.slots}u < ${used}(i / ${shape.slots}u)) {
      let slotWord = ${word('i')};
      let number = ${numberOf('slotWord', 'i')};
      ${then}
    }
  }`;

/** Parcels that a thread loads at a time; loops that are written out take more registers, and leave room for fewer workgroups. */
const LOADED = 2;

/**
 * Statements for so many threads: the parcels of a bin come, `count` of them, if it `fits`. Those of `arrive` see `item` and `parcel`, each
 * with the number that they are given.
 */
export const arriveFromBin = (
  threads: number,
  parcelAt: (number: WgslPart) => WgslPart,
  arrive: (k: number) => Wgsl,
): Wgsl => wgsl`
  for (var base = thread; fits && base < count; base += ${LOADED * threads}u) {
    ${unrolled(
      LOADED,
      (k) => wgsl`
    let item${k} = base + ${k * threads}u;
    let parcel${k} = ${parcelAt(`min(item${k}, count - 1u)`)};`,
    )}
    ${unrolled(LOADED, (k) => wgsl`if (item${k} < count) { ${arrive(k)} }`)}
  }`;
