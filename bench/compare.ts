/** What became faster or slower between two runs of the same measurements. */
import { describeScheme, type SchemeOptions } from './schemeChoice.ts';

/** A measurement as `bench` and `batches` write it: what was measured, and how long it took. */
export interface Timed {
  readonly medianMs: number;
  readonly minMs: number;
  readonly [field: string]: unknown;
}

/** What earlier results do not say, since it could not be otherwise. */
const ALWAYS = { collection: 'map', value: 'u32', duplicates: 'unique', copies: 1, hash: 'mix' } as const;

/** What tells one measurement of a run from another. */
const IDENTITY = [
  'scheme',
  'collection',
  'key',
  'value',
  'items',
  'batch',
  'op',
  'unique',
  'duplicates',
  'copies',
  'hash',
] as const;

/** Differences of less than this share are not worth a word. */
const LEAST = 0.02;

export type Verdict = 'faster' | 'slower' | 'alike';

interface Comparison {
  readonly name: string;
  readonly beforeMs: number;
  readonly afterMs: number;
  /** Time after over time before. */
  readonly ratio: number;
  readonly verdict: Verdict;
}

interface Compared {
  readonly rows: readonly Comparison[];
  /** Measurements of one run alone. */
  readonly onlyBefore: readonly string[];
  readonly onlyAfter: readonly string[];
}

/** Whether something was measured. */
export const isTimed = (record: unknown): record is Timed => {
  const { medianMs, minMs } = (record ?? {}) as Partial<Timed>;
  return [medianMs, minMs].every((ms) => typeof ms === 'number' && ms > 0 && Number.isFinite(ms));
};

function nameOf(given: Timed): string {
  const { scheme, options } = given as { scheme?: string; options?: SchemeOptions };
  const record: Timed = { ...ALWAYS, ...given, scheme: scheme && describeScheme(scheme, options) };
  const load = typeof record.loadFactor === 'number' ? [`load ${record.loadFactor.toFixed(2)}`] : [];
  const fields = IDENTITY.filter((field) => record[field] !== undefined);
  return [
    ...fields.map((field) => (field === 'unique' ? `unique ${record[field]}` : String(record[field]))),
    ...load,
    ...(record.absent === undefined ? [] : [`absent ${record.absent}`]),
    // Earlier results do not say that queries are shuffled.
    ...(record.queries === 'sorted' ? ['sorted'] : []),
  ].join(' ');
}

/**
 * The spread of a measurement reaches from its least time to its median. Two differ if their spreads are apart, by more than a
 * little.
 */
function verdictOf(before: Timed, after: Timed): Verdict {
  if (after.medianMs < before.minMs * (1 - LEAST)) return 'faster';
  return after.minMs > before.medianMs * (1 + LEAST) ? 'slower' : 'alike';
}

/** Compares measurements of the same name, in the order of the first run. Of several with one name, the last counts. */
export function compareRuns(before: readonly Timed[], after: readonly Timed[]): Compared {
  const byName = (run: readonly Timed[]) => new Map(run.map((record) => [nameOf(record), record]));
  const [old, fresh] = [byName(before), byName(after)];
  const rows = [...old].flatMap(([name, one]) => {
    const other = fresh.get(name);
    if (!other) return [];
    const ratio = other.medianMs / one.medianMs;
    return [{ name, beforeMs: one.medianMs, afterMs: other.medianMs, ratio, verdict: verdictOf(one, other) }];
  });
  return {
    rows,
    onlyBefore: [...old.keys()].filter((name) => !fresh.has(name)),
    onlyAfter: [...fresh.keys()].filter((name) => !old.has(name)),
  };
}
