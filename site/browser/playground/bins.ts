/** Probe lengths as a histogram that fits the page. */

/** Searches that took from `first` to `last` probes. */
export interface Bin {
  readonly first: number;
  /** Infinity for the last bin if longer searches are in it. */
  readonly last: number;
  readonly present: number;
  readonly absent: number;
}

const MOST_BINS = 16;
/** Longer searches than this share of all share the last bin. */
const TAIL = 0.98;

/** Counts searches by their probes; each list has its own sum. */
export function binsOf(present: Uint32Array, absent: Uint32Array): Bin[] {
  const all = new Uint32Array(present.length + absent.length);
  all.set(present);
  all.set(absent, present.length);
  all.sort();
  const [least = 0, most = 0] = [all[0], all.at(-1)];
  const shown = all[Math.floor(TAIL * (all.length - 1))] ?? most;
  const width = Math.max(1, Math.ceil((shown - least + 1) / MOST_BINS));
  const count = Math.floor((shown - least) / width) + 1;
  const counted = (probes: Uint32Array): number[] => {
    const bins = new Array<number>(count).fill(0);
    for (const n of probes) {
      const bin = Math.min(count - 1, Math.floor((n - least) / width));
      bins[bin] = (bins[bin] as number) + 1;
    }
    return bins;
  };
  const [inPresent, inAbsent] = [counted(present), counted(absent)];
  return inPresent.map((n, i) => {
    const first = least + i * width;
    const last = i === count - 1 && most >= first + width ? Number.POSITIVE_INFINITY : first + width - 1;
    return { first, last, present: n, absent: inAbsent[i] as number };
  });
}
