/** Every scheme with several key types: what the suite is run over. A new scheme is in as soon as it is registered. */
import type { Gpu } from '../../src/gpu/index.ts';
import { type Scheme, type SchemeName, schemes } from '../../src/schemes/index.ts';
import type { ConformanceCase } from './case.ts';
import { type KeyKind, keyKinds } from './keyKinds.ts';

/** Options of size; a scheme ignores those that it does not have. */
export interface SizeOptions {
  readonly loadFactor?: number | string;
  readonly capacitySlots?: number;
}

/** What a scheme promises about its size. */
interface SizePromise {
  /** The greatest load factor that it takes. */
  readonly maxLoad?: number;
  /** Loads that it knows by name. */
  readonly namedLoads?: readonly string[];
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
  bucketCuckoo: { maxLoad: 1, namedLoads: ['bySize', 'densest'] },
  perfect: {},
  robinHood: { maxLoad: 1 },
  perfectSpatial: { keys: [keyKinds.vec2i, keyKinds.vec3i] },
};

/** Keys of one word, without and with a sign: tables hold them as they are. */
const WORDS: readonly KeyKind[] = [keyKinds.u32, keyKinds.i32];

/** Keys of two and of three words, and of variable length. */
const WIDE: readonly KeyKind[] = [keyKinds.u64, keyKinds.vec3i, keyKinds.utf8];

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

/** What goes through every behaviour. */
export const subjects: readonly Subject[] = schemeNames.flatMap((name) =>
  (PROMISES[name].keys ?? [...WORDS, ...WIDE]).map((kind) => subjectOf(name, kind)),
);

/** The subjects of a scheme that share what is run every day: one with keys of a word, one with others. */
function everydaySubjects(name: SchemeName): readonly Subject[] {
  const s = schemeNames.indexOf(name);
  const kinds = PROMISES[name].keys ?? [WORDS[s % WORDS.length], WIDE[s % WIDE.length]];
  return subjects.filter(({ schemeName, kind }) => schemeName === name && kinds.includes(kind));
}

/** Those that take a load factor. */
export const takesLoad = ({ maxLoad }: Subject): boolean => maxLoad !== undefined;

/** Those that take a number of slots. */
export const takesSlots = (subject: Subject): boolean => subject.takesSlots ?? false;

/** Those that can be filled to the last slot. */
export const fillsEverySlot = (subject: Subject): boolean => subject.fillsEverySlot ?? false;

/** What a case is, besides its behaviour. */
interface CaseOptions {
  /** Whether it is in the short list. */
  readonly short?: boolean;
  readonly only?: (subject: Subject) => boolean;
}

/**
 * One case of the given behaviour for each subject. Every day the behaviour meets every scheme once and, over the schemes, every key type. The
 * rest is for the full list.
 */
export function forSubjects(
  behaviour: string,
  run: (gpu: Gpu, subject: Subject) => Promise<void>,
  { short = false, only = () => true }: CaseOptions = {},
): ConformanceCase[] {
  return schemeNames.flatMap((scheme, s) => {
    const able = subjects.filter((subject) => subject.schemeName === scheme && only(subject));
    const preferred = everydaySubjects(scheme).filter(only);
    const inTurn = preferred.length > 0 ? preferred : able;
    // The length of its name stands for the number of a behaviour: it stays the same when others are added.
    const turn = behaviour.length + Math.floor(s / 2);
    const everyday = inTurn[turn % inTurn.length];
    return able.map((subject) => ({
      name: `${subject.name}: ${behaviour}`,
      scheme,
      short: short && subject === everyday,
      full: subject !== everyday,
      run: (gpu: Gpu) => run(gpu, subject),
    }));
  });
}

/** One for each subject that is built by kernels, and so can be built on the encoder face. */
export const forGpuBuilt: typeof forSubjects = (behaviour, run, options) =>
  forSubjects(behaviour, run, { ...options, only: ({ isHostBuilt }) => !isHostBuilt });
