/** Numbers of plain JavaScript, one by one, as a typed array. */
import { refuse } from '../gpu/arguments.ts';
import { InvalidInputError } from '../gpu/errors.ts';

/** A type of arrays that keys and values of numbers come in. */
interface NumbersType<Numbers> {
  readonly name: string;
  readonly BYTES_PER_ELEMENT: number;
  new (length: number): Numbers;
}

/**
 * The numbers as an array of that type; where an item has several, flat or as an array for each item. Throws for one that
 * the array would not keep; in floats fractions are rounded.
 */
export function collectNumbers<Numbers>(
  type: NumbersType<Numbers>,
  items: readonly unknown[],
  size: number,
  name: string,
): Numbers {
  const isOfRows = size > 1 && Array.isArray(items[0]);
  if (isOfRows) {
    const odd = items.findIndex((row) => !Array.isArray(row) || row.length !== size);
    if (odd >= 0) refuse(`${name}[${odd}]`, `an array of ${size} numbers`, items[odd]);
  }
  const numbers = isOfRows ? items.flat() : items;
  if (numbers.length % size !== 0) {
    throw new InvalidInputError(`${name} has ${numbers.length} numbers; each item takes ${size}`);
  }
  const isFloat = type.name === 'Float32Array';
  const isWide = type.BYTES_PER_ELEMENT === 8;
  const wanted = isWide ? 'a bigint in the range' : isFloat ? 'a number' : 'a whole number in the range';
  // Before there is room for all: an array may say that it is longer than it can be.
  const one = new type(1) as { [i: number]: unknown };
  for (let i = 0; i < numbers.length; i++) {
    const number = numbers[i];
    const isRight = typeof number === (isWide ? 'bigint' : 'number');
    if (isRight) one[0] = number;
    const isKept = isFloat ? Number.isFinite(one[0]) === Number.isFinite(number) : one[0] === number;
    if (!isRight || !isKept) refuse(`${name}[${i}]`, `${wanted} of a ${type.name}`, number);
  }
  const all = new type(numbers.length);
  (all as unknown as { set(values: readonly unknown[]): void }).set(numbers);
  return all;
}
