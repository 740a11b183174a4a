/** Markdown to HTML: highlighted code, headings that can be linked to, tables that scroll, links that hold. */
import MarkdownIt from 'markdown-it';
import { type BundledLanguage, createCssVariablesTheme, createHighlighter, type LanguageRegistration } from 'shiki';

/** A heading of a page, for its table of contents and for the search. */
export interface Heading {
  readonly level: number;
  readonly text: string;
  readonly id: string;
}

export interface Rendered {
  readonly html: string;
  /** The text of the first heading of level 1, which is not part of `html`. */
  readonly title: string | undefined;
  readonly headings: readonly Heading[];
}

/** What a link or a picture of a document becomes. */
export type Resolve = (href: string, kind: 'link' | 'picture') => string;

// What may stand behind the three ticks, and what it is coloured as.
const LANGUAGES: Record<string, BundledLanguage> = {
  ts: 'ts',
  js: 'js',
  sh: 'sh',
  wgsl: 'wgsl',
  html: 'html',
  json: 'json',
};
const theme = createCssVariablesTheme({ name: 'site', variablePrefix: '--code-' });

/** Kernels in programs: a template behind the comment `wgsl`. */
const wgslInTemplates: LanguageRegistration = {
  name: 'wgsl-in-templates',
  scopeName: 'inline.wgsl',
  injectTo: ['source.ts'],
  injectionSelector: 'L:source.ts -comment -string',
  embeddedLangs: ['wgsl'],
  repository: {},
  patterns: [
    {
      begin: '(/\\* wgsl \\*/)\\s*(`)',
      beginCaptures: { 1: { name: 'comment.block.ts' }, 2: { name: 'string.template.ts' } },
      end: '`',
      endCaptures: { 0: { name: 'string.template.ts' } },
      patterns: [{ include: 'source.ts#template-substitution-element' }, { include: 'source.wgsl' }],
    },
  ],
};

const highlighter = await createHighlighter({ themes: [theme], langs: [...Object.values(LANGUAGES), wgslInTemplates] });

/** Code as HTML whose colours are variables of the stylesheet; `within` is code that it stands behind. */
export function highlight(code: string, language: string, within?: string): string {
  return highlighter.codeToHtml(code.trimEnd(), {
    lang: LANGUAGES[language] ?? 'text',
    theme: 'site',
    ...(within !== undefined && { grammarContextCode: within }),
  });
}

interface Environment {
  readonly resolve: Resolve;
  readonly headings: Heading[];
  readonly taken: Map<string, number>;
}

const markdown = new MarkdownIt({ html: true, highlight: (code, language) => highlight(code, language) });
const { rules } = markdown.renderer;

rules.heading_open = (tokens, index, _options, env: Environment) => {
  const level = Number(tokens[index]?.tag.slice(1));
  const text = plainText(tokens[index + 1]?.children ?? []);
  const id = idOf(text, env.taken);
  env.headings.push({ level, text, id });
  return `<h${level} id="${id}">`;
};
rules.heading_close = (tokens, index, _options, env: Environment) => {
  const { level, id } = env.headings.at(-1) as Heading;
  return `${level > 1 ? `<a class="anchor" href="#${id}" aria-label="Link to this section">#</a>` : ''}</${tokens[index]?.tag}>\n`;
};
rules.table_open = () => '<div class="scroll"><table>\n';
rules.table_close = () => '</table></div>\n';
rules.link_open = (tokens, index, options, env: Environment, self) => {
  tokens[index]?.attrSet('href', env.resolve(tokens[index].attrGet('href') ?? '', 'link'));
  return self.renderToken(tokens, index, options);
};
const { image } = rules;
rules.image = (tokens, index, options, env: Environment, self) => {
  tokens[index]?.attrSet('src', env.resolve(tokens[index].attrGet('src') ?? '', 'picture'));
  tokens[index]?.attrSet('loading', 'lazy');
  return image?.(tokens, index, options, env, self) ?? '';
};

/** Renders a document. */
export function render(text: string, resolve: Resolve): Rendered {
  const env: Environment = { resolve, headings: [], taken: new Map() };
  const html = markdown.render(text, env);
  const [first] = env.headings;
  const title = first?.level === 1 ? first.text : undefined;
  return {
    title,
    html: title === undefined ? html : html.replace(/<h1 .*?<\/h1>\n/s, ''),
    headings: title === undefined ? env.headings : env.headings.slice(1),
  };
}

/** A line of markdown without a paragraph around it. */
export const renderLine = (text: string): string => markdown.renderInline(text, { resolve: (href: string) => href });

interface Inline {
  readonly type: string;
  readonly content: string;
}

const plainText = (tokens: readonly Inline[]): string =>
  tokens
    .filter(({ type }) => type === 'text' || type === 'code_inline')
    .map(({ content }) => content)
    .join('');

/** The name of a heading as GitHub makes it, so that links between documents hold there and here. */
function idOf(text: string, taken: Map<string, number>): string {
  const id = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
  const before = taken.get(id) ?? 0;
  taken.set(id, before + 1);
  return before === 0 ? id : `${id}-${before}`;
}

/** Text as it may stand in HTML, in attributes too. */
export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
