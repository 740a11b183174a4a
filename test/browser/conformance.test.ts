import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RUNNER_LIMIT_MS, shortList } from '../conformance/index.ts';
import { inFull } from '../inFull.ts';
import { openConformancePage } from './conformancePage.ts';
import type { OpenPage } from './openPage.ts';
import type { ConformanceGlobals } from './page/protocol.ts';

/** Every day a part, in which cases meet schemes by turns: the kernels are those that Node runs, by the same software GPU. */
const list = inFull ? shortList : shortList.filter((_, i) => i % 5 === 0);

describe('in Chromium', () => {
  let opened: OpenPage;
  beforeAll(async () => {
    opened = await openConformancePage();
  });
  afterAll(() => opened?.close());

  it.each(list.map(({ name }) => name))('%s', { timeout: RUNNER_LIMIT_MS }, async (name) => {
    const { failure } = await opened.page.evaluate(
      (entry) => (globalThis as unknown as ConformanceGlobals).__run(entry),
      name,
    );
    if (failure !== undefined) expect.fail(failure);
  });

  it('shows every result on the page', async () => {
    expect(await opened.page.locator('#results li').count()).toBe(list.length);
    expect(opened.errors).toEqual([]);
  });

  it('loads the built package as it is, without a bundler', async () => {
    // A string, because vitest rewrites the `import` of a function.
    const software = await opened.page.evaluate(
      `import('/dist/index.js').then(({ Gpu }) => Gpu.open()).then((gpu) => gpu.info.software)`,
    );
    expect(software).toBe(true);
  });
});
