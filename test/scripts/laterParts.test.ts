import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { afterEach, describe, expect, it } from 'vitest';
import { laterParts } from '../../scripts/laterParts.ts';

const dirs: string[] = [];
afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true });
});

/** What loads parts, without all that the real one does beside. */
const LATER = `export class Later { constructor(load, open) { this.load = async () => open(await load()); } }`;

/** Builds files as the library is built, a file for each module, and gives back their texts and what the first exports. */
async function built(files: Readonly<Record<string, string>>, copied: readonly string[] = []) {
  const dir = mkdtempSync(join(tmpdir(), 'hashnest-later-'));
  dirs.push(dir);
  const build = await rolldown({
    input: { index: '/index.js' },
    plugins: [
      {
        name: 'files',
        resolveId: (id, importer = '/') => new URL(id, `file://${importer}`).pathname,
        load: (id) => ({ 'later.js': LATER, ...files })[id.slice(1)],
      },
      laterParts({ copied }),
    ],
  });
  await build.write({ dir, format: 'esm', preserveModules: true, preserveModulesRoot: '/' });
  await build.close();
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
  const texts = Object.fromEntries(names.map((name) => [name, readFileSync(join(dir, name), 'utf8')]));
  return { texts, exported: await import(pathToFileURL(join(dir, 'index.js')).href) };
}

describe('a part that is loaded later', () => {
  const FILES = {
    'index.js': `
      import { Shared } from './shared.js';
      import { Later } from './later.js';
      export { Shared };
      export const { load } = new Later(() => import('./rooms/thing.later.js'));`,
    'shared.js': `export class Shared {} export const step = 3;`,
    'rooms/thing.later.js': `
      import { Shared, step } from '../shared.js';
      import { twice } from './own.js';
      export const make = () => new Shared();
      export const six = () => twice(step);
      export { twice as doubled };`,
    'rooms/own.js': `import { Shared } from '../shared.js'; export const twice = (x) => (Shared ? 2 * x : 0);`,
  };

  it('imports nothing, and shares what the rest has', async () => {
    const { texts, exported } = await built(FILES);
    expect(texts['rooms/thing.later.js']).not.toMatch(/\bimport\b/);
    const part = await exported.load();
    expect(part.make()).toBeInstanceOf(exported.Shared);
    expect([part.six(), part.doubled(4)]).toEqual([6, 8]);
    expect(Object.keys(part).toSorted()).toEqual(['doubled', 'make', 'six']);
  });

  it('has in it what nobody else imports', async () => {
    const { texts } = await built(FILES);
    expect(Object.keys(texts).toSorted()).toEqual(['index.js', 'later.js', 'rooms/thing.later.js', 'shared.js']);
  });

  it('may use the same names as the file that loads it', async () => {
    const { exported } = await built({
      'index.js': `
        import { name } from './a.js';
        import { Later } from './later.js';
        export const own = name;
        export const { load } = new Later(() => import('./part.later.js'));`,
      'a.js': `export const name = 'a';`,
      'b.js': `export const name = 'b';`,
      'part.later.js': `import { name } from './a.js'; import { name as other } from './b.js'; export const both = name + other;`,
    });
    expect(exported.own).toBe('a');
    expect((await exported.load()).both).toBe('ab');
  });

  it('may be one of several that a file loads', async () => {
    const { exported } = await built({
      'index.js': `
        import { one } from './shared.js';
        import { Later } from './later.js';
        export const sum = one;
        export const first = new Later(() => import('./first.later.js')), second = new Later(() => import('./second.later.js'));`,
      'shared.js': `export const one = 1, ten = 10;`,
      'own.js': `export const hundred = 100;`,
      'first.later.js': `import { one } from './shared.js'; import { hundred } from './own.js'; export const sum = one + hundred;`,
      'second.later.js': `import { ten } from './shared.js'; import { hundred } from './own.js'; export const sum = ten + hundred;`,
    });
    expect([(await exported.first.load()).sum, (await exported.second.load()).sum]).toEqual([101, 110]);
  });

  it('has a copy of what is to be copied, and so nothing is loaded for its sake alone', async () => {
    const { texts, exported } = await built(FILES, ['shared.js']);
    expect(texts['index.js']).not.toContain('given');
    expect(texts['shared.js']).toContain('Shared');
    const made = (await exported.load()).make();
    expect(made).not.toBeInstanceOf(exported.Shared);
    expect(made.constructor.name).toBe('Shared');
  });

  it('may import a file as a whole', async () => {
    const files = { ...FILES, 'rooms/own.js': `import * as all from '../shared.js'; export const twice = () => all;` };
    const { exported } = await built(files);
    expect((await exported.load()).doubled().Shared).toBe(exported.Shared);
  });
});
