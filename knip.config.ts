import type { KnipConfig } from 'knip';

/**
 * What nobody uses. `npm run check` looks twice. The first time everything counts as use, tests too. The second time
 * (`--production`) only the product does: the library, the command with the conformance list and the soak that are bundled into it, and
 * the programs in `bench/`. An export that only tests need passes there if its own file uses it as well, for then the tests
 * look at a part that is there anyway.
 */
const config: KnipConfig = ({ production }) => ({
  entry: [
    'src/*.ts!',
    'bench/cuckooChains.ts!',
    ...(production ? ['test/{conformance,soak}/*.ts!'] : []),
    'examples/*.ts',
    'examples/longer/*.ts',
    'examples/*/index.ts',
    // Started by others, in a process or a page of their own.
    'scripts/mutants/worker.ts',
    'test/cli/{*Selftest,failingSoak}.ts',
    'test/browser/page/{frames,main,saved}.ts',
    'test/browser/pictures.ts',
    'site/browser/{search,playground/main}.ts',
  ],
  project: production ? ['{src,cli,bench}/**/*.ts!'] : ['{src,cli,bench,examples,scripts,site,test}/**/*.ts'],
  ignoreExportsUsedInFile: production === true,
  ignoreIssues: production
    ? {
        // Twins: what the WGSL is compared with, in tests.
        'src/hashing/{index,rehash.wgsl}.ts': ['exports'],
        'bench/generators.ts': ['exports'],
      }
    : {},
  // Tests run them by their paths, as `.bin/attw`.
  ignoreDependencies: ['@arethetypeswrong/cli', 'bun', 'deno'],
  treatConfigHintsAsErrors: true,
});

export default config;
