import fc from 'fast-check';
import { describe, it } from 'vitest';
import { HashMap, HashSet } from '../src/collections/index.ts';
import { linearProbing } from '../src/schemes/index.ts';
import { TestBuffers } from './conformance/buffers.ts';
import { allKinds, type Key, type KeyKind, type Keys } from './conformance/keyKinds.ts';
import { answersLike, holdsExactly, mapOf, sameEntries } from './conformance/oracle.ts';
import { type Subject, subjects } from './conformance/subjects.ts';
import { buildMap, buildSet, type Items, namesOf } from './conformance/tables.ts';
import { inFull } from './inFull.ts';
import { sharedGpu } from './sharedGpu.ts';

const gpu = await sharedGpu();

/** Keys from a small range, so that they repeat, and from the ends of the whole one. */
const keyOf = ({ allOnes }: KeyKind): fc.Arbitrary<Key> =>
  fc.oneof(
    fc.bigInt({ min: 0n, max: 40n }),
    fc.bigInt({ min: allOnes - 4n, max: allOnes }),
    fc.bigInt({ min: 0n, max: allOnes }),
    fc.bigInt({ min: 0n, max: 8n }).map((i) => (i << 32n) & allOnes),
  );

const itemsOf = (kind: KeyKind): fc.Arbitrary<Items> =>
  fc
    .array(fc.tuple(keyOf(kind), fc.oneof(fc.nat(5), fc.constant(0xffff_ffff), fc.nat(0xffff_ffff))), {
      maxLength: 200,
    })
    .map((pairs) => ({
      keys: pairs.map(([key]) => key),
      values: Uint32Array.from(pairs, ([, value]) => value),
    }));

/** What may be done to a table once it is built. */
type Step =
  | ({ readonly kind: 'rebuild' | 'rebuild in place' } & Items)
  | { readonly kind: 'search'; readonly queries: Keys }
  | { readonly kind: 'read all' }
  | { readonly kind: 'save and open' };

const stepOf = (kind: KeyKind): fc.Arbitrary<Step> =>
  fc.oneof(
    { weight: 3, arbitrary: itemsOf(kind).map((items): Step => ({ kind: 'rebuild', ...items })) },
    { weight: 2, arbitrary: itemsOf(kind).map((items): Step => ({ kind: 'rebuild in place', ...items })) },
    {
      weight: 3,
      arbitrary: fc.array(keyOf(kind), { maxLength: 50 }).map((queries): Step => ({ kind: 'search', queries })),
    },
    { weight: 1, arbitrary: fc.constant<Step>({ kind: 'read all' }) },
    { weight: 1, arbitrary: fc.constant<Step>({ kind: 'save and open' }) },
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

const RUNS = { numRuns: inFull ? 60 : 25, seed: 2011, endOnFailure: true };

describe('whatever is done to it', () => {
  /** Rebuilds on the encoder face, which keeps the buffers; nothing is done where that cannot be. */
  const inPlace = async (
    { kind, isHostBuilt }: Subject,
    table: HashMap<unknown> | HashSet<unknown>,
    items: Items,
    planned: number,
  ): Promise<boolean> => {
    // Other strings may have more bytes than the table has room for.
    const hasContext = table.table.buffers.context !== undefined;
    if (items.keys.length > planned || isHostBuilt || hasContext) return false;
    using buffers = new TestBuffers(gpu);
    const input = { ...buffers.items(kind, items), count: items.keys.length };
    await gpu.run((encoder) => table.encodeRebuild(encoder, input));
    await table.settle();
    return true;
  };

  it('a map answers like a Map', async () => {
    const property = fc.asyncProperty(scenario, async ({ subject, duplicates, start, steps }) => {
      const { kind } = subject;
      let map: HashMap<unknown> = await buildMap(gpu, subject, start, { duplicates });
      let oracle = mapOf(start.keys, start.values, duplicates);
      let planned = start.keys.length;
      for (const step of steps) {
        if (step.kind === 'rebuild') {
          await map.rebuild({ keys: kind.host(step.keys), values: step.values });
          planned = Math.max(planned, step.keys.length);
          oracle = mapOf(step.keys, step.values, duplicates);
        } else if (step.kind === 'rebuild in place') {
          if (await inPlace(subject, map, step, planned)) oracle = mapOf(step.keys, step.values, duplicates);
        } else if (step.kind === 'search') {
          const absent = step.queries.filter((key) => !oracle.has(key));
          await answersLike(kind, map, oracle, absent, subject.name);
        } else if (step.kind === 'read all') {
          sameEntries(kind, await map.entries(), oracle, subject.name);
        } else {
          const bytes = await map.toBytes();
          map.destroy();
          map = await HashMap.fromBytes(gpu, bytes, namesOf(subject));
        }
      }
      sameEntries(kind, await map.entries(), oracle, subject.name);
      map.destroy();
    });
    await fc.assert(property, RUNS);
  });

  it('a set answers like a Set', async () => {
    const property = fc.asyncProperty(scenario, async ({ subject, duplicates, start, steps }) => {
      const { kind } = subject;
      let set: HashSet<unknown> = await buildSet(gpu, subject, start.keys, { duplicates });
      let { keys } = start;
      let planned = start.keys.length;
      for (const step of steps) {
        if (step.kind === 'rebuild') {
          await set.rebuild({ keys: kind.host(step.keys) });
          planned = Math.max(planned, step.keys.length);
          keys = step.keys;
        } else if (step.kind === 'rebuild in place') {
          if (await inPlace(subject, set, step, planned)) keys = step.keys;
        } else if (step.kind === 'save and open') {
          const bytes = await set.toBytes();
          set.destroy();
          set = await HashSet.fromBytes(gpu, bytes, namesOf(subject));
        }
        await holdsExactly(kind, set, keys, step.kind === 'search' ? step.queries : [], subject.name);
      }
      set.destroy();
    });
    await fc.assert(property, RUNS);
  });

  it.each(allKinds)('keys of $name go in and come back', async (kind) => {
    const property = fc.asyncProperty(itemsOf(kind), async ({ keys }) => {
      using set = await HashSet.from(gpu, { keys: kind.host(keys) }, { key: kind.type, scheme: linearProbing() });
      await holdsExactly(kind, set, keys, [], kind.name);
    });
    await fc.assert(property, { ...RUNS, numRuns: inFull ? 20 : 10 });
  });
});
