import { JoinTable } from '../../../src/relational.ts';
import type { Contestant } from '../contest.ts';
import { uploadKeys } from '../onGpu.ts';
import type { JoinData, Pairs } from '../rows.ts';
import { timedOnGpu } from '../times.ts';

/** The encoder face: the right side is built into a table that is there, and the pairs stay on the GPU. */
export const joinByHashnestOnGpu: Contestant<JoinData, Pairs> = {
  name: 'Hashnest, on the GPU',
  library: 'hashnest',
  clock: 'gpu',
  prepare: async ({ left, right }, stage) => {
    const { gpu, keep } = stage;
    const room = (label: string, words: number) => keep(gpu.createBuffer(`beside/${label}`, 4 * words));
    const rightRows = { columns: uploadKeys(stage, right), count: right.length };
    const output = { leftRows: room('left', left.length), rightRows: room('right', left.length) };
    const total = { buffer: room('total', 1) };
    const call = { columns: uploadKeys(stage, left), count: left.length, ...output, total };
    let table: JoinTable | undefined;
    await gpu.run((encoder) => {
      table = keep(JoinTable.encodeBuild(gpu, encoder, rightRows));
    });
    const joined = table as unknown as JoinTable;
    return {
      run: async () => {
        const times = await timedOnGpu(gpu, {
          build: (encoder) => joined.encodeRebuild(encoder, rightRows),
          join: (encoder) => joined.encodeJoin(encoder, call),
        });
        await joined.settle();
        return times;
      },
      answer: async () => {
        const [length = 0] = await gpu.read(total.buffer, Uint32Array, { length: 1 });
        return {
          left: await gpu.read(output.leftRows, Uint32Array, { length }),
          right: await gpu.read(output.rightRows, Uint32Array, { length }),
        };
      },
    };
  },
};
