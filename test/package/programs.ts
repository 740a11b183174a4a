import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './npmPack.ts';
import type { PackedPackage } from './pack.ts';

const example = (name: string): string => readFileSync(join(root, 'examples', name), 'utf8');

const CONSUMER = `
import { Gpu, HashMap, linearProbing } from 'hashnest';

const gpu = await Gpu.open({ software: 'never' });
const keys = new Uint32Array([7, 9]);
const prices = await HashMap.from(gpu, { keys, values: new Float32Array([0.5, 2]) }, { scheme: linearProbing() });
const { values, found } = await prices.get(keys);
export const first: number | undefined = values[0];
export const buffer: GPUBuffer = gpu.device.createBuffer({ size: found.byteLength, usage: 0x80 });
// @ts-expect-error The device is typed, not any.
gpu.device.nonsense();
prices.destroy();
`;

const SAVER = `
import { Gpu, HashMap, u32, valueTypes } from 'hashnest';

const gpu = await Gpu.open();
const keys = new Uint32Array([7, 9]);
const map = await HashMap.from(gpu, { keys, values: new Float32Array([0.5, 2]) });
const blob = new Blob([await map.toBytes()]);
export const answers = new Blob([await map.has(keys), (await map.get(keys)).values, (await map.entries()).keys]);
const bytes = new Uint8Array(await blob.arrayBuffer());
const opened = await HashMap.fromBytes(gpu, bytes, { key: u32, value: valueTypes.f32 });
export const values: Float32Array<ArrayBuffer> = await opened.values();
// @ts-expect-error What only the library uses is not published.
opened.table;
// @ts-expect-error Nor is how it makes collections.
new HashMap(undefined as never);
`;

const SCHEME_USER = `
import { Gpu, HashSet } from 'hashnest';
import { plainList } from './plain-list/index.ts';

const gpu = await Gpu.open();
const set = await HashSet.from(gpu, { keys: ['ada', 'bob'] }, { scheme: plainList() });
export const found: Uint8Array = await set.has(['bob', 'eve']);
gpu.destroy();
`;

const PAINTER = `
import { Gpu } from 'hashnest';
import { SparseImage, SparseVolume } from 'hashnest/apps';

const gpu = await Gpu.open();
using image = await SparseImage.from(gpu, { width: 2, height: 1, pixels: new Uint8Array(8) });
export const pixels: Uint8ClampedArray<ArrayBuffer> = await image.pixels();
const points = Int32Array.of(1, 2, 3);
using volume = await SparseVolume.from(gpu, { width: 9, height: 9, depth: 9, points, colours: Uint32Array.of(7) });
export const slice = await volume.slice({ origin: [0, 0, 3], u: [1, 0, 0], v: [0, 1, 0], width: 9, height: 9 });
export const load: number = image.map.loadFactor;
// @ts-expect-error A picture has all its pixels, or points with colours.
await SparseImage.from(gpu, { width: 2, height: 1, points });
// @ts-expect-error Pictures have no depth.
image.depth;
// @ts-expect-error What only the library uses is not published.
image.built;
`;

const JOINER = `
import { Gpu, u32 } from 'hashnest';
import { groupBy, join, JoinTable, NO_ROW, topK } from 'hashnest/relational';

const gpu = await Gpu.open();
const { left, right } = await join(gpu, ['a', null], ['a', 'b'], { how: 'full' });
export const pairs: number = left.filter((row) => row !== NO_ROW).length + right.length;
const price = new Float32Array([1, 2]);
const { keys, values } = await groupBy(gpu, [['a', 'b'], price], { values: { price }, combine: { total: { of: 'price', combine: 'sum' } } });
export const names: readonly string[] = keys[0];
export const totals: Float32Array<ArrayBuffer> = values.total;
export const rows: Uint32Array = await topK(gpu, totals, 1);
const table = await JoinTable.from(gpu, { values: new Uint32Array([1]), key: u32, valid: new Uint8Array([1]) });
// @ts-expect-error There is no such join.
await table.join(new Uint32Array([1]), { how: 'outer' });
table.destroy();
`;

const ARROW_USER = `
import { type Dictionary, type Int32, Table, Utf8, type Vector, vectorFromArray } from 'apache-arrow';
import { Gpu } from 'hashnest';
import { column, dictionaryEncode, distinct, join, take } from 'hashnest/arrow';
import { JoinTable } from 'hashnest/relational';

const gpu = await Gpu.open();
const cities = new Table({ city: vectorFromArray(['Oslo', 'Rome', 'Oslo'], new Utf8()) });
const coded: Vector<Dictionary<Utf8, Int32>> = await dictionaryEncode(gpu, cities.getChild('city'));
const once: Table<{ city: Utf8 }> = await distinct(gpu, cities);
const table = await JoinTable.from(gpu, column(coded));
const { left } = await table.join(column(once.getChild('city')), { how: 'semi' });
export const rows: number = take(once, left).numRows;
export const joined: Table = await join(gpu, cities, once, { on: 'city' });
// @ts-expect-error Columns are compared by their names.
export const wrong = () => join(gpu, cities, once, { on: 3 });
gpu.destroy();
`;

const FILES: Record<string, string> = {
  'arrowUser.ts': ARROW_USER,
  'consumer.ts': CONSUMER,
  'saver.ts': SAVER,
  'painter.ts': PAINTER,
  'joiner.ts': JOINER,
  'tour.ts': example('longer/tour.ts'),
  'three.ts': example('three.ts'),
  'typegpu.ts': example('typegpu.ts'),
  'schemeUser.ts': SCHEME_USER,
  // A scheme outside this repository has the entry point in place of the sources.
  ...Object.fromEntries(
    readdirSync(join(root, 'examples/plain-list')).map((name) => [
      `plain-list/${name}`,
      example(`plain-list/${name}`).replaceAll(/'[./]+\/src\/[^']+'/g, `'hashnest/scheme'`),
    ]),
  ),
};

/** Programs of users, by their files. */
export const PROGRAMS = ['consumer.ts', 'saver.ts', 'painter.ts', 'joiner.ts', 'tour.ts', 'schemeUser.ts'];

/** Programs of users of other packages, which they have installed too. */
export const BRIDGE_PROGRAMS = ['three.ts', 'typegpu.ts'];

/** Writes the programs into the project that has installed the package. */
export function writePrograms({ projectDir }: PackedPackage): void {
  for (const [name, text] of Object.entries(FILES)) {
    const path = join(projectDir, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}
