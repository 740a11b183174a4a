import { describe, expect, it } from 'vitest';
import { describe as describeGpu } from '../../../src/gpu/device/info.ts';

describe('the description of a device', () => {
  it.each([
    ['SwiftShader in Chromium', { vendor: 'google', architecture: 'swiftshader' }],
    ['llvmpipe in Deno', { vendor: '65541', description: 'llvmpipe (LLVM 15.0.6, 256 bits)' }],
    ['the fallback adapter of a browser', { vendor: 'someone', isFallbackAdapter: true }],
  ])('says that %s is software', (_, info) => {
    expect(describeGpu(info).software).toBe(true);
  });

  it('takes a GPU for a real one, and a device that tells nothing too', () => {
    const info = { vendor: 'nvidia', architecture: 'hopper', device: '', description: 'NVIDIA H200' };
    expect(describeGpu({ ...info, isFallbackAdapter: false })).toEqual({ ...info, software: false });
    expect(describeGpu(undefined)).toEqual({
      vendor: '',
      architecture: '',
      device: '',
      description: '',
      software: false,
    });
  });
});
