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
  // Not `flat`, which leaves holes out.
  const numbers = isOfRows ? (items as unknown[][]).flatMap((row) => Array.from(row)) : items;
  if (numbers.length % size !== 0) {
    throw new InvalidInputError(`${name} has ${numbers.length} numbers; each item takes ${size}`);
  }
  // Before there is room for all: an array may say that it is longer than it can be.
  const odd = firstNotKept(type, numbers);
  if (odd >= 0) {
    const wanted =
      type.name === 'Float32Array'
        ? 'a number'
        : `a ${type.BYTES_PER_ELEMENT === 8 ? 'bigint' : 'whole number'} in the range`;
    refuse(`${name}[${odd}]`, `${wanted} of a ${type.name}`, numbers[odd]);
  }
  const all = new type(numbers.length);
  (all as unknown as { set(values: readonly unknown[]): void }).set(numbers);
  return all;
}

/** The position of the first number that an array of that type would not keep as it is, or −1. */
export function firstNotKept<Numbers>(type: NumbersType<Numbers>, numbers: readonly unknown[]): number {
  const kind = type.BYTES_PER_ELEMENT === 8 ? 'bigint' : 'number';
  const one = new type(1) as { [i: number]: unknown };
  for (let i = 0; i < numbers.length; i++) {
    const number = numbers[i];
    if (typeof number !== kind) return i;
    one[0] = number;
    // Fractions are rounded.
    const isKept =
      type.name === 'Float32Array' ? Number.isFinite(one[0]) === Number.isFinite(number) : one[0] === number;
    if (!isKept) return i;
  }
  return -1;
}
