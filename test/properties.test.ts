import fc from 'fast-check';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { HashMap, HashSet } from '../src/collections/index.ts';
import { Gpu } from '../src/gpu/index.ts';
import { type Key, type KeyKind, type Keys, keyKinds } from './conformance/keySets.ts';
import { answersLike, holdsExactly, mapOf, sameEntries } from './conformance/oracle.ts';
import { type Subject, subjects } from './conformance/subjects.ts';

/** Keys from a small range, so that they repeat, and from the ends of the whole one. */
const keyOf = ({ allOnes }: KeyKind): fc.Arbitrary<bigint> =>
  fc.oneof(
    fc.bigInt({ min: 0n, max: 40n }),
    fc.bigInt({ min: allOnes - 4n, max: allOnes }),
    fc.bigInt({ min: 0n, max: allOnes }),
    fc.bigInt({ min: 0n, max: 8n }).map((i) => (i << 32n) & allOnes),
  );

const itemsOf = (kind: KeyKind): fc.Arbitrary<{ keys: Keys; values: Uint32Array }> =>
  fc
    .array(fc.tuple(keyOf(kind), fc.oneof(fc.nat(5), fc.constant(0xffff_ffff), fc.nat(0xffff_ffff))), {
      maxLength: 200,
    })
    .map((pairs) => ({
      keys: kind.from(pairs.map(([key]) => key)),
      values: Uint32Array.from(pairs, ([, value]) => value),
    }));

/** What may be done to a table once it is built. */
type Step =
  | { readonly kind: 'rebuild' | 'rebuild in place'; readonly keys: Keys; readonly values: Uint32Array }
  | { readonly kind: 'search'; readonly queries: Keys }
  | { readonly kind: 'read all' }
  | { readonly kind: 'save and open' };

const stepOf = (kind: KeyKind): fc.Arbitrary<Step> =>
  fc.oneof(
    { weight: 3, arbitrary: itemsOf(kind).map((items): Step => ({ kind: 'rebuild', ...items })) },
    { weight: 2, arbitrary: itemsOf(kind).map((items): Step => ({ kind: 'rebuild in place', ...items })) },
    {
      weight: 3,
      arbitrary: fc
        .array(keyOf(kind), { maxLength: 50 })
        .map((keys): Step => ({ kind: 'search', queries: kind.from(keys) })),
    },
    { weight: 1, arbitrary: fc.constant<Step>({ kind: 'read all' }) },
    { weight: 1, arbitrary: fc.constant<Step>({ kind: 'save and open' }) },
  );

const absentFrom = (kind: KeyKind, oracle: { has(key: Key): boolean }, queries: Keys): Keys =>
  kind.from(
    Array.from(queries as ArrayLike<Key>)
      .filter((key) => !oracle.has(key))
      .map(BigInt),
  );

const scenarioOf = (subject: Subject) =>
  fc.record({
    subject: fc.constant(subject),
    duplicates: fc.constantFrom('first' as const, 'last' as const),
    start: itemsOf(subject.kind),
    steps: fc.array(stepOf(subject.kind), { maxLength: 8 }),
  });

/** Every run takes another scheme and key type, so that all get their share. */
const scenario = fc.oneof(...subjects.map(scenarioOf));

const RUNS = { numRuns: 40, endOnFailure: true };

describe('whatever is done to it', () => {
  let gpu: Gpu;
  beforeAll(async () => {
    gpu = await Gpu.open();
  });
  afterAll(() => gpu.destroy());

  /** Rebuilds on the encoder face, which keeps the buffers; nothing is done if there are too many items. */
  const inPlace = async (
    table: HashMap<Keys> | HashSet<Keys>,
    { keys, values }: { keys: Keys; values: Uint32Array },
  ) => {
    const input = { keys: gpu.upload('test', keys), values: gpu.upload('test', values), count: keys.length };
    await gpu.run((encoder) => table.encodeRebuild(encoder, input));
    await table.settle();
    input.keys.destroy();
    input.values.destroy();
  };

  it('a map answers like a Map', async () => {
    const property = fc.asyncProperty(scenario, async ({ subject, duplicates, start, steps }) => {
      const { kind, make } = subject;
      let map: HashMap<Keys> = await HashMap.from(gpu, start, { scheme: make(), duplicates });
      let oracle = mapOf(start.keys, start.values, duplicates);
      let planned = start.keys.length;
      for (const step of steps) {
        if (step.kind === 'rebuild') {
          await map.rebuild(step);
          planned = Math.max(planned, step.keys.length);
          oracle = mapOf(step.keys, step.values, duplicates);
        } else if (step.kind === 'rebuild in place' && step.keys.length <= planned) {
          await inPlace(map, step);
          oracle = mapOf(step.keys, step.values, duplicates);
        } else if (step.kind === 'search') {
          await answersLike(kind, map, oracle, absentFrom(kind, oracle, step.queries), subject.name);
        } else if (step.kind === 'read all') {
          sameEntries(await map.entries(), oracle, subject.name);
        } else if (step.kind === 'save and open') {
          const bytes = await map.toBytes();
          map.destroy();
          map = await HashMap.fromBytes<Keys>(gpu, bytes);
        }
      }
      sameEntries(await map.entries(), oracle, subject.name);
      map.destroy();
    });
    await fc.assert(property, RUNS);
  });

  it('a set answers like a Set', async () => {
    const property = fc.asyncProperty(scenario, async ({ subject, duplicates, start, steps }) => {
      const { kind, make } = subject;
      let set: HashSet<Keys> = await HashSet.from(gpu, start, { scheme: make(), duplicates });
      let keys = start.keys;
      let planned = start.keys.length;
      for (const step of steps) {
        if (step.kind === 'rebuild') {
          await set.rebuild(step);
          planned = Math.max(planned, step.keys.length);
          keys = step.keys;
        } else if (step.kind === 'rebuild in place' && step.keys.length <= planned) {
          await inPlace(set, step);
          keys = step.keys;
        } else if (step.kind === 'save and open') {
          const bytes = await set.toBytes();
          set.destroy();
          set = await HashSet.fromBytes<Keys>(gpu, bytes);
        }
        const queries = step.kind === 'search' ? step.queries : kind.from([]);
        await holdsExactly(kind, set, keys, queries, subject.name);
      }
      set.destroy();
    });
    await fc.assert(property, RUNS);
  });

  it.each(keyKinds)('keys of $name go in and come back', async (kind) => {
    const property = fc.asyncProperty(itemsOf(kind), async ({ keys }) => {
      using set = await HashSet.from(gpu, { keys });
      await holdsExactly(kind, set, keys, kind.from([]), kind.name);
    });
    await fc.assert(property, { ...RUNS, numRuns: 20 });
  });
});
