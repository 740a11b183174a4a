/** Items and queries for the demonstration, with a plain `Map` that knows every answer. */
import { randomWords } from '../src/hashing/index.ts';
import { type KeyType, u32, u64 } from '../src/index.ts';

/** Queries of one kind, and what the `Map` says about them. */
export interface Questions {
  readonly keys: unknown;
  readonly values: Uint32Array;
  readonly found: Uint8Array;
}

export interface DemoData {
  readonly key: KeyType;
  readonly count: number;
  readonly keys: unknown;
  readonly keyWords: Uint32Array;
  readonly values: Uint32Array;
  /** Distinct keys. */
  readonly size: number;
  readonly present: Questions;
  readonly absent: Questions;
}

export const DEMO_KEYS: readonly KeyType[] = [u32, u64];

/** One key in so many occurs a second time, with another value: the last one counts, as in a `Map`. */
const COPY_EVERY = 100;

export function demoData(key: KeyType, count: number): DemoData {
  const random = randomWords(2011);
  const words = Uint32Array.from({ length: count * key.words }, random);
  // The keys that tables like to reserve for themselves.
  words.fill(0, 0, key.words);
  words.fill(0xffffffff, key.words, 2 * key.words);
  for (let i = COPY_EVERY; i < count; i += COPY_EVERY) {
    words.copyWithin(i * key.words, (i - COPY_EVERY) * key.words, (i - COPY_EVERY + 1) * key.words);
  }
  const values = Uint32Array.from({ length: count }, random);
  const keys = key.decode(words) as ArrayLike<number | bigint>;
  const oracle = new Map<number | bigint, number>();
  for (let i = 0; i < count; i++) oracle.set(keys[i] as number | bigint, values[i] as number);

  const present = [...oracle.keys()];
  shuffle(present, random);
  const absent: (number | bigint)[] = [];
  const draw = (): number | bigint => (key.words === 1 ? random() : (BigInt(random()) << 32n) | BigInt(random()));
  for (let tries = 0; absent.length < count && tries < 4 * count; tries++) {
    const candidate = draw();
    if (!oracle.has(candidate)) absent.push(candidate);
  }
  const ask = (asked: readonly (number | bigint)[]): Questions => ({
    keys: key.words === 1 ? Uint32Array.from(asked as number[]) : BigUint64Array.from(asked as bigint[]),
    values: Uint32Array.from(asked, (k) => oracle.get(k) ?? 0),
    found: Uint8Array.from(asked, (k) => (oracle.has(k) ? 1 : 0)),
  });
  return { key, count, keys, keyWords: words, values, size: oracle.size, present: ask(present), absent: ask(absent) };
}

function shuffle<T>(list: T[], random: () => number): void {
  for (let i = list.length - 1; i > 0; i--) {
    const j = random() % (i + 1);
    [list[i], list[j]] = [list[j] as T, list[i] as T];
  }
}
