/** Takes the pictures of the documents from the site: `npx tsx test/browser/pictures.ts`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { buildSite } from '../../site/build.ts';
import { launchChromium } from './launch.ts';

const picture = (name: string): string => fileURLToPath(new URL(`../../docs/pictures/${name}.png`, import.meta.url));

/** Above and below what is taken, in pixels: no more than there is between paragraphs. */
const ROOM = 12;

/** The part of a page from one element to another. */
async function take(page: Page, name: string, first: string, last: string): Promise<void> {
  const boxes = await Promise.all([first, last].map((selector) => page.locator(selector).first().boundingBox()));
  const [top, bottom] = boxes as { y: number; height: number }[];
  if (!top || !bottom) throw new Error(`${name}: the page has no ${first} or no ${last}`);
  const y = top.y - ROOM;
  const clip = { x: 0, y, width: page.viewportSize()?.width ?? 0, height: bottom.y + bottom.height - y + ROOM };
  await page.screenshot({ path: picture(name), clip, fullPage: true });
}

const dist = mkdtempSync(join(tmpdir(), 'hashnest-site-'));
const browser = await launchChromium();
try {
  await buildSite(dist);
  const page = await browser.newPage({ viewport: { width: 900, height: 900 }, deviceScaleFactor: 1.5 });
  const open = (path: string) => page.goto(pathToFileURL(join(dist, path)).href);
  await open('index.html');
  await take(page, 'rates', 'h2#rates', 'figcaption');
  await open('results/index.html');
  await take(page, 'sizes', 'h2#build', 'h2#absent + figure figcaption');
  await take(page, 'loads', 'h2#build-loads', 'h2#absent-loads + figure figcaption');
  await open('playground/index.html');
  await page.locator('.run:enabled').waitFor();
  await page.selectOption('select[name=scheme]', 'robinHood');
  await page.selectOption('select[name=items]', '10000');
  await page.click('.run');
  await page.locator('.run:enabled').waitFor();
  await take(page, 'playground', 'main h1', 'canvas + .note');
} finally {
  await browser.close();
  rmSync(dist, { recursive: true, force: true });
}
