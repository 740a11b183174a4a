import { describe, expect, it } from 'vitest';
import { SparseImage, SparseVolume } from '../../src/apps.ts';
import { randomWords } from '../../src/hashing/index.ts';
import { FormatError, HashMap, HashnestError, linearProbing } from '../../src/index.ts';
import { pack, unpack } from '../forging/forge.ts';
import { mutated } from '../forging/mutate.ts';
import { liveBuffers } from '../liveBuffers.ts';
import { sharedGpu } from '../sharedGpu.ts';
import { bytesOf, sparseWords, WHITE, WHITE_BYTES } from './pictures.ts';

const gpu = await sharedGpu();
const [width, height, depth] = [14, 9, 6];
const pixels = sparseWords(width * height, 0.4, WHITE);
const voxels = sparseWords(width * height * depth, 0.4, 0);
const image = await SparseImage.from(gpu, { width, height, pixels }, { background: WHITE_BYTES });
const volume = await SparseVolume.from(gpu, { width, height, depth, voxels });
const savedImage = await image.toBytes();
const savedVolume = await volume.toBytes();

describe('a saved picture or volume', () => {
  it('is opened as it was', async () => {
    using opened = await SparseImage.fromBytes(gpu, savedImage);
    expect([opened.width, opened.height, opened.background, opened.size]).toEqual([
      width,
      height,
      [...WHITE_BYTES],
      image.size,
    ]);
    expect(await opened.pixels()).toEqual(bytesOf(pixels));
    using body = await SparseVolume.fromBytes(gpu, savedVolume);
    expect([body.width, body.height, body.depth, body.background]).toEqual([width, height, depth, [0, 0, 0, 0]]);
    expect(await body.voxels()).toEqual(bytesOf(voxels));
  });

  it('is opened by its scheme, which is named', async () => {
    const scheme = linearProbing({ loadFactor: 0.95 });
    using made = await SparseImage.from(gpu, { width, height, pixels }, { scheme });
    const bytes = await made.toBytes();
    await expect(SparseImage.fromBytes(gpu, bytes)).rejects.toThrow(/built by 'linearProbing'/);
    using opened = await SparseImage.fromBytes(gpu, bytes, { scheme: linearProbing() });
    expect(opened.map.loadFactor).toBe(made.map.loadFactor);
    expect(await opened.pixels()).toEqual(bytesOf(pixels));
  });

  it('is opened from a `Buffer` of Node, and from a part of an array', async () => {
    const larger = new Uint8Array(savedImage.length + 10);
    larger.set(savedImage, 5);
    for (const bytes of [Buffer.from(savedImage), larger.subarray(5, -5)]) {
      using opened = await SparseImage.fromBytes(gpu, bytes);
      expect(await opened.pixels()).toEqual(bytesOf(pixels));
    }
  });
});

describe('bytes are refused that', () => {
  const forged = (change: Record<string, unknown>) => {
    const { description, ...rest } = unpack(savedImage);
    return pack({ ...rest, description: { ...description, ...change } });
  };

  it.each<[string, Record<string, unknown>, RegExp]>([
    ['have no width', { width: undefined }, /the field 'width' is missing/],
    ['have a width of zero', { width: 0 }, /width must be a whole number from 1 to 65535/],
    ['have too great a height', { height: 65_536 }, /height must be a whole number from 1 to 65535/],
    ['have half a pixel', { height: 1.5 }, /the field 'height'/],
    ['have a width of text', { width: '14' }, /the field 'width'/],
    ['have no background', { background: undefined }, /the field 'background'/],
    ['have a background of more than a word', { background: 2 ** 32 }, /the field 'background'/],
    ['have fewer pixels than are stored', { width: 1, height: 2 }, /cells were saved, of a grid that has 2/],
    ['are of another kind', { kind: 'map' }, /it is that of a map, not of a sparseImage/],
    ['are of no kind', { kind: undefined }, /it is that of a undefined/],
  ])('%s', async (_, change, message) => {
    const { error, live } = await liveBuffers(gpu, () => SparseImage.fromBytes(gpu, forged(change)));
    expect(error).toBeInstanceOf(FormatError);
    expect((error as Error).message).toMatch(message);
    expect(live).toEqual([]);
  });

  it('are those of a volume, of a map, or of nothing', async () => {
    await expect(SparseImage.fromBytes(gpu, savedVolume)).rejects.toThrow(
      /that of a sparseVolume, not of a sparseImage/,
    );
    await expect(SparseVolume.fromBytes(gpu, savedImage)).rejects.toThrow(
      /that of a sparseImage, not of a sparseVolume/,
    );
    const map = await image.map.toBytes();
    await expect(SparseImage.fromBytes(gpu, map)).rejects.toThrow(/that of a map/);
    await expect(HashMap.fromBytes(gpu, savedImage)).rejects.toThrow(/that of a sparseImage/);
    await expect(SparseImage.fromBytes(gpu, new Uint8Array())).rejects.toThrow(/bytes is empty/);
    await expect(SparseImage.fromBytes(gpu, 'bytes' as never)).rejects.toThrow(/bytes must be a Uint8Array/);
  });

  it('hold a table of other keys or values', async () => {
    const { description, version } = unpack(savedImage);
    using other = await HashMap.from(gpu, { keys: Int32Array.of(1), values: Uint32Array.of(2) });
    const body = await other.toBytes();
    await expect(SparseImage.fromBytes(gpu, pack({ version, description, body }))).rejects.toThrow(/key type 'i32'/);
    using floats = await HashMap.from(gpu, { keys: Uint32Array.of(1), values: Float32Array.of(2) });
    const values = await floats.toBytes();
    await expect(SparseImage.fromBytes(gpu, pack({ version, description, body: values }))).rejects.toThrow(
      /value type 'f32'/,
    );
  });

  it('are cut off or damaged', async () => {
    for (let length = 1; length < savedImage.length; length += 1 + (length >> 3)) {
      await expect(SparseImage.fromBytes(gpu, savedImage.subarray(0, length))).rejects.toThrow(FormatError);
    }
    const damaged = savedImage.slice();
    damaged[damaged.length >> 1] = (damaged[damaged.length >> 1] as number) ^ 1;
    await expect(SparseImage.fromBytes(gpu, damaged)).rejects.toThrow(/damaged/);
  });

  it('hold a table that somebody has changed, or the picture has other pixels and no more than that', async () => {
    const { description, version, body } = unpack(savedImage);
    const random = randomWords(7);
    let refused = 0;
    for (let i = 0; i < 60; i++) {
      const bytes = pack({ version, description, body: Uint8Array.from(mutated(random, body, body).file) });
      try {
        using opened = await SparseImage.fromBytes(gpu, bytes);
        expect((await opened.pixels()).length).toBe(4 * width * height);
      } catch (error) {
        expect(error).toBeInstanceOf(HashnestError);
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(10);
  });
});
