/** Every scheme with several key types: what the suite is run over. A new scheme is in as soon as it is registered. */
import type { Gpu } from '../../src/gpu/index.ts';
import { type Scheme, type SchemeName, schemes } from '../../src/schemes/index.ts';
import type { ConformanceCase } from './case.ts';
import { type KeyKind, keyKinds } from './keyKinds.ts';

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
  /** The key types that it can carry, if it cannot carry all. */
  readonly keys?: readonly KeyKind[];
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
  robinHood: { maxLoad: 1 },
  perfectSpatial: { keys: [keyKinds.vec2i, keyKinds.vec3i] },
};

/** What a scheme is taken through every behaviour with, every day, unless it can carry others only. */
const EVERYDAY: readonly KeyKind[] = [keyKinds.u32, keyKinds.u64];

/** Keys with a sign, of three words, and of variable length: a sample every day, all of it in the full list. */
const SAMPLED: readonly KeyKind[] = [keyKinds.i32, keyKinds.vec3i, keyKinds.utf8];

/**
 * Of the subjects with such keys, every so many-th goes through a behaviour every day; another one for every behaviour. Neither
 * the number of schemes nor that of key types is a multiple of it, so all of them get their turn.
 */
const SAMPLE_EVERY = 7;

/** One scheme with one key type. */
export interface Subject extends SizePromise {
  readonly name: string;
  readonly schemeName: SchemeName;
  readonly kind: KeyKind;
  /** Whether it is built on the CPU, and therefore on the host face only. */
  readonly isHostBuilt: boolean;
  make(options?: SizeOptions): Scheme;
}

export const schemeNames = Object.keys(schemes) as SchemeName[];

/** Whether a scheme takes keys of that kind. */
export const carries = (name: SchemeName, kind: KeyKind): boolean => PROMISES[name].keys?.includes(kind) ?? true;

const isHostBuilt = (name: SchemeName, { type: key }: KeyKind): boolean =>
  schemes[name]().plan({ items: 1, key, valueWords: 1, duplicates: 'any', growth: 0 }).build.on === 'host';

const subjectOf = (schemeName: SchemeName, kind: KeyKind): Subject => ({
  name: `${schemeName} ${kind.name}`,
  schemeName,
  kind,
  isHostBuilt: isHostBuilt(schemeName, kind),
  make: schemes[schemeName] as Subject['make'],
  ...PROMISES[schemeName],
});

/** Those that go through everything every day. */
export const subjects: readonly Subject[] = schemeNames.flatMap((name) =>
  (PROMISES[name].keys ?? EVERYDAY).map((kind) => subjectOf(name, kind)),
);

/** Those that are sampled every day. */
export const sampledSubjects: readonly Subject[] = schemeNames
  .filter((name) => PROMISES[name].keys === undefined)
  .flatMap((name) => SAMPLED.map((kind) => subjectOf(name, kind)));

/** Those that take a load factor. */
export const takesLoad = ({ maxLoad }: Subject): boolean => maxLoad !== undefined;

/** Those that take a number of slots. */
export const takesSlots = (subject: Subject): boolean => subject.takesSlots ?? false;

/** Those that can be filled to the last slot. */
export const fillsEverySlot = (subject: Subject): boolean => subject.fillsEverySlot ?? false;

/** What a case is, besides its behaviour. */
interface CaseOptions {
  /** Whether it is in the short list, with the keys of every day. */
  readonly short?: boolean;
  readonly only?: (subject: Subject) => boolean;
}

/** One case of the given behaviour for each subject. */
export function forSubjects(
  behaviour: string,
  run: (gpu: Gpu, subject: Subject) => Promise<void>,
  options: CaseOptions = {},
): ConformanceCase[] {
  const { short = false, only = () => true } = options;
  const caseOf = (subject: Subject) => ({
    name: `${subject.name}: ${behaviour}`,
    scheme: subject.schemeName,
    run: (gpu: Gpu) => run(gpu, subject),
  });
  return [
    ...subjects.filter(only).map((subject) => ({ ...caseOf(subject), short })),
    ...sampledSubjects.filter(only).map((subject) => ({
      ...caseOf(subject),
      short: false,
      // The length of its name stands for the number of a behaviour: it stays the same when others are added.
      full: (sampledSubjects.indexOf(subject) + behaviour.length) % SAMPLE_EVERY !== 0,
    })),
  ];
}

/** One for each subject that is built by kernels, and so can be built on the encoder face. */
export const forGpuBuilt: typeof forSubjects = (behaviour, run, options) =>
  forSubjects(behaviour, run, { ...options, only: ({ isHostBuilt }) => !isHostBuilt });
