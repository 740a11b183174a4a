import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { launchChromium } from './launch.ts';
import { type Site, serve } from './serve.ts';

/** The path of a file beside this one. */
export const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/** A page, open in a browser of its own. */
export interface OpenPage {
  readonly page: Page;
  /** Uncaught errors of the page and what it wrote to its console as an error. */
  readonly errors: readonly string[];
  close(): Promise<void>;
}

/** Starts a server and a browser, and opens the page of the site at `/`, with something behind its address. */
export async function openPage(site: Site, behind = ''): Promise<OpenPage> {
  const server = await serve(site);
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
    await page.goto(`${server.url}${behind}`);
    return { page, errors, close };
  } catch (error) {
    await close();
    throw error;
  }
}
