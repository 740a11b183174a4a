import { describe, expect, it } from 'vitest';
import { extentCount, record } from '../../src/gpu/index.ts';
import { type HashConstants, mix } from '../../src/hashing/index.ts';
import { type KeyType, keysView, u32, u64, utf8, vec3i } from '../../src/keys/index.ts';
import { type Scheme, type TablePlan, TableView } from '../../src/schemes/contract/index.ts';
import { type SchemeName, schemes } from '../../src/schemes/index.ts';
import { uploadPieces } from '../../src/table/context.ts';
import { sourceOf } from '../../src/table/source.ts';
import { Table } from '../../src/table/table.ts';
import { join, kernel, link, storage, type Wgsl, wgsl } from '../../src/wgsl/index.ts';
import { TestBuffers } from '../conformance/buffers.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();

const names = (Object.keys(schemes) as SchemeName[]).filter((name) => name !== 'perfectSpatial');
const make = (name: SchemeName): Scheme => schemes[name]();

interface Items<K> {
  readonly keys: K;
  readonly values: Uint32Array;
}

/** Builds tables, and gives what a kernel writes for each needle: `answer` has it from what each table's `find` returns. */
async function searchAll<K>(
  scheme: Scheme,
  key: KeyType<K>,
  tables: readonly Items<K>[],
  needles: K,
  answers: number,
  answer: (values: readonly Wgsl[], query: Wgsl) => readonly Wgsl[],
) {
  const type = key as KeyType;
  const settings = { scheme, key: type, valueWords: 1, duplicates: 'last' } as const;
  const built = await Promise.all(tables.map((items) => Table.build(gpu, settings, sourceOf(gpu, type, items))));
  const views = built.map(({ plan }) => new TableView(plan));
  const queries = keysView(type, 'needle', 'queries');
  const written = storage('answers', 'array<u32>', 'read_write');
  const query = wgsl`${queries.at('item')}`;
  const values = built.map(
    ({ plan }, i) => wgsl`${plan.reader(views[i] as TableView).find(queries.access)}(${query}).value`,
  );
  const program = kernel({
    label: 'test/all',
    threads: 64,
    body: wgsl`
  if (item >= ${extentCount}) { return; }
  ${join(
    answer(values, query).map((value, i) => wgsl`${written}[${answers}u * item + ${i}u] = ${value};`),
    '\n  ',
  )}`,
  });
  using buffers = new TestBuffers(gpu);
  const { words, count, context: pieces } = type.encode(needles);
  const context = pieces && uploadPieces(gpu, 'test/context', pieces);
  const output = buffers.words(answers * count);
  await gpu.run((encoder) =>
    record(gpu, encoder, 'test', (recorder) => {
      const bound = [
        ...built.flatMap(({ buffers: table }, i) => (views[i] as TableView).bind(table)),
        ...queries.bind({ keys: buffers.upload(words), context }),
        [written, output] as const,
        [extentCount, recorder.extent(count).count] as const,
      ];
      recorder.run(program, bound, count);
    }),
  );
  const read = await buffers.read(output, answers * count);
  for (const table of built) table.destroy();
  context?.destroy();
  return [...read];
}

/** Searches two tables for the same needles. */
const searchBoth = <K>(scheme: Scheme, key: KeyType<K>, tables: readonly Items<K>[], needles: K) =>
  searchAll(scheme, key, tables, needles, 2, (values) => values);

describe('two tables in one kernel', () => {
  it.each(names)('of the scheme %s answer each for itself', async (name) => {
    const tables = [
      { keys: new Uint32Array([1, 2, 3]), values: new Uint32Array([10, 11, 12]) },
      { keys: new Uint32Array([1, 3]), values: new Uint32Array([20, 21]) },
    ];
    expect(await searchBoth(make(name), u32, tables, new Uint32Array([1, 2, 3]))).toEqual([10, 20, 11, 0, 12, 21]);
  });

  it.each(['linearProbing', 'bucketCuckoo', 'sortedArray'] as const)(
    'of strings, by %s, read each its own bytes',
    async (name) => {
      const tables = [
        { keys: ['ada', 'grace', 'a longer name'], values: new Uint32Array([1, 2, 3]) },
        { keys: ['emmy', 'ada'], values: new Uint32Array([4, 5]) },
      ];
      expect(await searchBoth(make(name), utf8, tables, ['ada', 'emmy', 'a longer name'])).toEqual([1, 5, 0, 4, 3, 0]);
    },
  );
});

describe('partitions of one table in one kernel', () => {
  const constants: HashConstants = [1, 2, 3, 4];
  const parts = 4;
  const partOfKey = wgsl`
fn partOfKey(key: u32) -> u32 {
  return ${mix.reduce}(${mix.hash(1)}(key, vec4u(${constants.map((word) => `${word}u`).join(', ')})).y, ${parts}u);
}`;

  it.each(names)('of the scheme %s are chosen by the hash that has routed the items', async (name) => {
    const keys = Uint32Array.from({ length: 1000 }, (_, i) => Math.imul(i, 0x9e3779b1));
    const partOf = (key: number): number => mix.reduceTwin(mix.hashTwin([key], constants)[1], parts);
    const tables = Array.from({ length: parts }, (_, part) => {
      const own = keys.filter((key) => partOf(key) === part);
      return { keys: own, values: own.map((key) => key + 1) };
    });
    expect(tables.every(({ keys: { length } }) => length > 100)).toBe(true);
    const needles = Uint32Array.from({ length: 1200 }, (_, i) => Math.imul(i, 0x9e3779b1));
    const answers = await searchAll(make(name), u32, tables, needles, 1, (values, query) => [
      values.reduce(
        (others, value, part) => wgsl`select(${others}, ${value}, ${partOfKey}(${query}) == ${part}u)`,
        wgsl`0xffffffffu`,
      ),
    ]);
    expect(answers).toEqual([...needles].map((key, i) => (i < keys.length ? (key + 1) >>> 0 : 0)));
  });
});

describe('a binding', () => {
  it('with two buffers is refused, and with one that is named twice is not', async () => {
    const words = storage('words', 'array<u32>', 'read_write');
    const program = kernel({ label: 'test/one', threads: 1, body: wgsl`${words}[0] = 7u;` });
    using buffers = new TestBuffers(gpu);
    const [one, other] = [buffers.words(4), buffers.words(4)];
    const run = (a: GPUBuffer, b: GPUBuffer) =>
      gpu.run((encoder) =>
        record(gpu, encoder, 'test', (recorder) =>
          recorder.run(
            program,
            [
              [words, a],
              [words, b],
            ],
            1,
          ),
        ),
      );
    await expect(run(one, other)).rejects.toThrow('two buffers are bound to words');
    await run(one, one);
    expect((await buffers.read(one, 1))[0]).toBe(7);
  });
});

describe('the format of a plan', () => {
  const text = (plan: TablePlan): string => {
    const view = new TableView(plan);
    const reader = plan.reader(view);
    const functions = [reader.find(plan.request.key.access('needle')), reader.entry];
    const stores = plan.valueStore ? [plan.valueStore().store] : [];
    return `${link(functions).code}\n${link(stores).code}`;
  };
  const sizes = [0, 1, 2, 3, 60, 100, 1000, 5000, 70_000, 1e6, 1e7];

  it.each(Object.keys(schemes) as SchemeName[])('of %s tells its searches: the same format, the same text', (name) => {
    const keys = name === 'perfectSpatial' ? [vec3i] : [u32, u64, utf8];
    for (const key of keys as readonly KeyType[]) {
      const texts = new Map<string, string>();
      for (const items of sizes) {
        for (const growth of [0, 1, 3]) {
          const plan = schemes[name]().plan({ items, key, valueWords: 1, duplicates: 'last', growth });
          expect(plan.format).toMatch(new RegExp(`^${name}/\\d+`));
          const known = texts.get(plan.format) ?? text(plan);
          expect(text(plan)).toBe(known);
          texts.set(plan.format, known);
        }
      }
    }
  });

  it('is the same for the same request, and so is all else', () => {
    for (const name of names) {
      const request = { items: 12_345, key: u64 as KeyType, valueWords: 2, duplicates: 'first', growth: 0 } as const;
      const [one, other] = [make(name).plan(request), make(name).plan(request)];
      const data = ({ format, capacitySlots, slotCount, fields, scratch, buffers }: TablePlan) =>
        JSON.stringify([format, capacitySlots, slotCount, fields, scratch, buffers.map(({ bytes }) => bytes)]);
      expect(data(one)).toBe(data(other));
    }
  });
});
