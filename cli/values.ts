/** Turns the values of options into what they mean. Every parser throws commander's error, which makes exit code 2. */
import { InvalidArgumentError } from 'commander';
import { OPERATIONS, type Operation } from '../bench/benchmark.ts';
import { LIBRARIES, TASKS } from '../bench/beside/contest.ts';
import { DATA } from '../bench/beside/workloads.ts';
import { COLLECTIONS } from '../bench/configurations.ts';
import { DATA_NAMES } from '../bench/figures/garciaFailures.ts';
import { ORDER_NAMES } from '../bench/figures/garciaScreen.ts';
import { SERIES_NAMES } from '../bench/figures/garciaSeries.ts';
import { QUERY_ORDERS } from '../bench/generators.ts';
import { HOST_PARTS } from '../bench/hostCalls.ts';
import { WORKLOAD_KEYS } from '../bench/keyMaker.ts';
import { SET_NAMES } from '../bench/living/dataSets.ts';
import { CONTENDER_NAMES, STATIC_NAMES } from '../bench/living/tables.ts';
import { PAPER_PICTURES, PICTURE_KINDS } from '../bench/pictures/index.ts';
import { MOST_PIXELS } from '../bench/pictures/png/format.ts';
import { VOLUME_KINDS } from '../bench/pictures/volumes.ts';
import { describeScheme, parseSchemeChoice, type SchemeChoice } from '../bench/schemeChoice.ts';
import type { Rgba } from '../src/apps.ts';
import {
  type Duplicates,
  type HashFamily,
  InvalidInputError,
  mix,
  polynomial32,
  polynomial64,
  type SchemeName,
  schemes,
  universal,
  type ValueType,
  valueTypes,
  xorPrime,
} from '../src/index.ts';
import { SEQUENCES } from '../src/schemes/robinHood/sequence.wgsl.ts';

/** Value types that there are workloads of. */
const VALUES: readonly ValueType[] = [valueTypes.u32, valueTypes.u64];
const FAMILIES: readonly HashFamily[] = [mix, universal, polynomial32, polynomial64, xorPrime];
const DUPLICATES: readonly Duplicates[] = ['first', 'last', 'any', 'error', 'unique'];
/** Absent keys have indices up to twice this, and those are 32-bit words. */
const MOST_ITEMS = 2 ** 31;

export const PAPER_NAMES = Object.keys(PAPER_PICTURES) as (keyof typeof PAPER_PICTURES)[];
export const SCHEME_NAMES = Object.keys(schemes) as SchemeName[];
const namesOf = (things: readonly { readonly name: string }[]): string => things.map(({ name }) => name).join(', ');
export const FAMILY_NAMES = namesOf(FAMILIES);
export const KEY_NAMES = namesOf(WORKLOAD_KEYS);
export const VALUE_NAMES = namesOf(VALUES);

/** A parser for lists: commas between, no empty items, each item once. */
const list =
  <T>(parse: (text: string) => T) =>
  (text: string): T[] => [...new Set(text.split(',').map((part) => parse(part.trim())))];

/** A parser for one of several names. */
const oneOf =
  <T extends string>(what: string, names: readonly T[]) =>
  (text: string): T => {
    const found = names.find((name) => name === text);
    if (found === undefined) {
      throw new InvalidArgumentError(`'${text}' is no ${what}: choose from ${names.join(', ')}.`);
    }
    return found;
  };

/** A parser for one of several things that have a name. */
const named = <T extends { readonly name: string }>(what: string, things: readonly T[]) => {
  const parse = oneOf(
    what,
    things.map(({ name }) => name),
  );
  return (text: string): T => {
    const name = parse(text);
    return things.find((thing) => thing.name === name) as T;
  };
};

/** A parser for numbers in a range. */
const numberIn =
  (what: string, range: string, allows: (n: number) => boolean) =>
  (text: string): number => {
    const n = /^\d+(\.\d+)?(e\d+)?$/i.test(text) ? Number(text) : Number.NaN;
    if (!allows(n)) throw new InvalidArgumentError(`'${text}' is no ${what}: ${range}.`);
    return n;
  };

const wholeNumber = (what: string, least: number, most: number) =>
  numberIn(what, `a whole number from ${least} to ${most}`, (n) => Number.isInteger(n) && n >= least && n <= most);

export const parseSize = wholeNumber('number of items', 1, MOST_ITEMS);
/** A `Map` holds no more than about 16 million. */
export const parseDemoItems = wholeNumber('number of items', 2, 10_000_000);
export const parseSizes = list(parseSize);
export const parseBuilds = wholeNumber('number of builds', 1, 1_000_000_000);
export const parseRepeat = wholeNumber('number of repetitions', 1, 1000);
export const parseMinutes = numberIn('number of minutes', 'above 0 and at most 10000', (n) => n > 0 && n <= 10_000);
export const parseSeed = wholeNumber('seed', 0, 2 ** 32 - 1);
export const parseLoad = numberIn('load factor', 'above 0 and at most 1', (n) => n > 0 && n <= 1);
export const parseLoads = list(parseLoad);
/** Of schemes that may take more than a plain table has room for. */
export const parseDenseLoads = list(numberIn('load factor', 'above 0 and at most 2', (n) => n > 0 && n <= 2));
export const parseFactors = list(numberIn('factor', 'above 1 and at most 100', (n) => n > 1 && n <= 100));
const parseSlotsPerItem = numberIn('number of slots per item', 'from 1 to 1000', (n) => n >= 1 && n <= 1000);
export const parseSlots = list(parseSlotsPerItem);
export const parseSlotsOrLeast = list((text) => (text === 'least' ? text : parseSlotsPerItem(text)));
/** The numbers that `cuckoo` and `twoLevelCuckoo` know. */
export const parseFunctions = list(wholeNumber('number of hash functions', 2, 5));
export const parseStash = wholeNumber('number of slots of a stash', 0, 65_536);
export const parseCapacities = list(
  numberIn('capacity of a bucket', 'choose from 512, 1024, 2048', (n) => [512, 1024, 2048].includes(n)),
);
export const parseTasks = list(oneOf('task', TASKS));
export const parseKinds = list(oneOf('kind of data', DATA));
export const parseLibraries = list(oneOf('contestant', LIBRARIES));
export const parseSeconds = numberIn('number of seconds', 'from 0 to 10000', (n) => n <= 10_000);
export const parseHostParts = list(oneOf('part', HOST_PARTS));
export const parseScheme = oneOf('scheme', SCHEME_NAMES);
export const parseSchemes = list(parseScheme);

/** Schemes that may have options in brackets, `cuckoo(functions=3),sortedArray`, each once. */
export function parseSchemeChoices(text: string): readonly SchemeChoice[] {
  // Commas inside brackets are not those of the list.
  const choices = text.split(/,(?![^(]*\))/).map((part) => parseChoice(part.trim()));
  return [...new Map(choices.map((choice) => [describeScheme(choice.name, choice.options), choice])).values()];
}

function parseChoice(text: string): SchemeChoice {
  try {
    if (/\bhash *=/.test(text)) throw new InvalidArgumentError('the hash family is that of all schemes: --hash.');
    return parseSchemeChoice(text, parseScheme);
  } catch (error) {
    if (error instanceof InvalidInputError) throw new InvalidArgumentError(error.message);
    throw error;
  }
}
export const parseCollections = list(oneOf('collection', COLLECTIONS));
export const parseCopies = wholeNumber('number of copies', 1, MOST_ITEMS);
export const parseCopiesList = list(parseCopies);
export const parseShares = list(numberIn('share of absent keys', 'from 0 to 1', (n) => n >= 0 && n <= 1));
export const parseQueryOrders = list(oneOf('order of queries', QUERY_ORDERS));
export const parseHold = numberIn('number of milliseconds', 'from 0 to 1000', (n) => n >= 0 && n <= 1000);
export const parseOperations = list(oneOf<Operation>('operation', OPERATIONS));
export const parseDuplicates = oneOf('policy for duplicates', DUPLICATES);
export const parseHash = named('hash family', FAMILIES);
export const parseKeys = list(named('key type', WORKLOAD_KEYS));
export const parseValue = named('value type', VALUES);
export const parseSets = list(oneOf('data set', SET_NAMES));
export const parseContenders = list(oneOf('table', CONTENDER_NAMES));
export const parseStaticContenders = list(
  oneOf(
    'table',
    ([...CONTENDER_NAMES, ...STATIC_NAMES] as const).filter((name) => name !== 'rebuild'),
  ),
);
export const parseScale = numberIn('scale', 'above 0 and at most 2', (n) => n > 0 && n <= 2);
export const parsePictureKind = oneOf('kind of picture', PICTURE_KINDS);
export const parsePaperPicture = oneOf('picture of the paper', PAPER_NAMES);
export const parseVolumeKind = oneOf('kind of volume', VOLUME_KINDS);
export const parseVolumeSide = wholeNumber('number of voxels', 1, 1024);
/** As in a `SparseImage`. */
const parseSide = wholeNumber('number of pixels', 1, 65_535);

/** `512` is 512 × 512, `640x480` is 640 × 480. */
export function parsePictureSize(text: string): readonly [width: number, height: number] {
  const [width, height = width, ...others] = text.split('x').map(parseSide) as [number, number?, ...number[]];
  const pixels = width * height;
  if (others.length > 0) throw new InvalidArgumentError(`'${text}' is no size of a picture: 512, or 640x480.`);
  if (pixels > MOST_PIXELS) throw new InvalidArgumentError(`'${text}' is more than ${MOST_PIXELS} pixels.`);
  return [width, height];
}

/** `white`, `transparent`, `#rrggbb` or `#rrggbbaa`; `auto` is the most frequent colour. */
export function parseBackground(text: string): Rgba | undefined {
  if (text === 'auto') return undefined;
  const named = { white: 'ffffffff', transparent: '00000000' }[text] ?? /^#([\da-f]{6}|[\da-f]{8})$/i.exec(text)?.[1];
  if (named === undefined) {
    throw new InvalidArgumentError(`'${text}' is no colour: auto, white, transparent, #rrggbb or #rrggbbaa.`);
  }
  const bytes = Buffer.from(named.padEnd(8, 'f'), 'hex');
  return [...bytes] as unknown as Rgba;
}

export const parseRuns = wholeNumber('number of runs', 1, 1000);
export const parseSubtables = list(wholeNumber('number of subtables', 2, 8));
export const parseSequences = list(oneOf('probe sequence', SEQUENCES));
export const parseSeries = list(oneOf('table', SERIES_NAMES));
export const parsePictures = list(oneOf('picture', ['random', 'fish'] as const));
export const parseOrders = list(oneOf('order of pixels', ORDER_NAMES));
export const parseVolumes = list(oneOf('volume', VOLUME_KINDS));
export const parseData = list(oneOf('kind of data', DATA_NAMES));
export const parsePictureSide = wholeNumber('width of a picture', 16, 16_384);
export const parseScreen = wholeNumber('width of a screen', 1, 4096);
export const parseAngles = wholeNumber('number of angles', 1, 1000);
export const parseSlices = wholeNumber('number of slices', 1, 1000);
export const parseGroups = wholeNumber('number of groups', 1, 2 ** 24);
