import { readFileSync } from 'node:fs';
import { bundle } from './bundle.ts';
import { type OpenPage, openPage, pathOf } from './openPage.ts';
import { ON_DEMAND } from './page/protocol.ts';

/** Opens the conformance page; it runs an entry of the list when told to. */
export async function openConformancePage(): Promise<OpenPage> {
  const html = readFileSync(pathOf('page/index.html'), 'utf8');
  const script = await bundle(pathOf('page/main.ts'));
  return openPage({ texts: { '/': html, '/main.js': script }, folders: { '/dist/': pathOf('../../dist') } }, ON_DEMAND);
}
