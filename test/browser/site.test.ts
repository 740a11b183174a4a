/** The site: built once, looked at in Chromium as it lies on the disk. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, normalize } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseHTML } from 'linkedom';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeKeys } from '../../site/browser/playground/workload.ts';
import { buildSite } from '../../site/build.ts';
import type { Page as SitePage } from '../../site/page.ts';
import { MOST_LINES, recipes } from '../../site/recipes.ts';
import { mix, randomWords } from '../../src/hashing/index.ts';
import { bundle } from './bundle.ts';
import { launchChromium } from './launch.ts';
import { serve } from './serve.ts';

/** A busy machine with a software GPU may need long for a table. */
const PATIENCE_MS = 100_000;

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
  page.setDefaultTimeout(PATIENCE_MS);
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(`${page.url()}: ${error}`));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) errors.push(`${page.url()}: ${message.text()}`);
  });
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

  it('open from a server too, below any path', async () => {
    const server = await serve({ texts: {}, folders: { '/some/where/': dist } });
    const { page, errors } = await watched({ width: 1600 });
    try {
      await page.goto(`${server.url}some/where/index.html`);
      await page.getByRole('link', { name: 'All results' }).click();
      await page.waitForURL(`${server.url}some/where/results/index.html`);
      await page.getByRole('link', { name: 'Recipes' }).click();
      await page.waitForURL(`${server.url}some/where/recipes/index.html`);
      expect(await page.evaluate('getComputedStyle(document.querySelector("main ul.cards")).display')).toBe('grid');
      expect(errors).toEqual([]);
    } finally {
      await page.close();
      await server.close();
    }
  });

  it('are found by their titles and headings', async () => {
    const { page, errors } = await watched({ width: 1200 });
    await page.goto(urlOf('guides/keys.html'));
    await page.fill('search input', 'dedu');
    await page.locator('search li a').first().click();
    await page.waitForURL(urlOf('recipes/dedupe.html'));
    await page.fill('search input', 'join two');
    await page.locator('search li a').first().click();
    await page.waitForURL(`${urlOf('guides/relational.html')}#join-two-tables`);
    expect(errors).toEqual([]);
  });
});

describe('the playground', () => {
  /** The words from which the hash function of a table with the seed 1 follows. */
  const random = randomWords(1);
  const constants = [random(), random(), random(), random()] as const;
  const hashOf = (key: number, range: number): number => mix.reduceTwin(mix.hashTwin([key], constants)[0], range);

  let page: Page;
  let errors: string[];
  beforeAll(async () => {
    ({ page, errors } = await watched({ width: 1200 }));
    await page.goto(urlOf('playground/index.html'));
    await finished();
  });
  afterAll(() => page?.close());

  const finished = () => page.locator('.run:enabled').waitFor();
  const number = async (name: string): Promise<number> =>
    Number(await page.locator(`data[data-name=${name}]`).getAttribute('value'));

  async function build(choice: Record<'scheme' | 'keys' | 'items', string>): Promise<void> {
    for (const [name, value] of Object.entries(choice)) await page.selectOption(`select[name=${name}]`, value);
    await page.click('.run');
    await finished();
    const answers = (2 * Number(choice.items)).toLocaleString('en');
    expect(await page.locator('.status').textContent()).toBe(`All ${answers} answers are right.`);
  }

  it('builds a table by itself, and tells which GPU does it', async () => {
    expect(await page.locator('.gpu').textContent()).toContain('a software GPU');
    expect(await page.locator('.status').textContent()).toBe('All 200,000 answers are right.');
    expect(await number('keys')).toBe(100_000);
  });

  it('tells the probes of linear probing, and shows which slots are taken', async () => {
    await build({ scheme: 'linearProbing', keys: 'random', items: '1000' });
    // Which keys are where depends on who came first; which slots are taken, and all probes together, do not.
    const { present } = makeKeys('random', 1000);
    const taken = new Set<number>();
    let probes = 0;
    for (const key of present) {
      let slot = hashOf(key, 1250);
      for (probes++; taken.has(slot); probes++) slot = (slot + 1) % 1250;
      taken.add(slot);
    }
    expect(await number('slots')).toBe(1250);
    expect(await number('load')).toBe(0.8);
    expect(await number('probes-present')).toBe(probes / 1000);
    const drawn = await page.evaluate<number[]>(`(() => {
      const canvas = document.querySelector('#playground canvas');
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      const slots = [...new Uint32Array(data.buffer).subarray(0, 1250)].map((word) => word.toString(16));
      const empty = getComputedStyle(document.documentElement).getPropertyValue('--slot-empty').trim();
      const [, red, green, blue] = /^#(..)(..)(..)$/.exec(empty);
      return [...slots.keys()].filter((slot) => slots[slot] !== 'ff' + blue + green + red);
    })()`);
    expect(drawn).toEqual([...taken].sort((a, b) => a - b));
  });

  it('has the right histogram, and the right averages', async () => {
    await build({ scheme: 'chaining', keys: 'in sequence', items: '10000' });
    const { present, absent } = makeKeys('in sequence', 10_000);
    const sizes = new Array<number>(5000).fill(0);
    for (const key of present) sizes[hashOf(key, 5000)] = (sizes[hashOf(key, 5000)] as number) + 1;
    const probes = {
      present: sizes.flatMap((size) => Array.from({ length: size }, (_, i) => i + 1)),
      absent: Array.from(absent, (key) => sizes[hashOf(key, 5000)] as number),
    };
    for (const kind of ['present', 'absent'] as const) {
      expect(await number(`probes-${kind}`)).toBe(probes[kind].reduce((sum, n) => sum + n, 0) / 10_000);
      const labels = await page.locator('.histogram text').allTextContents();
      const titles = await page.locator(`.histogram .${kind} title`).allTextContents();
      const expected = labels.map((label) => {
        const first = Number.parseInt(label, 10);
        const count = probes[kind].filter((n) => (label.endsWith('+') ? n >= first : n === first)).length;
        return `${(count / 100).toFixed(1)}% of the ${kind} keys`;
      });
      expect(titles).toEqual(expected);
    }
  });

  it('tells times that fit in the time it took, and rates that follow from them', async () => {
    const begin = performance.now();
    await build({ scheme: 'bucketCuckoo', keys: 'runs of 64', items: '10000' });
    const elapsed = performance.now() - begin;
    let together = 0;
    for (const kind of ['build', 'present', 'absent']) {
      const [ms, rate] = [await number(`time-${kind}`), await number(`rate-${kind}`)];
      expect(ms).toBeGreaterThan(0);
      expect(rate).toBeCloseTo(10_000_000 / ms, 3);
      together += ms;
    }
    // Each is a median of three passes that were run here.
    expect(2 * together).toBeLessThan(elapsed);
  });

  it('runs a kernel that is edited, and says where one is wrong', async () => {
    const run = async (code: string): Promise<string> => {
      await page.fill('textarea', code);
      await page.click('.run-kernel');
      await page.locator('.run-kernel:enabled').waitFor();
      return (await page.locator('.kernel-output').textContent()) ?? '';
    };
    const kernel = (body: string) =>
      `@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {\n${body}\n}`;
    await run(kernel('let hit = table_find(keys[3u * id.x]); output[id.x] = select(9u, hit.value + 5u, hit.found);'));
    const words = await page.locator('.kernel-output').getAttribute('data-words');
    expect(words).toBe(Array.from({ length: 1024 }, (_, i) => 3 * i + 5).join(' '));
    expect(await run(kernel('  output[id.x] = tabel_find(1u);'))).toMatch(/^line 2: .*tabel_find/);
    expect(await run(kernel('let hit = table_find(0xffffffffu); output[id.x] = u32(hit.found);'))).toMatch(/^sum 0\n/);
    expect(errors).toEqual([]);
  });

  it('says so where there is no WebGPU', async () => {
    const { page: bare, errors: faults } = await watched({ width: 360 });
    await bare.addInitScript("Object.defineProperty(Navigator.prototype, 'gpu', { get: () => undefined })");
    await bare.goto(urlOf('playground/index.html'));
    await bare.getByText('This browser has no WebGPU.').waitFor();
    expect(await bare.locator('#playground form').isVisible()).toBe(false);
    expect(faults).toEqual([]);
    await bare.close();
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
