import { describe, expect, it } from 'vitest';
import { ELEMENT_BYTES, extentCount, knownExtent, record, Workspace } from '../../src/gpu/index.ts';
import {
  f32,
  i32,
  i64,
  type KeyType,
  keysView,
  tuple,
  u32,
  u64,
  utf8,
  vec3i,
  wordsArray,
} from '../../src/keys/index.ts';
import {
  type OrderedKey,
  recordSortKeys,
  sortedKeys,
  sortedLeads,
  sortedOrder,
  sortKeysScratch,
} from '../../src/primitives/sortKeys.wgsl.ts';
import { uploadPieces } from '../../src/table/context.ts';
import { kernel, storage, wgsl } from '../../src/wgsl/index.ts';
import { TestBuffers } from '../conformance/buffers.ts';
import { equalWords } from '../conformance/expect.ts';
import { wordsBelow } from '../conformance/primitiveWords.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();

const COUNT = 4001;

/** Few enough different words that keys occur twice, spread over all words. */
const spread = (length: number, different: number, seed: number) =>
  wordsBelow(length, different, seed).map((word) => Math.imul(word, 0x9e3779b1) >>> 0);

/** Keys as a caller passes them, and the order of their numbers. */
interface Sample {
  readonly key: KeyType;
  readonly keys: unknown;
  readonly compare: (a: number, b: number) => number;
}

const byElement = (
  key: KeyType,
  keys: Int32Array | Uint32Array | Float32Array | BigInt64Array | BigUint64Array,
): Sample => ({
  key,
  keys,
  compare: (a, b) =>
    (keys[a] as number) < (keys[b] as number) ? -1 : Number((keys[a] as number) > (keys[b] as number)),
});

const wide = spread(2 * COUNT, 60, 3);
const u64Keys = new BigUint64Array(wide.buffer);
const points = new Int32Array(spread(3 * COUNT, 12, 4).buffer);
const names = Array.from(spread(COUNT, 900, 5), (word) => 'schlüssel'.slice(word % 9) + (word % 97));
const [first, second] = [new Float32Array(spread(COUNT, 40, 6)).map((x) => x - 2 ** 31), spread(COUNT, 40, 7)];

const samples: readonly (Sample & { readonly name: string })[] = [
  byElement(u32, spread(COUNT, 2500, 1)),
  byElement(i32, new Int32Array(spread(COUNT, 2500, 1).buffer)),
  byElement(
    f32,
    Float32Array.from(spread(COUNT, 2500, 2), (word) => (word - 2 ** 31) / 2 ** 20),
  ),
  byElement(u64, u64Keys),
  byElement(i64, new BigInt64Array(wide.buffer)),
  {
    key: vec3i,
    keys: points,
    compare: (a: number, b: number) =>
      [0, 1, 2].map((i) => (points[3 * a + i] as number) - (points[3 * b + i] as number)).find((d) => d !== 0) ?? 0,
  },
  {
    key: tuple(f32, u32) as KeyType,
    keys: [first, second],
    compare: (a: number, b: number) =>
      (first[a] as number) - (first[b] as number) || (second[a] as number) - (second[b] as number),
  },
  // Its words forgotten, u64 can be sorted by comparisons only.
  {
    ...byElement(u64, u64Keys),
    key: { ...u64, name: 'u64 by less', order: { less: u64.order?.less, lead: u64.order?.lead } } as KeyType,
  },
  {
    key: utf8,
    keys: names,
    compare: (a: number, b: number) => Buffer.compare(Buffer.from(names[a] as string), Buffer.from(names[b] as string)),
  },
].map((sample) => ({ ...sample, name: sample.key.name }));

describe('recordSortKeys', () => {
  /** Sorts, and reads the order and the keys as `sortedKeys` sees them: words, and whether each is like the one before. */
  async function sortAndRead({ key, keys }: Sample, withOrder: boolean) {
    const { words, count, context } = key.encode(keys);
    const ordered = key as OrderedKey;
    using workspace = new Workspace(gpu);
    using buffers = new TestBuffers(gpu);
    const input = buffers.upload(words);
    const bytes = uploadPieces(gpu, 'test/context', context ?? []);
    const [order, keysOut, sameOut] = [buffers.words(count), buffers.words(count * key.words), buffers.words(count)];
    const view = keysView(key, 'input');
    const out = wordsArray('keysOut', key.words, 'read_write');
    const same = storage('same', 'array<u32>', 'read_write');
    const orderOut = storage('orderOut', 'array<u32>', 'read_write');
    const inOrder = sortedKeys(ordered, view);
    const look = kernel({
      label: 'test/look',
      threads: 64,
      body: wgsl`
  if (item >= ${extentCount}) { return; }
  ${out}[item] = ${inOrder.at('item')};
  ${same}[item] = u32(item > 0u && ${inOrder.isSame}(item - 1u, item));
  ${withOrder ? wgsl`${orderOut}[item] = ${sortedOrder}[item];` : wgsl`_ = ${sortedLeads}[item];`}`,
    });
    await gpu.run((encoder) =>
      record(gpu, encoder, 'test', (recorder) => {
        const keyBuffers = { keys: input, context: bytes };
        const sorted = recordSortKeys(recorder, {
          key: ordered,
          input: keyBuffers,
          items: count,
          workspace,
          withOrder,
        });
        const bound = [
          ...sorted,
          ...view.bind(keyBuffers),
          [out, keysOut] as const,
          [same, sameOut] as const,
          [orderOut, order] as const,
          [extentCount, knownExtent(gpu, count).count] as const,
        ];
        recorder.run(look, bound, count);
      }),
    );
    bytes.destroy();
    const scratch = sortKeysScratch(ordered, count, { withOrder }).reduce(
      (sum, spec) => sum + Math.max(ELEMENT_BYTES, spec.bytes),
      0,
    );
    expect(workspace.bytes).toBeLessThanOrEqual(scratch);
    return {
      order: await buffers.read(order, count),
      keys: await buffers.read(keysOut, count * key.words),
      same: await buffers.read(sameOut, count),
    };
  }

  /** What it must be. */
  function expected({ key, keys, compare }: Sample) {
    const { words, count } = key.encode(keys);
    const order = Uint32Array.from({ length: count }, (_, i) => i).sort((a, b) => compare(a, b) || a - b);
    return {
      order,
      keys: Uint32Array.from([...order].flatMap((i) => [...words.subarray(i * key.words, (i + 1) * key.words)])),
      same: order.map((item, i) => Number(i > 0 && compare(order[i - 1] as number, item) === 0)),
    };
  }

  it.each(samples)('sorts $name keys, equal ones in the order of the input', async (sample) => {
    const [got, wanted] = [await sortAndRead(sample, true), expected(sample)];
    equalWords(got.order, wanted.order, 'order');
    equalWords(got.keys, wanted.keys, 'words of the keys');
    equalWords(got.same, wanted.same, 'copies');
    expect(wanted.same).toContain(1);
  });

  it.each(samples.filter(({ key }) => key.order?.unlead))('sorts $name keys without their numbers', async (sample) => {
    const [got, wanted] = [await sortAndRead(sample, false), expected(sample)];
    equalWords(got.keys, wanted.keys, 'words of the keys');
    equalWords(got.same, wanted.same, 'copies');
  });

  it('sorts floats as the total order of IEEE 754 has them', async () => {
    const inOrder = new Float32Array([-Infinity, -1.5, -1e-40, -0, 0, 1e-40, 1.5, Infinity, Number.NaN]);
    const shuffled = [3, 7, 0, 8, 5, 2, 6, 1, 4].map((i) => inOrder[i] as number);
    const { keys } = await sortAndRead({ key: f32, keys: Float32Array.from(shuffled), compare: () => 0 }, false);
    equalWords(keys, new Uint32Array(inOrder.buffer), 'bits');
  });
});
