import { describe, expect, it } from 'vitest';
import { HashMap } from '../../src/collections/index.ts';
import { BuildError, DestroyedError, DuplicateKeyError, InvalidInputError } from '../../src/gpu/index.ts';
import { linearProbing, u32 } from '../../src/index.ts';
import { type HeaderValues, STATUS } from '../../src/schemes/contract/index.ts';
import { failureOf } from '../../src/table/report.ts';
import { TableState } from '../../src/table/state.ts';
import { TestBuffers } from '../conformance/buffers.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();

const header: HeaderValues = {
  hash: [1, 2, 3, 4],
  capacity: 10,
  count: 9,
  status: 0,
  copies: 2,
  attempts: 3,
  longest: 4,
  stashed: 5,
  restarts: 6,
  rounds: 7,
  failed: 8,
  example: 1,
  witness: 0,
  build: 0xffff_ffff,
  size: 7,
  own: {},
};

describe('what is known of a table', () => {
  it('is a report of its build', () => {
    const state = new TableState(gpu, 77);
    expect(state.isBuilt).toBe(false);
    expect(() => state.built).toThrow(InvalidInputError);
    state.accept(header, { growths: 2, milliseconds: 1.5 });
    expect(state.isBuilt).toBe(true);
    expect(state.built.report).toEqual({
      attempts: 3,
      growths: 2,
      seed: 77,
      milliseconds: 1.5,
      copies: 2,
      longestProbe: 4,
      stashed: 5,
      restarts: 6,
      rounds: 7,
    });
  });

  it('has numbers of builds that are words, and goes on from that of a saved table', () => {
    const state = new TableState(gpu, undefined);
    expect(state.builds).toBe(0);
    state.begin();
    expect(state.builds).toBe(1);
    state.restore(header, 5);
    expect(state.builds).toBe(0xffff_ffff);
    expect(state.built.report).toMatchObject({ seed: 5, growths: 0, milliseconds: 0 });
    state.begin();
    expect(state.builds).toBe(0);
    expect(state.isBuilt).toBe(false);
  });

  it('is what went wrong, until it is forgiven; that it was destroyed is never', () => {
    const state = new TableState(gpu, undefined);
    const error = new InvalidInputError('wrong');
    state.accept(header, { growths: 0, milliseconds: 0 });
    expect(state.fail(error)).toBe(error);
    expect(state.isBuilt).toBe(false);
    expect(() => state.assertBuilt()).toThrow(error);
    expect(() => state.assertAlive()).not.toThrow();
    state.forgive();
    expect(() => state.assertBuilt()).not.toThrow();
    // What is not the library's is passed on, and nothing more.
    const other = new TypeError('other');
    expect(state.fail(other)).toBe(other);
    expect(() => state.assertBuilt()).not.toThrow();
    state.destroy();
    expect(state.fail(error)).toBeInstanceOf(DestroyedError);
    expect(() => state.assertAlive()).toThrow(DestroyedError);
  });

  it('tells calls that read it in turns when it is another', () => {
    const state = new TableState(gpu, undefined);
    state.accept(header, { growths: 0, milliseconds: 0 });
    const assertUnchanged = state.unchanged();
    expect(assertUnchanged).not.toThrow();
    state.accept(header, { growths: 0, milliseconds: 0 });
    expect(assertUnchanged).toThrow(/rebuilt/);
  });
});

describe('the reason why a build failed', () => {
  const request = { items: 9, key: u32, valueWords: 1, duplicates: 'last', growth: 0 } as const;
  const failure = (status: number, capacitySlots?: number) => {
    const scheme = linearProbing(capacitySlots === undefined ? {} : { capacitySlots });
    return failureOf(scheme, scheme.plan(request), { ...header, status });
  };

  it('is a copy, a count that is too large, or no slot', () => {
    expect(failure(STATUS.duplicate)).toBeInstanceOf(DuplicateKeyError);
    expect(failure(STATUS.duplicate | STATUS.retry)).toMatchObject({ index: 1 });
    expect(failure(STATUS.overflow)).toBeInstanceOf(InvalidInputError);
    expect(failure(STATUS.overflow).message).toContain('was 17, but the buffers and the table hold 9');
    expect(failure(STATUS.retry)).toBeInstanceOf(BuildError);
    expect(failure(STATUS.retry)).toMatchObject({ itemsLeft: 8, attempts: 3 });
  });

  it('comes with advice that helps', () => {
    expect(failure(STATUS.retry).message).toContain('on the host face, where tables grow');
    expect(failure(STATUS.retry, 10).message).toContain('give it more slots');
  });
});

describe('the report of a build that was not made here', () => {
  it('has neither growths nor a time', async () => {
    using buffers = new TestBuffers(gpu);
    const keys = Uint32Array.of(1, 2, 3);
    const encoder = gpu.device.createCommandEncoder();
    const input = { keys: buffers.upload(keys), values: buffers.upload(keys), count: 3 };
    using encoded = HashMap.encodeBuild(gpu, encoder, input, { key: u32, scheme: linearProbing(), seed: 4 });
    gpu.device.queue.submit([encoder.finish()]);
    await encoded.settle();
    expect(encoded.report).toMatchObject({ attempts: 1, growths: 0, milliseconds: 0, seed: 4 });
    using opened = await HashMap.fromBytes(gpu, await encoded.toBytes(), { scheme: linearProbing() });
    expect(opened.report).toMatchObject({ attempts: 1, growths: 0, milliseconds: 0, seed: 4 });
  });
});
