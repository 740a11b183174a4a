import { type Data, makeVector, Table, Utf8, vectorFromArray } from 'apache-arrow';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { caseless } from '../../examples/strings.ts';
import { InvalidInputError, record, UnsupportedError } from '../../src/gpu/index.ts';
import { mix, polynomial32, randomWords, universal } from '../../src/hashing/index.ts';
import {
  arrowKeys,
  bindContext,
  bytes,
  type EncodedKeys,
  type KeyAccess,
  type KeySide,
  type KeyType,
  sliceKeys,
  u32,
  utf8,
} from '../../src/keys/index.ts';
import { kernel, storage, type Wgsl, type WgslPart, wgsl } from '../../src/wgsl/index.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();

const encoder = new TextEncoder();
const concat = (pieces: readonly Uint8Array[]): Uint8Array => {
  // Each piece begins at a multiple of four bytes.
  const all = pieces.flatMap((piece) => [...piece, ...Array((4 - (piece.length % 4)) % 4).fill(0)]);
  return Uint8Array.from(all);
};

/** Runs WGSL over pairs of keys: those of one side at `left`, those of another at `right`. */
async function evaluatePairs(
  key: KeyType<readonly string[]>,
  pairs: readonly (readonly [string, string])[],
  code: (sides: { a: KeyAccess; b: KeyAccess; left: WgslPart; right: WgslPart }) => readonly WgslPart[],
): Promise<number[][]> {
  const [a, b] = [key.access('table'), key.access('needle')];
  const encoded = [key.encode(pairs.map(([one]) => one)), key.encode(pairs.map(([, other]) => other))] as [
    EncodedKeys,
    EncodedKeys,
  ];
  const [lefts, rights] = [storage('lefts', 'array<vec2u>'), storage('rights', 'array<vec2u>')];
  const outputs = storage('outputs', 'array<u32>', 'read_write');
  const results = code({ a, b, left: a.of(wgsl`${lefts}[item]`), right: b.of(wgsl`${rights}[item]`) });
  const body = results.reduce(
    (before: Wgsl, result, i) => wgsl`${before}
  ${outputs}[item * ${results.length}u + ${i}u] = ${result};`,
    wgsl`if (item >= ${pairs.length}u) { return; }`,
  );
  const buffers = [
    ...encoded.map(({ words }) => gpu.upload('test/words', words)),
    ...encoded.map(({ context }) => gpu.upload('test/bytes', concat(context ?? []))),
    gpu.createBuffer('test/results', pairs.length * results.length * 4),
  ] as [GPUBuffer, GPUBuffer, GPUBuffer, GPUBuffer, GPUBuffer];
  const [got] = await gpu.run(
    (commands) =>
      record(gpu, commands, 'test', (recorder) =>
        recorder.run(
          kernel({ label: 'test/pairs', threads: 64, body }),
          [
            ...bindContext(key as KeyType, a, buffers[2]),
            ...bindContext(key as KeyType, b, buffers[3]),
            [lefts, buffers[0]],
            [rights, buffers[1]],
            [outputs, buffers[4]],
          ],
          pairs.length,
        ),
      ),
    [{ buffer: buffers[4], bytes: pairs.length * results.length * 4 }],
  );
  for (const buffer of buffers) buffer.destroy();
  const words = new Uint32Array(got as ArrayBuffer);
  return pairs.map((_, i) => [...words.subarray(i * results.length, (i + 1) * results.length)]);
}

const compareBytes = (a: string, b: string): number => Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b)));

const AWKWARD = [
  '',
  '\0',
  '\0\0',
  'a',
  'a\0',
  'ab',
  'abc',
  'abcd',
  'abcde',
  'abcdf',
  'abcd\0',
  'b',
  'ä',
  '日本',
  '日本語',
  '🙂',
  '\u{10ffff}',
  '\uffff',
  'x'.repeat(33),
];
const random = randomWords(8);
const pairs = [
  ...AWKWARD.flatMap((a) => AWKWARD.map((b) => [a, b] as const)),
  // Longer ones that share a beginning of any length.
  ...Array.from({ length: 60 }, (_, i) => {
    const start = 'q'.repeat(i);
    return [`${start}${random() % 3}`, `${start}${random() % 3}`] as const;
  }),
];

describe('strings', () => {
  it('are compared byte by byte, across sides', async () => {
    const got = await evaluatePairs(utf8, pairs, ({ a, b, left, right }) => {
      const order = utf8.order as NonNullable<typeof utf8.order>;
      return [
        wgsl`u32(${utf8.equals(a, b)}(${left}, ${right}))`,
        wgsl`u32(${order.less(a, b)}(${left}, ${right}))`,
        wgsl`${order.lead(a)}(${left})`,
        wgsl`${order.lead(b)}(${right})`,
      ];
    });
    expect(got.map(([equal, less]) => [equal, less])).toEqual(
      pairs.map(([a, b]) => [Number(a === b), Number(compareBytes(a, b) < 0)]),
    );
    // A lesser key never has a greater lead, and different leads decide.
    for (const [i, [, , leadA = 0, leadB = 0]] of got.entries()) {
      const [a, b] = pairs[i] as readonly [string, string];
      if (leadA !== leadB) expect(Math.sign(leadA - leadB)).toBe(compareBytes(a, b));
    }
  });

  it('are hashed on the host from their own bytes, in whatever piece those lie', () => {
    const constants = mix.draw(randomWords(3));
    const chunk = (strings: readonly string[]) => ({
      length: strings.length,
      nullCount: 0,
      values: encoder.encode(strings.join('')),
      valueOffsets: Int32Array.from([0, ...strings.map((_, i) => strings.slice(0, i + 1).join('').length)]),
    });
    const chunks = [['one', 'three'], [''], ['seven', 'nine', 'eleven'], ['x']];
    const pieces = arrowKeys(utf8, { data: chunks.map(chunk) });
    const strings = chunks.flat();
    const hash = (keys: EncodedKeys, item: number) => utf8.hashTwin?.(keys, item, mix, constants);
    expect(strings.map((_, i) => hash(pieces, i))).toEqual(strings.map((string) => hash(utf8.encode([string]), 0)));
    expect(hash(pieces, 1)).toEqual(mix.stream?.twin(5, [0x65726874, 0x65], constants));
  });

  it.each([mix, universal])(
    'are hashed by $name from all their bytes and their length, wherever they lie',
    async (family) => {
      const constants = family.draw(random);
      const text = wgsl`vec4u(${constants.map((c) => `${c}u`).join(', ')})`;
      const got = await evaluatePairs(utf8, pairs, ({ a, left, right, b }) => [
        wgsl`${utf8.hash(a, family)}(${left}, ${text}).x`,
        wgsl`${utf8.hash(a, family)}(${left}, ${text}).y`,
        wgsl`${utf8.hash(b, family)}(${right}, ${text}).x`,
      ]);
      const twin = (string: string) => {
        const stored = encoder.encode(string);
        const padded = new Uint8Array(Math.ceil(stored.length / 4) * 4);
        padded.set(stored);
        return family.stream?.twin(stored.length, new Uint32Array(padded.buffer), constants);
      };
      expect(got.map(([x, y]) => [x, y])).toEqual(pairs.map(([a]) => twin(a)));
      expect(got.map(([, , x]) => x)).toEqual(pairs.map(([, b]) => twin(b)?.[0]));
    },
  );

  it('come back as they were', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), (strings) => {
        const { words, context, count } = utf8.encode(strings);
        expect(count).toBe(strings.length);
        expect(utf8.decode(words, concat(context ?? []))).toEqual(strings);
      }),
    );
  });

  it('lie side by side, whatever iterable they come from', () => {
    const given = ['ada', '', 'bob', 'a longer one, so that room has to be made'].map((text) => encoder.encode(text));
    for (const keys of [given, new Set(given)]) {
      const { count, words, context } = bytes.encode(keys as Uint8Array[]);
      expect(count).toBe(4);
      expect([...words]).toEqual([0, 3, 3, 0, 3, 3, 6, 41]);
      expect(concat(context ?? []).subarray(0, 47)).toEqual(Uint8Array.from(given.flatMap((key) => [...key])));
    }
  });

  it('are refused where they are no text', () => {
    expect(() => utf8.encode(['fine', 'half \ud83d'])).toThrow(InvalidInputError);
    expect(() => utf8.encode(['\udc00'])).toThrow('half a surrogate pair');
    expect(utf8.accepts(['a', 1])).toBe(false);
    expect(utf8.accepts(new Uint8Array(3))).toBe(false);
  });

  it('are refused by hash families for one word, with the reason', () => {
    const hash = () => utf8.hash(utf8.access('input'), polynomial32);
    expect(hash).toThrow(UnsupportedError);
    expect(hash).toThrow(/polynomial32.*utf8/);
  });

  it('have another WGSL type and another buffer on every side', () => {
    const sides: KeySide[] = ['table', 'input', 'needle'];
    expect(new Set(sides.map((side) => utf8.access(side).type)).size).toBe(3);
    expect(new Set(sides.map((side) => utf8.access(side).context)).size).toBe(3);
    // Two tables in one kernel have a type and a buffer each.
    for (const side of sides) {
      expect(utf8.access(side).type).not.toBe(utf8.access(side).type);
      expect(utf8.access(side).context).not.toBe(utf8.access(side).context);
    }
  });
});

describe('strings that are folded', () => {
  it('are equal, hashed and ordered by what they fold to', async () => {
    const cases = [
      ['Ada', 'aDA'],
      ['ADAM', 'ada'],
      ['[@]', '{`}'],
      ['É', 'é'],
      ['Zebra', 'aardvark'],
      ['', ''],
    ] as const;
    const got = await evaluatePairs(caseless, cases, ({ a, b, left, right }) => {
      const hash = (side: KeyAccess, one: WgslPart) => wgsl`${caseless.hash(side, mix)}(${one}, vec4u(1u, 2u, 3u, 4u))`;
      return [
        wgsl`u32(${caseless.equals(a, b)}(${left}, ${right}))`,
        wgsl`u32(all(${hash(a, left)} == ${hash(b, right)}))`,
        wgsl`u32(${caseless.order?.less(a, b) as WgslPart}(${left}, ${right}))`,
      ];
    });
    const lower = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
    expect(got).toEqual(
      cases.map(([a, b]) => {
        const same = Number(lower(a) === lower(b));
        return [same, same, Number(compareBytes(lower(a), lower(b)) < 0)];
      }),
    );
  });
});

describe('keys that lie in one array already', () => {
  const text = encoder.encode('adabobeve');

  it('are slices of it, without a copy', () => {
    const keys = sliceKeys(utf8, { bytes: text, offsets: Uint32Array.of(0, 3, 3, 6, 9) });
    expect(keys.count).toBe(4);
    expect(keys.context?.[0]?.buffer).toBe(text.buffer);
    expect(utf8.decode(keys.words, keys.context?.[0])).toEqual(['ada', '', 'bob', 'eve']);
  });

  it('may be a part of it', () => {
    const keys = sliceKeys(bytes, { bytes: text, offsets: Uint32Array.of(3, 6) });
    expect(bytes.decode(keys.words, keys.context?.[0])).toEqual([encoder.encode('bob')]);
    expect(sliceKeys(bytes, { bytes: text, offsets: new Uint32Array(0) }).count).toBe(0);
  });

  it.each([
    [Uint32Array.of(0, 10), 'but there are 9 bytes'],
    [Uint32Array.of(0, 3, 2), 'the offsets go back from 3 to 2'],
    [Int32Array.of(-1, 2), 'reach from -1'],
  ])('are refused if the offsets are wrong', (offsets, reason) => {
    expect(() => sliceKeys(utf8, { bytes: text, offsets })).toThrow(InvalidInputError);
    expect(() => sliceKeys(utf8, { bytes: text, offsets })).toThrow(reason);
  });

  it('are of a type with bytes', () => {
    expect(() => sliceKeys(u32, { bytes: text, offsets: Uint32Array.of(0, 4) })).toThrow(
      'sliceKeys: u32 keys are no slices',
    );
  });
});

describe('columns of Apache Arrow', () => {
  const names = ['ada', '', 'bob', '日本', 'eve'];
  const decoded = ({ words, context = [] }: EncodedKeys) => utf8.decode(words, concat(context));

  it('are taken as they are, chunk by chunk, without copying their bytes', () => {
    const [one, two] = [vectorFromArray(names, new Utf8()), vectorFromArray(['x', 'yz'], new Utf8())];
    const column = one.concat(two);
    const keys = arrowKeys(utf8, column);
    expect(decoded(keys)).toEqual([...names, 'x', 'yz']);
    expect(keys.context?.map(({ buffer }) => buffer)).toEqual(column.data.map(({ values }) => values.buffer));
  });

  it('may be sliced, or a column of a table', () => {
    expect(decoded(arrowKeys(utf8, vectorFromArray(names, new Utf8()).slice(1, 4)))).toEqual(names.slice(1, 4));
    const table = new Table({ name: vectorFromArray(names, new Utf8()) });
    expect(decoded(arrowKeys(utf8, table.getChild('name') as never))).toEqual(names);
  });

  it('with nulls, or of numbers, are refused', () => {
    expect(() => arrowKeys(utf8, vectorFromArray(['a', null, 'b'], new Utf8()))).toThrow('1 nulls');
    const numbers = makeVector(Int32Array.of(1, 2)) as unknown as { data: Data<Utf8>[] };
    expect(() => arrowKeys(utf8, numbers)).toThrow('arrowKeys: column must have strings or bytes');
  });
});
