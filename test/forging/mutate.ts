/**
 * Saved tables with something wrong in them: mutations that know the parts of a file, and repair its checksum. Everything
 * follows from a source of random words.
 */
import { joined, pack, partsOf, type SavedParts, unpack } from './forge.ts';

type Random = () => number;

const below = (random: Random, count: number): number => Math.floor((random() / 2 ** 32) * count);
const pick = <T>(random: Random, from: readonly T[]): T => from[below(random, from.length)] as T;

/** Numbers at which things break, as words. */
const EDGES = [0, 1, 2, 3, 15, 16, 255, 256, 0xffff, 0x1_0000, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, 0xffff_ffff];
/** The same as JSON has them, and what is no number at all. */
const ODD = [
  ...EDGES,
  -1,
  0.5,
  1e300,
  2 ** 32,
  2 ** 50,
  Number.MAX_SAFE_INTEGER,
  null,
  true,
  '',
  '0',
  'u32',
  'utf8',
  'f32',
  'map',
  'set',
  'last',
  'unique',
  'any',
  'toString',
  '__proto__',
  [],
  {},
  [[]],
  { name: 'slots', bytes: 16 },
];

/** A copy, because a later mutation may change what is in it. */
const odd = (random: Random): unknown => structuredClone(pick(random, ODD));

/** Another word in place of one, near it or far from it. */
function otherWord(random: Random, word: number): number {
  const near = [word + 1, word - 1, word * 2, word >>> 1, word ^ (1 << below(random, 32))];
  return pick(random, [...near, pick(random, EDGES), random(), below(random, 100)]) >>> 0;
}

/** Every place in a description where something stands: the object and the name in it. */
function placesIn(value: unknown): { readonly holder: Record<string, unknown>; readonly name: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((name) => [{ holder, name }, ...placesIn(holder[name])]);
}

/** Changes a file in its parts; the second is another table of the same kind. */
type Mutation = (random: Random, parts: SavedParts, other: SavedParts) => void;

const partNames = ({ words }: SavedParts): string[] => [...words.keys()];
const wordsOf = ({ words }: SavedParts, name: string): Uint32Array => words.get(name) as Uint32Array;

/** Some part, the header as often as all others together. */
const somePart = (random: Random, parts: SavedParts): string =>
  random() % 2 === 0 ? 'header' : pick(random, partNames(parts));

const changeWord = (random: Random, words: Uint32Array): void => {
  const at = below(random, words.length);
  if (words.length > 0) words[at] = otherWord(random, words[at] as number);
};

const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'a field of the description': (random, { description }, other) => {
    const { holder, name } = pick(random, placesIn(description));
    const old = holder[name];
    const near = typeof old === 'number' ? [old + 1, old - 1, old * 2, -old, old + 0.5, String(old)] : [];
    holder[name] = pick(random, [...near, odd(random), odd(random), odd(random), other.description[name]]);
  },
  'a field that is not there': (random, { description }) => {
    const { holder, name } = pick(random, placesIn(description));
    delete holder[name];
  },
  'a field too many': (random, { description }) => {
    const { holder } = pick(random, placesIn(description));
    const name = pick(random, ['x', 'buckets', 'capacitySlots', 'toJSON', '__proto__']);
    // Not by assignment, which knows some of these names.
    Object.defineProperty(holder, name, { value: odd(random), enumerable: true, configurable: true, writable: true });
  },
  'numbers of the description that go together': (random, { description }) => {
    for (const name of ['items', 'size', 'growth']) {
      if (random() % 2 === 0) description[name] = otherWord(random, Number(description[name]));
    }
  },
  'a word': (random, parts) => changeWord(random, wordsOf(parts, somePart(random, parts))),
  'some words': (random, parts) => {
    const words = wordsOf(parts, somePart(random, parts));
    for (let i = below(random, 8); i >= 0; i--) changeWord(random, words);
  },
  'all words': (random, parts) => {
    const name = pick(random, partNames(parts).slice(1));
    wordsOf(parts, name ?? 'header').fill(pick(random, [...EDGES, random()]));
  },
  'random words': (random, parts) => {
    const name = pick(random, partNames(parts).slice(1));
    const [most, words] = [pick(random, [4, 64, 2 ** 32]), wordsOf(parts, name ?? 'header')];
    words.forEach((_, i) => {
      words[i] = below(random, most);
    });
  },
  // Count and copies are the second and the sixth word behind the four of the hash.
  'a header that still adds up': (random, parts) => {
    const header = wordsOf(parts, 'header');
    const more = pick(random, [1, 100, 0x7000_0000, random()]);
    header[5] = (header[5] as number) + more;
    header[9] = (header[9] as number) + more;
  },
  'a size that still adds up': (random, parts) => {
    const header = wordsOf(parts, 'header');
    const size = otherWord(random, Number(parts.description.size));
    parts.description.size = size;
    header[5] = size + (header[9] as number);
  },
  'words in other places': (random, parts) => {
    const words = wordsOf(parts, pick(random, partNames(parts)));
    const from = below(random, words.length);
    words.copyWithin(below(random, words.length), from, from + 1 + below(random, 16));
  },
  'a part of another table': (random, parts, other) => {
    const name = pick(random, partNames(parts));
    const [mine, theirs] = [wordsOf(parts, name), other.words.get(name)];
    if (theirs) mine.set(theirs.subarray(0, mine.length));
  },
  'a whole part of another table': (random, parts, other) => {
    const name = pick(random, partNames(parts));
    const theirs = other.words.get(name);
    if (theirs) parts.words.set(name, theirs.slice());
  },
  'two parts exchanged': (random, parts) => {
    const [a, b] = [pick(random, partNames(parts)), pick(random, partNames(parts))];
    const [ofA, ofB] = [wordsOf(parts, a), wordsOf(parts, b)];
    parts.words.set(a, ofB).set(b, ofA);
  },
  'a part of another length': (random, parts) => {
    const name = pick(random, partNames(parts));
    const words = wordsOf(parts, name);
    const longer = new Uint32Array(below(random, 2 * words.length + 2));
    longer.set(words.subarray(0, longer.length));
    parts.words.set(name, longer);
  },
  'a part too many': (random, parts) => {
    const name = pick(random, ['context', 'keysById', 'values', 'more', ...partNames(parts)]);
    const { extras } = parts.description;
    parts.description.extras = [...(Array.isArray(extras) ? extras : []), { name, bytes: 16 }];
    if (!parts.words.has(name)) parts.words.set(name, new Uint32Array(4));
  },
};

/** Changes that know nothing of the parts; the checksum is right again, as far as there is one. */
const OF_BYTES: Readonly<Record<string, (random: Random, bytes: Uint8Array) => Uint8Array>> = {
  'cut off': (random, bytes) => bytes.slice(0, below(random, bytes.length)),
  'a byte, with a wrong checksum': (random, bytes) => {
    const changed = bytes.slice();
    changed[below(random, changed.length)] = random();
    return changed;
  },
  'some bytes twice': (random, bytes) => {
    const { body, ...rest } = unpack(bytes);
    const [at, length] = [below(random, body.length), below(random, body.length)];
    const twice = new Uint8Array([...body.subarray(0, at + length), ...body.subarray(at)]);
    return pack({ ...rest, body: twice });
  },
  'a body cut off': (random, bytes) => {
    const { body, ...rest } = unpack(bytes);
    return pack({ ...rest, body: body.slice(0, below(random, body.length)) });
  },
  'another version': (random, bytes) => pack({ ...unpack(bytes), version: otherWord(random, 2) }),
  'a description of other characters': (random, bytes) => {
    const { description, ...rest } = unpack(bytes);
    const json = JSON.stringify(description);
    const at = below(random, json.length);
    const strange = pick(random, ['"', '{', '}', ',', '0', '-', 'e9', '\u0000', '\ud800', '[[[[', 'null']);
    return pack({ ...rest, description: json.slice(0, at) + strange + json.slice(at + below(random, 3)) });
  },
};

const NAMES = [...Object.keys(MUTATIONS), ...Object.keys(OF_BYTES)];

/** A file with something wrong in it, and what was done to it. */
export function mutated(
  random: Random,
  bytes: Uint8Array,
  another: Uint8Array,
): { readonly file: Uint8Array; readonly done: readonly string[] } {
  // Mostly one thing alone, because the first that is noticed hides the others.
  const done = Array.from({ length: pick(random, [1, 1, 1, 2, 3]) }, () => pick(random, NAMES));
  const ofParts = done.filter((name) => name in MUTATIONS);
  const [parts, other] = [partsOf(bytes), partsOf(another)];
  for (const name of ofParts) MUTATIONS[name]?.(random, parts, other);
  let file: Uint8Array = ofParts.length > 0 ? safelyJoined(parts, bytes) : bytes;
  // One at most: they take apart what a first one may have broken.
  const [last] = done.filter((name) => name in OF_BYTES);
  if (last && ofParts.length === 0) file = OF_BYTES[last]?.(random, file) ?? file;
  return { file, done };
}

/** A description that was mutated may have no list of buffers any more. */
function safelyJoined(parts: SavedParts, otherwise: Uint8Array): Uint8Array {
  const { description } = parts;
  const isSpec = (spec: unknown) => typeof spec === 'object' && spec !== null;
  if (Array.isArray(description.extras) && description.extras.every(isSpec)) return joined(parts);
  const { version, body } = unpack(otherwise);
  return pack({ version, description, body });
}
