/** What all histories are made of: numbers that are drawn, and items that follow from a few numbers. */
import { randomWords } from '../../src/hashing/index.ts';
import { type KeyKind, type Keys, type keyKinds, numberOf } from '../conformance/keyKinds.ts';

export type KindName = keyof typeof keyKinds;
export type Face = 'host' | 'encoder' | 'shader';

/** Items that follow from a few numbers. */
export interface ItemsOf {
  readonly count: number;
  readonly seed: number;
  /** Keys below so many, so that they repeat; all keys for 0. */
  readonly below: number;
}

/** Few, so that searches look for keys that are there, however many keys there could be. */
const SEEDS = 6;
export const COUNTS: readonly number[] = [0, 1, 2, 3, 17, 64, 65, 200, 257, 600];

/** Draws what a history is made of. */
export class Draw {
  readonly word: () => number;

  constructor(seed: number) {
    this.word = randomWords(seed);
  }

  below(n: number): number {
    return this.word() % n;
  }

  oneOf<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  items(counts: readonly number[] = COUNTS): ItemsOf {
    return { count: this.oneOf(counts), seed: this.below(SEEDS), below: this.oneOf([0, 0, 8, 100, 1000]) };
  }

  face(): Face {
    return this.oneOf(['host', 'host', 'host', 'encoder', 'encoder', 'shader']);
  }
}

/** The keys that the numbers stand for. */
export function keysOf({ bits, allOnes }: KeyKind, { count, seed, below }: ItemsOf): Keys {
  const random = randomWords(seed);
  return Array.from({ length: count }, () => {
    if (below > 0) {
      const number = BigInt(random() % below);
      // From both ends of all keys: some schemes have marks there.
      return random() % 8 === 0 ? allOnes - number : number;
    }
    return numberOf(Array.from({ length: bits / 32 }, random));
  });
}

export const describeItems = ({ count, seed, below }: ItemsOf): string =>
  `items(${count}, seed ${seed}${below > 0 ? `, below ${below}` : ''})`;
