/** Keys of several words that the library has no arrays for. They come as words from columns of Arrow. */
import { arrayKind } from '../../gpu/index.ts';
import { type FixedKeyType, signedOrder, wordsKey, wordsOf } from '../../keys/index.ts';
import { type WgslPart, wgsl } from '../../wgsl/index.ts';

/** Keys of so many words, the least significant first. */
const wideKey = (
  name: string,
  words: number,
  order?: (most: WgslPart, others: readonly WgslPart[]) => readonly WgslPart[],
): FixedKeyType<Uint32Array> =>
  wordsKey({
    name,
    words,
    accepts: (keys): keys is Uint32Array =>
      arrayKind(keys) === 'Uint32Array' && (keys as Uint32Array).length % words === 0,
    encode: (keys) => keys,
    decode: (stored) => stored,
    ...(order && {
      order: (key: WgslPart) => {
        const [most, ...others] = [...wordsOf(words, key)].reverse() as [WgslPart, ...WgslPart[]];
        return order(most, others);
      },
    }),
  });

/** 64-bit floating-point numbers in the order of IEEE 754: negative ones have all bits turned round, others only the sign. */
export const float64 = wideKey('float64', 2, (most, others) => {
  const sign = wgsl`(${most} >> 31u) == 1u`;
  return [
    wgsl`(${most} ^ select(0x80000000u, 0xffffffffu, ${sign}))`,
    ...others.map((word) => wgsl`(${word} ^ select(0u, 0xffffffffu, ${sign}))`),
  ];
});

const signed = (most: WgslPart, others: readonly WgslPart[]) => [signedOrder(most), ...others];

/** Whole numbers of 128 and 256 bits in two's complement. */
export const int128 = wideKey('int128', 4, signed);
export const int256 = wideKey('int256', 8, signed);

/** Words that are only told apart: parts of a span of time of which nobody can say which is longer. */
export const twoWords = wideKey('twoWords', 2);
export const fourWords = wideKey('fourWords', 4);
