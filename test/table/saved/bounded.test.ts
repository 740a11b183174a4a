import { describe, expect, it } from 'vitest';
import { HashMap, HashSet } from '../../../src/collections/index.ts';
import { chaining, cuckoo, linearProbing, perfect, type Scheme } from '../../../src/index.ts';
import { headerOffset } from '../../../src/schemes/contract/index.ts';
import type { Table } from '../../../src/table/table.ts';
import { sharedGpu } from '../../sharedGpu.ts';

const gpu = await sharedGpu();
const keys = Uint32Array.from({ length: 60 }, (_, i) => i * 7 + 1);
const ENDLESS = 0xffff_ffff;

/** Overwrites words of a buffer of a table, behind the back of all checks. */
function overwrite({ buffers }: Table, name: string, first: number, words: readonly number[]): void {
  gpu.write(name === 'header' ? buffers.header : buffers.get(name), new Uint32Array(words), first * 4);
}

describe('a search ends whatever stands in the table', () => {
  const mapOf = (scheme: Scheme) => HashMap.from(gpu, { keys, values: keys }, { scheme });
  const absent = new Uint32Array([2, 3, 4, 5]);

  it('in linearProbing, if the longest search has no end and no slot is empty', async () => {
    using map = await mapOf(linearProbing());
    overwrite(map.table, 'header', headerOffset('longest') / 4, [ENDLESS]);
    overwrite(map.table, 'slots', 0, Array(2 * map.capacitySlots).fill(1));
    expect([...(await map.has(absent))]).toEqual([0, 0, 0, 0]);
    const { absent: probes } = await map.stats({ absent });
    expect(probes.within[100]).toBe(map.table.plan.fields.insertLimit);
  });

  it('in chaining, if a bucket has no end, or one that lies before its beginning', async () => {
    for (const ends of [ENDLESS, 0]) {
      using map = await mapOf(chaining({ buckets: 2 }));
      overwrite(map.table, 'starts', 0, [30, ends]);
      expect([...(await map.has(absent))]).toEqual([0, 0, 0, 0]);
      // The padding of a small buffer counts too.
      expect((await map.stats({ absent })).absent.within[100]).toBeLessThanOrEqual(map.capacitySlots + 12);
    }
  });

  it.each([cuckoo(), perfect()])('in $name, if strings are as long as a word can say', async (scheme) => {
    const names = Array.from({ length: 20 }, (_, i) => `name ${i}`);
    // With copies, because entries of cuckoo are searched for only then.
    using set = await HashSet.from(gpu, { keys: [...names, ...names] }, { scheme });
    const slots = set.table.plan.slotCount;
    overwrite(
      set.table,
      'slots',
      0,
      Array.from({ length: 2 * slots }, (_, i) => (i % 2 === 0 ? 0 : ENDLESS)),
    );
    expect([...(await set.has(['name']))]).toEqual([0]);
    expect(await set.keys()).toHaveLength(names.length);
    expect((await set.stats()).present.searches).toBeLessThanOrEqual(slots);
  });
});
