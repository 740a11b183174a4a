import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Gpu } from '../src/gpu/index.ts';
import { conformance, shortList } from './conformance/index.ts';

describe('the conformance list', () => {
  let gpu: Gpu;
  const uncaptured: string[] = [];

  beforeAll(async () => {
    gpu = await Gpu.open();
    gpu.device.addEventListener('uncapturederror', ({ error }) => uncaptured.push(error.message));
  });
  afterEach(() => {
    expect(uncaptured.splice(0), 'errors that no error scope caught').toEqual([]);
  });
  afterAll(() => gpu.destroy());

  it('has a name of its own for every case', () => {
    const names = conformance.map(({ name }) => name);
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  });

  it('has a short form with a case for every scheme and the primitives', () => {
    const groups = (cases: typeof conformance) => new Set(cases.map(({ name }) => name.split(' ')[0]));
    expect(groups(shortList)).toEqual(groups(conformance));
  });

  it.each(conformance)('$name', ({ run }) => run(gpu));
});
