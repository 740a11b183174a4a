import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Gpu } from '../src/gpu/index.ts';
import { conformance, fullList, shortList } from './conformance/index.ts';
import { subjects } from './conformance/subjects.ts';

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
    const names = fullList.map(({ name }) => name);
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  });

  it('has a short form with cases for every scheme and key type', () => {
    for (const subject of subjects) {
      expect(shortList.filter(({ name }) => name.startsWith(subject.name)).length, subject.name).toBeGreaterThan(5);
    }
  });

  for (const { name, run } of conformance) it(name, () => run(gpu));
});
