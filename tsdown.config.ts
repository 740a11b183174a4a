import { defineConfig } from 'tsdown';

// It would warn that types take longer to bundle than code.
const QUIET = { pluginTimings: false };

export default defineConfig([
  {
    entry: { index: 'src/index.ts' },
    platform: 'neutral',
    target: 'es2022',
    dts: true,
    // Loads the WebGPU types where they are installed (Node projects); a project with the DOM library has its own.
    banner: { dts: '/// <reference lib="esnext.disposable" />\n// @ts-ignore: optional\nimport "@webgpu/types";' },
    outExtensions: () => ({ js: '.js', dts: '.d.ts' }),
    inputOptions: { checks: QUIET },
  },
  {
    // The command runs on hosts that have only Node and the package `webgpu`: all else is bundled into one file.
    entry: { cli: 'cli/main.ts' },
    platform: 'node',
    target: 'node20.19',
    dts: false,
    clean: false,
    deps: { neverBundle: ['webgpu', '@sparticuz/chromium'], onlyBundle: false },
    outExtensions: () => ({ js: '.js' }),
    inputOptions: { checks: QUIET },
    outputOptions: { codeSplitting: false },
  },
]);
