import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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
  /** Names of the files in the package. */
  readonly fileNames: readonly string[];
  /** A folder with the package in its `node_modules`. */
  readonly projectDir: string;
  remove(): void;
}

/** Packs what is in `dist/` (run the build before), and installs it in a temporary project, without its peers. */
export async function packPackage(): Promise<PackedPackage> {
  const dir = mkdtempSync(join(tmpdir(), 'hashnest-package-'));
  const { stdout } = await promisify(execFile)('npm', ['pack', '--json', '--pack-destination', dir], { cwd: root });
  const tarballPath = join(dir, JSON.parse(stdout)[0].filename);

  const projectDir = join(dir, 'project');
  const files = readTar(gunzipSync(readFileSync(tarballPath)));
  const fileNames = [...files.keys()].map((name) => name.replace(/^package\//, ''));
  for (const [name, bytes] of files) {
    const path = join(projectDir, 'node_modules/hashnest', name.replace(/^package\//, ''));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
  }
  writeFileSync(join(projectDir, 'package.json'), '{ "type": "module" }');
  return { tarballPath, fileNames, projectDir, remove: () => rmSync(dir, { recursive: true }) };
}

/** Makes a package of this repository visible in the project, as if it were installed there. */
export function linkPackage({ projectDir }: PackedPackage, name: string): void {
  const link = join(projectDir, 'node_modules', name);
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(join(root, 'node_modules', name), link);
}
