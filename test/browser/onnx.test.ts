/** The recipe for ONNX Runtime Web in docs/devices.md, as it stands there, where the package is installed. */
import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle } from './bundle.ts';
import { type OpenPage, openPage, pathOf } from './openPage.ts';

const RUNTIME = pathOf('../../node_modules/onnxruntime-web/dist/');

/** The lines of the recipe: imports, and what is done. */
function recipe(): { readonly imports: string; readonly steps: string } {
  const text = readFileSync(pathOf('../../docs/devices.md'), 'utf8');
  const code = /```ts\n(import \* as ort [^`]*)```/.exec(text)?.[1] as string;
  const [imports = '', ...steps] = code.split('\n');
  return { imports, steps: steps.join('\n') };
}

const field = (number: number, content: string | readonly number[]): number[] => {
  const bytes = typeof content === 'string' ? [...Buffer.from(content)] : content;
  return [(number << 3) | 2, bytes.length, ...bytes];
};
const int = (number: number, value: number): number[] => [number << 3, value];

/** A list of floats of any length, by its name. */
const floats = (name: string): number[] => {
  const shape = field(1, field(2, 'n'));
  return [...field(1, name), ...field(2, field(1, [...int(1, 1), ...field(2, shape)]))];
};

/** A model in the format of ONNX: y is x + x. */
const model = [
  ...int(1, 8),
  ...field(7, [
    ...field(1, [...field(1, 'x'), ...field(1, 'x'), ...field(2, 'y'), ...field(4, 'Add')]),
    ...field(2, 'twice'),
    ...field(11, floats('x')),
    ...field(12, floats('y')),
  ]),
  ...field(8, int(2, 13)),
];

/** Runs the recipe for three keys of four, and gives what the second table has for them and another. */
const page = ({ imports, steps }: ReturnType<typeof recipe>): string => `<!doctype html>
<link rel="icon" href="data:," />
<script type="importmap">{ "imports": { "onnxruntime-web/webgpu": "/ort/ort.webgpu.min.mjs" } }</script>
<script type="module">
${imports}
import { Gpu, HashMap, valueTypes } from '/hashnest.js';
globalThis.__scores = async () => {
  const model = new Uint8Array(${JSON.stringify(model)});
  // The runtime has its device once there is a session.
  await ort.InferenceSession.create(model, { executionProviders: ['webgpu'] });
  const keys = Uint32Array.of(7, 9, 11);
  const values = Float32Array.of(0.5, 2, -1);
  const count = keys.length;
  const queries = Gpu.from(await ort.env.webgpu.device).upload('queries', Uint32Array.of(11, 5, 7));
${steps}
  const { values: answers, found: flags } = await scores.get([7, 9, 11, 13]);
  return { answers: [...answers], flags: [...flags] };
};
</script>`;

describe.runIf(existsSync(RUNTIME))('ONNX Runtime Web in Chromium', () => {
  let opened: OpenPage;
  beforeAll(async () => {
    const library = await bundle(pathOf('../../src/index.ts'));
    opened = await openPage({ texts: { '/': page(recipe()), '/hashnest.js': library }, folders: { '/ort/': RUNTIME } });
  });
  afterAll(() => opened?.close());

  it('shares its device with tables that models read and make', async () => {
    await opened.page.waitForFunction('globalThis.__scores');
    // What the queries 11, 5 and 7 give, twice, becomes the values of 7, 9 and 11.
    const scores = await opened.page.evaluate('globalThis.__scores()');
    expect(scores).toEqual({ answers: [-2, 0, 1, 0], flags: [1, 1, 1, 0] });
    expect(opened.errors).toEqual([]);
  });
});
