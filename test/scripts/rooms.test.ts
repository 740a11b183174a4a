import { describe, expect, it } from 'vitest';
import { faultsOf } from '../../scripts/rooms.ts';

/** What is said of one file that holds some text, where nothing is excused. */
const faultsIn = (path: string, text: string): string[] => faultsOf(new Map([[path, text]]), []);

describe('imports', () => {
  it.each([
    ['src/gpu/gpu.ts', '../wgsl/index.ts'],
    ['src/keys/words.ts', '../hashing/index.ts'],
    ['src/schemes/cuckoo/plan.ts', './index.ts'],
    ['src/schemes/cuckoo/plan.ts', '../kit/slot.wgsl.ts'],
    ['src/schemes/registry.ts', './cuckoo/index.ts'],
    ['src/schemes/index.ts', './registry.ts'],
    ['src/table/table.ts', '../schemes/registry.ts'],
    ['src/index.ts', './wgsl/index.ts'],
    ['src/three.ts', './bridges/three/renderer.ts'],
    ['src/bridges/three/renderer.ts', 'three/webgpu'],
    ['src/bridges/three/renderer.ts', '../kit/adoptedFace.ts'],
    ['src/bridges/arrow/take.ts', 'apache-arrow'],
    ['cli/main.ts', '../test/conformance/index.ts'],
    ['cli/main.ts', '../package.json'],
    ['examples/tour.ts', 'hashnest/scheme'],
    ['examples/tour.ts', './own/part.ts'],
    ['test/gpu/gpu.test.ts', '../../src/gpu/gpu.ts'],
  ])('lets %s have %s', (path, specifier) => {
    expect(faultsIn(path, `import { it } from '${specifier}';`)).toEqual([]);
  });

  it.each([
    ['src/gpu/gpu.ts', '../keys/index.ts', 'src/gpu/ is below src/keys/'],
    ['src/hashing/mix.ts', '../keys/index.ts', 'src/hashing/ is below src/keys/'],
    ['src/schemes/contract/scheme.ts', '../kit/slot.wgsl.ts', 'src/schemes/contract/ is below src/schemes/kit/'],
    ['src/schemes/kit/slot.wgsl.ts', '../cuckoo/plan.ts', 'src/schemes/kit/ is below src/schemes/cuckoo/'],
    ['src/schemes/cuckoo/plan.ts', '../perfect/plan.ts', 'src/schemes/cuckoo/ is beside src/schemes/perfect/'],
    ['src/schemes/cuckoo/plan.ts', '../registry.ts', 'src/schemes/cuckoo/ is below src/schemes/'],
    ['src/table/table.ts', '../collections/index.ts', 'src/table/ is below src/collections/'],
    ['src/collections/hashMap.ts', '../index.ts', 'src/collections/ is below src/index.ts'],
    ['src/index.ts', './scheme.ts', 'src/index.ts is beside src/scheme.ts'],
    ['src/index.ts', '../package.json', 'src/index.ts is below package.json'],
    ['src/index.ts', 'commander', 'src/ imports no packages'],
    ['src/bridges/arrow/take.ts', 'three', 'this bridge imports apache-arrow alone'],
    ['src/relational/join.ts', 'apache-arrow', 'src/ imports no packages'],
    ['src/gpu/gpu.ts', 'hashnest', 'src/ imports no packages'],
    ['src/three.ts', 'three/webgpu', 'src/ imports no packages'],
    ['src/bridges/kit/adoptedFace.ts', 'three', 'src/ imports no packages'],
    ['src/bridges/three/renderer.ts', 'typegpu', 'this bridge imports three alone'],
    ['src/index.ts', './bridges/three/renderer.ts', 'only src/three.ts imports it'],
    ['src/typegpu.ts', './bridges/three/renderer.ts', 'only src/three.ts imports it'],
    ['src/bridges/typegpu/root.ts', '../three/renderer.ts', 'only src/three.ts imports it'],
    ['src/bridges/kit/adoptedFace.ts', '../three/renderer.ts', 'only src/three.ts imports it'],
    ['src/gpu/gpu.ts', '../attic/box.ts', 'src/attic/box.ts is in no room'],
    ['src/attic/box.ts', '../gpu/index.ts', 'src/attic/box.ts is in no room'],
    ['bench/measure.ts', '../cli/output.ts', 'bench/ is below cli/'],
    ['examples/tour.ts', '../src/index.ts', 'examples/ imports the library by its name only'],
  ])('does not let %s have %s', (path, specifier, why) => {
    expect(faultsIn(path, `import { it } from '${specifier}';`)).toEqual([`${path} imports '${specifier}': ${why}`]);
  });

  it.each([
    `const saved = new Later(() => import('./saved.later.ts'));`,
    `import type { Saved } from './saved.later.ts';`,
    `export type { Saved } from './saved.later.ts';`,
    `type Saved = import('./saved.later.ts').Saved;`,
  ])('lets a file have what is loaded later by %s', (text) => {
    expect(faultsIn('src/table/table.ts', text)).toEqual([]);
  });

  const byLater = `it is loaded by new Later(() => import('…'))`;
  const notLater = 'only files that end in .later.ts are loaded later';
  it.each([
    [`import { save } from './saved.later.ts';`, './saved.later.ts', byLater],
    [`import { type Saved } from './saved.later.ts';`, './saved.later.ts', byLater],
    [`export { save } from './saved.later.ts';`, './saved.later.ts', byLater],
    [`const saved = await import('./saved.later.ts');`, './saved.later.ts', byLater],
    [`const saved = new Later(() => import('./saved.ts'));`, './saved.ts', notLater],
    [`const saved = () => import('./saved.ts');`, './saved.ts', notLater],
  ])('does not let a file load by %s', (text, specifier, why) => {
    expect(faultsIn('src/table/table.ts', text)).toEqual([`src/table/table.ts imports '${specifier}': ${why}`]);
  });

  it.each([
    "import type { Key } from '../keys/index.ts';",
    "export { key } from '../keys/index.ts';",
    "export * from '../keys/index.ts';",
    "const keys = async () => await import('../keys/index.ts');",
    "let key: import('../keys/index.ts').Key;",
  ])('are seen in `%s`', (text) => {
    expect(faultsIn('src/gpu/gpu.ts', text)).toHaveLength(1);
  });

  it('are not seen in comments and strings', () => {
    const text = "// import '../keys/index.ts';\nconst text = `import { key } from '../keys/index.ts';`;";
    expect(faultsIn('src/gpu/gpu.ts', text)).toEqual([]);
  });
});

describe('names', () => {
  it.each(['wgsl`fn f() {}`', 'wgsl`// Why.\n@must_use fn f() {}`', "kernel({ label: 'a' })"])(
    'tell that a file declares `%s`',
    (expression) => {
      const text = `export const it = ${expression};`;
      expect(faultsIn('src/gpu/a.ts', text)).toEqual(['src/gpu/a.ts declares WGSL: its name has to end in .wgsl.ts']);
      expect(faultsIn('src/gpu/a.wgsl.ts', text)).toEqual([]);
      expect(faultsIn('test/gpu/a.ts', text)).toEqual([]);
    },
  );

  it('need not tell of expressions in WGSL', () => {
    expect(faultsIn('src/gpu/a.ts', 'export const it = wgsl`f(1u)`; // wgsl`fn f() {}`')).toEqual([]);
  });
});

it('refuses files of the library that are too long', () => {
  expect(faultsIn('src/gpu/a.ts', '\n'.repeat(350))).toEqual([]);
  expect(faultsIn('src/gpu/a.ts', '\n'.repeat(351))).toEqual([
    'src/gpu/a.ts has 351 lines: no more than 350 are allowed',
  ]);
  expect(faultsIn('test/gpu/a.ts', '\n'.repeat(351))).toEqual([]);
});

describe('parameters', () => {
  it.each([
    ['export function draw(a, b, c, d, e, f) {}', 'draw'],
    ['const draw = (a, b, c, d, e, f) => a;', 'draw'],
    ['const draw = function (a, b, c, d, e, f) {};', 'draw'],
    ['class Pen { draw(a, b, c, d, e, f) {} }', 'draw'],
    ['class Pen { #draw(a, b, c, d, e, f) {} }', '#draw'],
    ['class Pen { constructor(a, b, c, d, e, f) {} }', 'a constructor'],
    ['interface Pen { draw(a, b, c, d, e, f): void }', 'draw'],
    ['type Draw = (a, b, c, d, e, f) => void;', 'Draw'],
    ['use((a, b, c, d, e, f) => a);', 'a function'],
  ])('are counted in `%s`', (text, name) => {
    const lines = [`src/gpu/a.ts ${name} takes 6 parameters: no more than 5 are allowed`];
    expect(faultsIn('src/gpu/a.ts', text)).toEqual(lines);
    expect(faultsIn('src/gpu/a.ts', text.replace(', f', ''))).toEqual([]);
    expect(faultsIn('test/gpu/a.ts', text)).toEqual([]);
  });
});

describe('exceptions', () => {
  const files = new Map([['examples/old/index.ts', "import '../../src/index.ts';"]]);

  it('excuse one rule in the files below a path', () => {
    expect(faultsOf(files, [{ at: 'examples/old/', rule: 'imports' }])).toEqual([]);
  });

  it('are refused where they are not needed', () => {
    const lines = faultsOf(files, [{ at: 'examples/old/', rule: 'lines' }]);
    expect(lines).toHaveLength(2);
    expect(lines[1]).toBe("examples/old/ needs no exception from the rule 'lines'");
  });
});
