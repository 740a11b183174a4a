import { describe, expect, it } from 'vitest';
import { kept } from '../../src/wgsl/index.ts';

/** A list of the parts, as a new object every time it is made. */
const listed = () => kept((...parts: readonly unknown[]) => ({ parts }));

describe('what is kept', () => {
  const key = { name: 'key' };
  const reading = () => {};

  it.each([
    { parts: [] },
    { parts: [key] },
    { parts: [reading] },
    { parts: [1] },
    { parts: ['1'] },
    { parts: [key, reading] },
    { parts: [reading, key] },
    { parts: [key, true] },
    { parts: [true, key] },
    { parts: [key, undefined] },
    { parts: [null, Number.NaN, 2n] },
    { parts: ['a', 'b', key, 0] },
  ])('is made once for $parts', ({ parts }) => {
    const list = listed();
    const made = list(...parts);
    expect(made.parts).toEqual(parts);
    expect(list(...parts)).toBe(made);
  });

  it('is another for other parts, and for parts in another order or of another type', () => {
    const list = listed();
    const all = [[], [key], [{ ...key }], [key, key], [key, 1], [key, '1'], [1, key], [key, 1, 1], [1], ['1'], [true]];
    expect(new Set(all.map((parts) => list(...parts))).size).toBe(all.length);
    expect(all.filter((parts) => list(...parts).parts.some((part, i) => part !== parts[i]))).toEqual([]);
  });

  it('is made once if it is nothing', () => {
    let made = 0;
    const nothing = kept((_: object) => void made++);
    nothing(key);
    nothing(key);
    expect(made).toBe(1);
  });

  it('is another for another maker', () => {
    expect(listed()(key)).not.toBe(listed()(key));
  });

  it('is made again if making it failed', () => {
    let tries = 0;
    const second = kept((_: object) => {
      if (++tries === 1) throw new Error('not yet');
      return tries;
    });
    expect(() => second(key)).toThrow('not yet');
    expect(second(key)).toBe(2);
    expect(second(key)).toBe(2);
  });
});
