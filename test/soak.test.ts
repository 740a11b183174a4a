import { afterEach, describe, expect, it, vi } from 'vitest';
import { DynamicIndex } from '../src/collections/dynamic/dynamicIndex.ts';
import { DynamicSet } from '../src/collections/dynamic/dynamicSet.ts';
import { HashSet } from '../src/collections/index.ts';
import { InvalidInputError } from '../src/gpu/index.ts';
import { JoinTable } from '../src/relational.ts';
import { sharedGpu } from './sharedGpu.ts';
import { describeHistory, type Extent, historyOf } from './soak/history.ts';
import { SoakFailure, soak } from './soak/index.ts';
import type { LivingShape } from './soak/livingHistory.ts';
import { shrink } from './soak/shrink.ts';

const gpu = await sharedGpu();

const SETS: Extent = { parts: ['built'], collections: ['set'], schemes: ['linearProbing'], kinds: ['u32'], steps: 20 };

const WORDS = { collection: 'dynamicMap', scheme: 'regionCuckoo', kind: 'u32', valueWords: 1 } as const;
const LIVING: readonly LivingShape[] = [
  WORDS,
  { collection: 'dynamicSet', scheme: 'dyCuckoo', kind: 'utf8', valueWords: 1 },
  { collection: 'dynamicIndex', scheme: 'regionCuckoo', kind: 'u32', valueWords: 1 },
];

/** Short histories of tables of one shape. */
const livingOf = (collection: LivingShape['collection']): Extent => ({
  parts: ['living'],
  shapes: [{ ...WORDS, collection }],
  steps: 8,
});

/** Runs a few histories, and gives what they end in. */
const failureOf = (extent: Extent, histories = 5): Promise<unknown> =>
  soak(gpu, { seed: 1, isOver: (done) => done >= histories, extent }).catch((error: unknown) => error);

describe('a soak', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('finds nothing wrong', async () => {
    const extent: Extent = { ...SETS, collections: ['map', 'set'] };
    const outcome = await soak(gpu, { seed: 1, isOver: (done) => done >= 2, extent });
    expect(outcome).toMatchObject({ histories: 2 });
    expect(outcome.answers).toBeGreaterThan(100);
  });

  it.each<[string, number, Extent]>([
    ['tables that live', 1, { parts: ['living'], shapes: LIVING, steps: 60 }],
    // A seed with a join, a group, neighbours, a picture and a stroke, and few kernels.
    ['calls that leave nothing behind', 10_319, { parts: ['calls'], steps: 6 }],
  ])('finds nothing wrong with %s', { timeout: 120_000 }, async (_, seed, extent) => {
    const outcome = await soak(gpu, { seed, isOver: (done) => done >= 1, extent });
    expect(outcome.answers).toBeGreaterThan(1000);
  });

  it('finds a wrong answer of a table that lives', { timeout: 120_000 }, async () => {
    const { has } = DynamicSet.prototype;
    vi.spyOn(DynamicSet.prototype, 'has').mockImplementation(async function (this: DynamicSet<unknown>, keys) {
      return (await has.call(this, keys)).fill(0);
    });
    const failure = await failureOf(livingOf('dynamicSet'), 100);
    const steps = (failure as SoakFailure).history.map((step) => step.do);
    expect(steps).toEqual(['create', expect.stringMatching(/insert/), 'find']);
    expect(failure).toMatchObject({ message: expect.stringContaining('is answered by [], not nothing') });
  });

  it('finds an id that is not the one that its key had', { timeout: 120_000 }, async () => {
    const { activate } = DynamicIndex.prototype;
    vi.spyOn(DynamicIndex.prototype, 'activate').mockImplementation(async function (this: DynamicIndex<unknown>, keys) {
      const { ids, fresh } = await activate.call(this, keys);
      return { ids: ids.map((id, i) => (fresh[i] ? id : id + 1)), fresh };
    });
    const failure = await failureOf(livingOf('dynamicIndex'), 100);
    const steps = (failure as SoakFailure).history.map((step) => step.do);
    expect(steps).toEqual(['create', expect.stringMatching(/insert/), expect.stringMatching(/insert/)]);
    expect(failure).toMatchObject({ message: expect.stringMatching(/keeps its id|is below|has one key/) });
  });

  it('finds rows that are missing from a join', async () => {
    vi.spyOn(JoinTable.prototype, 'join').mockImplementation(async () => ({
      left: new Uint32Array(),
      right: new Uint32Array(),
    }));
    const failure = await failureOf({ parts: ['calls'], steps: 10 });
    expect((failure as SoakFailure).history.map((step) => step.do)).toEqual(['join']);
  });

  it('finds a wrong answer, and names the seed and the shortest history that has it', async () => {
    const { has } = HashSet.prototype;
    // The last of three and more queries is forgotten.
    vi.spyOn(HashSet.prototype, 'has').mockImplementation(async function (this: HashSet<unknown>, keys) {
      const found = await has.call(this, keys);
      return found.length >= 3 ? found.fill(0, -1) : found;
    });
    const failure = await failureOf(SETS, 20);
    expect(failure).toBeInstanceOf(SoakFailure);
    const { seed, history, message } = failure as SoakFailure;
    expect(history.map((step) => step.do)).toEqual(['make', 'search']);
    expect(history.map((step) => step.awaited)).toEqual([true, true]);
    expect(message).toContain(`seed ${seed}: step 1: expected that query`);
    expect(message).toContain('is answered by [], not nothing');
    expect(message).toMatch(/^await t\d = set\.host\(linearProbing, u32, \w+, items\(\d+, seed \d/m);
    // The history begins again from the seed alone.
    await expect(soak(gpu, { seed, isOver: (done) => done >= 1, extent: SETS })).rejects.toThrow(`seed ${seed}: `);
  });

  it('finds an error that is not of the library', async () => {
    vi.spyOn(HashSet.prototype, 'keys').mockRejectedValue(new TypeError('of undefined'));
    expect(await failureOf(SETS)).toMatchObject({
      message: expect.stringMatching(/of undefined\n.*\n.*readAll\(\);$/),
    });
  });

  it('finds an error of a forged table that opens', async () => {
    // Nothing else calls it.
    vi.spyOn(HashSet.prototype, 'stats').mockRejectedValue(new InvalidInputError('of stats'));
    const failure = await failureOf(SETS, 100);
    expect(failure).toMatchObject({ message: expect.stringMatching(/a file with .* throws InvalidInputError/) });
    expect((failure as SoakFailure).history.map((step) => step.do)).toEqual(['make', 'open forged']);
  });

  it('finds a forged file that is refused with another error', async () => {
    const { fromBytes } = HashSet;
    vi.spyOn(HashSet, 'fromBytes').mockImplementation((...args) =>
      fromBytes.apply(HashSet, args as Parameters<typeof fromBytes>).catch((error: Error) => {
        throw /contradicts|readable/.test(error.message) ? new TypeError('of undefined') : error;
      }),
    );
    const failure = await failureOf(SETS, 100);
    expect(failure).toMatchObject({ message: expect.stringMatching(/a file with .* throws TypeError/) });
    expect((failure as SoakFailure).history.map((step) => step.do)).toEqual(['make', 'open forged']);
  });

  it('finds buffers that are left', async () => {
    const { rebuild } = HashSet.prototype;
    const left: GPUBuffer[] = [];
    vi.spyOn(HashSet.prototype, 'rebuild').mockImplementation(function (this: HashSet<unknown>, input) {
      left.push(gpu.createBuffer('forgotten', 64));
      return rebuild.call(this, input) as Promise<never>;
    });
    const failure = await failureOf(SETS);
    for (const buffer of left) buffer.destroy();
    expect(failure).toMatchObject({ message: expect.stringContaining('hashnest/forgotten (64 bytes)') });
    expect((failure as SoakFailure).history.map((step) => step.do)).toEqual(['make', 'rebuild']);
  });

  it('leaves the device as it was', () => {
    const prototype = Object.getPrototypeOf(gpu.device);
    expect(gpu.device.createBuffer).toBe(prototype.createBuffer);
    expect(gpu.device.popErrorScope).toBe(prototype.popErrorScope);
  });
});

describe('histories', () => {
  it('follow from their seed', () => {
    expect(historyOf(7)).toEqual(historyOf(7));
    expect(describeHistory(historyOf(7))).not.toBe(describeHistory(historyOf(8)));
  });

  const stepsOf = (part: NonNullable<Extent['parts']>[number]) =>
    Array.from({ length: 100 }, (_, seed) => historyOf(seed, { parts: [part] })).flat();

  it('have every kind of step, collection, scheme and key', () => {
    const steps = stepsOf('built');
    expect(new Set(steps.map((step) => step.do)).size).toBe(10);
    const shapes = steps.flatMap((step) => (step.do === 'make' ? [step.shape] : []));
    expect(new Set(shapes.map(({ collection }) => collection)).size).toBe(5);
    expect(new Set(shapes.map(({ scheme }) => scheme)).size).toBe(12);
    expect(new Set(shapes.map(({ kind }) => kind)).size).toBe(15);
  });

  it('have every kind of step of tables that live, and every width of values', () => {
    const steps = stepsOf('living');
    expect(new Set(steps.map((step) => step.do)).size).toBe(13);
    const shapes = steps.flatMap((step) => (step.do === 'create' ? [step.shape] : []));
    expect(new Set(shapes.map(({ collection, scheme }) => `${collection} ${scheme}`)).size).toBe(9);
    expect(new Set(shapes.map(({ kind }) => kind)).size).toBe(15);
    expect(new Set(shapes.map(({ valueWords }) => valueWords)).size).toBe(4);
  });

  it('have every call that leaves nothing behind', () => {
    expect(new Set(stepsOf('calls').map((step) => step.do))).toEqual(
      new Set(['join', 'group', 'neighbours', 'picture', 'paint', 'wait']),
    );
  });

  it('are shortened to what fails', async () => {
    const history = historyOf(3, { parts: ['built'] });
    const wanted = history.filter((step) => step.do === 'rebuild').slice(0, 2);
    const fails = vi.fn(async (candidate: typeof history) => {
      const rebuilds = candidate.filter((step) => step.do === 'rebuild');
      return wanted.every(({ table }) => rebuilds.some((step) => step.table === table && step.items.count >= 5));
    });
    const tables = new Set(wanted.map(({ table }) => table));
    const grown = history.map((step) =>
      step.do === 'rebuild' ? { ...step, items: { ...step.items, count: 600 } } : step,
    );
    const short = await shrink(grown, fails);
    expect(short).toHaveLength(tables.size);
    for (const step of short) expect(step).toMatchObject({ do: 'rebuild', awaited: true, items: { count: 5 } });
  });
});
