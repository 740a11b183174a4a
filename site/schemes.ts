/** Diagrams for the pages of schemes, and the page that has them all. */
import { posix } from 'node:path';
import { type Drawing, draw } from './diagrams/draw.ts';
import { DIAGRAMS, type Drawn } from './diagrams/schemes.ts';
import { escapeHtml, render } from './markdown.ts';
import { linkFrom, type Page } from './page.ts';
import { repository } from './repository.ts';

const WIDE = 640;
const NARROW = 328;

function figure(drawing: Drawn, label: string): string {
  const steps = drawing.steps?.map(({ says }) => `<li>${says}</li>`) ?? [];
  return `<figure class="scheme"><div class="wide">${draw(drawing, WIDE, label)}</div><div class="narrow">${draw(drawing, NARROW, label)}</div>
<figcaption>${drawing.says}${steps.length > 0 ? `<ol>${steps.join('')}</ol>` : ''}</figcaption></figure>\n`;
}

/** The diagrams of each scheme, by the path of its document. */
export function schemeFigures(): ReadonlyMap<string, string> {
  return new Map(
    repository.list('docs/schemes', '.md').map((source) => {
      const name = posix.basename(source, '.md');
      const diagrams = DIAGRAMS[name];
      if (!diagrams) throw new Error(`site/diagrams/schemes.ts has no diagrams for ${source}`);
      const lookups = diagrams.lookups.map((lookup) =>
        figure({ rows: diagrams.layout.rows, ...lookup }, `A search in ${name}`),
      );
      return [source, [figure(diagrams.layout, `The layout of ${name}`), ...lookups].join('')];
    }),
  );
}

/** All schemes side by side; `pages` are theirs. */
export function schemesPage(pages: readonly Page[]): Page {
  const path = 'schemes/index.html';
  const cards = pages.map((page) => {
    const name = posix.basename(page.path, '.html');
    const drawing = DIAGRAMS[name]?.layout as Drawing;
    return `<li><a href="${linkFrom(path, page.path)}"><strong>${escapeHtml(page.label ?? page.title)}</strong>${draw({ rows: drawing.rows.map(({ cells }) => ({ cells })) }, NARROW, `The layout of ${name}`)}</a></li>`;
  });
  const readme = repository.read('README.md');
  const section = readme.slice(readme.indexOf('## Schemes'), readme.indexOf('\n## ', readme.indexOf('## Schemes') + 1));
  const table = /^\|[^\n]*scheme[\s\S]*?\n(?!\|)/m.exec(section)?.[0] ?? '';
  const byDocument = new Map(pages.map((page) => [page.source, page.path]));
  const { html } = render(table, (href) => linkFrom(path, byDocument.get(href.split('#')[0]) ?? path));
  return {
    path,
    section: 'Schemes',
    title: 'Schemes',
    label: 'All schemes',
    html: `<p class="lead">A scheme is the way a table is laid out, built and searched. All of them answer alike; they differ in memory and in work. <a href="../guides/choosing.html">Which to take</a></p>
<ul class="cards schemes">
${cards.join('\n')}
</ul>
<h2 id="compared">Compared</h2>
${html}`,
    headings: [{ level: 2, id: 'compared', text: 'Compared' }],
  };
}
