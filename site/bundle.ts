import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const notNode = fileURLToPath(new URL('../src/gpu/device/notNode.ts', import.meta.url));

/** A script with all it imports as one classic script: modules do not run in pages that were opened from disk. */
export async function bundleForPages(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    legalComments: 'none',
    // As the condition of `#node` in package.json does for the published package.
    plugins: [
      {
        name: 'not-node',
        setup: ({ onResolve }) => onResolve({ filter: /^\.\/node\.ts$/ }, () => ({ path: notNode })),
      },
    ],
  });
  return (outputFiles[0] as { text: string }).text;
}
