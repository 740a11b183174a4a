import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Node 20 does not know `using`.
  oxc: { target: 'node20' },
  // Like `paths` in tsconfig.json.
  resolve: { alias: { hashnest: fileURLToPath(new URL('src/index.ts', import.meta.url)) } },
  test: {
    pool: 'forks',
    // Every worker may hold a software GPU, which uses all cores by itself.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    reporters: ['default', './scripts/passedFailedReporter.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/browser/**', 'test/package/**', 'test/full/**'],
        },
      },
      { extends: true, test: { name: 'browser', include: ['test/browser/**/*.test.ts'] } },
      // Not part of `npm test`.
      { extends: true, test: { name: 'full', include: ['test/full/**/*.test.ts'] } },
      // Needs `npm run build` first.
      { extends: true, test: { name: 'package', include: ['test/package/**/*.test.ts'] } },
    ],
  },
});
