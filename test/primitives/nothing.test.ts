/** Primitives of no words at all: a buffer of the caller's may have no bytes, and WebGPU binds no such buffer. */
import { describe, expect, it } from 'vitest';
import {
  encodeCompact,
  encodeExclusiveScan,
  encodeFill,
  encodeGatherRows,
  encodeHistogram,
  encodeSort,
} from '../../src/index.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();
const none = () => gpu.device.createBuffer({ label: 'test/none', size: 0, usage: 0x80 | 0xc });
/** A word that says something else until the call has told its number. */
const total = () => ({ buffer: gpu.upload('test/total', Uint32Array.of(7, 7, 7)), offset: 4 });

describe('of nothing', () => {
  it.each([
    ['fill', (target: GPUCommandEncoder) => encodeFill(gpu, target, { output: none(), value: 1, count: 0 })],
    ['sort', (target: GPUCommandEncoder) => encodeSort(gpu, target, { keys: none(), count: 0 })],
    ['sort of pairs', (target) => encodeSort(gpu, target, { keys: none(), values: none(), count: 0 })],
    ['scan', (target) => encodeExclusiveScan(gpu, target, { input: none(), output: none(), count: 0 })],
    [
      'gatherRows',
      (target) =>
        encodeGatherRows(gpu, target, { rows: none(), rowWords: 1, indices: none(), output: none(), count: 0 }),
    ],
    [
      'histogram',
      (target) => encodeHistogram(gpu, target, { values: none(), output: total().buffer, bins: 3, count: 0 }),
    ],
  ] as [string, (target: GPUCommandEncoder) => void][])('%s is no error', async (_, encode) => {
    await gpu.run(encode);
  });

  it('totals are zero', async () => {
    const [scanned, kept] = [total(), total()];
    await gpu.run((target) => {
      const input = none();
      encodeExclusiveScan(gpu, target, { input, output: input, count: 0, total: scanned });
      encodeCompact(gpu, target, { values: none(), flags: none(), output: none(), count: 0, total: kept });
    });
    expect([...(await gpu.read(scanned.buffer, Uint32Array))].slice(0, 3)).toEqual([7, 0, 7]);
    expect([...(await gpu.read(kept.buffer, Uint32Array))].slice(0, 3)).toEqual([7, 0, 7]);
  });

  it('rows by number are zeros, in words and in vectors', async () => {
    for (const rowWords of [1, 4]) {
      const indices = gpu.upload('test/indices', Uint32Array.of(0, 1, 0xffff_ffff));
      const output = gpu.upload('test/output', new Uint32Array(3 * rowWords + 1).fill(7));
      await gpu.run((target) => encodeGatherRows(gpu, target, { rows: none(), rowWords, indices, output, count: 3 }));
      expect([...(await gpu.read(output, Uint32Array))]).toEqual([...Array(3 * rowWords).fill(0), 7]);
      for (const buffer of [indices, output]) buffer.destroy();
    }
  });

  it('every bin of a histogram is zero', async () => {
    const { buffer } = total();
    await gpu.run((target) => encodeHistogram(gpu, target, { values: none(), output: buffer, bins: 2, count: 0 }));
    expect([...(await gpu.read(buffer, Uint32Array))].slice(0, 3)).toEqual([0, 0, 7]);
  });
});
