/** What plain JavaScript can pass to a call that does not take it, and how calls are asked to refuse it. */
import { describe, expect, it } from 'vitest';
import { type Gpu, HashnestError } from '../../src/index.ts';
import { watchBuffers } from '../liveBuffers.ts';

export const typedArrays = {
  int8: new Int8Array(12),
  uint8: new Uint8Array(12),
  clamped: new Uint8ClampedArray(12),
  int16: new Int16Array(12),
  uint16: new Uint16Array(12),
  int32: new Int32Array(4),
  uint32: new Uint32Array(4),
  float32: new Float32Array(4),
  float64: new Float64Array(4),
  bigInt64: new BigInt64Array(4),
  bigUint64: new BigUint64Array(4),
};

/** What nobody would pass on purpose, by name. */
const oddValues = (gpu: Gpu, buffer: GPUBuffer) => ({
  undefined: undefined,
  null: null,
  NaN: Number.NaN,
  infinity: Number.POSITIVE_INFINITY,
  negative: -1,
  fraction: 1.5,
  huge: 2 ** 53,
  zero: 0,
  bigint: 10n,
  true: true,
  empty: '',
  text: 'text',
  symbol: Symbol('odd'),
  function: () => {},
  class: Uint32Array,
  array: [],
  numbers: [1, 2],
  strings: ['a', 'b'],
  holes: new Array(3),
  sparse: new Array(2 ** 32 - 1),
  object: {},
  bare: Object.create(null),
  lengthy: { length: 2 ** 40 },
  date: new Date(0),
  promise: Promise.resolve(),
  dataView: new DataView(new ArrayBuffer(16)),
  arrayBuffer: new ArrayBuffer(16),
  proxy: new Proxy(new Uint32Array(4), {}),
  impostor: Object.create(Uint32Array.prototype),
  device: gpu.device,
  gpu,
  buffer,
  uniforms: gpu.device.createBuffer({ size: 16, usage: 0x40 }),
  place: { buffer, offset: 0 },
  misplaced: { buffer, offset: 2 },
  ...typedArrays,
});
export type Odd = keyof ReturnType<typeof oddValues>;

export const NUMBERS: Odd[] = ['NaN', 'infinity', 'negative', 'fraction', 'huge', 'zero'];
export const OBJECTS: Odd[] = [
  'object',
  'bare',
  'lengthy',
  'date',
  'promise',
  'place',
  'misplaced',
  'gpu',
  'device',
  'buffer',
  'arrayBuffer',
  'impostor',
  'uniforms',
];

export interface Refusal {
  /** As messages begin. */
  readonly call: string;
  /** As messages name it: a regular expression. */
  readonly argument: string;
  /** Makes the call with something else there. */
  readonly make: (odd: never) => unknown;
  /** What may be passed all the same. */
  readonly fine: readonly Odd[];
}

export const refusal = (
  call: string,
  argument: string,
  make: (odd: never) => unknown,
  fine: readonly Odd[] = [],
): Refusal => ({
  call,
  argument,
  make,
  fine,
});

/** Throws or rejects, as the caller would see it. */
export const errorOf = async (call: () => unknown): Promise<unknown> => {
  try {
    await call();
    return undefined;
  } catch (error) {
    return error;
  }
};

/** Declares a test of every refusal: the right error for all odd values but those that are fine, and no buffer is left. */
export function describeRefusals(
  gpu: Gpu,
  buffer: GPUBuffer,
  groups: Readonly<Record<string, readonly Refusal[]>>,
): void {
  const odds = Object.entries(oddValues(gpu, buffer));
  describe.each(Object.entries(groups))('calls: %s', (_, refusals) => {
    it.each(refusals.map((one) => [`${one.call} (${one.argument})`, one] as const))(
      '%s',
      async (_, { call, argument, make, fine }) => {
        const live = watchBuffers(gpu);
        const wrong: string[] = [];
        for (const [name, odd] of odds) {
          if (fine.includes(name as Odd)) continue;
          const error = await errorOf(() => make(odd as never));
          const told =
            error instanceof HashnestError && new RegExp(argument).test(error.message) && error.message.includes(call);
          if (!told) wrong.push(`${name}: ${error}`);
        }
        live.restore();
        expect(wrong).toEqual([]);
        expect(live.count()).toBe(0);
      },
    );
  });
}
