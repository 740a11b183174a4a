/**
 * Numbers as strings of characters and of bytes: empty, short and long ones, with shared beginnings and shared ends, and with
 * zeros at the end, which careless comparisons take for nothing.
 */

/** The digits of a number, the most significant first. 0 has none, and every row of digits is a number: a bijection. */
export function digitsOf(number: bigint): number[] {
  const digits: number[] = [];
  for (let rest = number; rest > 0n; rest = (rest - 1n) >> 4n) digits.push(Number((rest - 1n) & 15n));
  return digits.reverse();
}

/** The number of these digits. */
export const numberOfDigits = (digits: readonly number[]): bigint =>
  digits.reduce((number, digit) => number * 16n + BigInt(digit + 1), 0n);

/** What stands for a digit: characters of one to four bytes, a byte order mark, and a piece of several words. No piece begins like another. */
const PIECES = [
  ...['\0', 'a', 'A', ' ', '0', '\n', '~', 'ä', 'é', 'ß', 'Ω', '日', '本', '\ufeff', '🙂'],
  'longer than a few words ',
] as const;

const EACH_PIECE = new RegExp(`${PIECES.at(-1)}|[^]`, 'gu');

export const stringOf = (digits: readonly number[]): string => digits.map((digit) => PIECES[digit]).join('');

export const digitsInString = (spelled: string): number[] =>
  (spelled.match(EACH_PIECE) ?? []).map((piece) => (PIECES as readonly string[]).indexOf(piece));

/** A digit and as many zeros as its last two bits say. */
export const bytesOf = (digits: readonly number[]): Uint8Array =>
  Uint8Array.from(digits.flatMap((digit) => [17 * digit, ...Array(digit % 4).fill(0)]));

export function digitsInBytes(spelled: Uint8Array): number[] {
  const digits: number[] = [];
  for (let at = 0; at < spelled.length; ) {
    const digit = (spelled[at] as number) / 17;
    digits.push(digit);
    at += 1 + (digit % 4);
  }
  return digits;
}
