import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { USAGE } from '../../src/gpu/index.ts';
import { InvalidInputError, type KeyType, sliceKeys, stringKey, u32, u64, utf8, wgsl } from '../../src/index.ts';
import {
  type Column,
  type Columns,
  countBy,
  distinct,
  type How,
  JoinTable,
  join,
  NO_ROW,
  type RowOptions,
} from '../../src/relational.ts';
import { cuckoo, linearProbing, perfectSpatial } from '../../src/schemes/index.ts';
import { TestBuffers } from '../conformance/buffers.ts';
import { throwsCode } from '../conformance/expect.ts';
import { inFull } from '../inFull.ts';
import { liveBuffers } from '../liveBuffers.ts';
import { type Cell, type ColumnKind, columnsOf, validOf } from '../oracles/columns.ts';
import { joinLike } from '../oracles/join.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();
const small = await sharedGpu('default');

const HOWS: readonly How[] = ['inner', 'left', 'right', 'full', 'semi', 'anti'];

const cellsOf = (count: number, columns: number, keys: number, seed: number): number[][] =>
  Array.from({ length: columns }, (_, column) =>
    Array.from({ length: count }, (_, row) => (Math.imul(row + seed, 0x9e37_79b1 + 2 * column) >>> 7) % keys),
  );

describe.each(HOWS)('a join (%s)', (how) => {
  it.each<[ColumnKind[]]>([[['u32']], [['string']], [['u32', 'u64']], [['string', 'f32', 'string']]])(
    'pairs rows like nested loops, by columns of %s',
    async (kinds) => {
      const side = (nulls: boolean) =>
        fc
          .array(fc.tuple(...kinds.map(() => (nulls ? fc.oneof(fc.nat(3), fc.constant(null)) : fc.nat(3)))), {
            maxLength: 40,
          })
          .map((rows) => kinds.map((_, i) => rows.map((row) => row[i] as Cell)));
      const sides = fc.tuple(fc.boolean(), fc.boolean()).chain(([a, b]) => fc.tuple(side(a), side(b)));
      await fc.assert(
        fc.asyncProperty(sides, async ([left, right]) => {
          const joined = await join(gpu, columnsOf(kinds, left), columnsOf(kinds, right), { how });
          expect(joined).toEqual(joinLike(left, right, how));
        }),
        { numRuns: inFull ? 12 : 5 },
      );
    },
    60_000,
  );

  it('of every size, with the default limits of WebGPU', async () => {
    const sizes = [
      [0, 0],
      [0, 3],
      [3, 0],
      [1, 1],
      [2, 255],
      [257, 2],
      [999, 1001],
    ] as const;
    for (const [leftRows, rightRows] of sizes) {
      const kinds = ['string', 'u32'] as const;
      const [left, right] = [cellsOf(leftRows, 2, 5, 1), cellsOf(rightRows, 2, 5, 77)];
      const joined = await join(small, columnsOf(kinds, left), columnsOf(kinds, right), { how });
      expect(joined).toEqual(joinLike(left, right, how));
    }
  });

  // Every day by two: one has the rows of inner, left and right, the other is a list.
  it.runIf(inFull || how === 'full' || how === 'anti')(
    'of 64k rows, of keys that occur once, and of one that all rows have',
    async () => {
      const count = 65_537;
      const key = (i: number) => Math.imul(i, 0x9e37_79b1) >>> 0;
      const left = [Array.from({ length: count }, (_, i) => key(2 * i))];
      const right = [Array.from({ length: count }, (_, i) => key(3 * (count - i)))];
      expect(await join(gpu, columnsOf(['u32'], left), columnsOf(['u32'], right), { how })).toEqual(
        joinLike(left, right, how),
      );
      const same = [Array<number>(300).fill(0xffff_ffff)];
      expect(await join(gpu, columnsOf(['u32'], same), columnsOf(['u32'], same), { how })).toEqual(
        joinLike(same, same, how),
      );
    },
  );

  it('on an encoder: says how much room it needs, and writes nothing past what it has', async () => {
    using buffers = new TestBuffers(gpu);
    const kinds = ['u32', 'u64'] as const;
    const [left, right] = [cellsOf(300, 2, 4, 1), cellsOf(200, 2, 5, 9)];
    (right[0] as Cell[])[3] = null;
    (left[1] as Cell[])[5] = null;
    const upload = (cells: readonly (readonly Cell[])[]) => [
      {
        values: buffers.upload(Uint32Array.from(cells[0] as Cell[], Number)),
        key: u32 as KeyType,
        valid: buffers.upload(padded(validOf(cells[0] as Cell[]))),
      },
      {
        values: buffers.upload(
          new Uint32Array(BigUint64Array.from(cells[1] as Cell[], (cell) => BigInt(cell ?? 1) << 33n).buffer),
        ),
        key: u64 as KeyType,
        valid: buffers.upload(padded(validOf(cells[1] as Cell[]))),
      },
    ];
    const [leftColumns, rightColumns] = [upload(left), upload(right)];
    const expected = joinLike(left, right, how);
    const isList = how === 'semi' || how === 'anti';
    const need = expected.left.length;
    const encoder = gpu.device.createCommandEncoder();
    using table = JoinTable.encodeBuild(gpu, encoder, { columns: rightColumns, count: 200 });
    gpu.device.queue.submit([encoder.finish()]);
    const onGpu = (count: number) => ({ buffer: buffers.upload(Uint32Array.of(5, count)), offset: 4 });
    for (const [capacity, count] of [
      [need, 300],
      [need - 1, onGpu(300)],
      [0, 300],
      [need + 7, onGpu(300)],
    ] as const) {
      const [leftRows, rightRows, total] = [buffers.words(need + 10), buffers.words(need + 10), buffers.words(2)];
      const again = gpu.device.createCommandEncoder();
      table.encodeRebuild(again, { columns: rightColumns, count: onGpu(200) });
      const output = { leftRows, ...(!isList && { rightRows }), total: { buffer: total, offset: 4 }, capacity };
      table.encodeJoin(again, { columns: leftColumns, count, how, ...output });
      gpu.device.queue.submit([again.finish()]);
      expect((await buffers.read(total, 2))[1]).toBe(need);
      const fits = Math.min(need, capacity);
      expect((await buffers.read(leftRows, need + 10)).subarray(0, fits)).toEqual(expected.left.subarray(0, fits));
      expect((await buffers.read(leftRows, need + 10)).subarray(fits).every((row) => row === 0)).toBe(true);
      if (isList) continue;
      expect((await buffers.read(rightRows, need + 10)).subarray(0, fits)).toEqual(expected.right.subarray(0, fits));
      expect((await buffers.read(rightRows, need + 10)).subarray(fits).every((row) => row === 0)).toBe(true);
    }
    // The same table on the host face, and with fewer rows on the right than there is room for.
    for (const [rows, count] of [
      [41, onGpu(41)],
      [120, 120],
      [12, 12],
    ] as const) {
      const fewer = gpu.device.createCommandEncoder();
      table.encodeRebuild(fewer, { columns: rightColumns, count });
      gpu.device.queue.submit([fewer.finish()]);
      const some = right.map((column) => column.slice(0, rows));
      expect(await table.join(columnsOf(kinds, left), { how })).toEqual(joinLike(left, some, how));
    }
  });
});

/** Whole words. */
const padded = (bytes: Uint8Array): Uint32Array => {
  const words = new Uint8Array(Math.ceil(bytes.length / 4) * 4);
  words.set(bytes);
  return new Uint32Array(words.buffer);
};

describe('a join', () => {
  it('takes a list of one column for the column', async () => {
    const [left, right] = [Uint32Array.of(1, 2, 3), Uint32Array.of(3, 1)];
    expect(await join(gpu, [left], [right])).toEqual(await join(gpu, left, right));
    expect(await join(gpu, [['a', 'b']], [['b']])).toEqual(await join(gpu, ['a', 'b'], ['b']));
  });

  it('takes strings in buffers, beside numbers, on the encoder', async () => {
    using buffers = new TestBuffers(gpu);
    const texts = [
      ['ada', 'bob', '', 'ada'],
      ['bob', 'ada', 'eve'],
    ] as const;
    const numbers = [
      [1, 2, 3, 2],
      [2, 2, 3],
    ] as const;
    const sides = texts.map((names, i) => {
      const { words, context } = utf8.encode(names);
      const bytes = padded(context?.[0] as Uint8Array);
      return [
        { values: buffers.upload(words), key: utf8 as KeyType, context: buffers.upload(bytes) },
        { values: buffers.upload(Uint32Array.from(numbers[i] as readonly number[])), key: u32 as KeyType },
      ];
    });
    const encoder = gpu.device.createCommandEncoder();
    using table = JoinTable.encodeBuild(gpu, encoder, { columns: sides[1] as [], count: 3 });
    const [leftRows, rightRows, total] = [buffers.words(9), buffers.words(9), buffers.words(1)];
    table.encodeJoin(encoder, { columns: sides[0] as [], count: 4, leftRows, rightRows, total: { buffer: total } });
    gpu.device.queue.submit([encoder.finish()]);
    expect([...(await buffers.read(total, 1))]).toEqual([2]);
    expect([...(await buffers.read(leftRows, 2))]).toEqual([1, 3]);
    expect([...(await buffers.read(rightRows, 2))]).toEqual([0, 1]);
  });

  it('takes any key type: slices of bytes, strings that ignore case, buffers', async () => {
    const bytes = new TextEncoder().encode('adabobeve');
    const slices = sliceKeys(utf8, { bytes, offsets: Uint32Array.of(0, 3, 6, 9) });
    expect(await join(gpu, { values: slices }, ['eve', 'ada'])).toEqual({
      left: Uint32Array.of(0, 2),
      right: Uint32Array.of(1, 0),
    });
    const fold = wgsl`fn fold(bytes: u32) -> u32 { return bytes | 0x20202020u; }`;
    const key = stringKey({ name: 'anyCase', fold });
    const both = [{ values: ['ADA', 'Bob'], key }, Uint32Array.of(1, 2)] as const;
    const other = [{ values: ['bob', 'ada', 'Ada'], key }, Uint32Array.of(2, 1, 2)] as const;
    expect(await join(gpu, both, other)).toEqual({ left: Uint32Array.of(0, 1), right: Uint32Array.of(1, 0) });
    using buffers = new TestBuffers(gpu);
    const values = buffers.upload(Uint32Array.of(5, 6, 7));
    const joined = await join(gpu, { values, key: u32, count: 3 }, Uint32Array.of(7, 5), {
      how: 'left',
      scheme: linearProbing(),
      seed: 3,
    });
    expect(joined).toEqual({ left: Uint32Array.of(0, 1, 2), right: Uint32Array.of(1, NO_ROW, 0) });
  });

  it('treats a row without a value as equal to nothing, whatever stands there', async () => {
    const column = { values: Uint32Array.of(4, 4, 4), valid: Uint8Array.of(0b101) };
    expect(await join(gpu, column, column)).toEqual({
      left: Uint32Array.of(0, 0, 2, 2),
      right: Uint32Array.of(0, 2, 0, 2),
    });
    expect(await join(gpu, Uint32Array.of(0, 4), column, { how: 'full' })).toEqual({
      left: Uint32Array.of(0, 1, 1, NO_ROW),
      right: Uint32Array.of(NO_ROW, 0, 2, 1),
    });
    expect((await join(gpu, [null, 'a'], ['a', null], { how: 'anti' })).left).toEqual(Uint32Array.of(0));
  });

  it('says that there are too many pairs, for a buffer or for 32 bits', async () => {
    const many = (count: number) => new Uint32Array(count).fill(3);
    await throwsCode(join(small, many(5800), many(5800)), 'too-large', '134 MB of rows');
    for (const how of ['inner', 'full'] as const) {
      await throwsCode(join(gpu, many(65_537), many(65_537), { how }), 'too-large', 'more than 2³² pairs');
    }
    const semi = await join(gpu, many(65_537), many(65_537), { how: 'semi' });
    expect(semi.left).toEqual(Uint32Array.from({ length: 65_537 }, (_, row) => row));
  });

  it('is not rebuilt from columns with missing values if it was made for others', async () => {
    using buffers = new TestBuffers(gpu);
    const column = { values: buffers.upload(Uint32Array.of(1, 2)), key: u32 as KeyType };
    const valid = buffers.upload(Uint32Array.of(1));
    for (const columns of [[column], [column, column]]) {
      const encoder = gpu.device.createCommandEncoder();
      using table = JoinTable.encodeBuild(gpu, encoder, { columns, count: 2 });
      const masked = columns.map((one) => ({ ...one, valid }));
      expect(() => table.encodeRebuild(encoder, { columns: masked, count: 2 })).toThrow('without `valid`');
      expect(() => table.encodeRebuild(encoder, { columns: [{ ...column, key: u64 as KeyType }], count: 1 })).toThrow(
        'u',
      );
      const three = { values: buffers.upload(Uint32Array.of(1, 2, 3)), key: u32 as KeyType };
      expect(() => table.encodeRebuild(encoder, { columns: columns.map(() => three), count: 3 })).toThrow(
        'this table was made for 2 rows, not 3; build a new one',
      );
      gpu.device.queue.submit([encoder.finish()]);
      await table.settle();
    }
  });

  it('by keys that the scheme does not hold is refused before it makes a buffer, and told to take another scheme', async () => {
    const columns = Array<Column>(12).fill(Uint32Array.of(1, 2, 1));
    const names = ['a', 'b', 'a'];
    const calls: Readonly<Record<string, (by: Columns, options: RowOptions) => Promise<unknown>>> = {
      join: (by, options) => join(gpu, by, by, options),
      'JoinTable.from': async (by, options) => (await JoinTable.from(gpu, by, options)).destroy(),
      countBy: (by, options) => countBy(gpu, by, options),
      distinct: (by, options) => distinct(gpu, by, options),
    };
    for (const [name, call] of Object.entries(calls)) {
      for (const [by, options] of [
        [columns, {}],
        [[...columns.slice(2), names, [1, null, 1]], {}],
        [[columns[0] as Column, names], { scheme: perfectSpatial() as never }],
      ] as const) {
        const { error, madeBytes } = await liveBuffers(gpu, () => call(by, options));
        expect(error).toMatchObject({ code: 'unsupported', message: expect.stringContaining('use another scheme') });
        expect(String(error)).toContain(`${name}: `);
        expect(madeBytes).toBe(0);
      }
    }
    expect(await distinct(gpu, columns, { scheme: cuckoo() })).toEqual(Uint32Array.of(0, 1));
  });

  it('reads arrays before it returns, and answers several calls at once', async () => {
    using table = await JoinTable.from(gpu, Uint32Array.of(1, 2, 1));
    const left = Uint32Array.of(1, 3);
    const calls = [table.join(left), table.join(left, { how: 'anti' }), join(gpu, left, left)];
    left.fill(9);
    expect(await Promise.all(calls)).toEqual([
      { left: Uint32Array.of(0, 0), right: Uint32Array.of(0, 2) },
      { left: Uint32Array.of(1), right: new Uint32Array() },
      { left: Uint32Array.of(0, 1), right: Uint32Array.of(0, 1) },
    ]);
  });

  it('takes bits of rows with zeros behind them, also as many bytes as there are rows', async () => {
    for (const rows of [1, 2, 8, 9, 64]) {
      const valid = new Uint8Array(rows).fill(1, 0, 1);
      const { left } = await join(gpu, { values: new Uint32Array(rows), valid }, Uint32Array.of(0));
      expect(left).toEqual(Uint32Array.of(0));
    }
  });

  it('says which column it refuses', async () => {
    const words = Uint32Array.of(1, 2);
    const none = new Uint32Array(2);
    const bits = new Uint8Array(1);
    for (const { buffer } of [none, bits]) structuredClone(buffer, { transfer: [buffer] });
    const wrong: readonly [() => Promise<unknown>, string][] = [
      [() => join(gpu, new Float64Array(2) as never, words), 'join: left must be'],
      [() => join(gpu, [words, words], [words, new Float64Array(2) as never]), 'join: right[1] must be'],
      [() => join(gpu, none, words), 'join: left: an array has lost its memory'],
      [
        () => join(gpu, { values: [] as number[], key: u32, valid: bits } as never, words),
        'left.valid: an array has lost',
      ],
      [() => countBy(gpu, [words, new Int16Array(2) as never]), 'countBy: by[1] must be'],
      [
        () => distinct(gpu, { values: words, valid: Uint8Array.of(0, 1) }),
        'distinct: columns.valid has a byte for every row',
      ],
    ];
    for (const [call, message] of wrong) {
      const error = await call().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(InvalidInputError);
      expect(String(error)).toContain(message);
    }
  });

  it('refuses what makes no sense before it makes a buffer, and frees those of calls that fail', async () => {
    const words = Uint32Array.of(1, 2);
    const wide = Array<Column>(9).fill(BigUint64Array.of(1n));
    const refused: readonly (() => Promise<unknown>)[] = [
      () => join(gpu, words, Int32Array.of(1)),
      () => join(gpu, words, [words, words]),
      () => join(gpu, [words, Uint32Array.of(1)], [words, words]),
      () => join(gpu, words, words, { how: 'outer' as How }),
      () => join(gpu, words, words, { hwo: 'left' } as never),
      () => join(gpu, words, { values: words, valid: new Uint8Array(0) }),
      () => join(gpu, words, { values: words, valid: [1] as never }),
      () => join(gpu, words, { values: words, count: 3 }),
      () => join(gpu, words, { valeus: words } as never),
      () => join(gpu, new Float64Array(2) as never, words),
      () => join(gpu, 7 as never, words),
      () => JoinTable.from(gpu, Array<Column>(16).fill(words)),
    ];
    for (const call of refused) {
      const { error, madeBytes } = await liveBuffers(gpu, call);
      expect([String(call), (error as { code?: string } | undefined)?.code]).toEqual([String(call), 'invalid-input']);
      expect(madeBytes).toBe(0);
    }
    await throwsCode(JoinTable.from(gpu, wide), 'unsupported');
    // Bits in a buffer that ends inside a word.
    const odd = gpu.device.createBuffer({ size: 5, usage: USAGE.STORAGE });
    const column = { values: new Uint32Array(33), valid: odd };
    await throwsCode(join(gpu, column, column), 'invalid-input');
    const many = gpu.upload('test/many', new Uint32Array(33));
    const columns = { values: many, key: u32 as KeyType, valid: odd };
    const encoder = gpu.device.createCommandEncoder();
    expect(() => JoinTable.encodeBuild(gpu, encoder, { columns, count: 33 })).toThrow('33');
    for (const buffer of [odd, many]) buffer.destroy();
    const { live } = await liveBuffers(gpu, async () => {
      const table = await JoinTable.from(gpu, [['a', 'b'], words]);
      await table.join([['a'], Uint32Array.of(1)], { how: 'full' });
      const encoder = gpu.device.createCommandEncoder();
      expect(() => table.encodeJoin(encoder, {} as never)).toThrow('columns');
      table.destroy();
      await throwsCode(table.join([['a'], Uint32Array.of(1)]), 'destroyed');
    });
    expect(live).toEqual([]);
  });

  it('writes no rows over the columns that they are of', async () => {
    using buffers = new TestBuffers(gpu);
    using table = await JoinTable.from(gpu, Uint32Array.of(1, 2));
    const [values, valid, other] = [buffers.words(4), buffers.words(4), buffers.words(4)];
    const encoder = gpu.device.createCommandEncoder();
    const join = (leftRows: GPUBuffer, rightRows: GPUBuffer, total: GPUBuffer) =>
      table.encodeJoin(encoder, {
        columns: [{ values, valid, key: u32 }],
        count: 4,
        leftRows,
        rightRows,
        total: { buffer: total },
      });
    const last = buffers.words(4);
    expect(() => join(values, other, last)).toThrow('columns and leftRows must not be the same buffer');
    expect(() => join(other, valid, last)).toThrow('columns and rightRows must not be the same buffer');
    expect(() => join(other, last, values)).toThrow('columns and total must not be the same buffer');
  });

  it('records nothing with a table that was destroyed, and says so', async () => {
    using buffers = new TestBuffers(gpu);
    const table = await JoinTable.from(gpu, Uint32Array.of(1, 2));
    table.destroy();
    const input = { columns: { values: buffers.words(4), key: u32 }, count: 4 };
    const output = { leftRows: buffers.words(4), rightRows: buffers.words(4), total: { buffer: buffers.words(1) } };
    const encoder = gpu.device.createCommandEncoder();
    for (const call of [
      () => table.encodeJoin(encoder, { ...input, ...output }),
      () => table.encodeRebuild(encoder, input),
    ]) {
      expect(call).toThrow('this table was destroyed');
    }
  });

  it('says so if its table is destroyed meanwhile, whenever that is', async () => {
    for (let wait = 0; wait < 12; wait++) {
      const table = await JoinTable.from(gpu, [['a', 'b'], Uint32Array.of(1, 2)]);
      const joined = table.join([['a'], Uint32Array.of(1)]).then(
        ({ left }) => left.length,
        (error: { code?: string }) => error.code,
      );
      await new Promise((resolve) => setTimeout(resolve, wait / 2));
      table.destroy();
      expect([1, 'destroyed']).toContain(await joined);
    }
  });
});
