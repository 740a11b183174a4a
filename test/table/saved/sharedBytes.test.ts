/** How many bytes keys may share, to the byte: files that are as large as these bounds allow would take minutes to open. */
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../../src/gpu/index.ts';
import type { TablePlan } from '../../../src/schemes/contract/index.ts';
import { requireHashable, requireReadableKeys } from '../../../src/table/saved/sharedBytes.ts';

describe('keys that are all read back', () => {
  it('take at most 16 times the bytes of the file', () => {
    expect(() => requireReadableKeys(1600, 100)).not.toThrow();
    expect(() => requireReadableKeys(1601, 100)).toThrow(FormatError);
    expect(() => requireReadableKeys(1601, 100)).toThrow('1601 of them in a file of 100');
  });
});

describe('keys that are hashed where all slots are visited', () => {
  const plan = (slotWords: number): TablePlan =>
    ({ soundness: { hashed: { buffer: 'slots', slotWords } } }) as unknown as TablePlan;
  /** Slots of some words each, which begin with an offset and a length. */
  const slotsOf = (slotWords: number, slices: readonly (readonly [offset: number, length: number])[]) => {
    const words = new Uint32Array(slotWords * slices.length);
    for (const [i, slice] of slices.entries()) words.set(slice, i * slotWords);
    return new Map([['slots', new Uint8Array(words.buffer)]]);
  };
  const file = 1000;
  const most = 2 ** 28 + 64 * file;
  const bytes = { context: 2 ** 30, file };

  it.each([2, 3, 5])('have at most 2²⁸ bytes and 64 for each of the file, in slots of %i words', (slotWords) => {
    const slices = [
      [8, 2 ** 28],
      [0, 60_000],
      [2 ** 30 - 4000, 10_000],
    ] as const;
    expect(() => requireHashable(plan(slotWords), slotsOf(slotWords, slices), bytes)).not.toThrow();
    const more = [...slices, [5, 1] as const];
    expect(() => requireHashable(plan(slotWords), slotsOf(slotWords, more), bytes)).toThrow(FormatError);
    expect(() => requireHashable(plan(slotWords), slotsOf(slotWords, more), bytes)).toThrow(`${most + 1} of them`);
  });

  it('have none in slots that are empty, and end where their context does', () => {
    const slices = Array.from({ length: 10 }, () => [0xffff_ffff, 0xffff_ffff] as const);
    expect(() => requireHashable(plan(2), slotsOf(2, slices), bytes)).not.toThrow();
    const whole = [[0, 0xffff_ffff] as const];
    expect(() => requireHashable(plan(2), slotsOf(2, whole), { context: most, file })).not.toThrow();
    expect(() => requireHashable(plan(2), slotsOf(2, whole), { context: most + 1, file })).toThrow(FormatError);
  });

  it('are not asked for where nothing is hashed', () => {
    expect(() => requireHashable({} as TablePlan, new Map(), bytes)).not.toThrow();
  });
});
