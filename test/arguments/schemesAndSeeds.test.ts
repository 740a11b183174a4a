/** Schemes of the other kind, no schemes, and seeds that are none: refused by the call that got them, before anything is made. */
import { describe, expect, it } from 'vitest';
import {
  arrowKeys,
  byCell,
  cuckoo,
  DynamicMap,
  DynamicSet,
  Gpu,
  HashMap,
  type InvalidInputError,
  linearProbing,
  regionCuckoo,
  sliceKeys,
  tuple,
  u32,
  utf8,
  vec3f,
} from '../../src/index.ts';
import { countBy, distinct, groupBy, JoinTable, join } from '../../src/relational.ts';
import { liveBuffers } from '../liveBuffers.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();
const keys = Uint32Array.of(1, 2, 3);

/** The message of an error, which has to come before any memory is asked for. */
async function refusalOf(call: () => unknown): Promise<string> {
  const { error, madeBytes } = await liveBuffers(gpu, async () => call());
  expect(madeBytes).toBe(0);
  expect((error as InvalidInputError | undefined)?.code).toBe('invalid-input');
  return (error as InvalidInputError).message;
}

describe('a scheme of the other kind of tables', () => {
  const isForOthers = / is for tables that /;

  it.each([
    ['DynamicMap.create', () => DynamicMap.create(gpu, { key: u32, scheme: cuckoo() as never })],
    ['DynamicSet.create', () => DynamicSet.create(gpu, { key: u32, scheme: linearProbing() as never })],
    ['HashMap.from', () => HashMap.from(gpu, { keys, values: keys }, { scheme: regionCuckoo() as never })],
  ])('is refused by %s, which says what it is for', async (name, call) => {
    const message = await refusalOf(call);
    expect(message).toMatch(isForOthers);
    expect(message.startsWith(`${name}: scheme: `)).toBe(true);
  });
});

describe.each([
  ['join', (options: object) => join(gpu, keys, keys, options)],
  ['JoinTable.from', (options: object) => JoinTable.from(gpu, keys, options)],
  ['groupBy', (options: object) => groupBy(gpu, keys, { combine: { n: 'count' }, ...options })],
  ['countBy', (options: object) => countBy(gpu, keys, options)],
  ['distinct', (options: object) => distinct(gpu, keys, options)],
] as const)('%s', (name, call) => {
  it.each([
    [{ scheme: 'x' }, 'scheme must be a scheme such as linearProbing()'],
    [{ scheme: linearProbing }, 'scheme must be called'],
    [{ scheme: regionCuckoo() }, 'scheme: regionCuckoo is for tables that live'],
    [{ seed: -1 }, 'seed must be a 32-bit unsigned integer'],
    [{ seed: 1.5 }, 'seed must be a 32-bit unsigned integer'],
  ])('refuses %o by its own name', async (options, message) => {
    expect((await refusalOf(() => call(options))).startsWith(`${name}: ${message}`)).toBe(true);
  });
});

describe('errors say which call they are about', () => {
  it.each([
    ['Gpu.open', () => Gpu.open({ limit: 1 } as never)],
    ['Gpu.from', () => Gpu.from({} as never)],
    ['Gpu.upload', () => gpu.upload('x', 5 as never)],
    ['Gpu.createBuffer', () => gpu.createBuffer('x', 1.5)],
    ['Gpu.run', () => gpu.run(5 as never)],
    ['Gpu.run', () => gpu.run(() => {}, 5 as never)],
    ['sliceKeys', () => sliceKeys(u32, { bytes: new Uint8Array(4), offsets: Uint32Array.of(0, 4) })],
    ['sliceKeys', () => sliceKeys(utf8, { bytes: new Uint8Array(4), offsets: Uint32Array.of(0, 5) })],
    ['arrowKeys', () => arrowKeys(utf8, { data: [{ length: 1 }] } as never)],
    ['tuple', () => tuple(u32, 'u32' as never)],
    ['byCell', () => byCell(vec3f, 0)],
  ])('%s', async (name, call) => {
    expect((await refusalOf(call)).startsWith(`${name}: `)).toBe(true);
  });
});
