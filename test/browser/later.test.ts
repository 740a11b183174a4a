/** Parts of the library that are loaded by the first call that needs them, in Chromium. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ANSWERS, laterProgram } from '../package/laterProgram.ts';
import { SPLITTERS } from '../package/split.ts';
import { openPage, pathOf } from './openPage.ts';
import type { Site } from './serve.ts';

const PATIENCE_MS = 120_000;
const HTML = '<!doctype html><link rel="icon" href="data:," />';

/** What the program answers on a page whose first request for the part that saves tables is refused. */
async function answersOn({ texts, folders }: Site, script: string) {
  const opened = await openPage({ texts: { '/': HTML, ...texts }, folders });
  try {
    let refused = 0;
    await opened.page.route('**/savedTables*', (route) => (refused++ === 0 ? route.abort() : route.continue()));
    // A string, because vitest rewrites the `import` of a function.
    const answers = await opened.page.evaluate<string>(`import('${script}').then(({ useParts }) => useParts())`);
    return { answers, requests: refused };
  } finally {
    await opened.close();
  }
}

describe('parts that are loaded later, in Chromium', { timeout: PATIENCE_MS }, () => {
  it.each(Object.entries(SPLITTERS))(
    'come from files of their own by %s, and again where they failed',
    async (_, splitBy) => {
      const dir = mkdtempSync(join(tmpdir(), 'hashnest-later-'));
      try {
        const entry = join(dir, 'entry.js');
        writeFileSync(entry, laterProgram(pathOf('../../dist/index.js')));
        const { files } = await splitBy(entry);
        const texts = Object.fromEntries([...files].map(([name, { code }]) => [`/${name}`, code]));
        expect(await answersOn({ texts, folders: {} }, '/entry.js')).toEqual({ answers: ANSWERS.failing, requests: 2 });
      } finally {
        rmSync(dir, { recursive: true });
      }
    },
  );

  it('come from the built package as it is, without a bundler', async () => {
    const texts = { '/entry.js': laterProgram('/dist/index.js') };
    const folders = { '/dist/': pathOf('../../dist') };
    expect(await answersOn({ texts, folders }, '/entry.js')).toEqual({ answers: ANSWERS.failing, requests: 2 });
  });
});
