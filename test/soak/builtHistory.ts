/** Steps of collections that are built at once. */
import type { Duplicates, SchemeName } from '../../src/schemes/index.ts';
import { keyKinds } from '../conformance/keyKinds.ts';
import { carries, schemeNames } from '../conformance/subjects.ts';
import { type Draw, describeItems, type Face, type ItemsOf, type KindName } from './items.ts';

type CollectionName = (typeof COLLECTIONS)[number];

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

export type BuiltStep =
  | { readonly do: 'make'; readonly table: number; readonly shape: Shape; readonly items: ItemsOf; readonly face: Face }
  | { readonly do: 'rebuild'; readonly table: number; readonly items: ItemsOf; readonly face: Face }
  | { readonly do: 'search'; readonly table: number; readonly queries: ItemsOf; readonly face: Face }
  | { readonly do: 'read all' | 'save and open' | 'destroy'; readonly table: number }
  | { readonly do: 'open damaged'; readonly table: number; readonly at: number }
  | { readonly do: 'open forged'; readonly table: number; readonly seed: number }
  | { readonly do: 'misuse'; readonly table: number; readonly how: number };

/** What histories of these collections are made of. */
export interface BuiltExtent {
  readonly collections?: readonly CollectionName[];
  readonly schemes?: readonly SchemeName[];
  readonly kinds?: readonly KindName[];
}

const COLLECTIONS = ['map', 'set', 'keyIndex', 'multiMap', 'aggregate'] as const;
const DUPLICATES: readonly Duplicates[] = ['first', 'last', 'any', 'error', 'unique'];
const TABLES = 4;

/** The first steps of a history, and what draws the next ones. */
export function builtSteps(draw: Draw, extent: BuiltExtent): { first: readonly BuiltStep[]; next: () => BuiltStep } {
  const { collections = COLLECTIONS, schemes = schemeNames, kinds = Object.keys(keyKinds) as KindName[] } = extent;
  const pairs = schemes.flatMap((scheme) =>
    kinds.filter((kind) => carries(scheme, keyKinds[kind])).map((kind) => ({ scheme, kind })),
  );
  const make = (table: number): BuiltStep => ({
    do: 'make',
    table,
    shape: {
      collection: draw.oneOf(collections),
      ...draw.oneOf(pairs),
      valueWords: draw.oneOf([1, 1, 3] as const),
      duplicates: draw.oneOf(DUPLICATES),
      construction: draw.oneOf(['table', 'sort'] as const),
      order: draw.oneOf(['input', 'any'] as const),
      combine: draw.oneOf(['count', 'sum', 'min', 'max'] as const),
    },
    items: draw.items(),
    face: draw.face(),
  });
  const next = (): BuiltStep => {
    const table = draw.below(TABLES);
    const chance = draw.below(97);
    if (chance < 12) return make(table);
    if (chance < 34) return { do: 'rebuild', table, items: draw.items(), face: draw.face() };
    if (chance < 68) return { do: 'search', table, queries: draw.items(), face: draw.face() };
    if (chance < 76) return { do: 'read all', table };
    if (chance < 82) return { do: 'save and open', table };
    if (chance < 86) return { do: 'open damaged', table, at: draw.word() };
    if (chance < 90) return { do: 'open forged', table, seed: draw.word() };
    if (chance < 95) return { do: 'misuse', table, how: draw.word() };
    return { do: 'destroy', table };
  };
  return { first: Array.from({ length: TABLES }, (_, table) => make(table)), next };
}

/** The call of a step, as a reader wants to see it. */
export function describeBuilt(step: BuiltStep): string {
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
