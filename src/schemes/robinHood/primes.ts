/** Sizes of tables: primes, so that keys of a regular pattern do not share their remainders. */

/** The divisors that have to be tried for numbers up to 2³¹. */
const MOST_DIVISOR = 46_341;

function isPrime(candidate: number): boolean {
  if (candidate % 2 === 0) return candidate === 2;
  for (let divisor = 3; divisor <= MOST_DIVISOR && divisor * divisor <= candidate; divisor += 2) {
    if (candidate % divisor === 0) return false;
  }
  return candidate > 1;
}

/** The first `count` primes that are no less than a number. */
export function primesFrom(least: number, count: number): number[] {
  const primes: number[] = [];
  for (let candidate = least; primes.length < count; candidate++) if (isPrime(candidate)) primes.push(candidate);
  return primes;
}
