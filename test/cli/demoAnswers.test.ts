import { describe, expect, it } from 'vitest';
import { differenceOf, ORACLES } from '../../cli/demoAnswers.ts';
import { demoData } from '../../cli/demoData.ts';
import { DEMO_KEYS, type DemoKey } from '../../cli/demoKeys.ts';

const strings: DemoKey = DEMO_KEYS.utf8;
const listOf = (...plain: string[]) => ({ plain, keys: strings.arrayOf(plain) });
const data = { key: strings, items: listOf('a', 'b', 'a'), present: listOf('b', 'a'), absent: listOf('c') };
const values = new Uint32Array([7, 5, 3]);
const asked = listOf('a', 'c', 'b');

describe('what plain JavaScript answers', () => {
  it('has the last value of a key in a map, all parts of it', () => {
    expect(ORACLES.map(data, values)(asked)).toEqual({ found: new Uint8Array([1, 0, 1]), values: [3, 0, 5] });
    const pairs = new Float32Array([7, 70, 5, 50, 3, 30]);
    expect(ORACLES.map(data, pairs)(asked)).toMatchObject({ values: [3, 30, 0, 0, 5, 50] });
  });

  it('has presence in a set', () => {
    expect(ORACLES.set(data, values)(asked)).toEqual({ found: new Uint8Array([1, 0, 1]) });
  });

  it('has the way back from ids in an index', () => {
    expect(ORACLES.keyIndex(data, values)(asked)).toMatchObject({ keysOfIds: ['a', 'b'] });
  });

  it('has all values of a key in a multimap, in the order of the items', () => {
    expect(ORACLES.multiMap(data, values)(asked)).toEqual({ counts: [2, 0, 1], values: [7, 3, 5] });
  });

  it('has the greatest value of a key in an aggregate', () => {
    expect(ORACLES.aggregate(data, values)(asked)).toMatchObject({ values: [7, 0, 5] });
  });
});

describe('the comparison of answers', () => {
  const expected = { found: [1, 0], values: [5, 0] };

  it('finds nothing where all are the same, whatever the arrays', () => {
    expect(differenceOf({ found: new Uint8Array([1, 0]), values: new Uint32Array([5, 0]) }, expected)).toBeUndefined();
  });

  it('counts what is wrong, and notices what is not there', () => {
    expect(differenceOf({ found: [1, 0], values: [6, 1] }, expected)).toBe('2 of 2 values are wrong');
    expect(differenceOf({ found: [1], values: [5, 0] }, expected)).toBe('1 found instead of 2');
    expect(differenceOf({ found: [1, 0] }, expected)).toBe('0 values instead of 2');
  });
});

describe('items of the demonstration', () => {
  it.each(Object.entries(DEMO_KEYS))('have as many different %s keys as asked for', (_, key: DemoKey) => {
    const { items, present, absent } = demoData(key, 400, 100);
    const known = new Set(items.plain);
    expect(known).toEqual(new Set(present.plain));
    expect([items, present, absent].map(({ plain }) => plain.length)).toEqual([400, 100, 400]);
    for (const special of key.special) expect(known).toContain(special);
    expect(absent.plain.filter((one) => known.has(one))).toEqual([]);
    // Different keys for the `Map` are different keys for the table.
    const { words } = key.type;
    const encoded = key.type.encode(present.keys).words;
    const texts = present.plain.map((_, i) => encoded.subarray(i * words, (i + 1) * words).join());
    expect(new Set(texts).size).toBe(100);
  });
});
