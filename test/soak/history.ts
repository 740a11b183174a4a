/**
 * What a soak does, as data: a list of steps that follows from a seed. A step that no longer makes sense, because steps before
 * it were left out, does nothing; so a history that fails is shortened by leaving out steps.
 */
import { randomWords } from '../../src/hashing/index.ts';
import type { Duplicates, SchemeName } from '../../src/schemes/index.ts';
import { type KeyKind, type Keys, keyKinds, numberOf } from '../conformance/keyKinds.ts';
import { carries, schemeNames } from '../conformance/subjects.ts';

type KindName = keyof typeof keyKinds;
type CollectionName = (typeof COLLECTIONS)[number];
export type Face = 'host' | 'encoder' | 'shader';

/** What goes wrong outside the library: a readback that cannot be mapped, memory that cannot be had. */
type Fault = 'mapping' | 'memory';

/** What a table is, and stays. */
export interface Shape {
  readonly collection: CollectionName;
  readonly scheme: SchemeName;
  readonly kind: KindName;
  /** Words of a value, for maps and multi-maps. */
  readonly valueWords: 1 | 3;
  readonly duplicates: Duplicates;
  readonly construction: 'table' | 'sort';
  readonly order: 'input' | 'any';
  readonly combine: 'count' | 'sum' | 'min' | 'max';
}

/** Items that follow from a few numbers. */
export interface ItemsOf {
  readonly count: number;
  readonly seed: number;
  /** Keys below so many, so that they repeat; all keys for 0. */
  readonly below: number;
}

/** A fault that strikes at its so many-th chance in a step. */
export interface Strike {
  readonly fault: Fault;
  readonly after: number;
}

type Step =
  | { readonly do: 'make'; readonly table: number; readonly shape: Shape; readonly items: ItemsOf; readonly face: Face }
  | { readonly do: 'rebuild'; readonly table: number; readonly items: ItemsOf; readonly face: Face }
  | { readonly do: 'search'; readonly table: number; readonly queries: ItemsOf; readonly face: Face }
  | { readonly do: 'read all' | 'save and open' | 'destroy'; readonly table: number }
  | { readonly do: 'open damaged'; readonly table: number; readonly at: number }
  | { readonly do: 'open forged'; readonly table: number; readonly seed: number }
  | { readonly do: 'misuse'; readonly table: number; readonly how: number }
  | { readonly do: 'wait' };

/** A step, whether the next one waits for it, and what goes wrong meanwhile. */
export type TimedStep = Step & { readonly awaited: boolean; readonly strike?: Strike };

export type History = readonly TimedStep[];

/** What a soak is made of. */
export interface Extent {
  readonly collections?: readonly CollectionName[];
  readonly schemes?: readonly SchemeName[];
  readonly kinds?: readonly KindName[];
  readonly steps?: number;
}

const COLLECTIONS = ['map', 'set', 'keyIndex', 'multiMap', 'aggregate'] as const;
const DUPLICATES: readonly Duplicates[] = ['first', 'last', 'any', 'error', 'unique'];
const TABLES = 4;
/** Few, so that searches look for keys that are there, however many keys there could be. */
const SEEDS = 6;
const STEPS = 30;
const COUNTS = [0, 1, 2, 3, 17, 64, 65, 200, 257, 600];

/** The history of a seed. */
export function historyOf(seed: number, extent: Extent = {}): History {
  const { collections = COLLECTIONS, schemes = schemeNames, kinds = Object.keys(keyKinds) as KindName[] } = extent;
  const random = randomWords(seed);
  const below = (n: number): number => random() % n;
  const oneOf = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const items = (): ItemsOf => ({ count: oneOf(COUNTS), seed: below(SEEDS), below: oneOf([0, 0, 8, 100, 1000]) });
  const face = (): Face => oneOf(['host', 'host', 'host', 'encoder', 'encoder', 'shader'] as const);
  const pairs = schemes.flatMap((scheme) =>
    kinds.filter((kind) => carries(scheme, keyKinds[kind])).map((kind) => ({ scheme, kind })),
  );
  const shape = (): Shape => ({
    collection: oneOf(collections),
    ...oneOf(pairs),
    valueWords: oneOf([1, 1, 3] as const),
    duplicates: oneOf(DUPLICATES),
    construction: oneOf(['table', 'sort'] as const),
    order: oneOf(['input', 'any'] as const),
    combine: oneOf(['count', 'sum', 'min', 'max'] as const),
  });
  const step = (): Step => {
    const table = below(TABLES);
    const chance = below(100);
    if (chance < 12) return { do: 'make', table, shape: shape(), items: items(), face: face() };
    if (chance < 34) return { do: 'rebuild', table, items: items(), face: face() };
    if (chance < 68) return { do: 'search', table, queries: items(), face: face() };
    if (chance < 76) return { do: 'read all', table };
    if (chance < 82) return { do: 'save and open', table };
    if (chance < 86) return { do: 'open damaged', table, at: random() };
    if (chance < 90) return { do: 'open forged', table, seed: random() };
    if (chance < 95) return { do: 'misuse', table, how: random() };
    if (chance < 97) return { do: 'destroy', table };
    return { do: 'wait' };
  };
  const timed = (made: Step): TimedStep => ({
    ...made,
    awaited: below(2) === 0,
    ...(below(12) === 0 && { strike: { fault: oneOf(['mapping', 'memory'] as const), after: below(4) } }),
  });
  const first = Array.from({ length: TABLES }, (_, table): Step => {
    return { do: 'make', table, shape: shape(), items: items(), face: face() };
  });
  const rest = Array.from({ length: extent.steps ?? STEPS }, step);
  return [...first, ...rest].map(timed);
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

/** A history as a reader wants to see it: one call a line. */
export const describeHistory = (history: History): string => history.map(describeStep).join('\n');

function describeStep(step: TimedStep): string {
  const waiting = step.awaited ? 'await ' : '';
  const strike = step.strike ? ` // ${step.strike.fault} fails after ${step.strike.after}` : '';
  return `${waiting}${callOf(step)};${strike}`;
}

const describeItems = ({ count, seed, below }: ItemsOf): string =>
  `items(${count}, seed ${seed}${below > 0 ? `, below ${below}` : ''})`;

function callOf(step: Step): string {
  if (step.do === 'wait') return 'all()';
  const table = `t${step.table}`;
  switch (step.do) {
    case 'make': {
      const { collection, scheme, kind, valueWords, duplicates, construction, order, combine } = step.shape;
      const options = {
        map: `${duplicates}, ${valueWords} words`,
        set: duplicates,
        keyIndex: construction,
        multiMap: `${construction}, ${order}, ${valueWords} words`,
        aggregate: `${construction}, ${combine}`,
      }[collection];
      return `${table} = ${collection}.${step.face}(${scheme}, ${kind}, ${options}, ${describeItems(step.items)})`;
    }
    case 'rebuild':
      return `${table}.rebuild.${step.face}(${describeItems(step.items)})`;
    case 'search':
      return `${table}.search.${step.face}(${describeItems(step.queries)})`;
    case 'open damaged':
      return `${table}.openDamaged(${step.at})`;
    case 'open forged':
      return `${table}.openForged(${step.seed})`;
    case 'misuse':
      return `${table}.misuse(${step.how})`;
    case 'read all':
      return `${table}.readAll()`;
    case 'save and open':
      return `${table}.saveAndOpen()`;
    case 'destroy':
      return `${table}.destroy()`;
  }
}
