import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import LongestFirst from './scripts/longestFirst.ts';

/** Files that share the devices of their worker; see test/sharedGpu.ts. */
const onSharedGpu = {
  isolate: false,
  setupFiles: ['test/restBetweenPolls.ts', 'test/seeded.ts', 'test/equalArrays.ts'],
};

/** Files that do more in full than every day; see test/inFull.ts. */
const LONGER = [
  'test/browser/conformance.test.ts',
  'test/cli/benchHost.test.ts',
  'test/dynamic/histories.test.ts',
  'test/dynamic/stateMachine.test.ts',
  'test/properties.test.ts',
  'test/relational/join.test.ts',
  'test/schemes/bucketCuckoo.test.ts',
  'test/schemes/bucketCuckooDense.test.ts',
  'test/schemes/bucketCuckooWays.test.ts',
  'test/schemes/dyCuckoo.test.ts',
  'test/table/saved/builtAnyWay.test.ts',
];

export default defineConfig({
  // Node 20 does not know `using`.
  oxc: { target: 'node20' },
  // Like `paths` in tsconfig.json.
  resolve: {
    alias: {
      'hashnest/apps': fileURLToPath(new URL('src/apps.ts', import.meta.url)),
      'hashnest/arrow': fileURLToPath(new URL('src/arrow.ts', import.meta.url)),
      'hashnest/spatial': fileURLToPath(new URL('src/spatial.ts', import.meta.url)),
      'hashnest/bare': fileURLToPath(new URL('src/bare.ts', import.meta.url)),
      'hashnest/relational': fileURLToPath(new URL('src/relational.ts', import.meta.url)),
      'hashnest/scheme': fileURLToPath(new URL('src/scheme.ts', import.meta.url)),
      'hashnest/three': fileURLToPath(new URL('src/three.ts', import.meta.url)),
      'hashnest/typegpu': fileURLToPath(new URL('src/typegpu.ts', import.meta.url)),
      hashnest: fileURLToPath(new URL('src/index.ts', import.meta.url)),
    },
  },
  test: {
    pool: 'forks',
    // Every worker may hold a software GPU, which uses all cores by itself.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', './scripts/passedFailedReporter.ts'],
    // A driver may end its process behind the last test of a file. The reporter counts files that have not ended as failed.
    onUnhandledError: ({ cause }) => (cause as Error | undefined)?.message !== 'Worker exited unexpectedly',
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          ...onSharedGpu,
          include: ['test/**/*.test.ts'],
          exclude: ['test/browser/**', 'test/package/**', 'test/full/**'],
        },
      },
      { extends: true, test: { name: 'browser', include: ['test/browser/**/*.test.ts'] } },
      // Not part of `npm test`.
      {
        extends: true,
        test: {
          name: 'full',
          ...onSharedGpu,
          env: { HASHNEST_TESTS: 'full' },
          include: ['test/full/**/*.test.ts', ...LONGER],
        },
      },
      // Needs `npm run build` first.
      {
        extends: true,
        test: { name: 'package', globalSetup: 'test/package/packOnce.ts', include: ['test/package/**/*.test.ts'] },
      },
    ],
  },
});
