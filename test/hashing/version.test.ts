/** What saved tables depend on. Whoever changes one of these numbers raises `HASH_VERSION`. */
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  HASH_VERSION,
  type HashFamily,
  mix,
  polynomial32,
  polynomial64,
  randomWords,
  rehashTwin,
  universal,
  xorPrime,
} from '../../src/hashing/index.ts';

const digest = (words: readonly number[]): string =>
  crc32(new Uint8Array(Uint32Array.from(words).buffer))
    .toString(16)
    .padStart(8, '0');

/** What a family makes of keys of so many words, under a few of its members. */
function hashes(family: HashFamily, width: number): string {
  const random = randomWords(width);
  const members = Array.from({ length: 4 }, () => family.draw(random));
  const keys = Array.from({ length: 50 }, () => Array.from({ length: width }, random));
  return digest(members.flatMap((member) => keys.flatMap((key) => family.hashTwin(key, member))));
}

function others(family: HashFamily): Record<'derived' | 'slots' | 'strings', string> {
  const random = randomWords(9);
  const member = family.draw(random);
  const texts = Array.from({ length: 20 }, (_, words) => Array.from({ length: words }, random));
  return {
    derived: digest([0, 1, 2, 30].flatMap((index) => family.deriveTwin(member, index))),
    slots: digest([1, 3, 100, 65_537, 2 ** 31].map((range) => family.reduceTwin(random(), range))),
    strings: digest(
      texts.flatMap((words) => (family.stream ? family.stream.twin(words.length * 4, words, member) : [])),
    ),
  };
}

describe(`hash functions of version ${HASH_VERSION}`, () => {
  it.each([
    { family: mix, expected: ['7623098d', '153d68bf', '91dae657', 'b17daaa4', 'a854a1cb'] },
    { family: universal, expected: ['e6ff0f41', '0c3cc076', '56908871', 'cdcd20f3', 'f3dfb074'] },
    { family: polynomial32, expected: ['b55cc193'] },
    { family: polynomial64, expected: ['3280d57d'] },
    { family: xorPrime, expected: ['a212c4ff'] },
  ])('$family.name hashes keys as ever', ({ family, expected }) => {
    const widths = [1, 2, 3, 5, 16].filter((width) => width <= family.maxWords);
    expect(widths.map((width) => hashes(family, width))).toEqual(expected);
  });

  it.each([
    { family: mix, expected: { derived: '730e97af', slots: '5c98986b', strings: 'bea66d58' } },
    { family: universal, expected: { derived: '730e97af', slots: '5c98986b', strings: '947a6428' } },
    { family: polynomial32, expected: { derived: '335e3607', slots: '46a037b9', strings: '00000000' } },
    { family: polynomial64, expected: { derived: '51c9a821', slots: '46a037b9', strings: '00000000' } },
    { family: xorPrime, expected: { derived: '51c9a821', slots: '46a037b9', strings: '00000000' } },
  ])('$family.name derives members, takes slots and hashes strings as ever', ({ family, expected }) => {
    expect(others(family)).toEqual(expected);
  });

  it.each([
    { family: mix, expected: { maxWords: 16, independentWords: 2, reduceKeepsOrder: true } },
    { family: universal, expected: { maxWords: 16, independentWords: 2, reduceKeepsOrder: true } },
    { family: polynomial32, expected: { maxWords: 1, independentWords: 1, reduceKeepsOrder: false } },
    { family: polynomial64, expected: { maxWords: 1, independentWords: 1, reduceKeepsOrder: false } },
    { family: xorPrime, expected: { maxWords: 1, independentWords: 1, reduceKeepsOrder: false } },
  ])('$family.name says of itself what schemes go by', ({ family, expected }) => {
    expect(family).toMatchObject(expected);
  });

  it('are hashed again as ever', () => {
    const random = randomWords(4);
    const again = Array.from({ length: 33 }, (_, index) =>
      rehashTwin([random(), random()], [random(), random(), random(), random()], index),
    );
    expect(digest(again)).toBe('be1f844e');
  });

  it('follow from a seed as ever', () => {
    expect(Array.from({ length: 4 }, randomWords(1))).toEqual([3950124170, 3819208569, 3120869881, 817185442]);
  });
});
