import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MISSING } from '../../bench/checker.ts';
import { ABSENT, indexTwin, PRESENT, type Queries, valueTwin } from '../../bench/generators.ts';
import { faultsOf } from '../../bench/verify.ts';
import { Workload } from '../../bench/workload.ts';
import { HashMap, HashSet, KeyIndex, linearProbing, u32, u64, utf8, valueTypes, vec3i } from '../../src/index.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();

const ITEMS = 3001;

/** Every answer as it should be, from the twins. */
function rightAnswers(workload: Workload, queries: Queries): { values: Uint32Array; found: Uint32Array } {
  const { items, seeds, value, maker } = workload;
  const indices = Array.from({ length: items }, (_, i) => indexTwin(i, queries, { items, seeds }));
  if (queries.order === 'sorted') {
    const keys = maker.twins(indices, seeds) as Uint32Array;
    const keyOf = new Map(indices.map((index, i) => [index, keys[i] as number]));
    indices.sort((a, b) => (keyOf.get(a) as number) - (keyOf.get(b) as number));
  }
  return {
    values: Uint32Array.from(
      indices.flatMap((index) =>
        index < items ? valueTwin(index, value.words, seeds) : Array(value.words).fill(MISSING),
      ),
    ),
    found: Uint32Array.from(indices, (index) => (index < items ? 1 : 0)),
  };
}

const write = (buffer: GPUBuffer, words: Uint32Array): void =>
  gpu.device.queue.writeBuffer(buffer, 0, words.buffer as ArrayBuffer);

const KINDS = [
  { key: u32, value: valueTypes.u32 },
  { key: u64, value: valueTypes.u64 },
  { key: vec3i, value: valueTypes.u32 },
  { key: utf8, value: valueTypes.u32 },
].flatMap((types) =>
  [PRESENT, { ...PRESENT, absent: 0.25 }, ABSENT].map((queries): typeof types & { queries: Queries } => ({
    ...types,
    queries,
  })),
);
const SORTED = [0, 0.25, 1].map((absent) => ({
  key: u32,
  value: valueTypes.u64,
  queries: { absent, order: 'sorted' as const },
}));

describe.each([...KINDS, ...SORTED])(
  'the checker, for $queries.order $key.name keys, $queries.absent absent, with $value.name values',
  ({ key, value, queries }) => {
    const valueWords = value.words;
    let workload: Workload;
    let right: ReturnType<typeof rightAnswers>;
    beforeAll(async () => {
      workload = await Workload.create(gpu, { items: ITEMS, key, value, seed: 3, absent: [queries.absent] });
      right = rightAnswers(workload, queries);
    });
    afterAll(() => workload.destroy());

    /** Asks, answers as told, and judges. */
    async function judge(change: (values: Uint32Array, found: Uint32Array) => void) {
      await workload.ask(queries);
      const values = right.values.slice();
      const found = right.found.slice();
      change(values, found);
      write(workload.answers.values, values);
      write(workload.answers.found, found);
      return workload.judge(queries, workload.answers);
    }

    it('finds nothing wrong with right answers', async () => {
      expect(await judge(() => {})).toEqual({ wrong: 0, first: undefined });
    });

    it('counts wrong values exactly, and tells the first', async () => {
      const positions = [5, 255, 256, 1000, 3000];
      const verdict = await judge((values) => {
        // The last word of a value counts as much as the first.
        for (const i of positions) values[(i + 1) * valueWords - 1] = (values[(i + 1) * valueWords - 1] as number) ^ 1;
      });
      expect(verdict).toEqual({ wrong: 5, first: 5 });
    });

    it('counts wrong flags exactly', async () => {
      const verdict = await judge((_, found) => {
        for (let i = 700; i < 1700; i++) found[i] = 1 - (found[i] as number);
      });
      expect(verdict).toEqual({ wrong: 1000, first: 700 });
    });

    it('counts an answer that is wrong twice once', async () => {
      const verdict = await judge((values, found) => {
        values[3000 * valueWords] = 12;
        found[3000] = 7;
      });
      expect(verdict).toEqual({ wrong: 1, first: 3000 });
    });

    it('takes no flag but 0 and 1', async () => {
      expect((await judge((_, found) => found.fill(2))).wrong).toBe(ITEMS);
    });

    it('judges only the answers that are given', async () => {
      await judge((values) => values.fill(1));
      const { values, found } = workload.answers;
      expect((await workload.judge(queries, { found })).wrong).toBe(0);
      expect((await workload.judge(queries, { values })).wrong).toBe(ITEMS);
    });

    it('finds everything wrong where nothing was answered', async () => {
      await workload.ask(queries);
      const { values, found } = workload.answers;
      expect((await workload.judge(queries, { values })).wrong).toBe(ITEMS);
      expect((await workload.judge(queries, { found })).wrong).toBe(ITEMS);
    });

    it('finds everything wrong where other keys were asked for', async () => {
      await judge(() => {});
      write(workload.queries, new Uint32Array(ITEMS * key.words));
      expect((await workload.judge(queries, workload.answers)).wrong).toBe(ITEMS);
    });
  },
);

describe('the checker, for strings', () => {
  it('notices a wrong byte, a wrong length and a wrong context', async () => {
    const workload = await Workload.create(gpu, { items: ITEMS, key: utf8 });
    const context = workload.queryContext as GPUBuffer;
    const spoil = async (change: (bytes: Uint8Array, words: Uint32Array) => void) => {
      await workload.ask(PRESENT);
      const reads = [
        { buffer: context, bytes: context.size },
        { buffer: workload.queries, bytes: ITEMS * 8 },
      ];
      const [read, keys] = (await gpu.run(() => {}, reads)) as [ArrayBuffer, ArrayBuffer];
      change(new Uint8Array(read), new Uint32Array(keys));
      write(context, new Uint32Array(read));
      write(workload.queries, new Uint32Array(keys));
      return workload.judge(PRESENT, {});
    };
    expect((await spoil(() => {})).wrong).toBe(0);
    const offsetOf = (words: Uint32Array, i: number) => words[2 * i] as number;
    const lastOfHundred = await spoil((bytes, words) => {
      bytes[offsetOf(words, 101) - 1] = 0x21;
    });
    expect(lastOfHundred).toEqual({ wrong: 1, first: 100 });
    const shorter = await spoil((_, words) => {
      words[2 * 7 + 1] = (words[2 * 7 + 1] as number) - 1;
    });
    expect(shorter).toEqual({ wrong: 1, first: 7 });
    // The items come in another order, so their bytes are other strings.
    expect((await workload.judge(PRESENT, {}, workload.context)).wrong).toBeGreaterThan(ITEMS - 10);
    workload.destroy();
  });

  it('names lost keys, and follows the ids of an index back to its keys', async () => {
    const key = utf8;
    const workload = await Workload.create(gpu, { items: 500, key });
    const scheme = linearProbing();
    const map = await HashMap.from(gpu, workload.input, { key, scheme });
    const index = await KeyIndex.from(gpu, workload.input, { key, scheme });
    const lost = await HashMap.from(gpu, { ...workload.input, count: 499 }, { key, scheme });
    expect(await faultsOf(map, workload)).toEqual([]);
    expect(await faultsOf(index, workload)).toEqual([]);
    expect(await faultsOf(lost, workload)).toEqual([
      'the table holds 499 keys of 500 distinct ones',
      expect.stringMatching(/^1 of 500 searches for present keys have a wrong answer/),
    ]);
    for (const made of [map, index, lost, workload]) made.destroy();
  });
});

describe('faults of a table', () => {
  const scheme = linearProbing();

  it('are none where all is well', async () => {
    const workload = await Workload.create(gpu, { items: 500, key: u32, seed: 3 });
    const { keys, values, items: count } = workload;
    const map = await HashMap.from(gpu, { keys, values, count }, { key: u32, scheme });
    const set = await HashSet.from(gpu, { keys, count }, { key: u32, scheme });
    expect(await faultsOf(map, workload)).toEqual([]);
    expect(await faultsOf(set, workload)).toEqual([]);
    map.destroy();
    set.destroy();
    workload.destroy();
  });

  it('name lost keys, strange keys and wrong values', async () => {
    const workload = await Workload.create(gpu, { items: 500, key: u32, seed: 3 });
    const stranger = await Workload.create(gpu, { items: 500, key: u32, seed: 4 });
    const lost = await HashMap.from(
      gpu,
      { keys: workload.keys, values: workload.values, count: 499 },
      { key: u32, scheme },
    );
    expect(await faultsOf(lost, workload)).toEqual([
      'the table holds 499 keys of 500 distinct ones',
      expect.stringMatching(/^1 of 500 searches for present keys have a wrong answer/),
    ]);
    const mixedUp = await HashMap.from(
      gpu,
      { keys: workload.keys, values: stranger.values, count: 500 },
      { key: u32, scheme },
    );
    expect(await faultsOf(mixedUp, workload)).toEqual([
      expect.stringMatching(/^500 of 500 searches for present keys have a wrong answer/),
    ]);
    await workload.ask(ABSENT);
    const absent = await HashSet.from(gpu, { keys: workload.queries, count: 500 }, { key: u32, scheme });
    expect(await faultsOf(absent, workload)).toEqual([
      expect.stringMatching(/^500 of 500 searches for present keys/),
      expect.stringMatching(/^500 of 500 searches for absent keys/),
    ]);
    for (const made of [lost, mixedUp, absent, workload, stranger]) made.destroy();
  });
});
