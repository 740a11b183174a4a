import type { Reporter, TestModule } from 'vitest/node';

/** Ends the run with one plain line, `N passed, N failed`, for scripts and people who read only the end of a log. */
export default class PassedFailedReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    let passed = 0;
    // An error outside of any test, or a file that cannot be loaded, fails the run as well.
    let failed = unhandledErrors.length;
    for (const module of modules) {
      failed += module.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') passed++;
        else if (state === 'failed') failed++;
      }
    }
    console.log(`${passed} passed, ${failed} failed`);
  }
}
