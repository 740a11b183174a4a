/** Saved tables that somebody wrote with care: something is wrong in them, and the checksum is right. */
import { type Gpu, HashnestError } from '../../src/gpu/index.ts';
import { randomWords } from '../../src/hashing/index.ts';
import { mutated } from '../forging/mutate.ts';
import type { Shape } from './builtHistory.ts';
import { type ItemsOf, keysOf } from './items.ts';
import { itemsOf } from './oracle.ts';
import { kindOf, makeOnHost, open, readInEveryWay, rebuildOnHost, save } from './tables.ts';

/** Another table, of which a forged file may have parts, and what is sought in it. */
const ANOTHER: ItemsOf = { count: 24, seed: 1, below: 0 };
const SOUGHT: ItemsOf = { count: 65, seed: 1, below: 0 };

/**
 * Forges a file from a saved table. It must be refused, or open and be read and rebuilt like any other; what it answers is not
 * promised. If something goes wrong outside, any error of the library's will do.
 */
export async function openForged(
  gpu: Gpu,
  shape: Shape,
  saved: Uint8Array,
  seed: number,
  isStruck: boolean,
): Promise<void> {
  using another = await makeOnHost(gpu, shape, itemsOf(shape, ANOTHER));
  const { file, done } = mutated(randomWords(seed), saved, await save(another));
  /** What a call gives; nothing if it fails as it may. */
  const orAllowed = async <T>(call: Promise<T>, isAllowed: (error: HashnestError) => boolean): Promise<T | undefined> =>
    call.catch((error: unknown) => {
      if (error instanceof HashnestError && (isStruck || isAllowed(error))) return undefined;
      throw new Error(`a file with ${done.join(', ')} throws ${error}`, { cause: error });
    });
  using opened = await orAllowed(open(gpu, shape, file), ({ code }) => code === 'bad-format');
  if (!opened) return;
  await orAllowed(readInEveryWay(opened, shape, keysOf(kindOf(shape), SOUGHT)), () => false);
  // Its options may be such that these items cannot be built.
  await orAllowed(rebuildOnHost(opened, shape, itemsOf(shape, ANOTHER)), () => true);
}
