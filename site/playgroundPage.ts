import { PRELUDE, SHADES } from './browser/playground/shown.ts';
import { KEY_KINDS } from './browser/playground/workload.ts';
import { escapeHtml, highlight } from './markdown.ts';
import type { Page } from './page.ts';
import { repository } from './repository.ts';

const SIZES = [1_000, 10_000, 100_000, 1_000_000];
/** What a software GPU can do while somebody waits; a real one begins with the most. */
const FIRST_SIZE = 100_000;

const KERNEL = `// How many probes it takes to find each of the last 1,024 keys.
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
  let hit = table_find(keys[arrayLength(&keys) - 1u - id.x]);
  output[id.x] = select(0u, hit.probes, hit.found);
}`;

/** Schemes that take keys of one word, in the order of the registry, with the default first. */
function schemeNames(): string[] {
  const registry = repository.read('src/schemes/registry.ts');
  const names = [...registry.slice(registry.indexOf('export const schemes')).matchAll(/^ {2}(\w+),$/gm)].map(
    ([, name]) => name as string,
  );
  return ['bucketCuckoo', ...names.filter((name) => name !== 'bucketCuckoo')];
}

const options = (values: readonly (readonly [value: string, text: string])[], chosen?: string): string =>
  values
    .map(
      ([value, text]) => `<option value="${value}"${value === chosen ? ' selected' : ''}>${escapeHtml(text)}</option>`,
    )
    .join('');
const same = (text: string): [string, string] => [text, text];

const number = (name: string): string => `<data data-name="${name}"></data>`;

const shade = (name: string, colour: string): string =>
  `<span class="entry"><span class="key" style="background: var(${colour})"></span>${name}</span>`;

/** The page that runs on the visitor's GPU; `browser/playground/` brings it to life. */
export function playgroundPage(): Page {
  const html = `<div id="playground">
<p class="lead">Builds a table on this GPU, in this browser: nothing is sent anywhere.</p>
<p class="gpu"></p>
<div class="no-webgpu" hidden>
<p><strong class="reason"></strong></p>
<p>The playground needs a browser with WebGPU: recent versions of Chrome, Edge, Safari and Firefox have it on most systems, on pages from https, localhost or disk. On Linux it may have to be switched on. <a href="../results/index.html">Results of another GPU</a> are here.</p>
</div>
<form>
<label>Scheme <select name="scheme">${options(schemeNames().map(same))}</select></label>
<label>Keys <select name="keys">${options(KEY_KINDS.map(same))}</select></label>
<label>How many <select name="items">${options(
    SIZES.map((size) => [String(size), size.toLocaleString('en')] as const),
    String(FIRST_SIZE),
  )}</select></label>
<label>Load <output>0.80</output><input type="range" name="load" min="0.3" max="0.99" step="0.01" value="0.8"></label>
<label>Seed <input type="number" name="seed" min="0" max="4294967295" value="1"></label>
<button class="button run" type="submit">Build</button>
</form>
<p class="status" role="status">Loading …</p>
<div class="results" hidden>
<h2 id="rates">Rates on this GPU</h2>
<dl class="rates">
<div><dt>build</dt><dd>${number('rate-build')}<small>${number('time-build')}</small></dd></div>
<div><dt>search, present keys</dt><dd>${number('rate-present')}<small>${number('time-present')}</small></dd></div>
<div><dt>search, absent keys</dt><dd>${number('rate-absent')}<small>${number('time-absent')}</small></dd></div>
</dl>
<p class="note timer"></p>
<dl class="numbers">
<div><dt>keys</dt><dd>${number('keys')}</dd></div>
<div><dt>slots</dt><dd>${number('slots')}</dd></div>
<div><dt>load</dt><dd>${number('load')}</dd></div>
<div><dt>memory</dt><dd>${number('bytes')}<small>${number('key-bytes')}</small></dd></div>
<div><dt>hash functions tried</dt><dd>${number('attempts')}</dd></div>
</dl>
<h2 id="probes">Probes</h2>
<svg class="histogram" role="img" aria-label="Histogram of the probes of searches"></svg>
<p class="note"><span class="entry"><span class="key present"></span>present keys, ${number('probes-present')} on average</span> <span class="entry"><span class="key absent"></span>absent keys, ${number('probes-absent')}</span></p>
<h2 id="table">The table</h2>
<canvas role="img" aria-label="Every slot of the table, in the shade of the probes that find it"></canvas>
<p class="note">A pixel is a slot, by the probes that find its key: ${SHADES.map((name, i) => shade(name, `--probe-${i + 1}`)).join(' ')} ${shade('empty', '--slot-empty')}</p>
</div>
<section class="kernel">
<h2 id="kernel">A kernel of your own</h2>
<p>It searches the table above by <code>table_find(key: u32)</code>, which gives <code>found</code>, <code>slot</code>, <code>probes</code> and <code>value</code>; the value of the key <code>keys[i]</code> is <code>i</code>. Sixteen workgroups run.</p>
${highlight(PRELUDE, 'wgsl')}
<textarea spellcheck="false" rows="6" aria-label="The kernel, in WGSL">${escapeHtml(KERNEL)}</textarea>
<p><button class="button run-kernel" type="button">Run the kernel</button></p>
<pre class="kernel-output" hidden></pre>
</section>
</div>`;
  return {
    path: 'playground/index.html',
    section: 'Playground',
    title: 'Playground',
    html,
    headings: [],
    scripts: ['playground/playground.js'],
  };
}
