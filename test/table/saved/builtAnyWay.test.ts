/**
 * What is seen of a table does not tell how it was built: by the kernels of which device, on which face, in how many batches. So
 * shaders go on finding what they found, and tables that are saved here open there.
 */
import { describe, expect, it } from 'vitest';
import { DynamicMap, HashMap, MultiMap } from '../../../src/collections/index.ts';
import type { Gpu } from '../../../src/gpu/index.ts';
import { type KeyType, u32, u64 } from '../../../src/keys/index.ts';
import { bucketCuckoo } from '../../../src/schemes/bucketCuckoo/index.ts';
import { quickInsertFits } from '../../../src/schemes/regionCuckoo/quickInsert.wgsl.ts';
import { chooseShape } from '../../../src/schemes/regionCuckoo/shape.ts';
import { TestBuffers } from '../../conformance/buffers.ts';
import { partsOf, unpack } from '../../forging/forge.ts';
import { inFull } from '../../inFull.ts';
import { sharedGpu } from '../../sharedGpu.ts';

/** A device with memory for the quick ways, and one that has to do without. */
const GPUS = { quick: await sharedGpu(), thorough: await sharedGpu('default') };
type Device = keyof typeof GPUS;

const COUNTS = { few: 8, many: 40_000 } as const;
const KINDS = ['u32', 'u64'] as const;

const CASES = (
  [
    ['few', 'u64'],
    ['many', 'u32'],
    ['few', 'u32'],
    ['many', 'u64'],
  ] as const
).slice(0, inFull ? 4 : 2);

/** Keys as words, and what is built from them. */
interface Items {
  readonly type: KeyType;
  readonly keys: Uint32Array<ArrayBuffer>;
  readonly values: Uint32Array<ArrayBuffer>;
  readonly count: number;
}

function itemsOf(kind: (typeof KINDS)[number], count: number): Items {
  const type = (kind === 'u32' ? u32 : u64) as KeyType;
  const keys = Uint32Array.from({ length: count * type.words }, (_, i) => Math.imul(i + 1, 0x9e37_79b1));
  return { type, keys, values: Uint32Array.from({ length: count }, (_, i) => 3 * i + 1), count };
}

const hostKeys = ({ type, keys }: Items) => (type === (u32 as KeyType) ? keys : new BigUint64Array(keys.buffer));

/** Runs calls on an encoder, with buffers that are gone afterwards. */
async function encoded(gpu: Gpu, items: Items, work: (encoder: GPUCommandEncoder, buffers: BuiltFrom) => unknown) {
  using buffers = new TestBuffers(gpu);
  const encoder = gpu.device.createCommandEncoder();
  work(encoder, { keys: buffers.upload(items.keys), values: buffers.upload(items.values), count: items.count });
  gpu.device.queue.submit([encoder.finish()]);
  await gpu.device.queue.onSubmittedWorkDone();
}

interface BuiltFrom {
  readonly keys: GPUBuffer;
  readonly values: GPUBuffer;
  readonly count: number;
}

const wordsOf = (bytes: Uint8Array): number[] => [...new Uint32Array(bytes.slice().buffer)];

/** How many buckets are not like the most of them, which are empty. */
function bucketsInUse(words: Uint32Array): number {
  const buckets = Array.from({ length: words.length / 8 }, (_, i) => words.slice(8 * i, 8 * i + 8).join());
  const often = (bucket: string) => buckets.filter((other) => other === bucket).length;
  return buckets.length - Math.max(...buckets.map(often));
}

const STATIC_WAYS = (['quick', 'thorough'] as const).flatMap((device) =>
  (['host', 'encoder'] as const).map((face) => ({ device, face })),
);
const scheme = bucketCuckoo();

/** A static table by one way. The seed gives each of the few keys a bucket of its own: no order among them shows. */
async function built<Made extends HashMap<unknown> | MultiMap<unknown>>(
  Collection: { from(...call: never): Promise<Made>; encodeBuild(...call: never): Made },
  { device, face }: (typeof STATIC_WAYS)[number],
  items: Items,
): Promise<Made> {
  const gpu = GPUS[device];
  const options = { key: items.type, scheme, seed: 1 };
  if (face === 'host') {
    return Collection.from(...([gpu, { keys: hostKeys(items), values: items.values }, options] as never));
  }
  let made: Made | undefined;
  await encoded(gpu, items, (encoder, input) => {
    made = Collection.encodeBuild(...([gpu, encoder, input, options] as never));
  });
  return (made as Made).settle() as Promise<Made>;
}

it('has other ways on the two devices', () => {
  for (const kind of KINDS) {
    const { type, count } = itemsOf(kind, COUNTS.many);
    const { build } = scheme.plan({ items: count, key: type, valueWords: 1, duplicates: 'last', growth: 0 });
    const shape = chooseShape({ slots: count, key: type, valueWords: 1 });
    const quick = Object.values(GPUS).map(({ limits }) => [
      build.on === 'gpu' && build.hasQuickWay?.(limits),
      quickInsertFits(shape, limits),
    ]);
    expect(quick).toEqual([
      [true, true],
      [false, false],
    ]);
  }
});

describe.each(['HashMap', 'MultiMap'] as const)('a %s of bucketCuckoo', (name) => {
  const Collection = { HashMap, MultiMap }[name] as never as Parameters<typeof built>[0];

  it.each(CASES)(
    'of %s %s keys has one format, one shader face, and one description when it is saved',
    async (many, kind) => {
      const count = COUNTS[many];
      const items = itemsOf(kind, count);
      const seen = [];
      for (const way of STATIC_WAYS) {
        using table = await built(Collection, way, items);
        const { description, words } = partsOf(await table.toBytes());
        const code = table.wgsl({ name: 'prices', group: 1 }).code;
        const slots = many === 'few' ? [...words].map(([part, all]) => [part, [...all]]) : [...words.keys()];
        if (many === 'few') expect(bucketsInUse(words.get('buckets') as Uint32Array)).toBe(count);
        const header = [...(words.get('header') as Uint32Array)];
        seen.push({ way, said: { format: description.format, description, code, header, slots } });
      }
      for (const { way, said } of seen) expect(said, JSON.stringify(way)).toEqual(seen[0]?.said);
    },
  );

  it('is opened by the other device', async () => {
    const items = itemsOf('u32', COUNTS.many);
    for (const [from, to] of [
      ['quick', 'thorough'],
      ['thorough', 'quick'],
    ] as const) {
      using table = await built(Collection, { device: from, face: 'host' }, items);
      const bytes = await table.toBytes();
      const open = { HashMap, MultiMap }[name] as { fromBytes(...call: never): Promise<HashMap<unknown>> };
      using opened = await open.fromBytes(...([GPUS[to], bytes, { scheme }] as never));
      const { values } = (await opened.entries()) as unknown as { values: Uint32Array };
      expect(values.slice().sort()).toEqual(items.values);
      expect((await opened.has(items.keys as never)).indexOf(0)).toBe(-1);
    }
  });
});

describe('a DynamicMap of regionCuckoo', () => {
  const part = ({ keys, values, type }: Items, first: number, end: number): Items => ({
    type,
    keys: keys.slice(first * type.words, end * type.words),
    values: values.slice(first, end),
    count: end - first,
  });
  const insert = (map: DynamicMap<unknown>, items: Items) => map.insert(hostKeys(items) as never, items.values);

  /** How the keys come into the table, which has room for all of them in the end. */
  const ARRIVALS = {
    'in one batch': (map: DynamicMap<unknown>, items: Items) => insert(map, items),
    'in one batch on an encoder': async (map: DynamicMap<unknown>, items: Items, gpu: Gpu) => {
      await encoded(gpu, items, (encoder, input) => map.encodeInsert(encoder, input));
      await map.settle();
    },
    'a few at first, and the others later': async (map: DynamicMap<unknown>, items: Items) => {
      for (const [first, end] of [
        [0, 2],
        [2, 5],
        [5, items.count],
      ] as const) {
        await insert(map, part(items, first, end));
      }
    },
    'before others that are deleted again': async (map: DynamicMap<unknown>, items: Items) => {
      const others = { ...items, keys: items.keys.map((word) => word ^ 0x5555) };
      await insert(map, others);
      await map.delete(hostKeys(others) as never);
      await insert(map, items);
    },
  } as const;

  it.each(CASES)('of %s %s keys has one format, one shader face, and the same saved entries', async (many, kind) => {
    const count = COUNTS[many];
    const items = itemsOf(kind, count);
    const seen = [];
    for (const [device, gpu] of Object.entries(GPUS) as [Device, Gpu][]) {
      for (const [how, arrive] of Object.entries(ARRIVALS)) {
        using map = (await DynamicMap.create(gpu, {
          key: items.type,
          reserve: 2 * count,
          seed: 1,
        })) as DynamicMap<unknown>;
        await arrive(map, items, gpu);
        const { description, body } = unpack(await map.toBytes());
        const words = wordsOf(body);
        const { words: width } = items.type;
        // The order of entries is any.
        const entries = Array.from({ length: count }, (_, i) =>
          [...words.slice(i * width, (i + 1) * width), words[count * width + i]].join(),
        ).sort();
        const { format } = map.table.plan;
        const code = map.wgsl({ name: 'prices', group: 1 }).code;
        seen.push({ way: `${device}, ${how}`, said: { format, code, description, length: words.length, entries } });
      }
    }
    for (const { way, said } of seen) expect(said, way).toEqual(seen[0]?.said);
  });

  it('has the face of a table that was made as large, after it has grown', async () => {
    const items = itemsOf('u32', COUNTS.many);
    for (const gpu of Object.values(GPUS)) {
      using made = (await DynamicMap.create(gpu, { key: items.type, reserve: 2 * items.count })) as DynamicMap<unknown>;
      using grown = (await DynamicMap.create(gpu, { key: items.type })) as DynamicMap<unknown>;
      for (let first = 0; first < items.count; first += 8_000) await insert(grown, part(items, first, first + 8_000));
      expect(grown.report.growths).toBeGreaterThan(0);
      const facesOf = (map: DynamicMap<unknown>) => ({
        format: map.table.plan.format,
        code: map.wgsl({ name: 'prices', group: 1 }).code,
      });
      expect(facesOf(grown)).toEqual(facesOf(made));
    }
  });
});
