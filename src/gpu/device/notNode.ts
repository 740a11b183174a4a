/** What bundles for browsers have in place of `node.ts`, by the condition of `#node` in package.json. */
import type { FoundAdapter } from './open.ts';

/** There is nothing to open. */
export const openInNode = async (): Promise<FoundAdapter | undefined> => undefined;
