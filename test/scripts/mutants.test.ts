import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { makeCompiles } from '../../scripts/mutants/check.ts';
import { applied, isOfNumber, mutantsOf } from '../../scripts/mutants/collect.ts';
import { isListed, LISTED } from '../../scripts/mutants/sameAnswers.ts';
import { stagesOf } from '../../scripts/mutants/tests.ts';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** Every mutant of a text, as the text that it makes. */
const textsOf = (text: string): string[] => mutantsOf('src/a.ts', text).map((mutant) => applied(text, mutant));

describe('mutants', () => {
  it.each([
    ['const a = b + c;', ['const a = b - c;']],
    ['const a = b < c && d;', ['const a = b < c || d;', 'const a = b <= c && d;']],
    ['const a = 3;', ['const a = (4);', 'const a = (2);']],
    ['const a = true;', ['const a = false;']],
    ['if (a) b();', ['if (!(a)) b();', 'if (a) ;']],
    ['const a = b ? c : d;', ['const a = !(b) ? c : d;']],
  ])('of TypeScript: %s', (text, expected) => {
    expect(textsOf(text)).toEqual(expected);
  });

  it.each([
    ['x = a < 7u;', ['x = a <= 7u;', 'x = a < 8u;', 'x = a < 6u;']],
    ['x = 0u;', ['x = 1u;']],
    ['if (f(a) == b) { }', ['if (!(f(a) == b)) { }']],
    ['\n  store(a);\n', ['\n  \n']],
    ['\n  return a;\n  // a + b\n', []],
    ['a1 = vec2u();', []],
  ])('of WGSL: %j', (text, expected) => {
    const inTemplate = (wgsl: string): string => `const a = wgsl\`${wgsl}\`;`;
    expect(textsOf(inTemplate(text))).toEqual(expected.map(inTemplate));
  });

  it('of numbers are told from others', () => {
    const text = 'if (a < 0x10 && 5) b = wgsl`x + 3u`;';
    const numbers = mutantsOf('src/a.ts', text).filter(isOfNumber);
    expect(numbers.map(({ original }) => original)).toEqual(['0x10', '0x10', '5', '5', '3', '3']);
  });

  it('of WGSL between what is interpolated, and of what is', () => {
    const template = (before: string, within: string, after: string): string =>
      `const a = wgsl\`x ${before} \${${within}} ${after} y\`;`;
    expect(textsOf(template('+', 'n - 1', '+'))).toEqual([
      template('-', 'n - 1', '+'),
      template('+', 'n - 1', '-'),
      template('+', 'n + 1', '+'),
      template('+', 'n - (2)', '+'),
      template('+', 'n - (0)', '+'),
    ]);
  });

  it('of neither types, imports, messages, numbers of threads nor what stands for elements of arrays that are missing', () => {
    expect(textsOf("import { a } from 'b';\ntype A = 1 | 2;\nthrow new Error(a + 1);")).toEqual([]);
    expect(textsOf('const [a = 0, b = 1] = words;')).toEqual([]);
    expect(textsOf('const THREADS = 256;\nexport const FEW_THREADS = 64;\nconst k = { threads: 256 };')).toEqual([]);
  });

  it('are refused where TypeScript refuses them', () => {
    const project = mkdtempSync(join(tmpdir(), 'hashnest-mutants-'));
    mkdirSync(join(project, 'src'));
    writeFileSync(
      join(project, 'src', 'tsconfig.json'),
      '{ "compilerOptions": { "strict": true, "types": [], "lib": ["ES5"] } }',
    );
    writeFileSync(join(project, 'src', 'a.ts'), 'export const a: number = 1;');
    const compiles = makeCompiles(project);
    expect(compiles('src/a.ts', 'export const a: number = 2;')).toBe(true);
    expect(compiles('src/a.ts', 'export const a: number = true;')).toBe(false);
    expect(compiles('src/a.ts', 'export const a: number = ;')).toBe(false);
    rmSync(project, { recursive: true });
  });
});

describe('the tests that look at a file', () => {
  it('exist, for every folder of src', () => {
    const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.ts'),
    );
    const tests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' }).map((path) => `test/${path}`);
    for (const path of files) {
      const stages = stagesOf(`src/${path}`);
      expect(stages.length, path).toBeGreaterThan(0);
      for (const beginning of stages.flatMap((stage) => stage.files)) {
        const found = tests.filter((test) => test.startsWith(beginning) && test.endsWith('.test.ts'));
        expect(found, `${path}: ${beginning}`).not.toEqual([]);
      }
    }
  });
});

describe('mutants with the same answers', () => {
  it.each(LISTED)('$path: $line', (same) => {
    const path = `src/${same.path}`;
    const text = readFileSync(join(root, path), 'utf8');
    expect(mutantsOf(path, text).some((mutant) => isListed(same, text, mutant))).toBe(true);
  });
});
