/** What stands in the slots of a `robinHood` table: ages, maximum ages and keys, for figures 1, 3 and 4 of García et al. 2011. */
import { extentCount, record } from '../../src/gpu/index.ts';
import type { Reading } from '../../src/table/reading.wgsl.ts';
import type { Table } from '../../src/table/table.ts';
import { kept, kernel, storage, wgsl } from '../../src/wgsl/index.ts';
import type { Picture } from '../pictures/index.ts';

/** The first words of all slots of a table, and how their bits are shared. */
export interface SlotWords {
  readonly words: Uint32Array;
  /** Bits below the age. */
  readonly ageShift: number;
  /** Bits of the maximum age, the lowest. */
  readonly maximumBits: number;
}

/** Reads them from the GPU. */
export async function readSlotWords(table: Table): Promise<SlotWords> {
  const { plan, gpu } = table;
  const { hash, own } = table.state.header;
  const [size = 0] = hash;
  const bytesPerSlot = (plan.buffers[0]?.bytes ?? 0) / plan.slotCount;
  const [bytes] = await gpu.run(() => {}, [{ buffer: table.buffers.get('slots'), bytes: size * bytesPerSlot }]);
  const all = new Uint32Array(bytes as ArrayBuffer);
  const words = Uint32Array.from({ length: size }, (_, slot) => all[(slot * bytesPerSlot) / 4] as number);
  return { words, ageShift: own.ageShift as number, maximumBits: own.maximumBits as number };
}

/** How many keys have each age; the first number is that of the empty slots. */
export function ageHistogram({ words, ageShift }: SlotWords): number[] {
  const histogram = [0];
  for (const word of words) {
    const age = word >>> ageShift;
    while (histogram.length <= age) histogram.push(0);
    histogram[age] = (histogram[age] as number) + 1;
  }
  return histogram;
}

/**
 * The greatest age of the keys that begin in each slot (equation 1); 0 where none does. Slots hold one less, so the slot of a
 * key that is where it began, and that of no key at all, hold the same. But the former holds that key: nobody older has come.
 */
export function maximumAges({ words, ageShift, maximumBits }: SlotWords): Uint32Array {
  const mask = 2 ** maximumBits - 1;
  return Uint32Array.from(words, (word) => {
    const maximum = word & mask;
    if (maximum > 0) return maximum + 1;
    return word >>> ageShift === 1 ? 1 : 0;
  });
}

/** Which share of the slots has the same number as the slot behind it. */
export function shareAlike(numbers: Uint32Array): number {
  let alike = 0;
  for (let i = 1; i < numbers.length; i++) if (numbers[i] === numbers[i - 1]) alike++;
  return alike / Math.max(1, numbers.length - 1);
}

const keys = storage('keys', 'array<u32>', 'read_write');
/** What stands for a slot without a key; no picture has so many pixels. */
const NO_KEY = 0xffffffff;

const keysKernel = kept((reading: Reading) =>
  kernel({
    label: 'figures/keysInSlots',
    threads: 256,
    body: wgsl`
  if (item >= ${extentCount}) { return; }
  let entry = ${reading.entry}(item);
  ${keys}[item] = select(${NO_KEY}u, entry.key, entry.present);`,
  }),
);

/** The one-word key in every slot; all ones where there is none. */
export async function keysInSlots(table: Table): Promise<Uint32Array> {
  const { gpu } = table;
  const [size = 0] = table.state.header.hash;
  const [buffer] = (await gpu.allocate([{ label: 'figures/keysInSlots', bytes: 4 * size }])) as [GPUBuffer];
  try {
    const [bytes] = await gpu.run(
      (encoder) =>
        record(gpu, encoder, 'keysInSlots', (recorder) =>
          recorder.run(
            keysKernel(table.reading),
            [...table.bound, [keys, buffer], [extentCount, recorder.extent(size).count]],
            size,
          ),
        ),
      [{ buffer, bytes: 4 * size }],
    );
    return new Uint32Array(bytes as ArrayBuffer);
  } finally {
    buffer.destroy();
  }
}

const OPAQUE = 0xff000000;
const BLACK = OPAQUE;
const [RED, GREEN, BLUE] = [0x0000ff, 0x00ff00, 0xff0000].map((colour) => (OPAQUE | colour) >>> 0) as [
  number,
  number,
  number,
];
const YELLOW = (RED | GREEN) >>> 0;
const UNUSED = 0xff808080;

/** Slots row by row as a picture; grey behind the last one. */
function inRows(numbers: Uint32Array, width: number, colourOf: (number: number) => number): Picture {
  const height = Math.ceil(numbers.length / width);
  const pixels = new Uint32Array(width * height).fill(UNUSED);
  for (const [i, number] of numbers.entries()) pixels[i] = colourOf(number);
  return { width, height, pixels };
}

/** Maximum ages in the colours of figure 4: black, blue, green and yellow from 0 to 3, red above. */
export const maximumAgesAsPicture = (ages: Uint32Array, width: number): Picture =>
  inRows(ages, width, (age) => [BLACK, BLUE, GREEN, YELLOW][age] ?? RED);

/** The pixels in the slots of a table: their columns as red, their rows as green (figure 1 b to d). White where a slot is empty. */
export function pixelsAsPicture(
  places: Uint32Array,
  width: number,
  { width: columns, height: rows }: Picture,
): Picture {
  return inRows(places, width, (place) => {
    if (place === NO_KEY) return 0xffffffff;
    const [x, y] = [place % columns, Math.floor(place / columns)];
    return (0xff800000 | (Math.floor((255 * y) / rows) << 8) | Math.floor((255 * x) / columns)) >>> 0;
  });
}
