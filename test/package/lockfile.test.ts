import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './npmPack.ts';

interface LockedPackage {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly optionalDependencies?: Record<string, string>;
}

const packages: Record<string, LockedPackage> = JSON.parse(
  readFileSync(join(root, 'package-lock.json'), 'utf8'),
).packages;

/** The package that code in `path` gets for `name`: the nearest one on the way up. */
function nearest(path: string, name: string): LockedPackage | undefined {
  const found = packages[`${path ? `${path}/` : ''}node_modules/${name}`];
  if (found || path === '') return found;
  return nearest(path.replace(/(^|\/)node_modules\/(@[^/]+\/)?[^/]+$/, ''), name);
}

describe('package-lock.json', () => {
  it('names no registry, so that any mirror will do', () => {
    expect(Object.entries(packages).filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });

  it('has a checksum for every package', () => {
    expect(Object.entries(packages).filter(([path, { integrity }]) => path !== '' && !integrity)).toEqual([]);
  });

  // Without them `npm ci` stops with "Missing: … from lock file". It happens when a registry lacks some of the files.
  it('holds the optional packages for every platform', () => {
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.entries(optionalDependencies)
        .filter(([name, version]) => {
          const locked = nearest(path, name)?.version;
          return locked === undefined || (/^\d/.test(version) && locked !== version);
        })
        .map(([name, version]) => `${name}@${version} of ${path}`),
    );
    expect(missing).toEqual([]);
  });
});
