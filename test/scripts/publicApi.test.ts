import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publicApi } from '../../scripts/publicApi.ts';

const PACKAGE = {
  'package.json': JSON.stringify({
    name: 'nest',
    exports: {
      '.': { types: './dist/index.d.ts', default: './dist/index.js' },
      './more': { types: './dist/more.d.ts', default: './dist/more.js' },
      './package.json': './package.json',
    },
  }),
  'src/tsconfig.json': JSON.stringify({
    compilerOptions: {
      module: 'nodenext',
      target: 'es2022',
      lib: ['es2022'],
      types: [],
      strict: true,
      allowImportingTsExtensions: true,
      noEmit: true,
    },
  }),
};

/** The public API of a package with these sources. */
function apiOf(dir: string, sources: Record<string, string>): ReturnType<typeof publicApi> {
  rmSync(join(dir, 'src'), { recursive: true, force: true });
  for (const [path, text] of Object.entries({ 'src/more.ts': 'export {};', ...PACKAGE, ...sources })) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  return publicApi(dir);
}

describe('the public API', () => {
  let dir: string;
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'hashnest-api-'));
  });
  afterAll(() => rmSync(dir, { recursive: true }));

  it('is every export of every entry point, sorted, without bodies, comments and private members', () => {
    const { errors, report, hidden } = apiOf(dir, {
      'src/index.ts': `
        export { Egg, type Size } from './egg.ts';
        /** Adds. */
        export function add(a: number, b = 1) { return a + b; }`,
      'src/egg.ts': `
        export interface Size { width: number; height: number }
        export class Egg {
          #yolk = 1;
          private shell = 2;
          private constructor(readonly size: Size) {}
          /** @internal */
          crack() { return this.#yolk + this.shell; }
          weigh(grams: number): number;
          weigh(ounces: string): number;
          weigh(mass: unknown) { return Number(mass); }
          static lay(size: Size) { return new Egg(size); }
        }
        export const notShown = 1;`,
    });
    expect(errors).toBe('');
    expect(hidden).toEqual([]);
    expect(report).toBe(`declare module 'nest' {
class Egg {
    private constructor();
    static lay(size: Size): Egg;
    readonly size: Size;
    weigh(grams: number): number;
    weigh(ounces: string): number;
}

interface Size {
    height: number;
    width: number;
}

function add(a: number, b?: number): number;
}

declare module 'nest/more' {

}
`);
  });

  it('shows once what two entry points export, and other names for it', () => {
    const { report } = apiOf(dir, {
      'src/index.ts': `export { one, one as uno } from './one.ts';`,
      'src/more.ts': `export { one, one as eins, two as zwei } from './one.ts';`,
      'src/one.ts': 'export const one: number = 1;\nexport const two: number = 2;',
    });
    expect(report).toBe(`declare module 'nest' {
export { one as uno };

const one: number;
}

declare module 'nest/more' {
export { two as zwei };

export { one as eins, one } from 'nest';

const two: number;
}
`);
  });

  it('names types that users meet and cannot import, also those behind them', () => {
    const { report, hidden } = apiOf(dir, {
      'src/index.ts': `
        import { type Base, make } from './hidden.ts';
        export interface Shown extends Base { readonly list: readonly string[] }
        export const made = () => make();`,
      'src/hidden.ts': `
        export interface Inner { x: number }
        export interface Base { inner: Inner }
        export class Made { #own: Unseen | undefined; get own() { return this.#own !== undefined; } }
        interface Unseen { y: number }
        export const make = () => new Made();`,
    });
    expect(hidden).toMatchObject([
      { name: 'Base', path: 'src/hidden.ts', users: ['Shown'] },
      { name: 'Inner', path: 'src/hidden.ts', users: ['Base'] },
      { name: 'Made', path: 'src/hidden.ts', users: ['made'] },
    ]);
    expect(report).toContain('const made: () => Made;');
    expect(report).toContain(`declare module '(not exported)' {\ninterface Base {\n    inner: Inner;\n}`);
  });

  it('says what does not compile', () => {
    const { errors } = apiOf(dir, { 'src/index.ts': `export const one: number = 'one';` });
    expect(errors).toContain("Type 'string' is not assignable to type 'number'");
  });

  it('says which entry point is missing', () => {
    expect(() => apiOf(dir, { 'src/other.ts': 'export {};' })).toThrow(
      "package.json exports 'nest', but nothing is exported from src/index.ts",
    );
  });
});
