/** The site: built once, looked at in Chromium as it lies on the disk. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, normalize } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseHTML } from 'linkedom';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildSite } from '../../site/build.ts';
import type { Page as SitePage } from '../../site/page.ts';
import { MOST_LINES, recipes } from '../../site/recipes.ts';
import { bundle } from './bundle.ts';
import { launchChromium } from './launch.ts';
import { serve } from './serve.ts';

const dist = mkdtempSync(join(tmpdir(), 'hashnest-site-'));
let pages: readonly SitePage[];
let browser: Browser;

beforeAll(async () => {
  [pages, browser] = await Promise.all([buildSite(dist), launchChromium()]);
});
afterAll(async () => {
  await browser?.close();
  rmSync(dist, { recursive: true, force: true });
});

const htmlOf = (path: string): string => readFileSync(join(dist, path), 'utf8');
const urlOf = (path: string): string => pathToFileURL(join(dist, path)).href;

/** A page of the browser, and what went wrong on it. */
async function watched(options: {
  width: number;
  colorScheme?: 'light' | 'dark';
}): Promise<{ page: Page; errors: string[] }> {
  const { width, colorScheme = 'light' } = options;
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(`${page.url()}: ${error}`));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) errors.push(`${page.url()}: ${message.text()}`);
  });
  page.on('requestfailed', (request) => errors.push(`${page.url()}: ${request.url()} failed`));
  return { page, errors };
}

describe('the pages', () => {
  it('have a recipe for every program, and a page for every document and scheme', () => {
    const titles = pages.filter(({ section }) => section === 'Recipes').map(({ title }) => title);
    expect(titles).toEqual(expect.arrayContaining(['Dedupe', 'Join', 'Group by', 'Weld', 'Neighbours', 'Voxels']));
    const sources = pages.map(({ source }) => source);
    expect(sources).toEqual(expect.arrayContaining(['docs/keys.md', 'docs/schemes/cuckoo.md', 'examples/join.ts']));
    expect(new Set(pages.map(({ path }) => path)).size).toBe(pages.length);
  });

  it('show recipes that are short and say what they are for', () => {
    const all = recipes();
    expect(all.filter(({ prose }) => prose === '').map(({ source }) => source)).toEqual([]);
    expect(all.filter(({ lines }) => lines > MOST_LINES).map(({ source, lines }) => [source, lines])).toEqual([]);
  });

  it('link to what is there', () => {
    const idsOf = new Map<string, Set<string>>();
    const ids = (path: string): Set<string> => {
      const known =
        idsOf.get(path) ?? new Set([...htmlOf(path).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id as string));
      idsOf.set(path, known);
      return known;
    };
    const broken: string[] = [];
    for (const { path } of pages) {
      const { document } = parseHTML(htmlOf(path));
      for (const element of document.querySelectorAll('[href], [src]')) {
        const link = element.getAttribute('href') ?? element.getAttribute('src') ?? '';
        if (/^https:\/\//.test(link)) continue;
        const [file = '', anchor] = link.split('#');
        const target = file === '' ? path : normalize(join(path, '..', file));
        const holds = existsSync(join(dist, target)) && (!anchor || ids(target).has(decodeURIComponent(anchor)));
        if (!holds) broken.push(`${path}: ${link}`);
      }
    }
    expect(broken).toEqual([]);
  });

  it('open from disk without a fault, and fit a narrow screen', async () => {
    const { page, errors } = await watched({ width: 360, colorScheme: 'dark' });
    const tooWide: string[] = [];
    for (const { path } of pages) {
      await page.goto(urlOf(path));
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      if (width > 360) tooWide.push(`${path}: ${width} pixels`);
    }
    expect(errors).toEqual([]);
    expect(tooWide).toEqual([]);
  });

  it('are found by their titles and headings', async () => {
    const { page, errors } = await watched({ width: 1200 });
    await page.goto(urlOf('guides/keys.html'));
    await page.fill('search input', 'dedu');
    await page.locator('search li a').first().click();
    expect(page.url()).toBe(urlOf('recipes/dedupe.html'));
    await page.fill('search input', 'join two');
    await page.locator('search li a').first().click();
    expect(page.url()).toBe(`${urlOf('guides/relational.html')}#join-two-tables`);
    expect(errors).toEqual([]);
  });
});

describe('the recipe for IndexedDB', () => {
  it('builds once, and opens what was saved afterwards', async () => {
    const entry = fileURLToPath(new URL('page/saved.ts', import.meta.url));
    const server = await serve({
      texts: { '/': '<title>saved</title>', '/saved.js': await bundle(entry) },
      folders: {},
    });
    const { page, errors } = await watched({ width: 1200 });
    try {
      await page.goto(server.url);
      // A string, because vitest rewrites the `import` of a function.
      const visit = `import('/saved.js').then(({ visit }) => visit())`;
      expect(await page.evaluate(visit)).toEqual({ price: 2, loads: 1 });
      await page.reload();
      expect(await page.evaluate(visit)).toEqual({ price: 2, loads: 0 });
      expect(errors).toEqual([]);
    } finally {
      await page.close();
      await server.close();
    }
  });
});
