import { describe, expect, it } from 'vitest';
import { valueTypeOf, valueTypes, valueWord } from '../../src/collections/values.ts';
import { InvalidInputError } from '../../src/gpu/index.ts';

describe('the type of values', () => {
  it('follows from the typed array', () => {
    expect(valueTypeOf(new Uint32Array())).toBe(valueTypes.u32);
    expect(valueTypeOf(new Int32Array())).toBe(valueTypes.i32);
    expect(valueTypeOf(new Float32Array())).toBe(valueTypes.f32);
  });

  it('is none for other arrays', () => {
    for (const other of [new Float64Array(), new Uint16Array(), new BigInt64Array(), [], undefined, 'text']) {
      expect(() => valueTypeOf(other as never)).toThrow(InvalidInputError);
    }
  });

  it.each([
    ['u32', 7, 7],
    ['u32', 0xffff_ffff, 0xffff_ffff],
    ['i32', -1, 0xffff_ffff],
    ['i32', -(2 ** 31), 0x8000_0000],
    ['f32', 1, 0x3f80_0000],
    ['f32', -0, 0x8000_0000],
    ['f32', Number.POSITIVE_INFINITY, 0x7f80_0000],
  ] as const)('%s keeps %d as the word %d', (name, value, word) => {
    expect(valueWord(value, valueTypes[name])).toBe(word);
  });
});
