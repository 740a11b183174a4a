/** Builds the site into `site/dist`: static files with relative links, which open from disk and from any server. */
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundleForPages } from './bundle.ts';
import { documentPages } from './documents.ts';
import { homePage } from './home.ts';
import { layout } from './layout.ts';
import type { Page } from './page.ts';
import { playgroundPage } from './playgroundPage.ts';
import { recipePages } from './recipes.ts';
import { referencePages } from './reference/index.ts';
import { repository } from './repository.ts';
import { resultsPage } from './resultsPage.ts';
import { schemeFigures, schemesPage } from './schemes.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** What `npm run site` writes to, and git ignores. */
export const DIST = here('dist');

/** Writes the whole site, and tells its pages. */
export async function buildSite(into = DIST): Promise<readonly Page[]> {
  const { pages: documents, pictures } = documentPages(schemeFigures());
  const of = (section: Page['section']): Page[] => documents.filter((page) => page.section === section);
  const pages: Page[] = [
    homePage(),
    ...recipePages(),
    ...of('Guides'),
    schemesPage(of('Schemes')),
    ...of('Schemes'),
    resultsPage(),
    ...of('Results'),
    ...referencePages(),
    playgroundPage(),
    ...of('Inside'),
  ];

  rmSync(into, { recursive: true, force: true });
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(into, path)), { recursive: true });
    writeFileSync(join(into, path), text);
  };
  for (const page of pages) write(page.path, layout(page, pages));
  for (const picture of pictures) {
    const to = join(into, picture.replace(/^docs\//, ''));
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(join(repository.root, picture), to);
  }
  for (const file of ['style.css', 'icon.svg']) copyFileSync(here(file), join(into, file));
  write('site.js', await bundleForPages(here('browser/search.ts')));
  write('playground/playground.js', await bundleForPages(here('browser/playground/main.ts')));
  write('search-index.js', searchIndex(pages));
  return pages;
}

/** Titles and headings, as a script, because pages that were opened from disk may not fetch. */
function searchIndex(pages: readonly Page[]): string {
  const entries = pages.map(({ path, title, section, headings }) => ({
    path,
    title,
    section: section ?? '',
    headings: headings.map(({ text, id }) => [text, id]),
  }));
  return `globalThis.hashnestSearch = ${JSON.stringify(entries)};\n`;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const begin = performance.now();
  const pages = await buildSite();
  const seconds = ((performance.now() - begin) / 1000).toFixed(1);
  console.log(`${pages.length} pages in ${seconds} s: open ${join(DIST, 'index.html')}`);
}
