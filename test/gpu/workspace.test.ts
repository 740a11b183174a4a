import { describe, expect, it } from 'vitest';
import { DestroyedError, Workspace } from '../../src/gpu/index.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();

describe('a workspace', () => {
  it('keeps scratch buffers by name and grows them when needed', () => {
    using workspace = new Workspace(gpu);
    const first = workspace.scratch('a', 100);
    expect(first.label).toBe('hashnest/scratch/a');
    expect(workspace.scratch('a', 50)).toBe(first);
    expect(workspace.scratch('b', 50)).not.toBe(first);
    const larger = workspace.scratch('a', 101);
    expect(larger).not.toBe(first);
    expect(larger.size).toBeGreaterThanOrEqual(101);
  });

  it('counts its bytes, those of outgrown buffers included', () => {
    using workspace = new Workspace(gpu);
    workspace.scratch('a', 100);
    workspace.scratch('a', 200);
    expect(workspace.bytes).toBe(300);
  });

  it('keeps outgrown buffers for commands that were encoded with them', async () => {
    using workspace = new Workspace(gpu);
    const old = workspace.scratch('a', 16);
    const encoder = gpu.device.createCommandEncoder();
    const copy = gpu.createBuffer('test', 16);
    encoder.copyBufferToBuffer(old, 0, copy, 0, 16);
    workspace.scratch('a', 64);
    await expect(gpu.checked(() => gpu.device.queue.submit([encoder.finish()]))).resolves.toBeUndefined();
  });

  it('refuses to serve after it was destroyed', () => {
    const workspace = new Workspace(gpu);
    workspace.scratch('a', 16);
    workspace.destroy();
    expect(workspace.bytes).toBe(0);
    expect(() => workspace.scratch('a', 16)).toThrow(DestroyedError);
  });
});
