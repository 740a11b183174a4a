import { expect, it } from 'vitest';
import { shorter } from '../../scripts/shorterWgsl.ts';

it.each([
  ['indentation', 'fn f() {\n    return;\n  }', 'fn f() {\nreturn;\n}'],
  ['a comment behind a statement', 'let a = 1u; // one\nlet b = 2u;', 'let a = 1u;\nlet b = 2u;'],
  ['lines that are only a comment', '{\n  // why\n  // and why\n  let a = 1u;\n}', '{\nlet a = 1u;\n}'],
  ['empty lines', 'a\n\n\n  b\n', 'a\nb\n'],
])('leaves out %s', (_, text, expected) => {
  expect(shorter(text)).toBe(expected);
});

it('keeps a comment whose end is in another part of the template, and a division', () => {
  expect(shorter('x / y // see ')).toBe('x / y // see ');
  expect(shorter('a / b;\nc')).toBe('a / b;\nc');
});
