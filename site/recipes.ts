/** Pages from the programs in `examples/`: a recipe is a short program whose first comment says what it is for. */
import { posix } from 'node:path';
import { escapeHtml, highlight, renderLine } from './markdown.ts';
import { linkFrom, type Page } from './page.ts';
import { repository } from './repository.ts';

/** Which come first; all others follow by name. */
const ORDER = [
  'first-steps',
  'dedupe',
  'join',
  'group-by',
  'weld',
  'neighbours',
  'voxels',
  'three',
  'typegpu',
  'arrow',
  'save-to-a-file',
  'save-in-a-browser',
  'kernel-of-your-own',
];

/** No recipe is longer. */
export const MOST_LINES = 30;

/** A program, parted into what its page shows. */
export interface Recipe {
  readonly source: string;
  /** The name of the file. */
  readonly name: string;
  /** The first paragraph of the comment where it has several, else the name of the file in words. */
  readonly title: string;
  /** The rest of the comment. */
  readonly prose: string;
  readonly code: string;
  /** Of the whole file. */
  readonly lines: number;
}

/** All recipes, in their order. */
export function recipes(): Recipe[] {
  return repository
    .list('examples', '.ts')
    .map((source) => readRecipe(source, repository.read(source)))
    .sort((a, b) => rank(a) - rank(b));
}

const rank = ({ name }: Recipe): number => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);

/** Parts a program into its first comment and its code. */
export function readRecipe(source: string, text: string): Recipe {
  const name = posix.basename(source, '.ts');
  const [comment = '', body = ''] = /^\/\*\*(.*?)\*\/\n+/s.exec(text) ?? [];
  const paragraphs = body
    .replaceAll(/^\s*\* ?/gm, '')
    .trim()
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.replaceAll(/\s+/g, ' '));
  const [title] = paragraphs.length > 1 ? paragraphs.splice(0, 1) : [capital(name.replaceAll('-', ' '))];
  return {
    source,
    name,
    title: (title as string).replace(/\.$/, ''),
    prose: paragraphs.join(' '),
    code: text.slice(comment.length),
    lines: text.trimEnd().split('\n').length,
  };
}

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** One page a recipe, behind a page with all of them. */
export function recipePages(): Page[] {
  const all = recipes();
  const pages = all.map(
    ({ source, name, title, prose, code }): Page => ({
      path: `recipes/${name}.html`,
      section: 'Recipes',
      title,
      summary: prose,
      html: `<p class="lead">${renderLine(prose)}</p>
${highlight(code, 'ts')}
<p>This is <a href="${repository.fileUrl(source)}"><code>${source}</code></a>, and the tests run it.</p>`,
      headings: [],
      source,
    }),
  );
  const path = 'recipes/index.html';
  const cards = pages.map(
    (page) =>
      `<li><a href="${linkFrom(path, page.path)}"><strong>${escapeHtml(page.title)}</strong><span>${renderLine(page.summary?.split(/(?<=\.) /)[0] ?? '')}</span></a></li>`,
  );
  const html = `<p class="lead">Short programs for common jobs, none longer than ${MOST_LINES} lines. Each is a file of <code>examples/</code>, and the tests run it.</p>
<ul class="cards">
${cards.join('\n')}
</ul>`;
  return [{ path, section: 'Recipes', title: 'Recipes', label: 'All recipes', html, headings: [] }, ...pages];
}
