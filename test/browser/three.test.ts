import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle } from './bundle.ts';
import { type OpenPage, openPage, pathOf } from './openPage.ts';
import { THREE_CASES, type ThreeGlobals } from './page/threeProtocol.ts';

describe('hashnest/three in Chromium', () => {
  let opened: OpenPage;
  beforeAll(async () => {
    const html = '<!doctype html><link rel="icon" href="data:," /><script type="module" src="/three.js"></script>';
    const script = await bundle(pathOf('page/three.ts'));
    opened = await openPage({ texts: { '/': html, '/three.js': script }, folders: {} });
  });
  afterAll(() => opened?.close());

  it.each(THREE_CASES)('%s', async (name) => {
    const failure = await opened.page.evaluate((entry) => (globalThis as unknown as ThreeGlobals).__try(entry), name);
    if (failure !== undefined) expect.fail(failure);
    expect(opened.errors).toEqual([]);
  });
});
