import { HashMap, type ValueArray, valueTypes } from '../../src/collections/index.ts';
import { TestBuffers } from './buffers.ts';
import type { ConformanceCase } from './case.ts';
import { equal, equalWords } from './expect.ts';
import { interleave, randomSet } from './keySets.ts';
import { forSubjects } from './subjects.ts';

/** Words that a conversion to a number and back would change: signalling and other NaNs, −0, infinities, extremes. */
const BITS = new Uint32Array([
  0x7f80_0001, 0x7fc1_2345, 0xffff_ffff, 0xffc0_0000, 0x8000_0000, 0x7f80_0000, 0xff80_0000, 0x0000_0001, 0x7fff_ffff,
  0x0000_0000, 0xffff_fffe,
]);

const bitsOf = (array: ValueArray): Uint32Array => new Uint32Array(array.slice().buffer);

const SAMPLES: readonly { readonly values: ValueArray; readonly missing: readonly number[] }[] = [
  { values: new Uint32Array(BITS), missing: [0, 1, 0xffff_ffff] },
  { values: new Int32Array(BITS.buffer), missing: [0, -1, -(2 ** 31)] },
  { values: new Float32Array(BITS.buffer), missing: [0, -0, 0.5, Number.NaN, Number.NEGATIVE_INFINITY] },
];

export const valueCases: readonly ConformanceCase[] = [
  ...forSubjects('values keep their type and every bit', async (gpu, subject) => {
    const { present: keys, absent } = randomSet(subject.kind, BITS.length);
    const queries = interleave(subject.kind, keys, absent);
    for (const duplicates of ['last', 'any'] as const) {
      for (const { values, missing } of SAMPLES) {
        using map = await HashMap.from(gpu, { keys, values }, { scheme: subject.make(), duplicates });
        const got = await map.get(keys);
        equal(got.values.constructor, values.constructor, 'type of the values found');
        equalWords(bitsOf(got.values), BITS, `${map.value.name}: bits`);
        equal((await map.values()).constructor, values.constructor, 'type of all values');
        equalWords(bitsOf(await map.values()).sort(), BITS.slice().sort(), `${map.value.name}: all values`);
        for (const value of missing) {
          const { values: found } = await map.get(queries, { missing: value });
          const expected = found.slice();
          for (let i = 0; i < BITS.length; i++) {
            bitsOfPlace(expected, 2 * i, BITS[i] as number);
            expected[2 * i + 1] = value;
          }
          equalWords(bitsOf(found), bitsOf(expected), `${map.value.name}: missing ${value}`);
        }
        equalWords(bitsOf((await map.get(absent)).values), new Uint32Array(BITS.length), 'missing is 0 by default');
        using opened = await HashMap.fromBytes(gpu, await map.toBytes(), { key: subject.kind.type });
        const reopened = await opened.get(keys);
        equal(reopened.values.constructor, values.constructor, 'type of the values of a saved map');
        equalWords(bitsOf(reopened.values), BITS, 'bits of a saved map');
      }
    }
  }),
  ...forSubjects('values in a GPU buffer have the type that is named', async (gpu, subject) => {
    const { present: keys } = randomSet(subject.kind, BITS.length);
    using buffers = new TestBuffers(gpu);
    for (const value of Object.values(valueTypes)) {
      const options = { scheme: subject.make(), value: value as (typeof valueTypes)['f32'] };
      using map = await HashMap.from(gpu, { keys, values: buffers.upload(BITS) }, options);
      const { values } = await map.get(keys);
      equal(values.constructor, value.array, value.name);
      equalWords(bitsOf(values), BITS, `${value.name}: bits`);
    }
  }),
];

function bitsOfPlace(array: ValueArray, place: number, bits: number): void {
  new Uint32Array(array.buffer, array.byteOffset)[place] = bits;
}
