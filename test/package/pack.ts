import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { inject } from 'vitest';
import { readTar } from '../../src/gpu/device/tar.ts';
import { root } from './npmPack.ts';

/** The package as npm would publish it, and a project beside it that has installed it. */
export interface PackedPackage {
  readonly tarballPath: string;
  /** The files in the package by their names. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** A folder with the package in its `node_modules`. */
  readonly projectDir: string;
  remove(): void;
}

/** Installs what was packed of `dist/` (run the build before) in a temporary project, without its peers. */
export async function packPackage(): Promise<PackedPackage> {
  const dir = mkdtempSync(join(tmpdir(), 'hashnest-package-'));
  const tarballPath = inject('tarballPath');
  const files = filesOf(tarballPath);
  const projectDir = join(dir, 'project');
  for (const [name, bytes] of files) {
    const path = join(projectDir, 'node_modules/hashnest', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
  }
  writeFileSync(join(projectDir, 'package.json'), '{ "type": "module" }');
  return { tarballPath, files, projectDir, remove: () => rmSync(dir, { recursive: true }) };
}

/** The files of a packed package by their names. */
export function filesOf(tarballPath: string): Map<string, Uint8Array> {
  const files = readTar(gunzipSync(readFileSync(tarballPath)));
  return new Map([...files].map(([name, bytes]) => [name.replace(/^package\//, ''), bytes]));
}

/** Makes a package of this repository visible in the project, as if it were installed there. */
export function linkPackage({ projectDir }: PackedPackage, name: string): void {
  const link = join(projectDir, 'node_modules', name);
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(join(root, 'node_modules', name), link);
}
