/**
 * The collections without a default scheme: `scheme` has to be named, and nothing is bundled but the schemes that are.
 * @example
 * import { HashMap } from 'hashnest/bare';
 * const map = await HashMap.from(gpu, items, { scheme: linearProbing() });
 * @packageDocumentation
 */
export { Aggregate } from './collections/aggregate/aggregate.ts';
export { HashMap } from './collections/hashMap.ts';
export { HashSet } from './collections/hashSet.ts';
export { KeyIndex } from './collections/keyIndex/keyIndex.ts';
export { MultiMap } from './collections/multiMap/multiMap.ts';
