import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs `npm pack` in a folder and returns the path of the tarball, the only one in `destination`. */
export async function npmPack(cwd: string, destination: string, ...options: string[]): Promise<string> {
  await promisify(execFile)('npm', ['pack', '--pack-destination', destination, ...options], { cwd });
  return join(destination, readdirSync(destination).find((name) => name.endsWith('.tgz')) as string);
}
