/** Every public call that takes a `Gpu`, with something else in its place. */
import { afterAll, describe, expect, it } from 'vitest';
import { SparseImage, SparsePaint, SparseVolume } from '../../src/apps.ts';
import * as hashnest from '../../src/index.ts';
import { HashnestError, linearProbing, u32 } from '../../src/index.ts';
import * as relational from '../../src/relational.ts';
import { SpatialGrid, weld } from '../../src/spatial.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();
const words = Uint32Array.of(1, 2, 3);
const bytes = new Uint8Array(40);
const scheme = linearProbing();
const encoder = gpu.device.createCommandEncoder();
const items = { keys: words, values: words };
const points = gpu.upload('test', words);
const { Aggregate, DynamicIndex, DynamicMap, DynamicSet, HashMap, HashSet, KeyIndex, MultiMap, Workspace } = hashnest;

afterAll(() => points.destroy());

type Loose = (...args: unknown[]) => unknown;
const statics = (Kind: object): Record<string, Loose | undefined> => Kind as never;

/** What else the calls of a class are given. */
const GIVEN: Record<string, readonly unknown[]> = {
  from: [items, { scheme, combine: 'sum', radius: 1 }],
  create: [{ key: u32 }],
  prepare: [{ key: u32, items: 3, combine: 'sum' }],
  encodeBuild: [encoder, { ...items, points, count: 1 }, { key: u32, scheme, combine: 'sum', radius: 1 }],
  fromBytes: [bytes],
};
const CLASSES = {
  ...{ Aggregate, HashMap, HashSet, KeyIndex, MultiMap, DynamicIndex, DynamicMap, DynamicSet },
  ...{ SparseImage, SparsePaint, SparseVolume, SpatialGrid, JoinTable: relational.JoinTable },
};
const methods = Object.entries(CLASSES).flatMap(([name, Kind]) =>
  Object.entries(GIVEN).flatMap(([method, args]) =>
    typeof statics(Kind)[method] === 'function'
      ? [{ name: `${name}.${method}`, call: (given: unknown) => statics(Kind)[method]?.(given, ...args) }]
      : [],
  ),
);

const { groupBy, countBy, distinct, join, topK } = relational;
const { sort, exclusiveScan, compact, histogram, fill, gatherRows } = hashnest;
const FUNCTIONS: Record<string, readonly [call: unknown, ...args: unknown[]]> = {
  ...Object.fromEntries(
    Object.entries(hashnest)
      .filter(([name]) => /^encode[A-Z]/.test(name))
      .map(([name, call]) => [name, [call, encoder, {}]]),
  ),
  sort: [sort, words],
  exclusiveScan: [exclusiveScan, words],
  compact: [compact, words, words],
  histogram: [histogram, words, 4],
  fill: [fill, 4, 1],
  gatherRows: [gatherRows, { rows: words, rowWords: 1, indices: words }],
  groupBy: [groupBy, words, { combine: 'count' }],
  countBy: [countBy, words],
  distinct: [distinct, words],
  join: [join, words, words],
  topK: [topK, words, 1],
  weld: [weld, new Float32Array(9)],
};
const functions = Object.entries(FUNCTIONS).map(([name, [call, ...args]]) => ({
  name,
  call: (given: unknown) => (call as Loose)(given, ...args),
}));

describe.each([...methods, ...functions])('$name', ({ call }) => {
  it.each([
    ['nothing', undefined],
    ['a device', gpu.device],
    ['the promise of a Gpu', Promise.resolve(gpu)],
  ])('refuses %s', async (_, given) => {
    const error = await Promise.resolve()
      .then(() => call(given))
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(HashnestError);
    expect((error as Error).message).toMatch(/gpu must be a Gpu, by await Gpu.open/);
  });
});

it('a Workspace refuses what is no Gpu', () => {
  expect(() => new Workspace(undefined as never)).toThrow(/gpu must be a Gpu/);
});
