import { expectTypeOf } from 'expect-type';
import { describe, expect, it } from 'vitest';
import { HashMap } from '../../src/collections/index.ts';
import { type GpuCount, InvalidInputError } from '../../src/gpu/index.ts';
import { encodeGatherRows, gatherRows, type RowArray } from '../../src/primitives/index.ts';
import { linearProbing } from '../../src/schemes/index.ts';
import { gatherRowsOracle as gathered } from '../oracles/primitives.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();

/** Rows whose words tell row and place. */
const numberedRows = (rowCount: number, rowWords: number) =>
  Uint32Array.from({ length: rowCount * rowWords }, (_, i) => 1000 * (1 + Math.floor(i / rowWords)) + (i % rowWords));

/** Rows in any order, some of them often, and some that there are none of. */
const someIndices = (count: number, rowCount: number) =>
  Uint32Array.from({ length: count }, (_, i) => (i % 7 === 3 ? 0xffff_ffff - i : Math.imul(i, 7919) % (rowCount + 1)));

const read = async (buffer: GPUBuffer, words: number) => {
  const [bytes] = await gpu.run(() => {}, [{ buffer, bytes: 4 * words }]);
  return new Uint32Array(bytes as ArrayBuffer);
};

describe('gatherRows', () => {
  it.each([1, 2, 3, 4, 5, 8, 12, 2048, 2051, 10_000])(
    'brings rows of %d words, and zeros for rows that there are not',
    async (rowWords) => {
      const rows = numberedRows(50, rowWords);
      const indices = someIndices(rowWords > 1000 ? 9 : 5000, 50);
      expect(await gatherRows(gpu, { rows, rowWords, indices })).toEqual(gathered(rows, rowWords, indices));
    },
  );

  it('gives nothing for no indices, and zeros from no rows', async () => {
    for (const rowWords of [3, 4]) {
      const none = new Uint32Array();
      expect(await gatherRows(gpu, { rows: numberedRows(2, rowWords), rowWords, indices: none })).toEqual(none);
      const zeros = await gatherRows(gpu, { rows: none, rowWords, indices: new Uint32Array([0, 1]) });
      expect(zeros).toEqual(new Uint32Array(2 * rowWords));
    }
  });

  it('keeps the type of the rows', async () => {
    const bytes = numberedRows(6, 4).buffer;
    const indices = new Uint32Array([5, 0]);
    const words = gathered(new Uint32Array(bytes), 4, indices);
    for (const Type of [Int8Array, Uint16Array, Float32Array, Float64Array, BigInt64Array]) {
      const rows: RowArray = new Type(bytes);
      const got = await gatherRows(gpu, { rows, rowWords: 4, indices });
      expect(got).toBeInstanceOf(Type);
      expect(new Uint32Array(got.buffer)).toEqual(words);
    }
    const floats = gatherRows(gpu, { rows: new Float32Array(bytes), rowWords: 4, indices });
    expectTypeOf(await floats).toExtend<Float32Array>();
  });

  it('takes rows that begin in the middle of an array, or are in a buffer', async () => {
    const whole = numberedRows(10, 3);
    const rows = whole.subarray(3);
    const indices = new Uint32Array([8, 0, 9]);
    const expected = gathered(rows.slice(), 3, indices);
    expect(await gatherRows(gpu, { rows, rowWords: 3, indices })).toEqual(expected);
    const buffer = gpu.upload('test', rows);
    const fromBuffer = await gatherRows(gpu, { rows: buffer, rowWords: 3, indices });
    expectTypeOf(fromBuffer).toEqualTypeOf<Uint32Array<ArrayBuffer>>();
    expect(fromBuffer).toEqual(expected);
    buffer.destroy();
  });

  it.each([
    ['no words', { rowWords: 0 }],
    ['half a word', { rowWords: 0.5 }],
    ['half a row', { rowWords: 4 }],
    ['half an element', { rowWords: 3, rows: new Float64Array(9) }],
  ])('refuses rows of %s', async (_, wrong) => {
    const call = { rows: new Uint32Array(6) as RowArray, indices: new Uint32Array(1), ...wrong };
    await expect(gatherRows(gpu, call)).rejects.toThrow(InvalidInputError);
  });
});

describe('encodeGatherRows', () => {
  it.each([3, 4, 40])(
    'writes as many rows of %d words as the count says, here or on the GPU, and no more',
    async (rowWords) => {
      const rowCount = 20;
      const data = numberedRows(rowCount, rowWords);
      const numbers = someIndices(100, rowCount);
      const [rows, indices] = [gpu.upload('rows', data), gpu.upload('indices', numbers)];
      const word = gpu.upload('count', new Uint32Array([9, 60]));
      const room = 80;
      const counts: (readonly [number | GpuCount, number])[] = [
        [0, 0],
        [70, 70],
        [{ buffer: word, offset: 4 }, 60],
        [{ buffer: gpu.upload('count', new Uint32Array([5000])) }, room],
      ];
      for (const [count, expected] of counts) {
        const output = gpu.upload('output', new Uint32Array(room * rowWords).fill(7));
        await gpu.run((encoder) => encodeGatherRows(gpu, encoder, { rows, rowWords, indices, output, count }));
        const got = await read(output, room * rowWords);
        expect(got.subarray(0, expected * rowWords)).toEqual(gathered(data, rowWords, numbers.subarray(0, expected)));
        expect(got.subarray(expected * rowWords).every((left) => left === 7)).toBe(true);
        output.destroy();
      }
      for (const buffer of [rows, indices, word]) buffer.destroy();
    },
  );

  it("fetches records by the values of a map, behind the map's own search", async () => {
    const rowWords = 6;
    const data = numberedRows(3, rowWords);
    const items = { keys: Uint32Array.of(70, 80, 90), values: Uint32Array.of(2, 0, 1) };
    using rowOf = await HashMap.from(gpu, items, { scheme: linearProbing() });
    const [rows, queries] = [gpu.upload('rows', data), gpu.upload('queries', Uint32Array.of(90, 5, 70, 90))];
    const [indices, output] = [gpu.createBuffer('indices', 16), gpu.createBuffer('output', 16 * rowWords)];
    await gpu.run((encoder) => {
      rowOf.encodeGet(encoder, { queries, values: indices, missing: 0xffff_ffff, count: 4 });
      encodeGatherRows(gpu, encoder, { rows, rowWords, indices, output, count: 4 });
    });
    expect(await read(output, 4 * rowWords)).toEqual(gathered(data, rowWords, [1, 0xffff_ffff, 2, 1]));
    for (const buffer of [rows, queries, indices, output]) buffer.destroy();
  });

  it('refuses buffers without room, and output into what is read', () => {
    const make = (words: number) => gpu.createBuffer('test', 4 * words);
    const good = { rows: make(40), rowWords: 4, indices: make(10), output: make(40), count: 10 };
    const encoder = gpu.device.createCommandEncoder();
    encodeGatherRows(gpu, encoder, good);
    for (const wrong of [{ count: 11 }, { output: make(39) }, { output: good.rows }, { output: good.indices }]) {
      expect(() => encodeGatherRows(gpu, encoder, { ...good, ...wrong })).toThrow(InvalidInputError);
    }
    const unusable = gpu.createBuffer('test', 400, 0x40);
    expect(() => encodeGatherRows(gpu, encoder, { ...good, rows: unusable })).toThrow(/STORAGE/);
  });
});
