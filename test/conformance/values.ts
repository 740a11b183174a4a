import {
  HashMap,
  type MapInput,
  MultiMap,
  type ValueArray,
  type ValueOf,
  type ValueType,
  valueTypes,
} from '../../src/collections/index.ts';
import type { Gpu } from '../../src/gpu/index.ts';
import type { Duplicates } from '../../src/schemes/index.ts';
import { TestBuffers } from './buffers.ts';
import type { ConformanceCase } from './case.ts';
import { equal, equalWords, isTrue, throwsCode } from './expect.ts';
import { type Key, type Keys, keyOption } from './keyKinds.ts';
import { interleave, randomSet } from './keySets.ts';
import { positionsOf } from './repeatedKeys.ts';
import { forSubjects, type Subject } from './subjects.ts';
import { mapFrom } from './tables.ts';

/** Words that a conversion to a number and back would change: signalling and other NaNs, −0, infinities, extremes. */
const BITS = new Uint32Array([
  0x7f80_0001, 0x7fc1_2345, 0xffff_ffff, 0xffc0_0000, 0x8000_0000, 0x7f80_0000, 0xff80_0000, 0x0000_0001, 0x7fff_ffff,
  0x0000_0000, 0xffff_fffe, 0x3f80_0000,
]);

const bitsOf = (array: ValueArray): Uint32Array => new Uint32Array(array.slice().buffer);

/** A type of each width, and what may stand for a missing value: schemes know nothing of types but how wide they are. */
const SAMPLES: readonly { readonly value: ValueType; readonly missing: ValueOf }[] = [
  { value: valueTypes.f32, missing: Number.NaN },
  { value: valueTypes.i64, missing: -(2n ** 63n) + 5n },
  { value: valueTypes.vec3f, missing: [1, -2.5, Number.NEGATIVE_INFINITY] },
  { value: valueTypes.vec4i, missing: -5 },
];

/** Every width and every policy, though not each with each: building with another policy or width compiles other kernels. */
const COPIES: readonly { readonly value: ValueType; readonly policies: readonly Duplicates[] }[] = [
  { value: valueTypes.u64, policies: ['last', 'error'] },
  { value: valueTypes.vec3u, policies: ['first', 'any'] },
  { value: valueTypes.vec4f, policies: ['any', 'unique'] },
];

export const valueCases: readonly ConformanceCase[] = [
  ...forSubjects('values keep their type and every bit', async (gpu, subject) => {
    for (const { value, missing } of SAMPLES) await keepsBits(gpu, subject, value, missing);
  }),
  ...forSubjects('values in a GPU buffer have the type that is named', async (gpu, subject) => {
    using buffers = new TestBuffers(gpu);
    for (const value of Object.values(valueTypes) as readonly ValueType[]) {
      const { present: keys } = randomSet(subject.kind, BITS.length / value.words);
      const host = subject.kind.host(keys);
      const options = { ...keyOption(subject.kind), scheme: subject.make(), value };
      using map = await mapFrom<ValueArray>(gpu, { keys: host, values: buffers.upload(BITS) }, options);
      const { values } = await map.get(host);
      equal(values.constructor, value.array, value.name);
      equalWords(bitsOf(values), BITS, `${value.name}: bits`);
    }
  }),
  ...COPIES.flatMap(({ value, policies }) =>
    forSubjects(
      `copies of a key and values of ${value.words} words: ${policies.join(', ')}`,
      async (gpu, subject) => {
        for (const duplicates of policies) {
          if (duplicates === 'error' || duplicates === 'unique') await forbidsCopies(gpu, subject, value, duplicates);
          else await keepsOneOf(gpu, subject, value, duplicates);
        }
      },
      { short: value.words === 3 },
    ),
  ),
  ...forSubjects('a key may have many values of several words', async (gpu, subject) => {
    for (const value of [valueTypes.u64, valueTypes.vec3f, valueTypes.vec4u]) await keepsAll(gpu, subject, value);
  }),
];

async function keepsBits(gpu: Gpu, { kind, make }: Subject, value: ValueType, missing: ValueOf): Promise<void> {
  const { name, words, components, array } = value;
  const count = BITS.length / words;
  const { present: keys, absent } = randomSet(kind, count);
  const input = { keys: kind.host(keys), values: new array(BITS.slice().buffer) };
  using map = await mapFrom<ValueArray>(gpu, input, { ...keyOption(kind), scheme: make(), value });
  const absentValue = new array(components);
  const parts = Array.isArray(missing) ? missing : Array(components).fill(missing);
  for (const [i, part] of parts.entries()) absentValue[i] = part as never;
  const mixed = Array.from({ length: count }, (_, i) => [
    ...BITS.subarray(i * words, (i + 1) * words),
    ...bitsOf(absentValue),
  ]).flat();

  const got = await map.get(kind.host(interleave(keys, absent)), { missing });
  equal(got.values.constructor, array, `${name}: type of the values found`);
  equalWords(bitsOf(got.values), mixed, `${name}: bits`);
  equalWords(
    bitsOf((await map.get(kind.host(absent))).values),
    new Uint32Array(BITS.length),
    `${name}: missing by default`,
  );
  const entries = await map.entries();
  equal(entries.values.constructor, array, `${name}: type of all values`);
  equalWords(bitsOf(entries.values), bitsOf((await map.get(entries.keys)).values), `${name}: values beside their keys`);
  equalWords(bitsOf(entries.values).sort(), BITS.slice().sort(), `${name}: all values`);
  using opened = await HashMap.fromBytes(gpu, await map.toBytes(), { key: kind.type, scheme: map.scheme });
  equal(opened.value, value, `${name}: value type of a saved map`);
  equalWords(bitsOf((await opened.get(input.keys)).values), BITS, `${name}: bits of a saved map`);
}

/** More than a workgroup has threads, and few enough that all tables of bucketCuckoo here have the same kernels. */
const ITEMS = 360;
const KEYS = 150;

/** Every word of a value tells its item. */
const valuesOf = (items: ArrayLike<number>, { words, array }: ValueType): ValueArray =>
  new array(Uint32Array.from({ length: items.length * words }, (_, i) => wordOf(items, words, i)).buffer);

const wordOf = (items: ArrayLike<number>, words: number, i: number): number =>
  (items[Math.floor(i / words)] as number) * 8 + (i % words);

/** The items that these values belong to; values of which the words disagree belong to none. */
function itemsOf(values: ValueArray, { name, words }: ValueType, what: string): number[] {
  const bits = bitsOf(values);
  const items = Array.from({ length: bits.length / words }, (_, i) => Math.floor((bits[i * words] as number) / 8));
  equalWords(
    bits,
    Array.from(bits, (_, i) => wordOf(items, words, i)),
    `${name}, ${what}: values are whole`,
  );
  return items;
}

/** Keys with many copies, all ones among them, and the items of each in order. */
function repeatedKeys({ kind }: Subject): { keys: Keys; items: Map<Key, number[]> } {
  const distinct = [kind.allOnes, ...randomSet(kind, KEYS - 1).present];
  const keys = Array.from({ length: ITEMS }, (_, i) => distinct[(i * 7) % KEYS] as Key);
  return { keys, items: positionsOf(keys) };
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

async function keepsOneOf(gpu: Gpu, subject: Subject, value: ValueType, duplicates: Duplicates): Promise<void> {
  const { keys, items } = repeatedKeys(subject);
  const options = { ...keyOption(subject.kind), scheme: subject.make(), value, duplicates };
  const input = { keys: subject.kind.host(keys), values: valuesOf(numbers(ITEMS), value) };
  using map = await mapFrom<ValueArray>(gpu, input, options);
  equal(map.size, items.size, `${duplicates}: size`);
  const { values } = await map.get(subject.kind.host([...items.keys()]));
  const kept = itemsOf(values, value, duplicates);
  for (const [i, copies] of [...items.values()].entries()) {
    if (duplicates === 'any') isTrue(copies.includes(kept[i] as number), `item ${kept[i]} is one of key ${i}`);
    else equal(kept[i], copies.at(duplicates === 'first' ? 0 : -1), `${duplicates} item of key ${i}`);
  }
}

async function forbidsCopies(gpu: Gpu, subject: Subject, value: ValueType, duplicates: Duplicates): Promise<void> {
  const { keys, items } = repeatedKeys(subject);
  const distinct = subject.kind.host([...items.keys()]);
  const options = { ...keyOption(subject.kind), scheme: subject.make(), value, duplicates };
  const input = { keys: distinct, values: valuesOf(numbers(KEYS), value) };
  using map = await mapFrom<ValueArray>(gpu, input, options);
  equalWords(itemsOf((await map.get(distinct)).values, value, duplicates), numbers(KEYS), `${duplicates}: items`);
  const copies = { keys: subject.kind.host(keys), values: valuesOf(numbers(ITEMS), value) };
  await throwsCode(mapFrom<ValueArray>(gpu, copies, options), 'duplicate-key', duplicates);
}

async function keepsAll(gpu: Gpu, subject: Subject, value: ValueType): Promise<void> {
  const { keys, items } = repeatedKeys(subject);
  const asked = subject.kind.host([...items.keys()]);
  const input = { keys: subject.kind.host(keys), values: valuesOf(numbers(ITEMS), value) };
  for (const order of ['input', 'any'] as const) {
    const options = { ...keyOption(subject.kind), scheme: subject.make(), value, order };
    using map = await MultiMap.from(gpu, input as MapInput<Uint32Array, ValueArray>, options as object);
    const lists = await map.get(asked as Uint32Array);
    for (const [i, copies] of [...items.values()].entries()) {
      const got = itemsOf(lists[i] as ValueArray, value, order);
      equalWords(order === 'any' ? got.sort((a, b) => a - b) : got, copies, `${order}: items of key ${i}`);
    }
  }
}
