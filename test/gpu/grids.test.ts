import { describe, expect, it } from 'vitest';
import { gridOf } from '../../src/gpu/gate.wgsl.ts';
import { extentCount, Gate, type Recorder, record } from '../../src/gpu/index.ts';
import { kernel, storage, wgsl } from '../../src/wgsl/index.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();

const seen = storage('seen', 'array<atomic<u32>>', 'read_write');

/** Counts, for every item, how often it is visited. */
const visit = (itemsPerGroup: number) =>
  kernel({
    label: 'test/visit',
    threads: 1,
    itemsPerGroup,
    body: wgsl`
  for (var i = 0u; i < ${itemsPerGroup}u; i++) {
    let at = group * ${itemsPerGroup}u + i;
    if (at < arrayLength(&${seen})) { atomicAdd(&${seen}[at], 1u); }
  }`,
  });

/** Which items were visited, and how often at most. */
async function visited(length: number, commands: (recorder: Recorder, buffer: GPUBuffer) => void) {
  const buffer = gpu.createBuffer('test/seen', length * 4);
  const [bytes] = await gpu.run(
    (encoder) => record(gpu, encoder, 'test', (recorder) => commands(recorder, buffer)),
    [{ buffer, bytes: length * 4 }],
  );
  buffer.destroy();
  const words = new Uint32Array(bytes as ArrayBuffer);
  const end = words.indexOf(0);
  return { items: end < 0 ? length : end, atMost: words.reduce((most, count) => Math.max(most, count), 0) };
}

describe('a grid', () => {
  it.each([
    [0, 100],
    [1, 100],
    [100, 100],
    [101, 100],
    [9999, 100],
    [65_536, 65_535],
    [5_000_000, 65_535],
  ])('of %i workgroups fits a limit of %i and wastes less than a row', (groups, limit) => {
    const [x, y] = gridOf(groups, limit);
    expect(Math.max(x, y)).toBeLessThanOrEqual(limit);
    expect(x * y).toBeGreaterThanOrEqual(groups);
    expect(x * y - groups).toBeLessThanOrEqual(y);
  });

  it('of more than 65,535 workgroups visits every item once', async () => {
    const groups = 65_535 + 2;
    const run = visited(groups + 10, (recorder, buffer) => recorder.run(visit(1), [[seen, buffer]], groups));
    const { items, atMost } = await run;
    expect(items).toBeGreaterThanOrEqual(groups);
    expect(items).toBeLessThanOrEqual(groups + 1);
    expect(atMost).toBe(1);
  });

  it.each([1, 7, 8, 9, 64])('of several items a workgroup covers %i items', async (count) => {
    const { items } = await visited(100, (recorder, buffer) => recorder.run(visit(8), [[seen, buffer]], count));
    expect(items).toBe(Math.ceil(count / 8) * 8);
  });

  it('of nothing runs nothing', async () => {
    const { items } = await visited(8, (recorder, buffer) => recorder.run(visit(1), [[seen, buffer]], 0));
    expect(items).toBe(0);
  });
});

describe('a gate', () => {
  const countTo = (word: number) => ({ buffer: gpu.upload('test/count', new Uint32Array([99, word])), offset: 4 });

  it.each([0, 1, 63, 64, 65, 500, 0xffff_ffff])(
    'lets as many items through as a word on the GPU says: %i',
    async (count) => {
      const MAX = 500;
      const { items } = await visited(1000, (recorder, buffer) => {
        const gate = new Gate(gpu);
        gate.open(recorder, countTo(count), MAX);
        recorder.behind(gate).run(visit(1), [[seen, buffer]], gate.extent(MAX));
        gate.seal();
      });
      expect(items).toBe(Math.min(count, MAX));
    },
  );

  it('makes grids of two dimensions from counts on the GPU', async () => {
    const groups = 65_535 + 2;
    const { items, atMost } = await visited(groups + 10, (recorder, buffer) => {
      const gate = new Gate(gpu);
      gate.open(recorder, countTo(groups), 2 ** 20);
      recorder.behind(gate).run(visit(1), [[seen, buffer]], gate.extent(2 ** 20));
      gate.seal();
    });
    expect(items).toBeGreaterThanOrEqual(groups);
    expect(items).toBeLessThanOrEqual(groups + 1);
    expect(atMost).toBe(1);
  });

  it('keeps grids that do not depend on the count, and serves several kernels and counts', async () => {
    const gate = new Gate(gpu);
    const buffers = [0, 1, 2].map(() => gpu.createBuffer('test/seen', 400));
    const visitOne = visit(1);
    const visitFour = visit(4);
    await gpu.run((encoder) =>
      record(gpu, encoder, 'test', (recorder) => {
        const behind = recorder.behind(gate);
        gate.open(recorder, countTo(10), 100);
        behind.run(visitOne, [[seen, buffers[0] as GPUBuffer]], gate.extent(100));
        behind.run(visitFour, [[seen, buffers[1] as GPUBuffer]], gate.extent(100));
        gate.open(recorder, countTo(20), 100);
        behind.run(visitOne, [[seen, buffers[2] as GPUBuffer]], gate.extent(100));
        behind.run(visitOne, [[seen, buffers[0] as GPUBuffer]], 30);
        gate.seal();
      }),
    );
    const reached = await Promise.all(
      buffers.map(async (buffer) => {
        const [bytes] = await gpu.run(() => {}, [{ buffer, bytes: 400 }]);
        return [...new Uint32Array(bytes as ArrayBuffer)].filter((count) => count > 0).length;
      }),
    );
    expect(reached).toEqual([30, 12, 20]);
    gate.destroy();
  });

  it('has a grid for every kernel, also where the first has few items or none', async () => {
    const gate = new Gate(gpu);
    const sizes = [0, 1, 2, 5, 90, 7, 0];
    const buffers = sizes.map(() => gpu.createBuffer('test/seen', 400));
    await gpu.run((encoder) =>
      record(gpu, encoder, 'test', (recorder) => {
        gate.open(recorder, countTo(3), 100);
        for (const [i, buffer] of buffers.entries()) {
          recorder.behind(gate).run(visit(1), [[seen, buffer]], sizes[i] as number);
        }
        gate.seal();
      }),
    );
    const reads = await gpu.run(
      () => {},
      buffers.map((buffer) => ({ buffer, bytes: 400 })),
    );
    const reached = reads.map((bytes) => new Uint32Array(bytes).filter((count) => count > 0).length);
    expect(reached).toEqual(sizes);
    for (const made of [gate, ...buffers]) made.destroy();
  });

  it('tells kernels the clamped count', async () => {
    const out = storage('out', 'u32', 'read_write');
    const tell = kernel({ label: 'test/tell', threads: 1, body: wgsl`${out} = ${extentCount};` });
    const buffer = gpu.createBuffer('test', 4);
    const gate = new Gate(gpu);
    const [bytes] = await gpu.run(
      (encoder) =>
        record(gpu, encoder, 'test', (recorder) => {
          gate.open(recorder, countTo(1000), 64);
          recorder.behind(gate).run(
            tell,
            [
              [out, buffer],
              [extentCount, gate.count],
            ],
            1,
          );
          gate.seal();
        }),
      [{ buffer, bytes: 4 }],
    );
    expect([...new Uint32Array(bytes as ArrayBuffer)]).toEqual([64]);
  });

  it('refuses more different grids than it has room for', () => {
    const gate = new Gate(gpu);
    const wanted = () => {
      for (let items = 1; items < 1000; items++) gate.rowOffset(items, 1);
    };
    expect(wanted).toThrow(/too many/);
    gate.seal();
    gate.destroy();
  });
});

describe('recording', () => {
  it("goes into the caller's open pass, or into a pass of its own", async () => {
    const buffer = gpu.createBuffer('test', 16);
    const encoder = gpu.device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    const result = record(gpu, pass, 'test', (recorder) => {
      recorder.run(visit(1), [[seen, buffer]], 2);
      return 'result';
    });
    // Still open: a second recording goes on in it.
    record(gpu, pass, 'test', (recorder) => recorder.run(visit(1), [[seen, buffer]], 1));
    pass.end();
    record(gpu, encoder, 'test', (recorder) => recorder.run(visit(1), [[seen, buffer]], 1));
    gpu.device.queue.submit([encoder.finish()]);
    const [bytes] = await gpu.run(() => {}, [{ buffer, bytes: 16 }]);
    expect(result).toBe('result');
    expect([...new Uint32Array(bytes as ArrayBuffer)]).toEqual([3, 1, 0, 0]);
  });

  it('binds a part of a buffer', async () => {
    const buffer = gpu.createBuffer('test', 1024);
    const part = { buffer, offset: 256, size: 8 };
    const [bytes] = await gpu.run(
      (encoder) => record(gpu, encoder, 'test', (recorder) => recorder.run(visit(1), [[seen, part]], 5)),
      [{ buffer, bytes: 1024 }],
    );
    const words = [...new Uint32Array(bytes as ArrayBuffer)];
    expect(words.flatMap((count, i) => (count > 0 ? [i] : []))).toEqual([64, 65]);
  });

  it('ends its own pass also when the commands throw', () => {
    const encoder = gpu.device.createCommandEncoder();
    const failing = () =>
      record(gpu, encoder, 'test', () => {
        throw new RangeError('mine');
      });
    expect(failing).toThrow('mine');
    expect(() => encoder.finish()).not.toThrow();
  });
});
