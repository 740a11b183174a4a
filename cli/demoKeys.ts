/** Keys of the demonstration, each as something that a plain `Map` can have as its key too. */
import { type KeyType, u32, u64, utf8, vec3i } from '../src/index.ts';

/** One key as a `Map` knows it. */
export type MapKey = number | bigint | string;

/** A type of key, and how its keys are drawn and handed over. */
export interface DemoKey<One extends MapKey = MapKey> {
  readonly type: KeyType;
  /** Keys that tables like to reserve for themselves. */
  readonly special: readonly One[];
  draw(random: () => number): One;
  /** As collections take them. */
  arrayOf(keys: readonly One[]): ArrayLike<unknown>;
}

const numbers: DemoKey<number> = {
  type: u32,
  special: [0, 0xffff_ffff],
  draw: (random) => random(),
  arrayOf: (keys) => Uint32Array.from(keys),
};

const wideNumbers: DemoKey<bigint> = {
  type: u64,
  special: [0n, 2n ** 64n - 1n],
  draw: (random) => (BigInt(random()) << 32n) | BigInt(random()),
  arrayOf: (keys) => BigUint64Array.from(keys),
};

/** The side of a cube in which every voxel has an index that a number holds exactly. */
const SIDE = 2 ** 17;
const coordinates = (index: number): number[] =>
  [index, index / SIDE, index / SIDE ** 2].map((n) => (Math.floor(n) % SIDE) - SIDE / 2);
const indexOf = (x: number): number => (x + SIDE / 2) * (1 + SIDE + SIDE ** 2);

const voxels: DemoKey<number> = {
  type: vec3i,
  special: [indexOf(0), indexOf(-1)],
  draw: (random) => [0, 1, 2].reduce((index) => index * SIDE + (random() % SIDE), 0),
  arrayOf: (keys) => Int32Array.from(keys.flatMap(coordinates)),
};

/** One to three bytes a character. */
const BEGINNINGS = ['item', 'größe', '鍵'];

const strings: DemoKey<string> = {
  type: utf8,
  special: ['', '\0'],
  draw: (random) => `${BEGINNINGS[random() % BEGINNINGS.length]} ${random().toString(36)}`,
  arrayOf: (keys) => keys,
};

/** By the names of the types. */
export const DEMO_KEYS = { u32: numbers, u64: wideNumbers, vec3i: voxels, utf8: strings } as const;
