import type { Page } from './page.ts';
import {
  dueTable,
  ratesAtOneSize,
  ratesOfBatches,
  ratesOverLoads,
  ratesOverSizes,
  searchesBesideMap,
} from './plots.ts';
import { repository } from './repository.ts';
import { RESULT_FILES } from './results.ts';

/** The plots of all that was measured. */
export function resultsPage(): Page {
  const files = RESULT_FILES.map(
    (file) => `<a href="${repository.fileUrl(file)}"><code>${file.split('/').at(-1)}</code></a>`,
  );
  const atLoads = (items: string) =>
    `10⁹ a second, maps of ${items} pairs of u32. Schemes without a load stand where plain slots would take their bytes.`;
  const parts: [id: string, title: string, html: string][] = [
    [
      'one-size',
      'Maps of 10⁸ pairs',
      ratesAtOneSize(
        '10⁹ items or searches a second. 32-bit keys and values, load 0.8 where there is one. Each scheme is from one run; other runs on such a GPU differ by up to a tenth. CUDA libraries, in amber, were measured separately on the same kind of GPU, by the same rules.',
      ),
    ],
    [
      'build',
      'Building, by size',
      ratesOverSizes(
        'build',
        'Whole recorded builds, 10⁹ items a second: clearing, inserting, and further attempts that turn out empty. Dots are measurements, at a load of 0.8 or the one whose bytes are nearest to it.',
      ),
    ],
    [
      'present',
      'Searching for present keys, by size',
      ratesOverSizes('hit', '10⁹ searches a second. What fits the cache of 60 MB is searched faster.'),
    ],
    ['absent', 'Searching for absent keys, by size', ratesOverSizes('miss', '10⁹ searches a second.')],
    ['build-loads', 'Building, by load', ratesOverLoads('build', atLoads)],
    ['present-loads', 'Searching for present keys, by load', ratesOverLoads('hit', atLoads)],
    ['absent-loads', 'Searching for absent keys, by load', ratesOverLoads('miss', atLoads)],
    ['half-absent', 'Searches of which half are absent, by size', ratesOverSizes('mixed', '10⁹ searches a second.')],
    [
      'map',
      'Beside a JavaScript Map',
      searchesBesideMap(
        'Keys found in a second, all present and in another order than they were inserted: by a Map, by calls of <code>get</code> from array to array, and by the GPU without transfers.',
      ),
    ],
    [
      'batches',
      'Tables that live, by the size of batches',
      ratesOfBatches(
        '10⁹ items a second, everything that an encoded batch needs: regionCuckoo with 10⁸ keys, unique keys in a batch that are new, or there already and get other values, or are deleted.',
      ),
    ],
    [
      'wide-keys',
      'Wide keys, beside a paper',
      dueTable(
        'Milliseconds for 10⁷ keys with 32-bit values: building, and then looking all keys up (the lighter part). The times of Due et al. 2025 (Table 1) are for an A100, an older and smaller GPU than the H200.',
      ),
    ],
  ];
  const html = `<p class="lead">Measured on an NVIDIA H200 by <code>hashnest bench</code>: GPU time, the median of several passes, every answer checked on the GPU.</p>
${parts.map(([id, title, plot]) => `<h2 id="${id}">${title}</h2>\n${plot}`).join('\n')}
<h2 id="records">The records</h2>
<p>${files.join(', ')}. <a href="performance.html">Performance</a> says how they were measured, has many more in tables, and tells what was tried and lost.</p>`;
  return {
    path: 'results/index.html',
    section: 'Results',
    title: 'Results',
    label: 'Plots',
    html,
    headings: [...parts, ['records', 'The records', '']].map(([id = '', text = '']) => ({ level: 2, id, text })),
  };
}
