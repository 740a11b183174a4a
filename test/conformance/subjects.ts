/** Every scheme with every key type: what the suite is run over. A new scheme is in as soon as it is registered. */
import type { Gpu } from '../../src/gpu/index.ts';
import { type Scheme, type SchemeName, schemes } from '../../src/schemes/index.ts';
import type { ConformanceCase } from './case.ts';
import { type KeyKind, keyKinds } from './keySets.ts';

/** Options of size; a scheme ignores those that it does not have. */
export interface SizeOptions {
  readonly loadFactor?: number;
  readonly capacitySlots?: number;
}

/** What a scheme promises about its size. */
interface SizePromise {
  /** The greatest load factor that it takes. */
  readonly maxLoad?: number;
  /** Whether it takes a number of slots. */
  readonly takesSlots?: boolean;
  /** Whether every slot can be filled. */
  readonly fillsEverySlot?: boolean;
  /** Names of the key types that it can carry, if it cannot carry all. */
  readonly keys?: readonly string[];
}

const PROBING: SizePromise = { maxLoad: 1, takesSlots: true, fillsEverySlot: true };

/** Every scheme has one line here, and is then taken through the whole suite. */
const PROMISES: Readonly<Record<SchemeName, SizePromise>> = {
  linearProbing: PROBING,
  quadraticProbing: PROBING,
  doubleHashing: PROBING,
  sortedArray: {},
  eytzinger: {},
  chaining: {},
  twoLevelCuckoo: {},
  cuckoo: { maxLoad: 0.971, takesSlots: true },
  bucketCuckoo: { maxLoad: 1 },
  perfect: {},
  perfectSpatial: { keys: ['vec2i', 'vec3i'] },
};

/** One scheme with one key type. */
export interface Subject extends SizePromise {
  readonly name: string;
  readonly schemeName: SchemeName;
  readonly kind: KeyKind;
  make(options?: SizeOptions): Scheme;
}

export const schemeNames = Object.keys(schemes) as SchemeName[];

/** Whether a scheme takes keys of the type of that name. */
export const carries = (name: SchemeName, key: string): boolean => PROMISES[name].keys?.includes(key) ?? true;

export const subjects: readonly Subject[] = schemeNames.flatMap((schemeName) =>
  keyKinds
    .filter(({ name }) => carries(schemeName, name))
    .map((kind) => ({
      name: `${schemeName} ${kind.name}`,
      schemeName,
      kind,
      make: schemes[schemeName] as Subject['make'],
      ...PROMISES[schemeName],
    })),
);

/** Those that take a load factor. */
export const takesLoad = ({ maxLoad }: Subject): boolean => maxLoad !== undefined;

/** Those that take a number of slots. */
export const takesSlots = (subject: Subject): boolean => subject.takesSlots ?? false;

/** Those that can be filled to the last slot. */
export const fillsEverySlot = (subject: Subject): boolean => subject.fillsEverySlot ?? false;

/** One case of the given behaviour for each subject. */
export function forSubjects(
  behaviour: string,
  run: (gpu: Gpu, subject: Subject) => Promise<void>,
  options: { readonly short?: boolean; readonly only?: (subject: Subject) => boolean } = {},
): ConformanceCase[] {
  const { short = false, only = () => true } = options;
  return subjects
    .filter(only)
    .map((subject) => ({ name: `${subject.name}: ${behaviour}`, short, run: (gpu) => run(gpu, subject) }));
}
