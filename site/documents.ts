/** Pages from the documents of the repository, which stay where they are: guides, schemes, results, and how it is made. */
import { posix } from 'node:path';
import { type Resolve, render } from './markdown.ts';
import { linkFrom, type Page, type Section } from './page.ts';
import { repository } from './repository.ts';

/** The documents of a section in their order. Those of `docs/` that are in none are guides, behind the others. */
const ORDER: Partial<Record<Section, readonly string[]>> = {
  Guides: [
    'docs/faces.md',
    'docs/collections.md',
    'docs/keys.md',
    'docs/choosing.md',
    'docs/memory-and-limits.md',
    'docs/determinism.md',
    'docs/reliability.md',
    'docs/dynamic.md',
    'docs/relational.md',
    'docs/spatial.md',
    'docs/apps.md',
  ],
  Results: ['docs/performance.md', 'docs/coherent-figures.md', 'docs/dynamic-figures.md'],
  Inside: ['docs/architecture.md', 'docs/testing.md', 'CONTRIBUTING.md', 'CHANGELOG.md'],
};

/** A document, and the page that it becomes. */
interface Placed {
  readonly source: string;
  readonly section: Section;
  readonly path: string;
}

function placeDocuments(): Placed[] {
  const placed = Object.entries(ORDER).flatMap(([section, sources]) =>
    sources.map((source) => place(source, section as Section)),
  );
  const others = repository
    .list('docs', '.md')
    .filter((source) => !placed.some((document) => document.source === source))
    .map((source) => place(source, 'Guides'));
  const schemes = repository.list('docs/schemes', '.md').map((source) => place(source, 'Schemes'));
  return [...placed, ...others, ...schemes];
}

const place = (source: string, section: Section): Placed => ({
  source,
  section,
  path: `${section.toLowerCase()}/${posix.basename(source, '.md').replace(/^[A-Z]+$/, (name) => name.toLowerCase())}.html`,
});

/** What a document refers to that has to be copied beside the pages. */
export interface Documents {
  readonly pages: readonly Page[];
  readonly pictures: ReadonlySet<string>;
}

/** Renders all documents; `figures` gives HTML for some of them, by their paths. */
export function documentPages(figures: ReadonlyMap<string, string>): Documents {
  const placed = placeDocuments();
  const pathOf = new Map(placed.map(({ source, path }) => [source, path]));
  const titleOf = new Map(placed.map(({ source }) => [posix.basename(source), titleIn(repository.read(source))]));
  const pictures = new Set<string>();

  const pages = placed.map(({ source, section, path }): Page => {
    const resolve: Resolve = (href, kind) => {
      if (/^(https?:|#)/.test(href)) return href;
      const [file = '', anchor] = href.split('#');
      const target = posix.join(posix.dirname(source), file);
      if (!repository.has(target)) throw new Error(`${source} refers to ${href}, and there is no such file`);
      if (kind === 'picture') {
        pictures.add(target);
        return linkFrom(path, target.replace(/^docs\//, ''));
      }
      const to = pathOf.get(target);
      const url = to === undefined ? repository.fileUrl(target) : linkFrom(path, to);
      return anchor === undefined ? url : `${url}#${anchor}`;
    };
    const { html, title, headings } = render(namedLinks(repository.read(source), titleOf), resolve);
    if (title === undefined) throw new Error(`${source} has no title`);
    const [, label = title] = /^([^:]+): /.exec(title) ?? [];
    // Behind the first paragraph, which says what it is.
    const shown = html.replace('</p>\n', `</p>\n${figures.get(source) ?? ''}`);
    return { path, section, title, label, html: shown, headings, source };
  });
  return { pages, pictures };
}

const titleIn = (text: string): string => /^# (.*)$/m.exec(text)?.[1] ?? '';

/** Links that show the name of a file show its title: the site has pages, not files. */
const namedLinks = (text: string, titleOf: ReadonlyMap<string, string>): string =>
  text.replaceAll(/\[(?:[\w-]+\/)*([\w-]+\.md)\]\(/g, (all, name: string) => {
    const title = titleOf.get(name);
    return title === undefined ? all : `[${title}](`;
  });
