import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { HashMap, HashSet, KeyIndex, MultiMap } from '../../../src/collections/index.ts';
import { FormatError } from '../../../src/gpu/index.ts';
import {
  bucketCuckoo,
  chaining,
  cuckoo,
  linearProbing,
  perfect,
  perfectSpatial,
  robinHood,
  type Scheme,
  sortedArray,
  tuple,
  utf8,
  vec2i,
  vec4i,
} from '../../../src/index.ts';
import { headerOffset } from '../../../src/schemes/contract/index.ts';
import { joined, partsOf, type SavedParts } from '../../forging/forge.ts';
import { liveBuffers } from '../../liveBuffers.ts';
import { sharedGpu } from '../../sharedGpu.ts';

const gpu = await sharedGpu();

type Opens = (bytes: Uint8Array) => Promise<{ destroy(): void }>;

/** Opens what must not open: a `FormatError`, nothing left behind, and no more made than the file has bytes. */
async function refused(open: Opens, parts: SavedParts): Promise<void> {
  const bytes = joined(parts);
  const { error, live, madeBytes } = await liveBuffers(gpu, () => open(bytes));
  expect(error).toBeInstanceOf(FormatError);
  expect(live).toEqual([]);
  expect(madeBytes).toBeLessThan(2 * bytes.length + 4096);
}

/** The words of a part, to be changed in place. */
const wordsOf = (parts: SavedParts, name: string): Uint32Array => parts.words.get(name) as Uint32Array;

const setHeader = (parts: SavedParts, field: Parameters<typeof headerOffset>[0], value: number): void => {
  wordsOf(parts, 'header')[headerOffset(field) / 4] = value;
};

const keys = Uint32Array.from({ length: 60 }, (_, i) => i * 7 + 1);
const values = keys.map((key) => key + 1);
const names = Array.from({ length: 20 }, (_, i) => `name ${i}`);

interface Case {
  readonly name: string;
  build(): Promise<{ toBytes(): Promise<Uint8Array>; destroy(): void }>;
  readonly open: Opens;
  /** Each makes another forgery. */
  readonly forgeries: Readonly<Record<string, (parts: SavedParts) => void>>;
}

const mapCase = (scheme: Scheme, forgeries: Case['forgeries']): Case => ({
  name: scheme.name,
  build: () => HashMap.from(gpu, { keys, values }, { scheme }),
  open: (bytes) => HashMap.fromBytes(gpu, bytes, { scheme }),
  forgeries,
});

/** Changes the slice of one key, wherever it stands: `perfect` puts a key into unused slots too. */
function changeKey(words: Uint32Array, slotWords: number, change: { offset?: number; length?: number }): void {
  const isSlot = (i: number) => i % slotWords === 0;
  const taken = words.findIndex((word, i) => isSlot(i) && word < 0x1000 && (words[i + 1] ?? 0) > 0);
  const [offset, length] = [words[taken] as number, words[taken + 1] as number];
  for (let i = taken; i < words.length; i += slotWords) {
    if (words[i] === offset && words[i + 1] === length)
      words.set([change.offset ?? offset, change.length ?? length], i);
  }
}

const stringCase = (scheme: Scheme, buffer: string, slotWords: number): Case => ({
  name: `${scheme.name} of strings`,
  build: () => HashSet.from(gpu, { keys: names }, { scheme }),
  open: (bytes) => HashSet.fromBytes(gpu, bytes, { scheme, key: utf8 }),
  forgeries: {
    'a key that is longer than all bytes': (parts) =>
      changeKey(wordsOf(parts, buffer), slotWords, { length: 0xffff_ffff }),
    'a key behind all bytes': (parts) => changeKey(wordsOf(parts, buffer), slotWords, { offset: 0x7000_0000 }),
    'bytes cut off': (parts) => {
      parts.words.set('context', wordsOf(parts, 'context').subarray(0, 4));
    },
  },
});

const CASES: readonly Case[] = [
  mapCase(robinHood(), {
    'no end of probes': (parts) => setHeader(parts, 'longest', 32),
    'no size at all': (parts) => wordsOf(parts, 'header').set([0]),
    'another size': (parts) => wordsOf(parts, 'header').set([79 + 2]),
    'a size beyond the slots': (parts) => wordsOf(parts, 'header').set([0xffff_ffff]),
  }),
  mapCase(linearProbing(), {
    'no end of probes': (parts) => setHeader(parts, 'longest', 0xffff_ffff),
    'more probes than the plan has': (parts) => setHeader(parts, 'longest', 1000),
    'more items than it was planned for': (parts) => {
      setHeader(parts, 'count', 61);
      setHeader(parts, 'copies', 1);
    },
    'fewer keys than it says': (parts) => wordsOf(parts, 'slots').fill(0xffff_ffff),
    'more keys than it says': (parts) => wordsOf(parts, 'slots').fill(1),
    'another buffer beside it': (parts) => {
      parts.words.set('more', new Uint32Array(4));
      parts.description.extras = [{ name: 'more', bytes: 16 }];
    },
    'no attempt': (parts) => setHeader(parts, 'attempts', 0),
    'more attempts than any build has': (parts) => setHeader(parts, 'attempts', 256),
    'a description that is too long': (parts) => {
      parts.json = JSON.stringify(parts.description).padEnd(2 ** 16 + 1);
    },
    'a growth without end': (parts) => {
      parts.description.growth = 2 ** 50;
    },
    'options without end': (parts) => {
      parts.json = JSON.stringify(parts.description).replace(
        '"options":{',
        `"options":{"deep":${'['.repeat(20_000)}${']'.repeat(20_000)},`,
      );
    },
    'a number in quotes': (parts) => {
      parts.description.options = { loadFactor: '0.8', hash: 'mix' };
    },
    'millions of items in a few slots': (parts) => {
      const capacitySlots = wordsOf(parts, 'slots').length / 2 - 1;
      parts.description.options = { capacitySlots, hash: 'mix' };
      parts.description.items = 2 ** 31;
    },
    'more items than there are numbers': (parts) => {
      parts.description.items = 2 ** 52;
    },
  }),
  mapCase(chaining(), {
    'a bucket without end': (parts) => wordsOf(parts, 'starts').fill(0xffff_ffff, -1),
    'a bucket that begins behind its end': (parts) => {
      wordsOf(parts, 'starts')[3] = 61;
    },
    'buckets that do not reach the last item': (parts) => wordsOf(parts, 'starts').fill(0),
    'a growth that it does not have': (parts) => {
      parts.description.growth = 1;
    },
  }),
  mapCase(bucketCuckoo(), {
    'buckets with more keys than slots': (parts) => {
      const words = wordsOf(parts, 'buckets');
      for (let last = 7; last < words.length; last += 8) words[last] = 0xffff_ffff;
    },
    'a full overflow': (parts) => wordsOf(parts, 'side').fill(0),
  }),
  mapCase(perfect(), {
    'subarrays behind all slots': (parts) => wordsOf(parts, 'subarrays').fill(0xffff_0000),
    'a subarray of one item behind all slots': (parts) => {
      const subarrays = wordsOf(parts, 'subarrays');
      const one = subarrays.findIndex((word, i) => i % 2 === 1 && (word & 0xffff) === 1);
      subarrays[one - 1] = 0xffff_0000;
    },
    'subarrays of too many items': (parts) => wordsOf(parts, 'subarrays').fill(0x0000_ffff, 1, 2),
  }),
  {
    name: 'perfectSpatial',
    build: () => HashSet.from(gpu, { keys: new Int32Array(keys) }, { scheme: perfectSpatial(), key: vec2i }),
    open: (bytes) => HashSet.fromBytes(gpu, bytes, { scheme: perfectSpatial() as never }),
    forgeries: {
      'offsets outside the table': (parts) => wordsOf(parts, 'offsets').fill(0xffff_ffff, 0, 1),
      'a growth of all sides': (parts) => {
        parts.description.growth = 25;
      },
      'a growth without end': (parts) => {
        parts.description.growth = 2 ** 50;
      },
      'a growth almost without end': (parts) => {
        parts.description.growth = 2 ** 32 - 1;
      },
    },
  },
  stringCase(linearProbing(), 'slots', 2),
  stringCase(cuckoo(), 'slots', 2),
  stringCase(perfect(), 'slots', 2),
  stringCase(chaining(), 'contents', 2),
  {
    name: 'a sorted array of strings that all are all bytes',
    build: () => HashSet.from(gpu, { keys: names }, { scheme: sortedArray() }),
    open: (bytes) => HashSet.fromBytes(gpu, bytes, { scheme: sortedArray() }),
    forgeries: {
      'far more bytes of keys than bytes': (parts) => {
        parts.words.set('context', new Uint32Array(4000));
        const rest = wordsOf(parts, 'rest');
        for (let i = 0; i < rest.length; i += 2) rest.set([0, 16_000], i);
      },
    },
  },
  {
    name: 'KeyIndex',
    build: () => KeyIndex.from(gpu, { keys }, { scheme: linearProbing() }),
    open: (bytes) => KeyIndex.fromBytes(gpu, bytes, { scheme: linearProbing() }),
    forgeries: {
      'an id too large': (parts) => {
        const slots = wordsOf(parts, 'slots');
        slots[slots.findIndex((word, i) => i % 2 === 0 && word !== 0xffff_ffff) + 1] = 60;
      },
      'an id that is one too large, of the last key of the list': (parts) => {
        const slots = wordsOf(parts, 'slots');
        slots[slots.findIndex((word, i) => i % 2 === 1 && word === 59)] = 60;
      },
      'an id twice': (parts) => {
        const slots = wordsOf(parts, 'slots');
        slots[slots.findIndex((word, i) => i % 2 === 1 && word === 3)] = 4;
      },
      'a key twice with its own id, in the place of another': (parts) => {
        const slots = wordsOf(parts, 'slots');
        const at = (id: number) => slots.findIndex((word, i) => i % 2 === 1 && word === id) - 1;
        slots.copyWithin(at(3), at(4), at(4) + 2);
      },
      'a construction that is none': (parts) => {
        parts.description.details = { construction: 'toString' };
      },
      'another construction than its policy is for': (parts) => {
        parts.description.details = { construction: 'table' };
      },
      'a list of keys that is too short': (parts) => {
        parts.words.set('keysById', wordsOf(parts, 'keysById').subarray(1));
      },
    },
  },
  {
    name: 'KeyIndex of strings',
    build: () => KeyIndex.from(gpu, { keys: names }, { scheme: linearProbing() }),
    open: (bytes) => KeyIndex.fromBytes(gpu, bytes, { scheme: linearProbing() }),
    forgeries: {
      'a listed key behind all bytes': (parts) => wordsOf(parts, 'keysById').fill(0x7fff_ffff, 0, 1),
      'a listed key without end': (parts) => wordsOf(parts, 'keysById').fill(0xffff_ffff, 1, 2),
    },
  },
  {
    name: 'MultiMap',
    build: () => MultiMap.from(gpu, { keys: keys.map((key) => key >> 3), values }, { scheme: linearProbing() }),
    open: (bytes) => MultiMap.fromBytes(gpu, bytes, { scheme: linearProbing() }),
    forgeries: {
      'bounds that run backwards': (parts) => wordsOf(parts, 'bounds').subarray(0, 2).reverse(),
      'bounds that run backwards, and others that make up for it': (parts) => {
        const bounds = wordsOf(parts, 'bounds');
        const [start = 0, end = 0, next = 0, nextEnd = 0] = bounds;
        bounds.set([end, start, 0, nextEnd - next + 2 * (end - start)]);
      },
      'bounds behind all values, but no longer than they were': (parts) => {
        const bounds = wordsOf(parts, 'bounds');
        bounds.set(bounds.subarray(0, 2).map((bound) => bound + 60));
      },
      'bounds behind all values': (parts) => wordsOf(parts, 'bounds').set([58, 61]),
      'bounds that overlap': (parts) => {
        const bounds = wordsOf(parts, 'bounds');
        for (let id = 0; id < bounds.length; id += 2) bounds.set([0, 60], id);
      },
      'bounds that leave values out': (parts) => wordsOf(parts, 'bounds').fill(0),
      'bounds of half a word': (parts) => {
        const { description } = parts;
        const extras = description.extras as { name: string; bytes: number }[];
        const bounds = extras.find(({ name }) => name === 'bounds') as { bytes: number };
        const listed = extras.find(({ name }) => name === 'values') as { bytes: number };
        bounds.bytes -= 2;
        listed.bytes += 2;
      },
      'values of no type': (parts) => {
        parts.description.value = null;
      },
    },
  },
];

describe.each(CASES)('a forged $name', ({ build, open, forgeries }) => {
  let bytes: Uint8Array;
  let opened: { destroy(): void } | undefined;

  beforeAll(async () => {
    const built = await build();
    bytes = await built.toBytes();
    built.destroy();
  });
  afterEach(() => opened?.destroy());

  it('opens as long as nothing is forged, and leaves nothing behind', async () => {
    const { error, live } = await liveBuffers(gpu, async () => (await open(joined(partsOf(bytes)))).destroy());
    expect(error).toBeUndefined();
    expect(live).toEqual([]);
  });

  it.each(Object.keys(forgeries))('with %s is refused', async (forgery) => {
    const parts = partsOf(bytes);
    forgeries[forgery]?.(parts);
    await refused(open, parts);
  });
});

it.each([cuckoo(), perfect()])(
  'keys of $name that all are all bytes are refused before they are hashed',
  async (scheme) => {
    using set = await HashSet.from(gpu, { keys: Array.from({ length: 300 }, (_, i) => `name ${i}`) }, { scheme });
    const parts = partsOf(await set.toBytes());
    parts.words.set('context', new Uint32Array(2 ** 20));
    const slots = wordsOf(parts, 'slots');
    for (let i = 0; i < slots.length; i += 2) slots.set([0, 2 ** 22], i);
    const bytes = joined(parts);
    const { error, madeBytes } = await liveBuffers(gpu, () => HashSet.fromBytes(gpu, bytes, { scheme }));
    expect(error).toMatchObject({ code: 'bad-format', message: expect.stringMatching(/share bytes/) });
    expect(madeBytes).toBe(0);
  },
);

it('what is as large as it may be opens', async () => {
  const scheme = linearProbing();
  using map = await HashMap.from(gpu, { keys, values }, { scheme });
  const parts = partsOf(await map.toBytes());
  setHeader(parts, 'attempts', 255);
  parts.json = JSON.stringify(parts.description).padEnd(2 ** 16);
  using opened = await HashMap.fromBytes(gpu, joined(parts), { scheme });
  expect([...(await opened.get(keys)).values]).toEqual([...values]);
});

it('an index of no keys opens, however wide they would be', async () => {
  const key = tuple(vec4i, vec4i);
  using index = await KeyIndex.from(
    gpu,
    { keys: [new Int32Array(), new Int32Array()] },
    { key, scheme: linearProbing() },
  );
  using opened = await KeyIndex.fromBytes(gpu, await index.toBytes(), { key, scheme: linearProbing() });
  expect(opened.size).toBe(0);
});

describe('a KeyIndex that says it had millions of items', () => {
  it('opens in the bytes that it has', async () => {
    const scheme = linearProbing();
    using index = await KeyIndex.from(gpu, { keys }, { scheme });
    const parts = partsOf(await index.toBytes());
    setHeader(parts, 'count', 200_000_000);
    setHeader(parts, 'copies', 200_000_000 - keys.length);
    const bytes = joined(parts);
    const { result, madeBytes } = await liveBuffers(gpu, () => KeyIndex.fromBytes(gpu, bytes, { scheme }));
    using opened = result as KeyIndex<unknown>;
    expect(madeBytes).toBeLessThan(2 * bytes.length + 4096);
    expect([...((await opened.keysOf(await opened.ids(keys))) as Uint32Array)]).toEqual([...keys]);
    // Nor does it take more when it is built anew.
    const { madeBytes: later } = await liveBuffers(gpu, () => opened.rebuild({ keys: keys.subarray(5) }));
    expect(later).toBeLessThan(1 << 20);
  });
});
