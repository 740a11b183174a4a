/** Rehearses joins, to compile what they need. */
import { rehearseCalls, roomOn } from '../collections/rehearseCalls.ts';
import { type Gpu, requireWhole, Workspace } from '../gpu/index.ts';
import type { KeyType } from '../keys/index.ts';
import { bitWords, type GpuColumn } from './columns.ts';
import { isList } from './joinBuffers.ts';
import type { JoinTable } from './joinTable.ts';
import type { PrepareJoinOptions } from './prepareJoins.ts';

/** Compiles what a right side of so many rows, and joins with as many, will need. */
export async function prepareJoins(
  gpu: Gpu,
  Kind: typeof JoinTable,
  types: readonly KeyType[],
  { items, key: _, nulls = false, how = 'inner', ...options }: PrepareJoinOptions,
): Promise<void> {
  requireWhole(items, 'items');
  await rehearseCalls(gpu, items, async (idle) => {
    const columns = types.map((key) => ({
      key,
      values: roomOn(idle, items, key.words),
      ...(nulls && { valid: roomOn(idle, bitWords(items)) }),
      ...(key.hasContext && { context: roomOn(idle, 1) }),
    }));
    const encoder = idle.device.createCommandEncoder();
    const rows = () => roomOn(idle, items);
    for (const count of [items, { buffer: roomOn(idle, 1) }]) {
      // One for each: buffers hold a few rows more than they were made for.
      const table = Kind.encodeBuild(idle, encoder, { columns, count }, options);
      table.encodeRebuild(encoder, { columns, count });
      table.encodeJoin(encoder, {
        ...{ columns, count, how },
        ...{ leftRows: rows(), ...(!isList(how) && { rightRows: rows() }), total: { buffer: roomOn(idle, 1) } },
      });
      table.destroy();
    }
    const loaded = columns.map(
      ({ key, values, valid, context }): GpuColumn => ({ key, words: values, valid, context }),
    );
    const workspace = new Workspace(idle);
    const built = await Kind.built(loaded, items, options, workspace);
    await built.joinColumns(loaded, items, how, workspace);
    built.destroy();
    workspace.destroy();
  });
}
