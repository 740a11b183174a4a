/** Every call with things that it does not take, as plain JavaScript can pass them. */
import { afterAll, describe, expect, it } from 'vitest';
import { SparseImage, SparseVolume } from '../../src/apps.ts';
import { DestroyedError, HashnestError, linearProbing, perfectSpatial, TooLargeError } from '../../src/index.ts';
import { watchBuffers } from '../liveBuffers.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();
const pixels = new Uint32Array(12);
const good = { width: 4, height: 3, pixels };
const buffer = gpu.upload('test/pixels', pixels);
const unusable = gpu.createBuffer('test/unusable', 48, 0x8);
const encoder = gpu.device.createCommandEncoder();
const encoded = { width: 4, height: 3, pixels: buffer };
const image = await SparseImage.from(gpu, good);
const volume = await SparseVolume.from(gpu, { width: 2, height: 2, depth: 3, voxels: pixels });
const gone = new Uint8Array(48);
structuredClone(gone, { transfer: [gone.buffer] });

afterAll(() => {
  for (const made of [buffer, unusable, image, volume]) made.destroy();
});

type Call = () => unknown;
const from =
  (input: unknown, options?: unknown): Call =>
  () =>
    SparseImage.from(gpu, input as never, options as never);
const build =
  (input: unknown, options?: unknown, target: unknown = encoder): Call =>
  () =>
    SparseImage.encodeBuild(gpu, target as never, input as never, options as never);

const REFUSED: readonly (readonly [Call, RegExp])[] = [
  [() => SparseImage.from(undefined as never, good), /^SparseImage\.from: gpu must be a Gpu/],
  [from(undefined), /^SparseImage\.from: input must be an object/],
  [from(pixels), /input must be an object/],
  [from({ ...good, widht: 4, width: undefined }), /input have no widht; did you mean width\?/],
  [from({ ...good, width: 0 }), /width must be a whole number from 1 to 65535, not 0/],
  [from({ ...good, width: -4 }), /width must be/],
  [from({ ...good, height: 2.5 }), /height must be/],
  [from({ ...good, height: '3' }), /height must be a whole number from 1 to 65535, not '3'/],
  [from({ ...good, width: 65_536 }), /width must be/],
  [from({ ...good, width: Number.NaN }), /width must be/],
  [from({ width: 4, height: 3 }), /pixels must be a Uint8Array, a Uint8ClampedArray or a Uint32Array, not undefined/],
  [from({ ...good, pixels: [1, 2, 3] }), /pixels must be .*, not Array\(3\)/],
  [from({ ...good, pixels: new Float32Array(12) }), /pixels must be .*, not Float32Array\(12\)/],
  [from({ ...good, pixels: new Proxy(pixels, {}) }), /pixels must be/],
  [from({ ...good, pixels: new Uint8Array(12) }), /pixels has 12 bytes, but 4 × 3 cells take 48: four each/],
  [from({ ...good, pixels: new Uint32Array(13) }), /pixels has 52 bytes/],
  [from({ ...good, pixels: gone }), /pixels: an array has lost its memory/],
  [from(good, { background: gone }), /background must be four whole numbers from 0 to 255, not Uint8Array\(0\)/],
  [from({ ...good, height: 30, pixels: buffer }), /pixels has 48 bytes, but 4 × 30 cells take 480/],
  [from({ ...good, pixels: unusable }), /pixels must be a buffer with the usage STORAGE/],
  [
    from({ ...good, pixels: undefined, points: [1, 2] }),
    /points must be an Int32Array or a Uint32Array, not Array\(2\)/,
  ],
  [from({ ...good, points: Int32Array.of(1, 1), colours: pixels }), /input has pixels and points: only one of them/],
  [from({ width: 4, height: 3, points: Int32Array.of(1) }), /points has 1 coordinates; each point takes 2/],
  [from({ width: 4, height: 3, points: Int32Array.of(1, 1, -1, 2), colours: pixels }), /\(-1, 2\) is outside of 4 × 3/],
  [from({ width: 4, height: 3, points: Int32Array.of(1, 1, 4, 2), colours: pixels }), /\(4, 2\) is outside of 4 × 3/],
  [
    from({ width: 4, height: 3, points: Int32Array.of(1, 1), colours: pixels }),
    /colours has 48 bytes, but 1 points take 4/,
  ],
  [from({ width: 4, height: 3, points: Int32Array.of(1, 1) }), /colours must be/],
  [from(good, { backgroud: [0, 0, 0, 0] }), /options have no backgroud; did you mean background\?/],
  [from(good, { background: 0 }), /background must be four whole numbers from 0 to 255, not 0/],
  [from(good, { background: [0, 0, 0] }), /background must be/],
  [from(good, { background: [0, 0, 0, 256] }), /background must be/],
  [from(good, { background: [0, 0, 0, 0.5] }), /background must be/],
  [from(good, { background: 'abcd' }), /background must be/],
  [from(good, { scheme: linearProbing }), /^SparseImage\.from: scheme must be called/],
  [from(good, { scheme: 'cuckoo' }), /scheme must be a scheme such as/],
  [from(good, { scheme: perfectSpatial() }), /perfectSpatial/],
  [from(good, { seed: -1 }), /^SparseImage\.from: seed must be/],
  [build({ ...encoded, pixels }), /^SparseImage\.encodeBuild: pixels must be a GPUBuffer, not Uint32Array/],
  [build({ ...encoded, pixels: unusable }), /usage STORAGE/],
  [build({ ...encoded, most: -1 }), /most must be a whole number/],
  [build({ ...encoded, most: 1.5 }), /most must be a whole number/],
  [build({ ...encoded, pixels: undefined, pixel: buffer }), /input have no pixel; did you mean pixels\?/],
  [build({ ...encoded, widht: 4, width: undefined }), /input have no widht; did you mean width\?/],
  [build({ ...encoded, mots: 5 }), /input have no mots; did you mean most\?/],
  [
    () => SparseVolume.encodeBuild(gpu, encoder, { width: 2, height: 2, depth: 3, voxel: buffer } as never),
    /^SparseVolume\.encodeBuild: input have no voxel; did you mean voxels\?/,
  ],
  [
    () => SparseVolume.encodeBuild(gpu, encoder, { width: 2, height: 2, dept: 3, voxels: buffer } as never),
    /input have no dept; did you mean depth\?/,
  ],
  [
    () => SparseVolume.from(gpu, { width: 2, height: 2, depth: 3, voxel: pixels } as never),
    /^SparseVolume\.from: input have no voxel; did you mean voxels\?/,
  ],
  [() => image.encodeRebuild(encoder, { pixel: buffer } as never), /input have no pixel; did you mean pixels\?/],
  [() => volume.encodeRebuild(encoder, { voxel: buffer } as never), /input have no voxel; did you mean voxels\?/],
  [build(encoded, {}, gpu.device), /target must be a GPUCommandEncoder/],
  [build(encoded, { seed: 'a' }), /seed must be/],
  [() => image.encodeRebuild(encoder, { pixels: buffer }), /only what encodeBuild made can be rebuilt/],
  [() => image.encodeRebuild(encoder, undefined as never), /input must be an object/],
  [() => image.get([1, 2] as never), /^SparseImage\.get: points must be an Int32Array or a Uint32Array/],
  [() => image.get(Uint32Array.of(1, 2, 3)), /points has 3 coordinates; each point takes 2/],
  [() => volume.get(Uint32Array.of(1, 2, 3, 4)), /^SparseVolume\.get: points has 4 coordinates; each point takes 3/],
  [() => image.encodeUnpack(encoder, {} as never), /output must be a GPUBuffer or a GPUTexture, not undefined/],
  [() => image.encodeUnpack(encoder, { output: unusable }), /output must be a buffer with the usage STORAGE/],
  [() => image.encodeUnpack(undefined as never, { output: buffer }), /target must be/],
  [() => image.wgsl({ name: '1', group: 0 }), /^SparseImage\.wgsl: name must be a name that WGSL may have/],
  [() => image.wgsl({ group: 0 } as never), /name must be/],
  [
    () => SparseVolume.from(gpu, { ...good, voxels: pixels } as never),
    /^SparseVolume\.from: depth must be a whole number from 1 to 1024/,
  ],
  [() => SparseVolume.from(gpu, { width: 1025, height: 1, depth: 1, voxels: pixels }), /width must be/],
  [
    () => SparseImage.fromBytes(gpu, new Uint8Array(30), { schema: 1 } as never),
    /options have no schema; did you mean scheme\?/,
  ],
];

describe('a call is refused before anything is made', () => {
  it.each(REFUSED.map(([call, message]) => ({ call, message })))('$message', async ({ call, message }) => {
    const watched = watchBuffers(gpu);
    try {
      const error = await Promise.resolve()
        .then(call)
        .catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(HashnestError);
      expect((error as Error).message).toMatch(message);
      expect(watched.madeBytes()).toBe(0);
    } finally {
      watched.restore();
    }
  });

  it('where a picture does not fit the device', async () => {
    const small = await sharedGpu('default');
    const most = small.limits.maxStorageBufferBindingSize / 4;
    const side = Math.ceil(Math.sqrt(most)) + 1;
    const large = new Uint32Array(side * side);
    await expect(SparseImage.from(small, { width: side, height: side, pixels: large })).rejects.toThrow(TooLargeError);
    const encode = () => SparseImage.encodeBuild(small, encoder, { ...encoded, most: most + 1 });
    expect(encode).toThrow(TooLargeError);
  });

  it('that is to rebuild what was destroyed, and what it was to be recorded into is as good as before', async () => {
    const input = { ...encoded, voxels: buffer, depth: 1 };
    for (const Kind of [SparseImage, SparseVolume]) {
      const built: (SparseImage | SparseVolume)[] = [await Kind.from(gpu, input)];
      await gpu.run((target) => built.push(Kind.encodeBuild(gpu, target, input)));
      for (const made of built) {
        made.destroy();
        await gpu.run((target) => {
          expect(() => made.encodeRebuild(target, input)).toThrow(DestroyedError);
          expect(() => made.encodeRebuild(target, input)).toThrow('this table was destroyed');
        });
      }
    }
  });

  it('but not for what else is in the object that the cells are in', async () => {
    const own = { point: 1, colour: 2, voxels: buffer, ...encoded, depth: 1 };
    for (const Kind of [SparseImage, SparseVolume]) {
      const built: { destroy(): void }[] = [];
      await gpu.run((target) => built.push(Kind.encodeBuild(gpu, target, own)));
      built[0]?.destroy();
    }
  });

  it('where the output is too small for a drawing', () => {
    const small = gpu.createBuffer('test/small', 44);
    expect(() => image.encodeUnpack(encoder, { output: small })).toThrow(/output has 44 bytes, but 12 pixels take 48/);
    small.destroy();
  });
});
