/** From a soup of vertices to what tells them apart: rows of words, one a vertex, which are the keys of a table. */
import { extentCount } from '../gpu/index.ts';
import { oneSpelling } from '../keys/index.ts';
import { scanKernels } from '../primitives/scanKernels.wgsl.ts';
import { kernel, storage, uniform, wgsl } from '../wgsl/index.ts';

const THREADS = 256;

const Column = wgsl`
struct Column {
  size: u32,     // numbers of a vertex
  rowWords: u32, // words of a row
  first: u32,    // where in a row they go
  kind: u32,     // 0: words, 1: numbers, 2: numbers that are rounded
  tolerance: f32,
  perUnit: f32,  // 1 / tolerance
  limit: f32,    // numbers from here on stay as they are: their neighbours are as far away as the tolerance
}`;
export const column = uniform('column', Column);
export const numbers = storage('numbers', 'array<u32>');
export const rows = storage('rows', 'array<u32>', 'read_write');

/** Numbers that round to the same multiple of the tolerance are the same; its own bits tell one that is too large for that. */
const rounded = wgsl`
fn rounded(bits: u32) -> u32 {
  if ((bits & 0x7fffffffu) >= bitcast<u32>(${column}.limit)) { return bits; }
  return bitcast<u32>(round(bitcast<f32>(bits) * ${column}.perUnit) * ${column}.tolerance);
}`;

/** Puts one column of the input into the rows. */
export const fillColumn = kernel({
  label: 'weld/column',
  threads: THREADS,
  body: wgsl`
  if (item >= ${extentCount}) { return; }
  var bits = ${numbers}[item];
  if (${column}.kind == 2u) { bits = ${rounded}(bits); }
  if (${column}.kind > 0u) { bits = ${oneSpelling}(bits); }
  ${rows}[item / ${column}.size * ${column}.rowWords + ${column}.first + item % ${column}.size] = bits;`,
});

/** Words of a row, of the part of it that is taken, and where that begins; of a key. */
export const part = uniform('part', 'vec4u');
export const wholeRows = storage('wholeRows', 'array<u32>');
export const firstSoFar = storage('firstSoFar', 'array<u32>');
export const keys = storage('keys', 'array<u32>', 'read_write');

/** Keys of a part of the rows, behind the number that stands for the parts before. */
export const fillKeys = kernel({
  label: 'weld/keys',
  threads: THREADS,
  body: wgsl`
  if (item >= ${extentCount}) { return; }
  ${keys}[item * ${part}.w] = ${firstSoFar}[item];
  for (var i = 0u; i < ${part}.y; i++) {
    ${keys}[item * ${part}.w + 1u + i] = ${wholeRows}[item * ${part}.x + ${part}.z + i];
  }`,
});

export const numbered = storage('numbered', 'array<u32>', 'read_write');

export const fillNumbers = kernel({
  label: 'weld/numbers',
  threads: THREADS,
  body: wgsl`if (item < ${extentCount}) { ${numbered}[item] = item; }`,
});

/** For every vertex the first that is the same. */
export const firsts = storage('firsts', 'array<u32>');
export const kept = storage('kept', 'array<u32>', 'read_write');
export const positions = storage('positions', 'array<u32>', 'read_write');

/** The vertices that are the first of their kind, in order, and for each of them its position among those. */
export const keepFirsts = scanKernels(
  'weld/keep',
  wgsl`fn load(entry: u32) -> u32 { return u32(${firsts}[entry] == entry); }`,
  wgsl`
fn store(entry: u32, loaded: u32, prefix: u32) {
  if (loaded == 0u) { return; }
  ${kept}[prefix] = entry;
  ${positions}[entry] = prefix;
}`,
);

export const keptPositions = storage('keptPositions', 'array<u32>');
export const indices = storage('indices', 'array<u32>', 'read_write');

export const fillIndices = kernel({
  label: 'weld/indices',
  threads: THREADS,
  body: wgsl`if (item < ${extentCount}) { ${indices}[item] = ${keptPositions}[${firsts}[item]]; }`,
});
