/** The smallest scheme there can be: a list of items, searched from end to end. It is here to show the contract. */
import { mix } from '../../src/hashing/index.ts';
import type { Scheme } from '../../src/schemes/contract/scheme.ts';
import { recordPlainList } from './build.wgsl.ts';
import { plainListShader } from './find.wgsl.ts';
import { planPlainList } from './plan.ts';

/** Items in the order of the input; a search looks at all of them. */
export const plainList = (): Scheme => ({
  name: 'plainList',
  // What the scheme was made with, as JSON. Saved tables carry it.
  options: {},
  // Draws `header.hash` anew for every attempt. This scheme does not hash, and ignores it.
  family: mix,
  plan: planPlainList,
  encodeBuild: recordPlainList,
  slotCount: (plan) => plan.items,
  shader: plainListShader,
});
