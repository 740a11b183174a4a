/** A page goes on drawing while its first collections are made. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle } from './bundle.ts';
import { type OpenPage, openPage, pathOf } from './openPage.ts';
import { FIRSTS, type FrameGlobals } from './page/framesProtocol.ts';

describe('frames are drawn while Chromium makes the first', () => {
  let opened: OpenPage;
  beforeAll(async () => {
    const html = '<!doctype html><link rel="icon" href="data:," /><script type="module" src="/frames.js"></script>';
    const script = await bundle(pathOf('page/frames.ts'));
    opened = await openPage({ texts: { '/': html, '/frames.js': script }, folders: {} });
  });
  afterAll(() => opened?.close());

  it.each(FIRSTS)('%s', async (name) => {
    const drawn = await opened.page.evaluate((first) => (globalThis as unknown as FrameGlobals).__make(first), name);
    expect(drawn).toMatchObject({ blocking: 0, isRight: true });
    expect(drawn.beside).toBeGreaterThan(0);
    // Each of them is made, and searched, with pipelines that were not there before.
    expect(drawn.frames).toBeGreaterThanOrEqual(2);
    expect(opened.errors).toEqual([]);
  });
});
