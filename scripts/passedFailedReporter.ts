import type { Reporter, TestModule, TestSpecification } from 'vitest/node';

const nameOf = ({ project, moduleId }: Pick<TestSpecification, 'project' | 'moduleId'>): string =>
  `${project.name} ${moduleId}`;

/** Ends the run with one plain line, `N passed, N failed`, for scripts and people who read only the end of a log. */
export default class PassedFailedReporter implements Reporter {
  #wanted = new Set<string>();

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#wanted = new Set(specifications.map(nameOf));
  }

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
      if (hasEnded(module)) this.#wanted.delete(nameOf(module));
    }
    for (const name of this.#wanted) console.log(`not ended: ${name}`);
    failed += this.#wanted.size;
    if (failed > 0) process.exitCode = 1;
    console.log(`${passed} passed, ${failed} failed`);
  }
}

/** Whether all tests of a file have a result: the process that ran it may have ended in the middle. */
const hasEnded = (module: TestModule): boolean =>
  ['passed', 'failed', 'skipped'].includes(module.state()) &&
  [...module.children.allTests()].every((test) => test.result().state !== 'pending');
