/** The table that `robinHood` builds, in TypeScript: one item after the other, and slots that choose the most senior key. */
import { type HashConstants, mix } from '../../src/hashing/index.ts';
import type { KeyType, PlaceOrder } from '../../src/keys/index.ts';
import { morton, remainderTwin } from '../../src/keys/index.ts';
import type { SequenceName } from '../../src/schemes/index.ts';

/** What the probes of a table follow from. */
export interface RobinHoodFunction {
  readonly sequence: SequenceName;
  readonly order?: PlaceOrder | undefined;
  /** The size of the table, and three random words. */
  readonly hash: HashConstants;
  /** `header.ageShift` and `header.maximumBits`. */
  readonly ageShift: number;
  readonly maximumBits: number;
}

/** A probe: the slot, and the mark that the key would have there. */
interface Probe {
  readonly slot: number;
  readonly mark: number;
}

const times = (a: number, b: number): number => Math.imul(a, b) >>> 0;

/** The probes of a key, by its age from 1 on. */
function probesOf(made: RobinHoodFunction, type: KeyType, key: readonly number[]): (age: number) => Probe {
  const { sequence, hash, ageShift, maximumBits } = made;
  const [size, a, b, c] = hash;
  const order = made.order ?? morton;
  const constants: HashConstants = [a, b, c, a];
  const shifted = (slot: number, age: number): number =>
    (slot + (age === 1 ? 0 : mix.hashTwin([age], constants)[0] % size)) % size;
  const spread = (number: number, age: number): number =>
    sequence === 'random'
      ? mix.hashTwin([number], [(a + times(age, 0x9e3779b9)) >>> 0, b, c, a])[0]
      : (a + times(number, b | 1) + times(age, c)) >>> 0;
  const quotientMark = (number: number): number => (Math.floor(number / size) << maximumBits) >>> 0;
  if (type.isWord) {
    const word = key[0] as number;
    if (sequence === 'coherent') {
      return (age) => ({ slot: shifted(word % size, age), mark: quotientMark(word) });
    }
    return (age) => ({ slot: spread(word, age) % size, mark: quotientMark(spread(word, age)) });
  }
  const [first, second] = mix.hashTwin(key, constants);
  const mark = (((second >>> (32 - ageShift)) >>> maximumBits) << maximumBits) >>> 0;
  if (sequence !== 'coherent') return (age) => ({ slot: spread(first, age) % size, mark });
  const place = (): number => {
    if (type.coordinates) return remainderTwin(order.wide(type.coordinates).twin(key), size);
    return type.isNumber ? remainderTwin(key, size) : first % size;
  };
  const begin = place();
  return (age) => ({ slot: shifted(begin, age), mark });
}

/** A key in its slot. */
interface Placed {
  readonly item: number;
  readonly age: number;
}

/** A finished table. */
export interface RobinHoodTwin {
  /** The first word of every slot. */
  readonly words: Uint32Array;
  /** The age of every item. */
  readonly ages: Uint32Array;
  readonly longest: number;
  /** The age at which a search for a key ends, present or not. */
  probesFor(key: readonly number[]): number;
}

/** Deferred acceptance: slots keep the most senior key that has come, the others go on. All keys are distinct. */
export function robinHoodTwin(
  made: RobinHoodFunction,
  type: KeyType,
  keys: readonly (readonly number[])[],
): RobinHoodTwin {
  const [size, a, b, c] = made.hash;
  const items = keys.map((key) => ({ probe: probesOf(made, type, key), tie: mix.hashTwin(key, [a, b, c, a])[1] }));
  const table: (Placed | undefined)[] = new Array(size);
  const wordOf = (item: number, age: number): number =>
    ((age << made.ageShift) | (items[item]?.probe(age).mark ?? 0)) >>> 0;
  /** Keys whose marks are only a part of what they are compared by, are compared by the rest of it. */
  const isSenior = (one: Placed, other: Placed): boolean => {
    const difference = wordOf(one.item, one.age) - wordOf(other.item, other.age);
    return difference > 0 || (difference === 0 && (items[one.item]?.tie ?? 0) > (items[other.item]?.tie ?? 0));
  };
  for (const start of items.keys()) {
    let own: Placed | undefined = { item: start, age: 1 };
    while (own) {
      const slot = items[own.item]?.probe(own.age).slot as number;
      const old: Placed | undefined = table[slot];
      const stays: boolean = old !== undefined && !isSenior(own, old);
      if (!stays) table[slot] = own;
      const goesOn: Placed | undefined = stays ? own : old;
      own = goesOn && { item: goesOn.item, age: goesOn.age + 1 };
    }
  }
  const placed = [...table].flatMap((at, slot) => (at ? [{ ...at, slot }] : []));
  const longest = Math.max(0, ...placed.map(({ age }) => age));
  const mask = 2 ** made.maximumBits - 1;
  const maxima = new Uint32Array(size);
  for (const { item, age } of placed) {
    const first = items[item]?.probe(1).slot as number;
    maxima[first] = Math.max(maxima[first] as number, Math.min(age - 1, mask));
  }
  const words = maxima.slice();
  const ages = new Uint32Array(keys.length);
  for (const { item, age, slot } of placed) {
    words[slot] = (wordOf(item, age) | (maxima[slot] as number)) >>> 0;
    ages[item] = age;
  }
  const probesFor = (key: readonly number[]): number => {
    const probe = probesOf(made, type, key);
    let limit = longest;
    for (let age = 1; age <= limit; age++) {
      const { slot, mark } = probe(age);
      const word = words[slot] as number;
      const [own, there] = [((age << made.ageShift) | mark) >>> 0, (word & ~mask) >>> 0];
      const isThere = there === own && (keys[table[slot]?.item ?? -1]?.every((part, i) => part === key[i]) ?? false);
      if (isThere || there < own) return age;
      if (age === 1 && (word & mask) !== mask) limit = Math.min(limit, (word & mask) + 1);
    }
    return limit;
  };
  return { words, ages, longest, probesFor };
}
