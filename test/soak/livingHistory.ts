/** Steps of collections that live. */
import { dyCuckoo, regionCuckoo } from '../../src/schemes/index.ts';
import { keyKinds } from '../conformance/keyKinds.ts';
import { COUNTS, type Draw, describeItems, type Face, type ItemsOf, type KindName } from './items.ts';

export const LIVING_SCHEMES = {
  regionCuckoo: () => regionCuckoo(),
  dyCuckoo: () => dyCuckoo(),
  twoSubtables: () => dyCuckoo({ subtables: 2 }),
} as const;

/** What a table is, and stays. */
export interface LivingShape {
  readonly collection: 'dynamicMap' | 'dynamicSet' | 'dynamicIndex';
  readonly scheme: keyof typeof LIVING_SCHEMES;
  readonly kind: KindName;
  /** Words of a value, for maps. */
  readonly valueWords: 1 | 2 | 3 | 4;
}

/** What happens to keys that are there; all but the first two combine values of one word. */
export type Existing = 'replace' | 'keep' | 'sum' | 'min' | 'max' | 'xor';

type Work =
  | { readonly do: 'create'; readonly shape: LivingShape; readonly keys: number }
  | {
      readonly do: 'insert';
      readonly items: ItemsOf;
      readonly onExisting: Existing;
      readonly unique: boolean;
      readonly face: Face;
    }
  | { readonly do: 'get or insert'; readonly items: ItemsOf }
  | { readonly do: 'delete'; readonly items: ItemsOf; readonly face: Face }
  | { readonly do: 'find'; readonly queries: ItemsOf; readonly face: Face }
  | { readonly do: 'make room'; readonly keys: number; readonly bytes: number }
  | { readonly do: 'clear' | 'shrink' | 'compact' | 'read' | 'save' | 'drop' };

/** A step with the table of that number. */
export type LivingStep = Work & { readonly living: number };

const TABLES = 3;
/** Kernels of a shape take seconds to compile on a software GPU. */
const SHAPES = 2;
/** Batches of more than 2,048 items go through a table region by region. */
const BATCHES = [...COUNTS, ...COUNTS, 2500, 6000];
const EXISTING: readonly Existing[] = ['replace', 'replace', 'keep', 'sum', 'min', 'max', 'xor'];
const COLLECTIONS = ['dynamicMap', 'dynamicMap', 'dynamicSet', 'dynamicIndex'] as const;

/** Whether a scheme has tables for such keys and values. */
function carries({ collection, scheme, kind, valueWords }: LivingShape): boolean {
  const words = { dynamicMap: valueWords, dynamicSet: 0, dynamicIndex: 1 } as const;
  try {
    LIVING_SCHEMES[scheme]().plan({ slots: 1, key: keyKinds[kind].type, valueWords: words[collection] });
    return true;
  } catch {
    return false;
  }
}

/** What histories of these collections are made of. */
export interface LivingExtent {
  readonly shapes?: readonly LivingShape[];
}

/** The first steps of a history, and what draws the next ones. */
export function livingSteps(
  draw: Draw,
  { shapes: given }: LivingExtent,
): { first: readonly LivingStep[]; next: () => LivingStep } {
  const shape = (): LivingShape => {
    const drawn: LivingShape = {
      collection: draw.oneOf(COLLECTIONS),
      scheme: draw.oneOf(['regionCuckoo', 'regionCuckoo', 'dyCuckoo', 'twoSubtables']),
      kind: draw.oneOf(Object.keys(keyKinds) as KindName[]),
      valueWords: draw.oneOf([1, 1, 1, 2, 3, 4]),
    };
    return carries(drawn) ? drawn : shape();
  };
  const shapes = given ?? Array.from({ length: SHAPES }, shape);
  const create = (living: number): LivingStep => ({
    living,
    do: 'create',
    shape: draw.oneOf(shapes),
    keys: draw.oneOf([0, 0, 1, 700, 3000]),
  });
  const next = (): LivingStep => {
    const living = draw.below(TABLES);
    const chance = draw.below(100);
    if (chance < 4) return create(living);
    if (chance < 32) {
      const items = draw.items(BATCHES);
      const unique = draw.below(5) === 0;
      return { living, do: 'insert', items, onExisting: draw.oneOf(EXISTING), unique, face: draw.face() };
    }
    if (chance < 38) return { living, do: 'get or insert', items: draw.items(BATCHES) };
    if (chance < 57) return { living, do: 'delete', items: draw.items(BATCHES), face: draw.face() };
    if (chance < 75) return { living, do: 'find', queries: draw.items(), face: draw.face() };
    if (chance < 83) return { living, do: 'read' };
    if (chance < 86) return { living, do: 'make room', keys: draw.oneOf(BATCHES), bytes: draw.oneOf(BATCHES) };
    if (chance < 89) return { living, do: 'clear' };
    if (chance < 92) return { living, do: 'shrink' };
    if (chance < 95) return { living, do: 'compact' };
    if (chance < 98) return { living, do: 'save' };
    return { living, do: 'drop' };
  };
  return { first: Array.from({ length: TABLES }, (_, living) => create(living)), next };
}

/** The call of a step, as a reader wants to see it. */
export function describeLiving(step: LivingStep): string {
  const table = `d${step.living}`;
  switch (step.do) {
    case 'create': {
      const { collection, scheme, kind, valueWords } = step.shape;
      const words = collection === 'dynamicMap' ? `, ${valueWords} words` : '';
      return `${table} = ${collection}(${scheme}, ${kind}${words}, reserve ${step.keys})`;
    }
    case 'insert': {
      const { onExisting, unique, face, items } = step;
      return `${table}.insert.${face}(${describeItems(items)}, ${onExisting}${unique ? ', unique' : ''})`;
    }
    case 'get or insert':
      return `${table}.getOrInsert(${describeItems(step.items)})`;
    case 'delete':
      return `${table}.delete.${step.face}(${describeItems(step.items)})`;
    case 'find':
      return `${table}.find.${step.face}(${describeItems(step.queries)})`;
    case 'make room':
      return `${table}.reserve(${step.keys}, ${step.bytes})`;
    default:
      return `${table}.${step.do}()`;
  }
}
