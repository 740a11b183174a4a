/** Primitives, options of schemes, buffers and keys, with things that they do not take. */
import { afterAll } from 'vitest';
import {
  arrowKeys,
  chaining,
  compact,
  cuckoo,
  doubleHashing,
  encodeCompact,
  encodeExclusiveScan,
  encodeFill,
  encodeGatherRows,
  encodeHistogram,
  encodeSort,
  exclusiveScan,
  fill,
  Gpu,
  gatherRows,
  histogram,
  linearProbing,
  perfect,
  perfectSpatial,
  sliceKeys,
  sort,
  tuple,
  twoLevelCuckoo,
  u32,
  utf8,
  Workspace,
} from '../../src/index.ts';
import { sharedGpu } from '../sharedGpu.ts';
import { describeRefusals, NUMBERS, type Odd, refusal, typedArrays } from './odd.ts';

const gpu = await sharedGpu();
const words = Uint32Array.of(1, 2, 3);
const buffer = gpu.upload('test', new Uint32Array(64));
const output = gpu.createBuffer('test', 256);
const third = gpu.createBuffer('test', 256);
const encoder = gpu.device.createCommandEncoder();
afterAll(() => {
  for (const made of [buffer, output, third]) made.destroy();
});

const u = 'undefined' as const;
const u32Fine: Odd[] = ['uint32'];
const u32KeysFine: Odd[] = [...u32Fine, 'array', 'numbers'];

const primitives = [
  refusal('sort', 'gpu', (odd) => sort(odd, words), ['gpu']),
  refusal('sort', 'keys', (keys) => sort(gpu, keys), u32KeysFine),
  refusal('sort', 'values', (values) => sort(gpu, new Uint32Array(4), { values }), [u, 'uint32']),
  refusal('sort', 'firstBit', (firstBit) => sort(gpu, words, { firstBit }), [u, 'zero']),
  refusal('sort', 'bits', (bits) => sort(gpu, words, { bits }), [u, 'zero']),
  refusal('exclusiveScan', 'input', (input) => exclusiveScan(gpu, input), u32Fine),
  refusal('compact', 'values', (values) => compact(gpu, values, new Uint32Array(4)), u32Fine),
  refusal('compact', 'flags', (flags) => compact(gpu, new Uint32Array(4), flags), u32Fine),
  refusal('histogram', 'values', (values) => histogram(gpu, values, 4), u32Fine),
  refusal('histogram', 'bins', (bins) => histogram(gpu, words, bins)),
  refusal('fill', 'length', (length) => fill(gpu, length, 1), ['zero']),
  refusal('fill', 'value', (value) => fill(gpu, 3, value), ['zero']),
  refusal('gatherRows', 'rows', (rows) => gatherRows(gpu, { rows, rowWords: 1, indices: words }), [
    'buffer',
    ...(Object.keys(typedArrays) as Odd[]),
  ]),
  refusal('gatherRows', 'rowWords|words wanted', (rowWords) =>
    gatherRows(gpu, { rows: words, rowWords, indices: words }),
  ),
  refusal('gatherRows', 'indices', (indices) => gatherRows(gpu, { rows: words, rowWords: 1, indices }), u32Fine),
  refusal('encodeSort', 'gpu', (odd) => encodeSort(odd, encoder, { keys: buffer, count: 3 }), ['gpu']),
  refusal('encodeSort', 'target', (target) => encodeSort(gpu, target, { keys: buffer, count: 3 })),
  refusal('encodeSort', 'options|keys', (options) => encodeSort(gpu, encoder, options)),
  refusal('encodeSort', 'keys', (keys) => encodeSort(gpu, encoder, { keys, count: 0 }), ['buffer']),
  refusal('encodeSort', 'count', (count) => encodeSort(gpu, encoder, { keys: output, count }), ['zero', 'place']),
  refusal('encodeSort', 'workspace', (workspace) => encodeSort(gpu, encoder, { keys: output, count: 0, workspace }), [
    u,
  ]),
  refusal(
    'encodeExclusiveScan',
    'total',
    (total) => encodeExclusiveScan(gpu, encoder, { input: output, output: third, count: 0, total }),
    [u, 'place'],
  ),
  refusal(
    'encodeCompact',
    'total',
    (total) => encodeCompact(gpu, encoder, { values: output, flags: output, output: third, count: 0, total }),
    ['place'],
  ),
  refusal(
    'encodeFill',
    'offsetItems',
    (offsetItems) => encodeFill(gpu, encoder, { output, value: 0, count: 0, offsetItems }),
    [u, 'zero', 'huge'],
  ),
  refusal(
    'encodeHistogram',
    'values',
    (values) => encodeHistogram(gpu, encoder, { values, output, bins: 4, count: 0 }),
    ['buffer'],
  ),
  refusal(
    'encodeGatherRows',
    'rows',
    (rows) => encodeGatherRows(gpu, encoder, { rows, rowWords: 1, indices: output, output: third, count: 0 }),
    ['buffer'],
  ),
];

const numbers = {
  loadFactor: linearProbing,
  functions: cuckoo,
  stashSlots: cuckoo,
  chainLimit: cuckoo,
  buckets: chaining,
  bucketsPerItem: chaining,
  capacitySlots: doubleHashing,
  bucketCapacity: twoLevelCuckoo,
  offsetsPerItem: perfectSpatial,
};
const others = [
  ...Object.entries(numbers).map(([name, make]) =>
    refusal(
      make === perfectSpatial ? 'perfectSpatial' : '',
      name,
      (odd) => (make as (options: object) => unknown)({ [name]: odd }),
      [u, ...NUMBERS],
    ),
  ),
  refusal('perfect', 'hash', (hash) => perfect({ hash }), [u]),
  refusal('', 'gpu', (odd) => new Workspace(odd), ['gpu']),
  refusal('', 'device', (device) => Gpu.from(device), ['device', 'gpu']),
  refusal('', 'data', (data) => gpu.upload('test', data), ['dataView', ...(Object.keys(typedArrays) as Odd[])]),
  refusal('', 'bytes', (size) => gpu.createBuffer('test', size), ['zero', 'huge']),
  refusal('', 'tuple', (part) => tuple(u32, part)),
  refusal('sliceKeys', 'bytes', (odd) => sliceKeys(utf8, { bytes: odd, offsets: new Uint32Array(1) }), ['uint8']),
  refusal('sliceKeys', 'offsets', (offsets) => sliceKeys(utf8, { bytes: new Uint8Array(0), offsets }), [
    'uint32',
    'int32',
    'bigInt64',
  ]),
  refusal('sliceKeys', 'type', (type) => sliceKeys(type, { bytes: new Uint8Array(0), offsets: new Uint32Array(1) })),
  refusal('arrowKeys', 'column', (column) => arrowKeys(utf8, column)),
];

describeRefusals(gpu, buffer, { primitives, others });
