import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { readTar } from '../../src/gpu/device/tar.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** The package as npm would publish it, and a project beside it that has installed it. */
export interface PackedPackage {
  readonly tarballPath: string;
  /** The files in the package by their names. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** A folder with the package in its `node_modules`. */
  readonly projectDir: string;
  remove(): void;
}

/** Packs what is in `dist/` (run the build before), and installs it in a temporary project, without its peers. */
export async function packPackage(): Promise<PackedPackage> {
  const dir = mkdtempSync(join(tmpdir(), 'hashnest-package-'));
  const tarballPath = await npmPack(root, dir, '--ignore-scripts');
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

/** Runs `npm pack` in a folder and returns the path of the tarball, the only one in `destination`. */
export async function npmPack(cwd: string, destination: string, ...options: string[]): Promise<string> {
  await promisify(execFile)('npm', ['pack', '--pack-destination', destination, ...options], { cwd });
  return join(destination, readdirSync(destination).find((name) => name.endsWith('.tgz')) as string);
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
