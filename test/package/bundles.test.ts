import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import * as esbuild from 'esbuild';
import * as vite from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle } from '../browser/bundle.ts';
import { type PackedPackage, packPackage } from './pack.ts';
import { type Chunk, first, later, SPLITTERS, type Split } from './split.ts';

/** What a part that is loaded later may take, in 1,000 bytes, minified and compressed. */
const LATER: Readonly<Record<string, number>> = {
  ahead: 1,
  hostBuilds: 0.6,
  notNode: 0.1,
  prepare: 1.7,
  prepareBatches: 1.5,
  prepareCells: 1.3,
  prepareGrid: 1.2,
  prepareJoins: 1.3,
  savedEntries: 3.2,
  savedGrids: 2,
  savedTables: 5.7,
  stats: 1.2,
};

const OF_MAPS = ['hostBuilds', 'notNode', 'prepare', 'savedTables', 'stats'];

/** What a program may load before its first call, in 1,000 bytes, minified and compressed, and what it may load later. */
const BUDGETS = [
  { uses: 'the linker', program: `export { link, wgsl } from 'hashnest';`, kilobytes: 1.1, later: [] },
  { uses: 'a device', program: `export { Gpu } from 'hashnest';`, kilobytes: 5.2, later: ['notNode'] },
  {
    uses: 'a map with the default scheme',
    program: `export { Gpu, HashMap } from 'hashnest';`,
    kilobytes: 50.3,
    later: OF_MAPS,
  },
  {
    uses: 'a map with linearProbing beside the default scheme',
    program: `export { Gpu, HashMap, linearProbing } from 'hashnest';`,
    kilobytes: 53,
    later: OF_MAPS,
  },
  {
    uses: 'a map with linearProbing alone',
    program: `
import { Gpu, linearProbing } from 'hashnest';
import { HashMap } from 'hashnest/bare';
export const build = async (items) => HashMap.from(await Gpu.open(), items, { scheme: linearProbing() });`,
    kilobytes: 33.5,
    later: OF_MAPS,
  },
  {
    uses: 'a map that lives',
    program: `export { DynamicMap, Gpu } from 'hashnest';`,
    kilobytes: 65.9,
    later: ['ahead', 'notNode', 'prepareBatches', 'savedEntries', 'stats'],
  },
  {
    uses: 'sparse pictures and volumes',
    program: `export { Gpu } from 'hashnest'; export { SparseImage, SparsePaint, SparseVolume } from 'hashnest/apps';`,
    kilobytes: 47.7,
    later: ['ahead', ...OF_MAPS, 'prepareCells', 'savedGrids'],
  },
  {
    uses: 'joins',
    program: `export { Gpu } from 'hashnest'; export { join } from 'hashnest/relational';`,
    kilobytes: 77.6,
    later: ['ahead', ...OF_MAPS, 'prepareJoins'],
  },
  {
    uses: 'joins, groups and the rest of it',
    program: `export { Gpu } from 'hashnest'; export * from 'hashnest/relational';`,
    kilobytes: 88.2,
    later: ['ahead', ...OF_MAPS, 'prepareJoins'],
  },
  {
    uses: 'a grid of points',
    program: `export { Gpu } from 'hashnest'; export { SpatialGrid } from 'hashnest/spatial';`,
    kilobytes: 20.7,
    later: ['notNode', 'prepareGrid'],
  },
];

const EVERYTHING = `
export * from 'hashnest';
export * as apps from 'hashnest/apps';
export * as relational from 'hashnest/relational';
export * as scheme from 'hashnest/scheme';
export * as spatial from 'hashnest/spatial';`;

const withEsbuild = async (entry: string, options: esbuild.BuildOptions): Promise<string> => {
  const built = await esbuild.build({ entryPoints: [entry], bundle: true, format: 'esm', write: false, ...options });
  return built.outputFiles?.[0]?.text as string;
};

const withVite = async (entry: string): Promise<string> => {
  const lib: vite.LibraryOptions = { entry, formats: ['es'] };
  const rolldownOptions = { output: { codeSplitting: false } };
  const built = await vite.build({
    configFile: false,
    logLevel: 'error',
    build: { lib, rolldownOptions, write: false },
  });
  const [{ output }] = built as [vite.Rollup.RollupOutput];
  return output[0].code;
};

const BUNDLERS = {
  esbuild: (entry: string) => withEsbuild(entry, { platform: 'browser', minify: true }),
  rolldown: (entry: string) => bundle(entry, { minify: true }),
  vite: withVite,
};

/** Any import that is still there; names of calls are in quotes. */
const IMPORT = /(?<!["'])\bfrom\s*["']|\bimport\s*["']|\bimport\(\s*["']|\brequire\(\s*["']/;

/** How Node loads a driver. */
const NODE_ONLY = 'dlopen';

describe('a bundle', () => {
  let packed: PackedPackage;
  beforeAll(async () => {
    packed = await packPackage();
  });
  afterAll(() => packed?.remove());

  const written = (program: string): string => {
    const entry = join(packed.projectDir, 'entry.js');
    writeFileSync(entry, program);
    return entry;
  };

  /** To the tenth, as the README has them. */
  const kilobytesOf = (code: string): number => Math.round(gzipSync(code, { level: 9 }).length / 100) / 10;

  describe.each(BUDGETS)('of a program that uses $uses', ({ program, kilobytes, later: names }) => {
    describe.each(Object.entries(SPLITTERS))('by %s', (_, splitBy) => {
      let split: Split;
      beforeAll(async () => {
        split = await splitBy(written(program));
      });

      it(`is one file of at most ${kilobytes} kB at first`, () => {
        expect(first(split)).toEqual([split.entry]);
        expect(kilobytesOf(split.files.get(split.entry)?.code as string)).toBeLessThanOrEqual(kilobytes);
      });

      it(`loads nothing later but ${names.join(', ') || 'nothing'}, each a file of its own`, () => {
        const parts = later(split).map((file) => {
          const { code, imports } = split.files.get(file) as Chunk;
          expect(imports).toEqual([]);
          const name = file.split(/\.later|-/)[0] as string;
          expect(kilobytesOf(code), name).toBeLessThanOrEqual(LATER[name] as number);
          return name;
        });
        expect(parts.toSorted()).toEqual([...names].toSorted());
      });
    });
  });

  it.each(Object.entries(BUNDLERS))(
    'by %s for browsers has nothing left to resolve, and no code for Node',
    async (_, make) => {
      const code = await make(written(EVERYTHING));
      expect(code).toContain('linearProbing');
      expect(code).toContain('sparseVolume');
      expect(code).toContain('join/count');
      expect(code).not.toMatch(IMPORT);
      expect(code).not.toContain(NODE_ONLY);
    },
  );

  it.each([
    { name: 'three', program: `export { gpuOf, tsl } from 'hashnest/three';`, kilobytes: 7.6 },
    { name: 'typegpu', program: `export * from 'hashnest/typegpu';`, kilobytes: 10.9 },
  ])(
    'for users of $name leaves that package to resolve, and takes $kilobytes kB',
    async ({ name, program, kilobytes }) => {
      const options: esbuild.BuildOptions = { platform: 'browser', minify: true, external: [name, `${name}/*`] };
      const code = await withEsbuild(written(program), options);
      const left = [...code.matchAll(/(?<!")\bfrom\s*"([^"]+)"/g)].map(([, specifier = '']) => specifier.split('/')[0]);
      expect(new Set(left)).toEqual(new Set([name]));
      expect(kilobytesOf(code)).toBeLessThanOrEqual(kilobytes);
    },
  );

  it('for Node has the code for Node', async () => {
    const code = await withEsbuild(written(`export { Gpu } from 'hashnest';`), { platform: 'node' });
    expect(code).toContain(NODE_ONLY);
  });

  it.each(Object.entries(BUNDLERS))(
    'by %s leaves out constants that nobody uses, even of files that it takes',
    async (_, make) => {
      const code = await make(written(`export { Recorder } from 'hashnest';`));
      expect(code).toContain('dispatchWorkgroupsIndirect');
      expect(code).not.toContain('writeGrids');
    },
  );
});
