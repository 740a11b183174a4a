/** Batches that are refused, because a buffer cannot be had or keys find no room: the table is as it was, and as large. */
import { describe, expect, it } from 'vitest';
import {
  BuildError,
  DynamicIndex,
  DynamicMap,
  DynamicSet,
  dyCuckoo,
  OutOfMemoryError,
  regionCuckoo,
  u32,
  utf8,
} from '../../src/index.ts';
import { alike } from '../conformance/alikeKeys.ts';
import { withoutBuffer } from '../injecting.ts';
import { watchBuffers } from '../liveBuffers.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu('default');

const upTo = (count: number) => Uint32Array.from({ length: count }, (_, i) => i);
const namesUpTo = (count: number) => Array.from({ length: count }, (_, i) => `the name of ${i}`);
const FEW = 100;
/** More than the smallest table holds. */
const MANY = 900;

type Living = DynamicMap<never, never> | DynamicSet<never> | DynamicIndex<never>;

interface Case {
  readonly make: () => Promise<Living>;
  readonly call: (table: never) => Promise<unknown>;
}

const made = <T>(make: () => Promise<T>, call: (table: T) => Promise<unknown>): Case =>
  ({ make, call }) as unknown as Case;

const CASES: Readonly<Record<string, Case>> = {
  'insert by regionCuckoo': made(
    async () => {
      const map = await DynamicMap.create(gpu, { key: u32, seed: 1 });
      await map.insert(upTo(FEW), upTo(FEW));
      return map;
    },
    (map) => map.insert(upTo(MANY), upTo(MANY).reverse()),
  ),
  'insert by dyCuckoo': made(
    async () => {
      const set = await DynamicSet.create(gpu, { key: u32, seed: 1, scheme: dyCuckoo() });
      await set.insert(upTo(FEW));
      return set;
    },
    (set) => set.insert(upTo(MANY)),
  ),
  'insert of strings': made(
    async () => {
      const map = await DynamicMap.create(gpu, { key: utf8, seed: 1 });
      await map.insert(namesUpTo(FEW), upTo(FEW));
      return map;
    },
    (map) => map.insert(namesUpTo(MANY), upTo(MANY).reverse()),
  ),
  'delete of strings': made(
    async () => {
      const set = await DynamicSet.create(gpu, { key: utf8, seed: 1 });
      await set.insert(namesUpTo(FEW));
      return set;
    },
    (set) => set.delete(namesUpTo(MANY).slice(FEW / 2)),
  ),
  'getOrInsert of strings': made(
    async () => {
      const map = await DynamicMap.create(gpu, { key: utf8, seed: 1, reserve: MANY });
      await map.insert(namesUpTo(FEW), upTo(FEW));
      return map;
    },
    (map) => map.getOrInsert(namesUpTo(MANY), upTo(MANY).reverse()),
  ),
  'reserve of strings': made(
    async () => {
      const set = await DynamicSet.create(gpu, { key: utf8, seed: 1 });
      await set.insert(namesUpTo(FEW));
      return set;
    },
    (set) => set.reserve(MANY, 100_000),
  ),
  activate: made(
    async () => {
      const index = await DynamicIndex.create(gpu, { key: u32, seed: 1 });
      await index.activate(upTo(FEW));
      return index;
    },
    (index) => index.activate(upTo(MANY)),
  ),
  release: made(
    async () => {
      const index = await DynamicIndex.create(gpu, { key: u32, seed: 1, reserve: MANY });
      await index.activate(upTo(FEW));
      return index;
    },
    (index) => index.release(upTo(MANY).subarray(FEW / 2)),
  ),
};

const rowsOf = (columns: readonly ArrayLike<unknown>[]): string[] =>
  Array.from({ length: columns[0]?.length ?? 0 }, (_, i) => columns.map((column) => column[i]).join()).sort();

/** All that a table says of itself, and its buffers. */
async function stateOf(table: Living) {
  const { size, capacitySlots, tableBytes, report } = table;
  const columns = table instanceof DynamicSet ? { keys: await table.keys() } : await table.entries();
  const { header, context, get } = table.table.buffers;
  return {
    said: { size, capacitySlots, tableBytes, report, rows: rowsOf(Object.values(columns)) },
    ids: table instanceof DynamicIndex ? { limit: table.idLimit, free: table.idLimit - size } : undefined,
    buffers: [header, context, ...table.table.plan.buffers.map(({ name }) => get(name))],
  };
}

/** What is not as it was. */
async function changesOf(table: Living, before: Awaited<ReturnType<typeof stateOf>>): Promise<string> {
  const { said, ids, buffers } = await stateOf(table);
  const changed = Object.keys(said).filter((name) => {
    const [now, then] = [said, before.said].map((all) => JSON.stringify(all[name as 'size']));
    return now !== then;
  });
  if (JSON.stringify(ids) !== JSON.stringify(before.ids)) changed.push('ids');
  if (buffers.some((buffer, i) => buffer !== before.buffers[i])) changed.push('buffers');
  return changed.join();
}

describe.each(Object.entries(CASES))('%s', (_, { make, call }) => {
  it('leaves everything as it was, whichever buffer cannot be had', { timeout: 120_000 }, async () => {
    const wrong: string[] = [];
    for (let nth = 1, error: unknown = ''; error !== undefined; nth++) {
      const live = watchBuffers(gpu);
      const table = await make();
      const before = await stateOf(table);
      // What is kept for the next call would be used again.
      gpu.trim();
      error = await withoutBuffer(gpu, nth, () => call(table as never));
      if (error instanceof Error) {
        if (!(error instanceof OutOfMemoryError)) wrong.push(`buffer ${nth}: ${error}`);
        const changes = await changesOf(table, before);
        if (changes !== '') wrong.push(`${error.message}: ${changes} changed`);
        await call(table as never);
      }
      table.destroy();
      live.restore();
      if (live.count() > 0) wrong.push(`buffer ${nth} leaves ${live.labels().join()}`);
    }
    expect(wrong).toEqual([]);
  });
});

it('grids of dyCuckoo without memory are made anew for the next batch', async () => {
  for (let nth = 1, error: unknown = ''; error !== undefined; nth++) {
    using set = await DynamicSet.create(gpu, { key: u32, seed: 1, scheme: dyCuckoo() });
    // Nobody has had grids for so many before.
    const insert = () => set.insert(upTo(100 + nth));
    error = await withoutBuffer(gpu, nth, insert);
    if (error !== undefined) expect(error).toBeInstanceOf(OutOfMemoryError);
    const fresh = await insert();
    if (error !== undefined) expect(fresh, `buffer ${nth}`).toEqual(new Uint8Array(100 + nth).fill(1));
  }
});

it('a table that could not shrink for lack of memory grows the next time', async () => {
  for (let nth = 1, ended: unknown = ''; ended !== undefined; nth++) {
    using map = await DynamicMap.create(gpu, { key: u32, seed: 1 });
    await map.insert(upTo(MANY), upTo(MANY));
    map.table.workspace.release();
    gpu.trim();
    ended = await withoutBuffer(gpu, nth, () => map.delete(upTo(MANY).subarray(FEW)));
    await map.reserve(4 * MANY);
    expect(map.size, `buffer ${nth}`).toBe(ended instanceof Error ? MANY : FEW);
  }
});

it.each([regionCuckoo(), dyCuckoo()])('keys without room in any table leave it as it was, by $name', async (scheme) => {
  using map = await DynamicMap.create(gpu, { key: alike, scheme, seed: 1 });
  const keys = BigUint64Array.from({ length: 40 }, (_, i) => BigInt(i));
  await map.insert(keys.subarray(0, 5), upTo(5));
  const live = watchBuffers(gpu);
  const before = await stateOf(map as unknown as Living);
  await expect(map.insert(keys, upTo(40).reverse())).rejects.toThrow(BuildError);
  expect(await changesOf(map as unknown as Living, before)).toBe('');
  map.table.workspace.release();
  expect(live.labels()).toEqual([]);
  live.restore();
  await map.delete(keys.subarray(0, 1));
  expect([...(await map.has(keys.subarray(0, 6)))]).toEqual([0, 1, 1, 1, 1, 0]);
});
