// Leaves the comments and the indentation of WGSL out of the files that are published: they are for readers of the sources.
import type { Plugin } from 'rolldown';
import { Visitor } from 'rolldown/utils';

/** A comment is left where its end is not seen: it may reach into what is interpolated. */
const COMMENT_OR_INDENT = /[ \t]*\/\/[^\n]*(?=\n)|(?<=\n)[ \t]+|\n(?=[ \t]*(?:\/\/[^\n]*)?\n)/g;

/** The text of a part of a template, without what a compiler does not read. */
export const shorter = (text: string): string => text.replace(COMMENT_OR_INDENT, '');

/** Shortens the `wgsl` templates of every file that is written. */
export const shorterWgsl = (): Plugin => ({
  name: 'shorter-wgsl',
  renderChunk(code, { fileName }) {
    if (!fileName.endsWith('.js')) return null;
    const texts: { readonly start: number; readonly end: number }[] = [];
    new Visitor({
      TaggedTemplateExpression({ tag, quasi }) {
        if (tag.type !== 'Identifier' || tag.name !== 'wgsl') return;
        texts.push(...quasi.quasis);
      },
    }).visit(this.parse(code));
    // Templates stand in templates.
    let shortened = '';
    let copied = 0;
    for (const { start, end } of texts.toSorted((a, b) => a.start - b.start)) {
      shortened += code.slice(copied, start) + shorter(code.slice(start, end));
      copied = end;
    }
    return shortened + code.slice(copied);
  },
});
