// Leaves what compilers do not read out of the WGSL in the files that are published: it is for readers of the sources.
import type { Plugin } from 'rolldown';
import { Visitor } from 'rolldown/utils';

/** A comment is left where its end is not seen: it may reach into what is interpolated. */
const COMMENT_OR_INDENT = /[ \t]*\/\/[^\n]*(?=\n)|(?<=\n)[ \t]+|\n(?=[ \t]*(?:\/\/[^\n]*)?\n)/g;

/** White space, and what stands on both sides of it in the same part. */
const SPACE = /(?<=(.?))[ \t\n]+(?=(.?))/gs;

/** The parts of a template, without what a compiler does not read. */
export function shorter(parts: readonly string[]): string[] {
  const texts = parts.map((text) => text.replace(COMMENT_OR_INDENT, ''));
  // A comment ends with its line.
  if (texts.some((text) => text.includes('//'))) return texts;
  return texts.map((text) =>
    text.replace(SPACE, (space, before: string, after: string) => (joins(before, after) ? space : '')),
  );
}

const WORD = /\w/;
const OPERATOR = /[-+*/%&|^<>=!~]/;
/** A value may begin with these operators, and then would make another one of the operator before it: `a - ${x}` with −1 for x. */
const DOUBLED = /[-&/]/;

/** Whether two characters would mean something else without space between them. Where one is '', a value is interpolated. */
function joins(before: string, after: string): boolean {
  if (before === '') return after === '' || WORD.test(after);
  if (after === '') return WORD.test(before) || DOUBLED.test(before);
  return (WORD.test(before) && WORD.test(after)) || (OPERATOR.test(before) && OPERATOR.test(after));
}

/** Shortens the `wgsl` templates of every file that is written. */
export const shorterWgsl = (): Plugin => ({
  name: 'shorter-wgsl',
  renderChunk(code, { fileName }) {
    if (!fileName.endsWith('.js')) return null;
    const texts: { readonly start: number; readonly end: number; readonly text: string }[] = [];
    new Visitor({
      TaggedTemplateExpression({ tag, quasi: { quasis } }) {
        if (tag.type !== 'Identifier' || tag.name !== 'wgsl') return;
        const shortened = shorter(quasis.map(({ start, end }) => code.slice(start, end)));
        texts.push(...quasis.map(({ start, end }, i) => ({ start, end, text: shortened[i] as string })));
      },
    }).visit(this.parse(code));
    // Templates stand in templates.
    let shortened = '';
    let copied = 0;
    for (const { start, end, text } of texts.toSorted((a, b) => a.start - b.start)) {
      shortened += code.slice(copied, start) + text;
      copied = end;
    }
    return shortened + code.slice(copied);
  },
});
