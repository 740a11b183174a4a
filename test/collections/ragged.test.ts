import { expect, it } from 'vitest';
import { inOrder } from '../../src/collections/multiMap/ragged.ts';

it('values are put in the order of the ids, wherever they lie', () => {
  // Of ids 0, 1 and 2: the third pair, none, and the first two.
  const bounds = Uint32Array.of(2, 3, 1, 1, 0, 2);
  const stored = Uint32Array.of(10, 11, 20, 21, 30, 31);
  expect(inOrder(bounds, stored, 2)).toEqual({
    values: Uint32Array.of(30, 31, 10, 11, 20, 21),
    offsets: Uint32Array.of(0, 1, 1, 3),
  });
  expect(inOrder(Uint32Array.of(), Uint32Array.of(), 1)).toEqual({
    values: Uint32Array.of(),
    offsets: Uint32Array.of(0),
  });
});
