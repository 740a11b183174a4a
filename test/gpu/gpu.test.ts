import { describe, expect, it } from 'vitest';
import * as errors from '../../src/gpu/errors.ts';
import { GpuFaultError, HashnestError, knownExtent, programOf, record, USAGE } from '../../src/gpu/index.ts';
import {
  GPUBufferUsage,
  GPUColorWrite,
  GPUMapMode,
  GPUShaderStage,
  GPUTextureUsage,
  HashMap,
  sortedArray,
} from '../../src/index.ts';
import { kernel, storage, uniform, wgsl } from '../../src/wgsl/index.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();
const low = await sharedGpu('default');

const wordsOf = async (buffer: GPUBuffer, words: number): Promise<number[]> => {
  const [bytes] = await gpu.run(() => {}, [{ buffer, bytes: words * 4 }]);
  return [...new Uint32Array(bytes as ArrayBuffer)];
};

describe('an open Gpu', () => {
  it('tells what it is', () => {
    expect(gpu.info.software).toBeTypeOf('boolean');
    expect(gpu.info.description.length).toBeGreaterThan(0);
  });

  it("has the adapter's own limits, or WebGPU's lower ones if asked", () => {
    expect(low.limits.maxStorageBuffersPerShaderStage).toBe(8);
    expect(low.limits.maxStorageBufferBindingSize).toBe(128 * 2 ** 20);
    expect(gpu.limits.maxStorageBufferBindingSize).toBeGreaterThan(low.limits.maxStorageBufferBindingSize);
  });
});

describe('buffers', () => {
  it('are labelled and never too small to be bound', () => {
    const buffer = gpu.createBuffer('some/part', 0);
    expect(buffer.label).toBe('hashnest/some/part');
    expect(buffer.size).toBe(16);
    expect(gpu.createBuffer('x', 17).size).toBe(20);
    expect(gpu.createBuffer('x', 64, USAGE.UNIFORM).usage).toBe(USAGE.UNIFORM);
  });

  it('that the device cannot have are refused, with the most bytes that it can', () => {
    const most = gpu.limits.maxBufferSize;
    const tooLarge = expect.objectContaining({ code: 'too-large', largestItems: most });
    expect(() => gpu.createBuffer('test', most + 1)).toThrow(tooLarge);
    expect(() => low.createBuffer('test', 2 ** 40)).toThrow(/a buffer of 1099511627776 bytes/);
  });

  it('of a table carry the name of the scheme', async () => {
    using map = await HashMap.from(
      gpu,
      { keys: new Uint32Array(3), values: new Uint32Array(3) },
      { scheme: sortedArray() },
    );
    const { header, get } = map.table.buffers;
    expect([header, get('leads'), get('rest')].map(({ label }) => label)).toEqual([
      'hashnest/sortedArray/header',
      'hashnest/sortedArray/leads',
      'hashnest/sortedArray/rest',
    ]);
  });

  it.each([0, 1, 2, 3, 4, 5, 7, 8])('are uploaded to the last of %i bytes', async (length) => {
    const bytes = Uint8Array.from({ length: 12 }, (_, i) => i + 1).subarray(2, 2 + length);
    const buffer = gpu.upload('test', bytes);
    const [back] = await gpu.run(() => {}, [{ buffer, bytes: 12 }]);
    expect([...new Uint8Array(back as ArrayBuffer)].slice(0, length)).toEqual([...bytes]);
    expect([...new Uint8Array(back as ArrayBuffer)].slice(length).every((byte) => byte === 0)).toBe(true);
    buffer.destroy();
  });

  it('come back in parts, in order, and also where nothing is wanted', async () => {
    const buffer = gpu.upload('test', new Uint32Array([1, 2, 3, 4]));
    const parts = await gpu.run(() => {}, [
      { buffer, offset: 8, bytes: 8 },
      { buffer, bytes: 0 },
      { buffer, bytes: 3 },
    ]);
    expect(parts.map((part) => [...new Uint8Array(part)])).toEqual([[3, 0, 0, 0, 4, 0, 0, 0], [], [1, 0, 0]]);
    expect(await gpu.run(() => {})).toEqual([]);
    buffer.destroy();
  });
});

describe('read', () => {
  const numbers = new Float32Array([1.5, -2, Number.NaN, 4]);
  it('gives all of a buffer, or a part, in the array that is wanted', async () => {
    const buffer = gpu.upload('test', numbers);
    const all: Float32Array<ArrayBuffer> = await gpu.read(buffer, Float32Array);
    expect(all).toEqual(numbers);
    expect(await gpu.read(buffer, Float32Array, { offset: 4, length: 1 })).toEqual(new Float32Array([-2]));
    expect(await gpu.read(buffer, Uint8Array, { length: 3 })).toEqual(new Uint8Array(numbers.buffer).slice(0, 3));
    const words: BigUint64Array = await gpu.read(buffer, BigUint64Array, { offset: 4 });
    expect(words).toEqual(new BigUint64Array(numbers.buffer.slice(4, 12)));
    expect(await gpu.read(buffer, Uint16Array, { offset: 16 })).toEqual(new Uint16Array());
    buffer.destroy();
  });

  it('gives what buffers are longer than what was put into them, unless its length is told', async () => {
    const sizes: number[] = [];
    for (const bytes of [0, 1, 5, 16, 17, 22]) {
      const given = Uint8Array.from({ length: bytes }, (_, i) => i + 1);
      const buffer = gpu.upload('test', given);
      sizes.push((await gpu.read(buffer, Uint8Array)).length);
      expect(await gpu.read(buffer, Uint8Array, { length: bytes })).toEqual(given);
      buffer.destroy();
    }
    expect(sizes).toEqual([16, 16, 16, 16, 20, 24]);
  });

  it('leaves out what is less than a number at the end', async () => {
    const buffer = gpu.upload('test', new Uint32Array(5));
    expect((await gpu.read(buffer, Float64Array)).length).toBe(2);
    buffer.destroy();
  });

  it('refuses what is not there', async () => {
    const buffer = gpu.upload('test', numbers);
    const hidden = gpu.createBuffer('test', 16, USAGE.STORAGE);
    const refused: [() => Promise<unknown>, string][] = [
      [() => gpu.read(5 as never, Float32Array), 'Gpu.read: buffer must be a GPUBuffer, not 5'],
      [() => gpu.read(hidden, Float32Array), 'buffer must have the usage COPY_SRC'],
      [() => gpu.read(buffer, 'f32' as never), "type must be an array type such as Float32Array, not 'f32'"],
      [() => gpu.read(buffer, Float32Array, { offset: 2 }), 'offset must be a multiple of 4, not 2'],
      [() => gpu.read(buffer, Float32Array, { length: 5 }), 'length is 5, but there are 4 numbers from 0 on'],
      [
        () => gpu.read(buffer, Float32Array, { offset: 400, length: 1 }),
        'length is 1, but there are 0 numbers from 400 on',
      ],
      [() => gpu.read(buffer, Float32Array, { lenght: 5 } as never), 'did you mean length?'],
    ];
    for (const [call, message] of refused) await expect(call()).rejects.toThrow(message);
    for (const made of [buffer, hidden]) made.destroy();
  });
});

describe('the constants of WebGPU', () => {
  it('are those of Dawn', async () => {
    const { globals } = (await import('webgpu')) as unknown as { globals: Record<string, Record<string, number>> };
    const own = { GPUBufferUsage, GPUTextureUsage, GPUShaderStage, GPUMapMode, GPUColorWrite };
    for (const [name, constants] of Object.entries(own)) {
      for (const [constant, value] of Object.entries(constants)) {
        expect(globals[name]?.[constant], `${name}.${constant}`).toBe(value);
      }
    }
    expect(GPUBufferUsage).toMatchObject(USAGE);
  });
});

describe('constants', () => {
  const stored = storage('stored', 'array<u32>', 'read_write');
  const four = uniform('four', 'vec4u');
  const store = kernel({
    label: 'test/store',
    threads: 1,
    body: wgsl`for (var i = 0u; i < 4u; i++) { ${stored}[i] = ${four}[i]; }`,
  });
  const seenByKernel = async (constants: GPUBuffer): Promise<number[]> => {
    const buffer = gpu.createBuffer('test', 16);
    const bound = [[stored, buffer] as const, [four, constants] as const];
    await gpu.run((encoder) => record(gpu, encoder, 'test', (recorder) => recorder.run(store, bound, 1)));
    return wordsOf(buffer, 4);
  };

  it('are shared by calls with the same words and by no others', () => {
    expect(gpu.constants(1, 2)).toBe(gpu.constants(1, 2));
    expect(gpu.constants(1, 2)).not.toBe(gpu.constants(12));
    expect(gpu.constants(1, 2)).not.toBe(gpu.constants(2, 1));
    expect(gpu.constants(1)).not.toBe(gpu.constants(1, 0));
  });

  it('hold their words', async () => {
    expect(await seenByKernel(gpu.constants(5, 0xffff_ffff, 0, 7))).toEqual([5, 0xffff_ffff, 0, 7]);
    expect(await seenByKernel(gpu.constants(9))).toEqual([9, 0, 0, 0]);
  });

  it('stay usable for commands that were encoded before many others were made', async () => {
    const encoder = gpu.device.createCommandEncoder();
    const buffer = gpu.createBuffer('test', 16);
    const bound = [[stored, buffer] as const, [four, gpu.constants(11, 12, 13, 14)] as const];
    record(gpu, encoder, 'test', (recorder) => recorder.run(store, bound, 1));
    for (let i = 0; i < 2000; i++) gpu.constants(i, i, i);
    gpu.device.queue.submit([encoder.finish()]);
    expect(await wordsOf(buffer, 4)).toEqual([11, 12, 13, 14]);
    expect(await seenByKernel(gpu.constants(11, 12, 13, 14))).toEqual([11, 12, 13, 14]);
  });
});

describe('pipelines', () => {
  it('are compiled once for each text, whoever asks', () => {
    const make = (value: number) => {
      const out = storage('out', 'array<u32>', 'read_write');
      return kernel({ label: 'test/same', threads: 1, body: wgsl`${out}[0] = ${value}u;` });
    };
    const [a, b, other] = [make(1), make(1), make(2)];
    expect(programOf(gpu, a)).toBe(programOf(gpu, a));
    expect(programOf(gpu, a).pipeline).toBe(programOf(gpu, b).pipeline);
    expect(programOf(gpu, a).pipeline).not.toBe(programOf(gpu, other).pipeline);
    expect(programOf(gpu, b).pipeline.label).toBe('hashnest/test/same');
  });

  it('of the same text know their buffers by their own bindings', async () => {
    const make = () => {
      const out = storage('out', 'array<u32>', 'read_write');
      return { out, program: kernel({ label: 'test/own', threads: 1, body: wgsl`${out}[0] = 3u;` }) };
    };
    for (const { out, program } of [make(), make()]) {
      const buffer = gpu.createBuffer('test', 16);
      await gpu.run((encoder) => record(gpu, encoder, 'test', (recorder) => recorder.run(program, [[out, buffer]], 1)));
      expect(await wordsOf(buffer, 1)).toEqual([3]);
    }
  });
});

describe('faults', () => {
  it('of WebGPU become typed errors', async () => {
    const buffer = gpu.createBuffer('test', 16, USAGE.UNIFORM);
    await expect(gpu.run(() => {}, [{ buffer, bytes: 16 }])).rejects.toBeInstanceOf(GpuFaultError);
    const broken = kernel({ label: 'test/broken', threads: 1, body: wgsl`this is not WGSL` });
    const run = gpu.run((encoder) => record(gpu, encoder, 'test', (recorder) => recorder.run(broken, [], 1)));
    await expect(run).rejects.toThrow(/test\/broken/);
  });

  it('thrown while recording leave the error scopes balanced', async () => {
    const failing = gpu.run(() => {
      throw new RangeError('mine');
    });
    await expect(failing).rejects.toThrow('mine');
    gpu.device.pushErrorScope('validation');
    gpu.device.createBuffer({ size: 16, usage: USAGE.MAP_READ | USAGE.STORAGE });
    expect((await gpu.device.popErrorScope())?.message).toMatch(/usage/i);
    await expect(gpu.device.popErrorScope()).rejects.toThrow();
  });

  it('of a binding without a buffer name the binding', () => {
    const out = storage('lonely', 'array<u32>', 'read_write');
    const program = kernel({ label: 'test/unbound', threads: 1, body: wgsl`${out}[0] = 1u;` });
    const encoder = gpu.device.createCommandEncoder();
    expect(() => record(gpu, encoder, 'test', (recorder) => recorder.run(program, [], 1))).toThrow(/lonely/);
  });

  it('have codes and names of their own', () => {
    const types = Object.values(errors).filter((type) => type !== HashnestError) as unknown as (new (
      message: string,
    ) => HashnestError)[];
    const made = types.map((type) => new type('why'));
    expect(new Set(made.map(({ code }) => code)).size).toBe(types.length);
    for (const [i, error] of made.entries()) {
      expect(error).toBeInstanceOf(HashnestError);
      expect(error.name).toBe(types[i]?.name);
      expect(error.message).toBe('why');
    }
  });
});

describe('known extents', () => {
  it('have the count where kernels read it', async () => {
    const { max, onGpu, count } = knownExtent(gpu, 77);
    expect([max, onGpu]).toEqual([77, false]);
    expect(count).toBe(gpu.constants(77));
  });
});

describe('large arrays', () => {
  it('are written whole, wherever they begin and end', async () => {
    const bytes = Uint8Array.from({ length: 5 * 2 ** 20 + 11 }, (_, i) => i ^ (i >> 8) ^ (i >> 16));
    for (const [from, length] of [
      [0, bytes.length],
      [1, 2 ** 21],
      [3, 2 ** 21 + 1],
      [4, 2 ** 22 - 4],
      [2, 2 ** 19],
    ] as const) {
      const part = bytes.subarray(from, from + length);
      const buffer = gpu.createBuffer('large', length + 8);
      gpu.write(buffer, part, 4);
      const read = await gpu.read(buffer, Uint8Array);
      expect(Buffer.compare(read.subarray(4, 4 + length), part)).toBe(0);
      expect([...read.subarray(0, 4)]).toEqual([0, 0, 0, 0]);
      buffer.destroy();
    }
  });
});
