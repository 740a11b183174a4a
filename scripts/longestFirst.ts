import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take long, in the order in which they begin, so that no worker is left with one of them at the end. What does not
 * share devices comes first: a worker lives on only as long as the next file belongs to the same project.
 */
const FIRST = [
  'test/browser/',
  'test/package/',
  'test/everyScheme/',
  'test/cli/',
  'test/schemes/bucketCuckoo.test',
  'test/schemes/',
  'test/collections/',
];

/** Begins with the files that take longest. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return [...files].sort((a, b) => rank(a) - rank(b) || a.moduleId.localeCompare(b.moduleId));
  }
}

function rank({ moduleId }: TestSpecification): number {
  const place = FIRST.findIndex((part) => moduleId.includes(part));
  return place === -1 ? FIRST.length : place;
}
