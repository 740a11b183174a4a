import type { Heading } from './markdown.ts';

/** A part of the site, in the order of the navigation. */
export const SECTIONS = ['Recipes', 'Guides', 'Schemes', 'Results', 'API', 'Playground', 'Inside'] as const;
export type Section = (typeof SECTIONS)[number];

/** One page of the site. */
export interface Page {
  /** Where it lies below the root of the site. */
  readonly path: string;
  /** Undefined for the front page. */
  readonly section: Section | undefined;
  readonly title: string;
  /** What the navigation calls it, if that is shorter. */
  readonly label?: string;
  /** A line for the search and for those who link to it. */
  readonly summary?: string;
  readonly html: string;
  readonly headings: readonly Heading[];
  /** The file of the repository that it was made from. */
  readonly source?: string;
  /** Scripts that it needs, beside the one that all have. */
  readonly scripts?: readonly string[];
}

/** How one page refers to another file of the site, wherever the site lies. */
export function linkFrom(page: string, target: string): string {
  const from = page.split('/').slice(0, -1);
  const to = target.split('/');
  while (from.length > 0 && to.length > 1 && from[0] === to[0]) {
    from.shift();
    to.shift();
  }
  return [...from.map(() => '..'), ...to].join('/');
}
