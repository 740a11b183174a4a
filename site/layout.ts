/** What every page has around it: head, navigation, contents, foot. */
import { escapeHtml } from './markdown.ts';
import { linkFrom, type Page, SECTIONS, type Section } from './page.ts';
import { repository } from './repository.ts';

/** A whole page as HTML; the navigation is made from all pages. */
export function layout(page: Page, pages: readonly Page[]): string {
  const to = (target: string): string => linkFrom(page.path, target);
  const title = page.path === 'index.html' ? 'Hashnest: hash tables on the GPU' : `${page.title} – Hashnest`;
  const inSection = pages.filter(({ section }) => section !== undefined && section === page.section);
  const hasSide = inSection.length > 1;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escapeHtml(page.summary ?? 'Hash tables built and queried on the GPU, for TypeScript over WebGPU.')}">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${to('icon.svg')}">
<link rel="stylesheet" href="${to('style.css')}">
</head>
<body class="${hasSide ? 'has-side' : ''}" data-root="${to('index.html').slice(0, -'index.html'.length)}">
<a class="skip" href="#content">To the content</a>
<header>
<a class="brand" href="${to('index.html')}"><img src="${to('icon.svg')}" alt="" width="22" height="22">Hashnest</a>
<nav aria-label="Parts of the site">
${SECTIONS.map((section) => sectionLink(section, page, pages)).join('\n')}
</nav>
<search><input type="search" placeholder="Search" aria-label="Search titles and headings" autocomplete="off"><ol hidden></ol></search>
</header>
<div class="columns">
${hasSide ? sideNavigation(page, inSection) : ''}
<main id="content">
${page.path === 'index.html' ? '' : `<h1>${escapeHtml(page.title)}</h1>\n`}${page.html}
</main>
${contents(page)}
</div>
<footer>
<p>Hashnest is free software under the MIT licence. <a href="${repository.url}">The repository</a>${
    page.source === undefined ? '' : ` · <a href="${repository.fileUrl(page.source)}">This page’s source</a>`
  }</p>
</footer>
${['site.js', ...(page.scripts ?? [])].map((script) => `<script src="${to(script)}" defer></script>`).join('\n')}
</body>
</html>
`;
}

function sectionLink(section: Section, page: Page, pages: readonly Page[]): string {
  const first = pages.find((candidate) => candidate.section === section);
  if (!first) throw new Error(`the section ${section} has no page`);
  const current = page.section === section ? ' aria-current="true"' : '';
  return `<a href="${linkFrom(page.path, first.path)}"${current}>${section}</a>`;
}

/** The other pages of a section: beside the page, or in a list that opens where there is no room. */
function sideNavigation(page: Page, pages: readonly Page[]): string {
  const links = pages.map((other) => {
    const current = other === page ? ' aria-current="page"' : '';
    return `<li><a href="${linkFrom(page.path, other.path)}"${current}>${escapeHtml(other.label ?? other.title)}</a></li>`;
  });
  const list = `<ul>\n${links.join('\n')}\n</ul>`;
  return `<nav class="side" aria-label="${page.section}">${list}</nav>
<details class="side-menu"><summary>${page.section}: ${escapeHtml(page.label ?? page.title)}</summary>${list}</details>`;
}

function contents({ headings }: Page): string {
  const shown = headings.filter(({ level }) => level === 2);
  if (shown.length < 2) return '';
  const links = shown.map(({ id, text }) => `<li><a href="#${id}">${escapeHtml(text)}</a></li>`);
  return `<nav class="contents" aria-label="On this page"><p>On this page</p><ul>\n${links.join('\n')}\n</ul></nav>`;
}
