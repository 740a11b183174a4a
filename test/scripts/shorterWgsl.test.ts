import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { shorter } from '../../scripts/shorterWgsl.ts';
import { Wgsl } from '../../src/wgsl/index.ts';

it.each([
  ['indentation and ends of lines', 'fn f() {\n    return;\n  }', 'fn f(){return;}'],
  ['a comment behind a statement', 'let a = 1u; // one\nlet b = 2u;', 'let a=1u;let b=2u;'],
  ['lines that are only a comment', '{\n  // why\n  // and why\n  let a = 1u;\n}', '{let a=1u;}'],
  ['empty lines', 'a\n\n\n  b', 'a\nb'],
  ['space around operators', 'a + b * (c >> 2u) <= d[i - 1u] && !e', 'a+b*(c>>2u)<=d[i-1u]&& !e'],
])('leaves out %s', (_, text, expected) => {
  expect(shorter([text])).toEqual([expected]);
});

it.each([
  ['a comment whose end is in another part of the template', ['x / y // see ', '\n}']],
  ['space between operators that would make another one', ['a- -b& &c/ *d']],
  ['space between an operator and a value that may begin with one', ['a- ', '/ ', '& ', '']],
  ['space between words and values', ['let ', ' in ', '\n', ' x']],
])('keeps %s', (_, parts) => {
  expect(shorter(parts)).toEqual(parts);
});

/** The `wgsl` templates of a file, each as the texts between its values. */
function templatesIn(path: string): string[][] {
  const found: string[][] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'wgsl') {
      const { template } = node;
      found.push(
        ts.isTemplateExpression(template)
          ? [template.head.text, ...template.templateSpans.map(({ literal }) => literal.text)]
          : [template.text],
      );
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.ESNext, true));
  return found;
}

/** What a compiler of WGSL sees in a text: words and numbers, and the longest operators that there are. */
const tokensOf = (text: string): string[] =>
  text
    .replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g, ' ')
    .match(/\w+|<<=|>>=|->|&&|\|\||<<|>>|[-+*/%&|^<>=!]=|\+\+|--|[^\s\w]/g) ?? [];

it('means the same in every template of the library, whatever stands in it', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  const templates = files.flatMap((path) => templatesIn(join('src', path)));
  expect(templates.length).toBeGreaterThan(400);
  for (const parts of templates) {
    const shortened = shorter(parts);
    for (const value of ['name', 'f(x)', '-1', '&p', '*p', '!b', '1u']) {
      expect(tokensOf(shortened.join(value))).toEqual(tokensOf(parts.join(value)));
    }
    const nothing = parts.slice(1).map(() => 0);
    expect(new Wgsl(shortened, nothing).declares).toBe(new Wgsl(parts, nothing).declares);
  }
});
