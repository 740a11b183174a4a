import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { calibrate, measure, measureOnHost, median } from '../../bench/measure.ts';
import { encodeFill, Gpu } from '../../src/index.ts';

describe('median', () => {
  it.each([
    [[3], 3],
    [[3, 1, 2], 2],
    [[4, 1, 3, 2], 2.5],
  ])('of %j is %d', (values, expected) => expect(median(values)).toBe(expected));
});

describe('calibrate', () => {
  it.each([
    { operationMs: 5, expected: 1 },
    { operationMs: 1, expected: 3 },
    { operationMs: 0.1, expected: 25 },
    { operationMs: 0.0001, expected: 500 },
    { operationMs: 0, expected: 500 },
  ])('takes $expected operations of $operationMs ms to fill a pass', async ({ operationMs, expected }) => {
    expect(await calibrate(async (operations) => operations * operationMs)).toBe(expected);
  });

  it('is not deceived by a single delay', async () => {
    const delays = [3, 0, 0, 0];
    expect(await calibrate(async (operations) => operations * 0.1 + (delays.shift() ?? 0))).toBe(25);
  });
});

describe('measureOnHost', () => {
  it('measures an operation by the clock, after one to warm up', async () => {
    const calls: string[] = [];
    const operation = async () => void calls.push('operation');
    const afterPass = async () => void calls.push('after');
    const measurement = await measureOnHost(operation, { repeat: 2, afterPass });
    expect(calls).toEqual(['operation', 'operation', 'after', 'operation', 'after']);
    expect(measurement).toMatchObject({ timer: 'wall', operationsPerPass: 1 });
    expect(measurement.samplesMs).toHaveLength(2);
  });
});

describe('measure', () => {
  let gpu: Gpu;
  let output: GPUBuffer;
  const words = 1 << 16;
  const fill = (pass: GPUComputePassEncoder) => encodeFill(gpu, pass, { output, value: 1, count: words });

  beforeAll(async () => {
    gpu = await Gpu.open({ dawnToggles: ['disable-dawn-features=timestamp_quantization'] });
    output = gpu.createBuffer('measured', words * 4);
  });
  afterAll(() => gpu.destroy());

  it('takes timestamps where there are any, and tells that they are exact', async () => {
    const measurement = await measure(gpu, fill, { repeat: 3 });
    expect(measurement).toMatchObject({ timer: 'timestamp', timestampsQuantised: false });
    expect(measurement.samplesMs).toHaveLength(3);
    expect(measurement.minMs).toBe(Math.min(...measurement.samplesMs));
    expect(measurement.medianMs).toBeGreaterThanOrEqual(measurement.minMs);
    expect(measurement.minMs).toBeGreaterThan(0);
  });

  it('tells that timestamps are rounded', async () => {
    const rounded = await Gpu.open();
    const buffer = rounded.createBuffer('measured', words * 4);
    const measurement = await measure(
      rounded,
      (pass) => encodeFill(rounded, pass, { output: buffer, value: 1, count: words }),
      { repeat: 2 },
    );
    expect(measurement).toMatchObject({ timer: 'timestamp', timestampsQuantised: true });
    rounded.destroy();
  });

  it('falls back on the clock, and says so', async () => {
    const measurement = await measure(gpu, fill, { repeat: 2, timer: 'wall' });
    expect(measurement).toMatchObject({ timer: 'wall', timestampsQuantised: false });
    expect(measurement.minMs).toBeGreaterThan(0);
  });

  it('records as many operations into a pass as it says', async () => {
    let operations = 0;
    let before = 0;
    const counts: number[] = [];
    const { operationsPerPass, samplesMs } = await measure(
      gpu,
      (pass) => {
        operations++;
        fill(pass);
      },
      {
        repeat: 4,
        beforePass: async () => {
          before = operations;
        },
        afterPass: async () => void counts.push(operations - before),
      },
    );
    expect(samplesMs).toHaveLength(4);
    expect(counts).toEqual([operationsPerPass, operationsPerPass, operationsPerPass, operationsPerPass]);
  });

  it('calls back around every measured pass, and not around the others', async () => {
    const calls: string[] = [];
    await measure(gpu, fill, {
      repeat: 2,
      beforePass: async () => void calls.push('before'),
      afterPass: async () => void calls.push('after'),
    });
    expect(calls).toEqual(['before', 'after', 'before', 'after']);
  });
});
