import { Aggregate } from '../../../src/index.ts';
import type { Contestant } from '../contest.ts';
import { uploadKeys } from '../onGpu.ts';
import type { GroupData, Groups } from '../rows.ts';
import { timedOnGpu } from '../times.ts';

/** The encoder face: an aggregate that is there is built anew, and the results stay on the GPU. */
export const groupByHashnestOnGpu: Contestant<GroupData, Groups> = {
  name: 'Hashnest, on the GPU',
  library: 'hashnest',
  clock: 'gpu',
  prepare: async ({ keys, values }, stage) => {
    const { gpu, keep } = stage;
    const { key, values: words, context } = uploadKeys(stage, keys);
    const column = keep(gpu.upload('beside/values', values));
    const input = { keys: words, values: column, count: keys.length, ...(context && { context }) };
    let aggregate: Aggregate<unknown, Record<'counts' | 'sums', Uint32Array>> | undefined;
    await gpu.run((encoder) => {
      const combine = { counts: 'count', sums: 'sum' } as const;
      aggregate = keep(Aggregate.encodeBuild(gpu, encoder, input, { key, combine }));
    });
    const groups = aggregate as unknown as NonNullable<typeof aggregate>;
    return {
      run: async () => {
        const times = await timedOnGpu(gpu, { all: (encoder) => groups.encodeRebuild(encoder, input) });
        await groups.settle();
        return times;
      },
      answer: async () => {
        const { keys: found, values: results } = await groups.entries();
        return { keys: found as Groups['keys'], ...results };
      },
    };
  },
};
