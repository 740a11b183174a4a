import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { GRID_SCHEMES } from '../../bench/grid.ts';
import * as hashnest from '../../src/index.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const pages = readdirSync(new URL('docs/schemes/', root)).map((name) => read(`docs/schemes/${name}`));

/** So that nobody who adds a scheme forgets to show it. */
describe.each(Object.entries(hashnest.schemes))('the scheme %s', (name, make) => {
  it('is exported by its name, which is also what saved tables call it', () => {
    expect((hashnest as Readonly<Record<string, unknown>>)[name]).toBe(make);
    expect(make().name).toBe(name);
  });

  it('has a page of its own or shares one, and stands in the tables of README and docs', () => {
    expect(pages.some((page) => page.includes(`\`${name}`))).toBe(true);
    for (const path of ['README.md', 'docs/memory-and-limits.md', 'docs/choosing.md']) {
      expect(read(path), path).toContain(`\`${name}\``);
    }
  });

  it('is measured for docs/choosing.md if it takes u32 keys', () => {
    const plan = () => make().plan({ items: 100, key: hashnest.u32, valueWords: 1, duplicates: 'last', growth: 0 });
    if (GRID_SCHEMES.some((scheme) => scheme.name === name)) expect(plan).not.toThrow();
    else expect(plan).toThrow(hashnest.UnsupportedError);
  });

  it('is the same again with its own options', () => {
    const scheme = make();
    expect(scheme.withOptions(scheme.options).options).toEqual(scheme.options);
  });
});
