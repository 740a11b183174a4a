/** Failure rates of García et al. 2011, section 4.1: many builds from all kinds of data, each with other random offsets. */
import type { Gpu } from '../../src/gpu/index.ts';
import { randomWords } from '../../src/hashing/index.ts';
import { BuildError, HashSet, robinHood, type SequenceName, u32 } from '../../src/index.ts';
import { makePicture, PAPER_PICTURES } from '../pictures/index.ts';
import { makeVolume } from '../pictures/volumes.ts';
import { scrambleTwin } from '../scramble.ts';
import { placesIn } from './garciaPictures.ts';

/** Keys that follow from nothing but how many there are to be; the seed is for those that are random. */
type KeyMaker = (items: number, seed: number) => Uint32Array<ArrayBuffer>;

/** Keys so far apart that they go round the 32-bit words, and begin again one further on each time. */
const strided =
  (stride: number): KeyMaker =>
  (items) => {
    const perRound = 2 ** 32 / stride;
    return Uint32Array.from({ length: items }, (_, i) => (i % perRound) * stride + Math.floor(i / perRound));
  };

/** The first so many pixels of a picture, which is made a little too large. */
const ofPicture =
  (name: keyof typeof PAPER_PICTURES): KeyMaker =>
  (items) => {
    const { kind, width, height, filled } = PAPER_PICTURES[name];
    const side = Math.ceil(Math.sqrt((1.1 * items * width * height) / filled)) + 8;
    return placesIn(makePicture({ kind, width: side, height: side })).slice(0, items);
  };

/** Every other row of a picture, whole. */
const rows: KeyMaker = (items) => {
  const width = Math.ceil(Math.sqrt(items));
  return Uint32Array.from({ length: items }, (_, i) => (i % width) + 2 * width * Math.floor(i / width));
};

/** Shares of a cube that the two volumes fill, at least. */
const VOLUME_SHARES = { armadillo: 0.06, hairy: 0.17 } as const;

const ofVolume =
  (kind: keyof typeof VOLUME_SHARES): KeyMaker =>
  (items) =>
    makeVolume({ kind, side: Math.ceil((items / VOLUME_SHARES[kind]) ** (1 / 3)) + 2 }).places.slice(0, items);

const DATA = {
  random: (items, seed) => Uint32Array.from({ length: items }, (_, i) => scrambleTwin(i, [seed, 0x9e3779b9])),
  rows,
  text: ofPicture('test1'),
  fish: ofPicture('fish'),
  stride8192: strided(8192),
  stride65536: strided(65_536),
  armadillo: ofVolume('armadillo'),
  hairy: ofVolume('hairy'),
} as const satisfies Readonly<Record<string, KeyMaker>>;

/** What keys are built from. */
export type DataName = keyof typeof DATA;
export const DATA_NAMES = Object.keys(DATA) as DataName[];

/** Keys of a kind, all different; small pictures and volumes may have fewer than asked for. */
export const keysOf = (data: DataName, items: number, seed: number): Uint32Array<ArrayBuffer> =>
  DATA[data](items, seed);

export interface FailuresRequest {
  readonly data: DataName;
  readonly sequence: SequenceName;
  readonly load: number;
  readonly items: number;
  readonly builds: number;
  readonly seed: number;
  readonly onProgress?: (done: number) => void;
}

export interface FailuresRecord extends Omit<FailuresRequest, 'onProgress'> {
  /** Builds that were given up. */
  readonly failed: number;
  /** Attempts with other offsets in a table of the same size, and steps to a larger table, of all builds together. */
  readonly retries: number;
  readonly growths: number;
  /** Of all keys of all builds, and of the build whose greatest age was least. */
  readonly greatestAge: number;
  readonly leastGreatestAge: number;
  /** Keys that were not found afterwards. */
  readonly wrong: number;
}

/** Builds a set many times on the host face, which tries again and grows. */
export async function measureFailures(gpu: Gpu, request: FailuresRequest): Promise<FailuresRecord> {
  const { onProgress, ...asked } = request;
  const { data, sequence, load, builds, seed } = asked;
  const random = randomWords(seed);
  let [failed, retries, growths, wrong] = [0, 0, 0, 0];
  let [greatestAge, leastGreatestAge] = [0, Number.POSITIVE_INFINITY];
  let keys = keysOf(data, asked.items, random());
  for (let build = 0; build < builds; build++) {
    if (data === 'random' && build > 0) keys = keysOf(data, asked.items, random());
    try {
      const scheme = robinHood({ sequence, loadFactor: load });
      const set = await HashSet.from(gpu, { keys }, { key: u32, scheme, duplicates: 'unique', seed: random() });
      const { attempts, growths: grown, longestProbe } = set.report;
      retries += attempts - 1 - grown;
      growths += grown;
      greatestAge = Math.max(greatestAge, longestProbe);
      leastGreatestAge = Math.min(leastGreatestAge, longestProbe);
      wrong += (await set.has(keys)).reduce((absent, found) => absent + 1 - found, 0);
      set.destroy();
    } catch (error) {
      if (!(error instanceof BuildError)) throw error;
      failed++;
    }
    onProgress?.(build + 1);
  }
  return {
    ...asked,
    items: keys.length,
    failed,
    retries,
    growths,
    greatestAge,
    leastGreatestAge: Number.isFinite(leastGreatestAge) ? leastGreatestAge : 0,
    wrong,
  };
}
