import { describe, expect, it } from 'vitest';
import { groupAccess, traceGroups } from '../../bench/figures/garciaAccess.ts';
import { measureAges, sparseKeys } from '../../bench/figures/garciaAges.ts';
import { DATA_NAMES, keysOf } from '../../bench/figures/garciaFailures.ts';
import { measurePicture, pictureOf, uploadPicture } from '../../bench/figures/garciaPictures.ts';
import { turned } from '../../bench/figures/garciaScreen.ts';
import { schemeAt } from '../../bench/figures/garciaSeries.ts';
import {
  ageHistogram,
  keysInSlots,
  maximumAges,
  maximumAgesAsPicture,
  pixelsAsPicture,
  readSlotWords,
  shareAlike,
} from '../../bench/figures/garciaSlots.ts';
import { judgeSlice } from '../../bench/figures/garciaVolumes.ts';
import { makePicture } from '../../bench/pictures/index.ts';
import type { HashConstants } from '../../src/hashing/index.ts';
import { HashMap, robinHood, type SequenceName, u32 } from '../../src/index.ts';
import { robinHoodTwin } from '../oracles/robinHoodTwin.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();

/** A small table, and the same by the twin. */
async function tableAndTwin(sequence: SequenceName, loadFactor = 0.9) {
  const keys = sparseKeys(300, 5);
  const scheme = robinHood({ sequence, loadFactor });
  const map = await HashMap.from(gpu, { keys, values: keys }, { scheme, duplicates: 'unique', seed: 3 });
  const { hash, own } = map.table.state.header;
  const { ageShift = 0, maximumBits = 0 } = own;
  const made = { sequence, hash: hash as unknown as HashConstants, ageShift, maximumBits };
  const twin = robinHoodTwin(
    made,
    u32,
    [...keys].map((key) => [key]),
  );
  return { keys, map, twin };
}

describe('what 32 neighbouring searches touch', () => {
  const NONE = 0xffffffff;

  it('is counted by hand: two probes at most, slots of 8 bytes, 4 to a sector and 16 to a line', () => {
    // Slots 0 to 3 are one sector, 4 the next, 15 the last of the first line; 16 and 40 are in other lines.
    const searches = [
      [0, NONE],
      [3, NONE],
      [4, 16],
      [15, 40],
    ];
    expect(groupAccess({ slots: Uint32Array.from(searches.flat()), most: 2, bytesPerSlot: 8 })).toEqual({
      groups: 1,
      probes: 6,
      sectors: 5,
      lines: 3,
      divergence: 2 - 6 / 4,
    });
  });

  it('is 8 sectors in 2 lines where all find their keys side by side, and 32 of both where they are far apart', () => {
    const beside = Uint32Array.from({ length: 64 }, (_, i) => i);
    expect(groupAccess({ slots: beside, most: 1, bytesPerSlot: 8 })).toEqual({
      groups: 2,
      probes: 32,
      sectors: 8,
      lines: 2,
      divergence: 0,
    });
    const apart = beside.map((slot) => 1000 * slot);
    expect(groupAccess({ slots: apart, most: 1, bytesPerSlot: 8 })).toMatchObject({ sectors: 32, lines: 32 });
  });

  it.each(['coherent', 'random'] as const)('follows the searches of a %s table', async (sequence) => {
    const { map, twin } = await tableAndTwin(sequence);
    const trace = await traceGroups(map.table, sequence, { keys: 3 * 32 * 5 + 7, groups: 3 });
    expect(trace.slots).toHaveLength(3 * 32 * trace.most);
    // Groups lie evenly: every fifth one.
    for (let search = 0; search < 96; search++) {
      const place = Math.floor(search / 32) * 5 * 32 + (search % 32);
      const looked = trace.slots
        .subarray(search * trace.most, (search + 1) * trace.most)
        .filter((slot) => slot !== NONE);
      expect(looked, `the search for ${place}`).toHaveLength(twin.probesFor([place]));
      if (sequence === 'coherent') expect(looked[0]).toBe(place % twin.words.length);
    }
    map.destroy();
  });
});

describe('ages', () => {
  it('are counted in the words of slots', () => {
    const words = Uint32Array.of(0, (1 << 27) | 5, (3 << 27) | 1, (1 << 27) >>> 0, 31, (31 << 27) >>> 0);
    const histogram = ageHistogram({ words, ageShift: 27, maximumBits: 5 });
    expect(histogram.slice(0, 4)).toEqual([2, 2, 0, 1]);
    expect([histogram.length, histogram[31]]).toEqual([32, 1]);
  });

  it('of a table are those of the twin, and so are the maximum ages', async () => {
    const { keys, map, twin } = await tableAndTwin('coherent');
    const slotWords = await readSlotWords(map.table);
    expect(slotWords.words).toEqual(twin.words);
    const histogram = ageHistogram(slotWords);
    for (const [age, count] of histogram.entries()) {
      const expected = age === 0 ? twin.words.length - keys.length : twin.ages.filter((own) => own === age).length;
      expect(count, `keys of age ${age}`).toBe(expected);
    }
    const expected = new Uint32Array(twin.words.length);
    for (const [i, key] of keys.entries()) {
      const first = key % expected.length;
      expected[first] = Math.max(expected[first] as number, twin.ages[i] as number);
    }
    expect(maximumAges(slotWords)).toEqual(expected);
    map.destroy();
  });

  it('are less with evictions than without', async () => {
    const request = { items: 3000, load: 0.8, sequence: 'random', seed: 1 } as const;
    const [without, withThem] = [
      await measureAges(gpu, { ...request, evict: false }),
      await measureAges(gpu, { ...request, evict: true }),
    ];
    expect([without.wrong, withThem.wrong]).toEqual([0, 0]);
    expect(withThem.ages.reduce((sum, keys) => sum + keys)).toBe(3000);
    expect(without.greatestAge).toBeGreaterThan(2 * withThem.greatestAge);
  });
});

describe('pictures of tables', () => {
  it('have the colours of figure 4 for maximum ages, row by row', () => {
    const { width, height, pixels } = maximumAgesAsPicture(Uint32Array.of(0, 1, 2, 3, 4, 9, 0), 4);
    expect([width, height]).toEqual([4, 2]);
    const [black, blue, green, yellow, red, grey] = [
      0xff000000, 0xffff0000, 0xff00ff00, 0xff00ffff, 0xff0000ff, 0xff808080,
    ];
    expect([...pixels]).toEqual([black, blue, green, yellow, red, red, black, grey]);
  });

  it('have coordinates for colours, and white for empty slots', () => {
    const picture = { width: 2, height: 2, pixels: new Uint32Array(4) };
    expect([...pixelsAsPicture(Uint32Array.of(0, 3, 0xffffffff), 3, picture).pixels]).toEqual([
      0xff800000, 0xff807f7f, 0xffffffff,
    ]);
  });

  it('show every key once', async () => {
    const { keys, map } = await tableAndTwin('random');
    const found = await keysInSlots(map.table);
    expect(found.filter((key) => key !== 0xffffffff).sort()).toEqual(keys.slice().sort());
    map.destroy();
  });

  it('are alike where neighbours are', () => {
    expect(shareAlike(Uint32Array.of(1, 1, 2, 2, 2))).toBe(3 / 4);
  });
});

describe('a measured picture', () => {
  it('counts the pixels that come back wrong', async () => {
    const items = await uploadPicture(gpu, makePicture(pictureOf('flower', 24)));
    const scheme = robinHood({ loadFactor: 0.99 });
    const request = { scheme, operations: ['build', 'read'], repeat: 1, seed: 1 } as const;
    expect(await measurePicture(gpu, items, request)).toMatchObject({
      items: items.places.length,
      pixels: 576,
      wrong: 0,
    });
    // One value is that of another pixel: one pixel is wrong, after the build and after the reading.
    const [first, other] = [0, items.places.length - 1].map((i) => items.picture.pixels[items.places[i] as number]);
    expect(first).not.toBe(other);
    gpu.write(items.input.values, Uint32Array.of(other as number));
    expect((await measurePicture(gpu, items, request)).wrong).toBe(2);
    items.destroy();
  });
});

describe('a picture on the screen', () => {
  const picture = { width: 4, height: 4, pixels: Uint32Array.from({ length: 16 }, (_, i) => i) };

  it('has its middle in the middle, and white around it', () => {
    const { texels, queries } = turned(picture, 6, [1 << 14, 0]);
    expect([texels[3 + 6 * 3], texels[4 + 6 * 2], texels[5 + 6 * 3], queries]).toEqual([10, 7, 0xffffffff, 16]);
  });

  it('is turned', () => {
    const { texels } = turned(picture, 4, [0, 1 << 14]);
    // A step to the right on the screen is one down in the picture; a step down is one to the left.
    expect([texels[2 + 4 * 2], texels[3 + 4 * 2], texels[2 + 4 * 3]]).toEqual([10, 14, 9]);
  });
});

describe('a judged slice', () => {
  const voxels = { side: 2, places: Uint32Array.of(0, 3), colours: Uint32Array.of(7, 9) };
  const slice = { origin: [0, 0, 0], u: [1, 0, 0], v: [0, 1, 0], width: 3, height: 2 } as const;

  it('has the nearest voxels, and nothing outside', () => {
    expect(judgeSlice(Uint32Array.of(7, 0, 0, 0, 9, 0), voxels, slice)).toEqual({ wrong: 0, queries: 4 });
    expect(judgeSlice(Uint32Array.of(7, 0, 9, 0, 8, 0), voxels, slice)).toEqual({ wrong: 2, queries: 4 });
  });

  it('may have either of two voxels that are equally near', () => {
    const between = { ...slice, origin: [0.5, 0, 0], width: 1, height: 1 } as const;
    for (const shown of [7, 0]) expect(judgeSlice(Uint32Array.of(shown), voxels, between).wrong).toBe(0);
    expect(judgeSlice(Uint32Array.of(9), voxels, between).wrong).toBe(1);
  });
});

describe('series', () => {
  it('are left out at loads that they do not reach', () => {
    const reached = (name: Parameters<typeof schemeAt>[0]) =>
      [0.5, 0.8, 0.9, 0.99].map((load) => schemeAt(name, load, 100_000) !== undefined);
    expect(reached('coherent')).toEqual([true, true, true, true]);
    expect(reached('cuckoo')).toEqual([true, true, true, false]);
    expect(reached('twoLevelCuckoo')).toEqual([true, true, false, false]);
  });
});

describe('keys for builds that may fail', () => {
  it.each(DATA_NAMES)('are as many as asked for, and all different: %s', (data) => {
    expect(new Set(keysOf(data, 700, 1)).size).toBe(700);
  });

  it('of a stride go round the 32-bit words', () => {
    const keys = keysOf('stride65536', 65_538, 1);
    expect([...keys.slice(0, 2), ...keys.slice(-3)]).toEqual([0, 65_536, 65_535 * 65_536, 1, 65_537]);
  });
});
