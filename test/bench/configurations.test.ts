import { describe, expect, it } from 'vitest';
import {
  type Configuration,
  configurationsOf,
  describeConfiguration,
  hasLoadFactor,
  makeScheme,
  makeSchemeOfSlots,
  refusalOf,
} from '../../bench/configurations.ts';
import { type Duplicates, polynomial32, type SchemeName, u32, u64, utf8, valueTypes, vec3i } from '../../src/index.ts';

describe('configurations', () => {
  it('combine all axes, and run schemes without a load factor once', () => {
    const made = configurationsOf({
      schemes: [{ name: 'linearProbing' }, { name: 'sortedArray' }],
      collections: ['map'],
      keys: [u32, u64],
      sizes: [10, 20],
      loads: [0.5, 0.8],
    });
    expect(made.map(describeConfiguration)).toEqual([
      'linearProbing map u32 10 at 0.5',
      'linearProbing map u32 10 at 0.8',
      'sortedArray map u32 10',
      'linearProbing map u32 20 at 0.5',
      'linearProbing map u32 20 at 0.8',
      'sortedArray map u32 20',
      'linearProbing map u64 10 at 0.5',
      'linearProbing map u64 10 at 0.8',
      'sortedArray map u64 10',
      'linearProbing map u64 20 at 0.5',
      'linearProbing map u64 20 at 0.8',
      'sortedArray map u64 20',
    ]);
  });

  it('know which schemes have a load factor', () => {
    expect(hasLoadFactor('doubleHashing')).toBe(true);
    expect(hasLoadFactor('sortedArray')).toBe(false);
  });

  it('give schemes exactly the slots that are asked for', () => {
    const { options } = makeSchemeOfSlots('linearProbing', { slots: 1.05, items: 1000 });
    expect(options).toEqual({ capacitySlots: 1050, hash: 'mix' });
  });

  it('give schemes that cannot be told a load', () => {
    expect(makeSchemeOfSlots('bucketCuckoo', { slots: 1.25, items: 1000 }).options).toEqual({ loadFactor: 0.8 });
  });

  it('tell why a scheme refuses a table', () => {
    const scheme = makeSchemeOfSlots('linearProbing', { slots: 0.5, items: 10 });
    const configuration = { scheme, collection: 'map', key: u32, items: 10, loadFactor: undefined } as const;
    expect(refusalOf(configuration, 'unique')).toContain('10 items do not fit into 5 slots');
    expect(refusalOf(configuration, 'last')).toBeUndefined();
  });

  it('tell which keys, values and constructions are refused', () => {
    const refusal = (name: SchemeName, axes: Partial<Configuration>) =>
      refusalOf(
        { scheme: makeScheme(name), collection: 'map', key: u32, items: 10, loadFactor: undefined, ...axes },
        'unique',
      );
    expect(refusal('perfectSpatial', {})).toContain(
      'takes keys of two or three coordinates, such as vec2i and vec3i, not u32',
    );
    expect(refusal('perfectSpatial', { key: vec3i })).toBeUndefined();
    expect(refusal('linearProbing', { value: valueTypes.u64 })).toBeUndefined();
    expect(refusal('linearProbing', { value: valueTypes.u64, collection: 'aggregate' })).toContain('max of u64');
    expect(refusal('linearProbing', { key: utf8, collection: 'keyIndex/sort' })).toBeUndefined();
  });

  it('name the type of values that are not words', () => {
    const axes = {
      schemes: [{ name: 'sortedArray' }],
      collections: ['map'],
      keys: [u64],
      sizes: [10],
      loads: [],
    } as const;
    const [made] = configurationsOf({ ...axes, value: valueTypes.u64 });
    expect(made && describeConfiguration(made)).toBe('sortedArray map u64 to u64 10');
  });

  it('take options of schemes as axes, and a load in brackets before the others', () => {
    const made = configurationsOf({
      schemes: [
        { name: 'cuckoo', options: { functions: 3 } },
        { name: 'chaining', options: { bucketsPerItem: 2 } },
        { name: 'linearProbing', options: { loadFactor: 0.25 } },
      ],
      collections: ['multiMap'],
      keys: [u32],
      sizes: [10],
      copies: [1, 4],
      loads: [0.5, 0.8],
    });
    expect(made.map(describeConfiguration)).toEqual(
      ['', ', copies 4'].flatMap((copies) =>
        [
          'cuckoo(functions=3) multiMap u32 10 at 0.5',
          'cuckoo(functions=3) multiMap u32 10 at 0.8',
          'chaining(bucketsPerItem=2) multiMap u32 10',
          'linearProbing(loadFactor=0.25) multiMap u32 10',
        ].map((name) => `${name}${copies}`),
      ),
    );
    expect(made[0]?.scheme.options).toMatchObject({ functions: 3, loadFactor: 0.5 });
    expect(made[3]?.scheme.options).toMatchObject({ loadFactor: 0.25 });
  });

  it('have copies where there may be any', () => {
    const of = (collection: Configuration['collection'], duplicates: Duplicates) =>
      refusalOf(
        { scheme: makeScheme('linearProbing'), collection, key: u32, items: 10, copies: 2, loadFactor: undefined },
        duplicates,
      );
    expect(of('map', 'unique')).toBe("a map with duplicates 'unique' takes no copies of keys");
    expect(of('set', 'error')).toBe("a set with duplicates 'error' takes no copies of keys");
    expect(of('map', 'last')).toBeUndefined();
    expect(of('keyIndex', 'unique')).toBeUndefined();
  });

  it('give schemes the options they know', () => {
    expect(makeScheme('linearProbing', { loadFactor: 0.7, hash: polynomial32 }).options).toEqual({
      loadFactor: 0.7,
      hash: 'polynomial32',
    });
    expect(makeScheme('sortedArray', { loadFactor: 0.7, hash: polynomial32 }).options).toEqual({});
  });
});
