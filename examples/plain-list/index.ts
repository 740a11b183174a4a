/** The smallest scheme there can be: a list of items, searched from end to end. It is here to show the contract. */
import type { Scheme } from 'hashnest/scheme';
import { planPlainList } from './plan.ts';

/** Items in the order of the input; a search looks at all of them. */
export const plainList = (): Scheme => ({
  name: 'plainList',
  // What the scheme was made with: strings, numbers and booleans. Saved tables carry it, and are opened by `withOptions`.
  options: {},
  plan: planPlainList,
  withOptions: () => plainList(),
});
