import { describe, expect, it } from 'vitest';
import { Aggregate, HashMap, KeyIndex, valueTypes } from '../../src/collections/index.ts';
import { linearProbing } from '../../src/schemes/index.ts';
import { TestBuffers } from '../conformance/buffers.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();
const scheme = linearProbing();
const keys = Uint32Array.of(5, 6);
const queries = Uint32Array.of(5, 7);

/** The words that commands write for the queries into a buffer that held something else. */
async function encoded(
  words: number,
  encode: (encoder: GPUCommandEncoder, io: { queries: GPUBuffer; output: GPUBuffer; count: number }) => void,
): Promise<number[]> {
  using buffers = new TestBuffers(gpu);
  const output = buffers.upload(new Uint32Array(2 * words).fill(99));
  await gpu.run((encoder) => encode(encoder, { queries: buffers.upload(queries), output, count: 2 }));
  return [...(await buffers.read(output, 2 * words))];
}

describe('a key that is not there, where nothing is said of such keys', () => {
  it('has the value 0 in a map', async () => {
    using map = await HashMap.from(gpu, { keys, values: Uint32Array.of(8, 9) }, { scheme });
    expect([...(await map.get(queries)).values]).toEqual([8, 0]);
    const got = await encoded(1, (encoder, { output: values, ...io }) => map.encodeGet(encoder, { ...io, values }));
    expect(got).toEqual([8, 0]);
  });

  it('has a vector of zeros in a map of vectors', async () => {
    const values = Uint32Array.of(1, 2, 3, 4, 5, 6);
    using map = await HashMap.from(gpu, { keys, values }, { scheme, value: valueTypes.vec3u });
    expect([...(await map.get(queries)).values]).toEqual([1, 2, 3, 0, 0, 0]);
    const got = await encoded(3, (encoder, { output, ...io }) => map.encodeGet(encoder, { ...io, values: output }));
    expect(got).toEqual([1, 2, 3, 0, 0, 0]);
  });

  it('has the id 2³² − 1 in an index', async () => {
    using index = await KeyIndex.from(gpu, { keys }, { scheme });
    const [id] = await index.ids(Uint32Array.of(5));
    expect([...(await index.ids(queries))]).toEqual([id, 0xffff_ffff]);
    const got = await encoded(1, (encoder, { output: ids, ...io }) => index.encodeIds(encoder, { ...io, ids }));
    expect(got).toEqual([id, 0xffff_ffff]);
  });

  it('has the result 0 in an aggregate', async () => {
    using sums = await Aggregate.from(gpu, { keys, values: Uint32Array.of(8, 9) }, { scheme, combine: 'sum' });
    expect([...(await sums.get(queries)).values]).toEqual([8, 0]);
    const got = await encoded(1, (encoder, { output: values, ...io }) => sums.encodeGet(encoder, { ...io, values }));
    expect(got).toEqual([8, 0]);
  });
});
