/** Which answers of a call share a buffer on their way to the host. */
import { describe, expect, it } from 'vitest';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();
const MOST_TOGETHER = 2 ** 26;

/** Reads so many bytes of as many buffers, or of parts of one; tells how large the buffers were that they came by. */
async function stagedFor(sizes: readonly number[]): Promise<number[]> {
  const { spare } = gpu;
  const { take } = spare;
  const taken: number[] = [];
  spare.take = (kind, bytes) => {
    if (kind === 'readback') taken.push(bytes);
    return take.call(spare, kind, bytes);
  };
  const buffer = gpu.createBuffer('test', Math.max(4, ...sizes));
  try {
    const reads = await gpu.run(
      () => {},
      sizes.map((bytes) => ({ buffer, bytes })),
    );
    expect(reads.map(({ byteLength }) => byteLength)).toEqual(sizes);
  } finally {
    spare.take = take;
    buffer.destroy();
  }
  return taken;
}

describe('answers', () => {
  it('that are small come by one buffer, each from a place that can be mapped', async () => {
    expect(await stagedFor([4])).toEqual([8]);
    expect(await stagedFor([4, 12, 5, 0, 8])).toEqual([8 + 16 + 8 + 0 + 8]);
    expect(await stagedFor([0])).toEqual([8]);
    expect(await stagedFor([])).toEqual([]);
  });

  it('that are large together come by a buffer each', async () => {
    expect(await stagedFor([MOST_TOGETHER - 8, 8])).toEqual([MOST_TOGETHER]);
    expect(await stagedFor([MOST_TOGETHER, 4])).toEqual([MOST_TOGETHER, 8]);
  });
});
