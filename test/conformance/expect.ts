/** Assertions without a test runner: they throw an Error that says what was expected. */
import { HashnestError } from '../../src/gpu/index.ts';

/** Throws unless the condition holds. */
export function isTrue(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(`expected that ${what}`);
}

/** Throws unless both are the very same value. */
export function equal<T>(actual: T, expected: T, what: string): void {
  if (!Object.is(actual, expected)) throw new Error(`${what}: expected ${expected}, got ${actual}`);
}

/** Throws unless both have the same numbers in the same order. */
export function equalWords<T extends number | bigint>(
  actual: ArrayLike<T>,
  expected: ArrayLike<T>,
  what: string,
): void {
  equal(actual.length, expected.length, `${what}: length`);
  const wrong: number[] = [];
  for (let i = 0; i < expected.length; i++) if (!Object.is(actual[i], expected[i])) wrong.push(i);
  const [first] = wrong;
  if (first === undefined) return;
  throw new Error(
    `${what}: ${wrong.length} of ${expected.length} differ, the first at ${first}: expected ${expected[first]}, got ${actual[first]}`,
  );
}

/** Throws unless the call fails with a HashnestError of that code; returns the error. */
export async function throwsCode<E extends HashnestError = HashnestError>(
  call: Promise<unknown> | (() => unknown),
  code: E['code'],
  what = 'the call',
): Promise<E> {
  try {
    await (typeof call === 'function' ? call() : call);
  } catch (error) {
    if (error instanceof HashnestError && error.code === code) return error as E;
    throw new Error(`${what} should fail with '${code}', not with ${error}`, { cause: error });
  }
  throw new Error(`${what} should fail with '${code}', but succeeded`);
}
