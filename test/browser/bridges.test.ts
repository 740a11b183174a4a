import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle } from './bundle.ts';
import { type OpenPage, openPage, pathOf } from './openPage.ts';
import { BRIDGE_CASES, type BridgeGlobals } from './page/bridgesProtocol.ts';

describe('bridges in Chromium', () => {
  let opened: OpenPage;
  beforeAll(async () => {
    const html = '<!doctype html><link rel="icon" href="data:," /><script type="module" src="/bridges.js"></script>';
    const script = await bundle(pathOf('page/bridges.ts'));
    opened = await openPage({ texts: { '/': html, '/bridges.js': script }, folders: {} });
  });
  afterAll(() => opened?.close());

  it.each(BRIDGE_CASES)('%s', async (name) => {
    const failure = await opened.page.evaluate((entry) => (globalThis as unknown as BridgeGlobals).__try(entry), name);
    if (failure !== undefined) expect.fail(failure);
    expect(opened.errors).toEqual([]);
  });
});
