import { defineConfig, type Rolldown } from 'tsdown';
import { laterParts } from './scripts/laterParts.ts';
import { pureConstants } from './scripts/pureConstants.ts';
import { schemesLast } from './scripts/schemesLast.ts';
import { shorterWgsl } from './scripts/shorterWgsl.ts';

// It would warn that types take longer to bundle than code.
const QUIET = { pluginTimings: false };

// By a condition of package.json, so that bundles for browsers get nothing that is for Node.
const nodeByCondition: Rolldown.Plugin = {
  name: 'node-by-condition',
  resolveId: (id) => (id === './node.ts' ? { id: '#node', external: true } : null),
};

export default defineConfig([
  {
    // A file for each module, so that bundlers take only those that are used.
    entry: [
      'src/index.ts',
      'src/apps.ts',
      'src/arrow.ts',
      'src/bare.ts',
      'src/relational.ts',
      'src/scheme.ts',
      'src/spatial.ts',
      'src/three.ts',
      'src/typegpu.ts',
      'src/gpu/device/node.ts',
      'src/gpu/device/notNode.ts',
    ],
    unbundle: true,
    platform: 'neutral',
    target: 'es2022',
    // What is marked `@internal` is for the library alone.
    dts: { compilerOptions: { stripInternal: true } },
    plugins: [
      nodeByCondition,
      shorterWgsl(),
      pureConstants(),
      schemesLast(),
      laterParts({ copied: ['primitives/hostCall.js'] }),
    ],
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
