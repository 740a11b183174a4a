import { describe, expect, it } from 'vitest';
import { globals } from 'webgpu';
import * as ours from '../../src/gpu/constants.ts';

describe('the constants of WebGPU', () => {
  it.each(Object.entries(ours))('%s has the numbers of an implementation', (name, constants) => {
    const theirs = (globals as unknown as Record<string, Record<string, number>>)[name];
    expect(theirs).toBeDefined();
    for (const [member, value] of Object.entries(constants))
      expect([member, value]).toEqual([member, theirs?.[member]]);
  });
});
