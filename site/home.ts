import { escapeHtml, highlight } from './markdown.ts';
import type { Page } from './page.ts';
import { ratesAtOneSize } from './plots.ts';
import { readRecipe } from './recipes.ts';
import { repository } from './repository.ts';

const CARDS = [
  ['recipes/index.html', 'Recipes', 'Dedupe, join, group, weld, neighbours, save: programs of at most 30 lines.'],
  ['guides/faces.html', 'Guides', 'Three faces, keys, memory, what is the same every time, and which scheme to take.'],
  [
    'schemes/index.html',
    'Schemes',
    'A dozen ways to lay out a table, each with a picture of its slots and of a search.',
  ],
  ['results/index.html', 'Results', 'Rates on a real GPU, every answer checked, beside CUDA libraries and the papers.'],
  ['api/index.html', 'API', 'All that is public, from the comments in the code.'],
  [
    'playground/index.html',
    'Playground',
    'Build a table on your own GPU, look at its slots, and run a kernel that searches it.',
  ],
] as const;

const FACTS = [
  ['No key is reserved', 'Numbers, vectors, tuples, strings: 0, all ones and the empty string are keys like others.'],
  ['Nothing is lost silently', 'A build that fails tries again, then grows, then says what is wrong by a typed error.'],
  ['Your shader searches too', 'One WGSL function serves host arrays, your command encoder and kernels of your own.'],
  ['No dependencies', 'ES modules for browsers, Node, Deno and Bun. A bundle takes what is used, and nothing else.'],
] as const;

/** The front page. */
export function homePage(): Page {
  const source = 'examples/first-steps.ts';
  const { code } = readRecipe(source, repository.read(source));
  const html = `<div class="hero">
<h1>Hash tables on the GPU</h1>
<p class="lead">Hashnest builds and searches tables of many millions of keys on the GPU, from TypeScript, over WebGPU.</p>
${highlight(code, 'ts')}
<p class="actions"><a class="button" href="recipes/index.html">Recipes</a> <a class="button quiet" href="playground/index.html">Try it on your GPU</a></p>
</div>
<ul class="facts">
${FACTS.map(([name, text]) => `<li><strong>${name}</strong> ${escapeHtml(text)}</li>`).join('\n')}
</ul>
<h2 id="rates">10⁸ pairs, billions a second</h2>
${ratesAtOneSize(
  'NVIDIA H200, 32-bit keys and values, GPU time, every answer checked. CUDA libraries, in amber, were measured separately on the same kind of GPU, by the same rules. <a href="results/index.html">All results</a>',
)}
<h2 id="more">What is here</h2>
<ul class="cards">
${CARDS.map(([path, name, text]) => `<li><a href="${path}"><strong>${name}</strong><span>${text}</span></a></li>`).join('\n')}
</ul>`;
  return { path: 'index.html', section: undefined, title: 'Hashnest', html, headings: [] };
}
