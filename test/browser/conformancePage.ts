import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { bundle } from './bundle.ts';
import { launchChromium } from './launch.ts';
import { ON_DEMAND } from './page/protocol.ts';
import { serve } from './serve.ts';

const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/** The conformance page, open in a browser. */
export interface ConformancePage {
  readonly page: Page;
  /** Uncaught errors of the page and what it wrote to its console as an error. */
  readonly errors: readonly string[];
  close(): Promise<void>;
}

/** Starts a server and a browser, and opens the page; it runs an entry of the list when told to. */
export async function openConformancePage(): Promise<ConformancePage> {
  const html = readFileSync(pathOf('page/index.html'), 'utf8');
  const script = await bundle(pathOf('page/main.ts'));
  const server = await serve({
    texts: { '/': html, '/main.js': script },
    folders: { '/dist/': pathOf('../../dist') },
  });
  const browser = await launchChromium();
  const close = async () => {
    await browser.close();
    await server.close();
  };
  try {
    const page = await browser.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    await page.goto(`${server.url}${ON_DEMAND}`);
    return { page, errors, close };
  } catch (error) {
    await close();
    throw error;
  }
}
