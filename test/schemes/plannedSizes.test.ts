/**
 * A saved table is opened by the plan that its description asks for, so the same request has to give the same sizes in every
 * version. Who changes them on purpose gives the layout another format, and accepts the new list by `vitest run -u`. Scratch is listed
 * too: it is most of what a build takes.
 */
import { describe, expect, it } from 'vitest';
import { HashnestError } from '../../src/gpu/index.ts';
import type { BufferSpec, PlannedTable, TablePlan, ValueWords } from '../../src/schemes/contract/index.ts';
import {
  bucketCuckoo,
  type DynamicScheme,
  dyCuckoo,
  regionCuckoo,
  type Scheme,
  schemes,
} from '../../src/schemes/index.ts';
import { type KeyKind, keyKinds } from '../conformance/keyKinds.ts';

const ITEMS = [0, 1, 100, 3000, 70_000, 2_000_000, 300_000_000];
const GROWTHS = [1, 4, 24];

/** A list of buffers, or of fields of a header. */
const list = (entries: readonly (readonly [string, number])[]): string =>
  entries.map(([name, value]) => `${name} ${value}`).join(', ') || 'nothing';
const specs = (buffers: readonly BufferSpec[]): string => list(buffers.map(({ name, bytes }) => [name, bytes]));

/** One line: all that follows from a request, or the error that it cannot be. */
function line<Plan extends PlannedTable>(
  asked: string,
  plan: () => Plan,
  scratch: (plan: Plan) => readonly BufferSpec[],
) {
  try {
    const made = plan();
    const { format, capacitySlots, slotCount, buffers, fields } = made;
    const header = list(Object.entries(fields));
    return `${asked}: ${format}, ${capacitySlots} slots, ${slotCount} to visit | ${specs(buffers)} | ${header} | scratch ${scratch(made).reduce((sum, { bytes }) => sum + bytes, 0)}`;
  } catch (error) {
    if (error instanceof HashnestError) return `${asked}: ${error.code}`;
    throw error;
  }
}

type Stored = readonly [KeyKind, ValueWords];
const STORED: readonly Stored[] = [
  [keyKinds.u32, 0],
  [keyKinds.u32, 1],
  [keyKinds.u64, 2],
];
const POINTS: readonly Stored[] = [
  [keyKinds.vec2i, 1],
  [keyKinds.vec3i, 0],
];

const planned = (scheme: Scheme, stored: readonly Stored[]): string[] =>
  stored.flatMap(([{ type: key }, valueWords]) => {
    const rowOf = (items: number, growth: number) =>
      line(
        `${key.name}, ${valueWords} words, ${items} items, growth ${growth}`,
        () => scheme.plan({ items, key, valueWords, duplicates: 'last', growth }),
        ({ scratch }) => scratch,
      );
    return [...ITEMS.map((items) => rowOf(items, 0)), ...GROWTHS.map((growth) => rowOf(3000, growth))];
  });

/** How often a table can become larger. */
function growthsOf(scheme: Scheme, { type: key }: KeyKind): number {
  let growths = 0;
  let plan: TablePlan = scheme.plan({ items: 3000, key, valueWords: 1, duplicates: 'last', growth: 0 });
  for (; plan.larger; growths++) plan = plan.larger();
  return growths;
}

const plannedToLive = (scheme: DynamicScheme): string[] =>
  STORED.flatMap(([{ type: key }, valueWords]) =>
    ITEMS.map((slots) =>
      line(
        `${key.name}, ${valueWords} words, ${slots} slots`,
        () => scheme.plan({ slots, key, valueWords }),
        (plan) => plan.scratchFor(slots),
      ),
    ),
  );

describe('the sizes of a table are those of every version', () => {
  it('of every scheme', async () => {
    // The other ways of open addressing have the plan of the first.
    const { quadraticProbing, doubleHashing, ...others } = schemes;
    const rows = Object.entries(others).flatMap(([name, make]) => [
      `== ${name}, grows ${growthsOf(make(), name === 'perfectSpatial' ? keyKinds.vec2i : keyKinds.u32)} times`,
      ...planned(make(), name === 'perfectSpatial' ? POINTS : STORED),
    ]);
    const dense = ['== bucketCuckoo, densest', ...planned(bucketCuckoo({ loadFactor: 'densest' }), STORED)];
    const living = [regionCuckoo(), dyCuckoo(), dyCuckoo({ subtables: 3 })].flatMap((scheme) => [
      `== ${scheme.name} ${JSON.stringify(scheme.options)}`,
      ...plannedToLive(scheme),
    ]);
    await expect(`${[...rows, ...living, ...dense].join('\n')}\n`).toMatchFileSnapshot('plannedSizes.txt');
  });
});
