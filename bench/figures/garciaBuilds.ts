import { BuildError, type HashMap } from '../../src/index.ts';
import { measure } from '../measure.ts';

/** Items of one word each, on the GPU. */
export interface ItemBuffers {
  readonly keys: GPUBuffer;
  readonly values: GPUBuffer;
  readonly count: number;
}

/** Measures how long a map takes to be built from items that it was built from before. */
export async function measureRebuild(
  map: HashMap<Uint32Array>,
  input: ItemBuffers,
  { repeat, afterBuild }: { readonly repeat: number; readonly afterBuild: () => Promise<void> },
): Promise<{ readonly medianMs: number; readonly failed: number }> {
  let failed = 0;
  const afterPass = async (): Promise<void> => {
    try {
      await map.settle();
    } catch (error) {
      if (!(error instanceof BuildError)) throw error;
      // Recorded builds cannot grow. What follows needs a table all the same.
      failed++;
      await map.rebuild(input);
    }
    await afterBuild();
  };
  const { medianMs } = await measure(map.gpu, (pass) => map.encodeRebuild(pass, input), { repeat, afterPass });
  return { medianMs, failed };
}
