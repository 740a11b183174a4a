/** Packs the package once for all tests of it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { npmPack, root } from './npmPack.ts';

declare module 'vitest' {
  interface ProvidedContext {
    tarballPath: string;
  }
}

export default async function packOnce({ provide }: TestProject): Promise<() => void> {
  const dir = mkdtempSync(join(tmpdir(), 'hashnest-packed-'));
  provide('tarballPath', await npmPack(root, dir, '--ignore-scripts'));
  return () => rmSync(dir, { recursive: true });
}
