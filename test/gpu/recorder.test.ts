import { describe, expect, it } from 'vitest';
import { bindEntries } from '../../src/gpu/bound.ts';
import { Gates } from '../../src/gpu/gates.ts';
import { storage } from '../../src/wgsl/index.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();

describe('the buffers of a kernel', () => {
  const [a, b] = [storage('a', 'array<u32>'), storage('b', 'array<u32>')];
  const [one, two] = [gpu.constants(1), gpu.constants(2)];

  it('are numbered in the order of its bindings, from the first on', () => {
    const bound = [
      [b, { buffer: two, offset: 256, size: 8 }],
      [a, one],
    ] as const;
    expect(bindEntries([a, b], bound)).toEqual([
      { binding: 0, resource: { buffer: one } },
      { binding: 1, resource: { buffer: two, offset: 256, size: 8 } },
    ]);
    expect(bindEntries([a, b], bound, 3).map(({ binding }) => binding)).toEqual([3, 4]);
  });

  it('may be named twice if they are the same', () => {
    const same = [one, { buffer: one }, { buffer: one, offset: 0 }];
    for (const view of same)
      expect(() =>
        bindEntries(
          [a],
          [...same, view].map((other) => [a, other]),
        ),
      ).not.toThrow();
  });

  it.each([
    ['another buffer', two],
    ['another offset', { buffer: one, offset: 256 }],
    ['another size', { buffer: one, size: 4 }],
  ])('are refused if one binding has two: %s', (_, other) => {
    const bound = [
      [a, one],
      [a, other],
    ] as const;
    expect(() => bindEntries([a], bound)).toThrow(/two buffers are bound to a/);
  });
});

describe('gates', () => {
  it('are kept by name, the last sixteen of them', () => {
    const gates = new Gates(gpu);
    const first = gates.get('first');
    for (let i = 1; i < 16; i++) gates.get(`${i}`);
    expect(gates.get('first')).toBe(first);
    const fifteenth = gates.get('15');
    gates.get('one more');
    expect(gates.get('15')).toBe(fifteenth);
    expect(gates.get('first')).not.toBe(first);
    gates.clear();
    expect(gates.get('15')).not.toBe(fifteenth);
  });
});
