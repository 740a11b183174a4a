/** Tables of half a gigabyte: the densest layout of buckets. */
import { afterEach, expect, it } from 'vitest';
import { keyKinds } from '../conformance/keyKinds.ts';
import { randomKeys } from '../conformance/keySets.ts';
import { arrived, freeMoved, Moved, moveThroughSizes } from '../schemes/movedRegions.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu('adapter');

afterEach(freeMoved);

const { u32, u64, utf8 } = keyKinds;

it.each([u32, u64, utf8].flatMap((kind) => ([0, 1, 2, 3, 4] as const).map((valueWords) => ({ kind, valueWords }))))(
  'regionCuckoo moves $kind.name keys with values of $valueWords words',
  ({ kind, valueWords }) => moveThroughSizes(gpu, kind, valueWords),
);

it('regionCuckoo moves everything to the densest layout and back', { timeout: 900_000 }, async () => {
  const n = 50_000;
  const table = await Moved.create(gpu, keyKinds.u32, 1, randomKeys(keyKinds.u32, n), 2_200_000);
  const formats: string[] = [];
  for (const slots of [2_700_000, 4 * 16_900_000, 4 * 17_500_000, 3_000_000]) {
    expect(await table.to(slots)).toEqual(arrived(n));
    formats.push(table.format);
    await table.checkRaw();
  }
  expect(formats).toEqual(['5x14', '6x9', '6x9', '5x14'].map((layout) => `regionCuckoo/1/${layout}`));
  await table.checkContents();
});
