/** What an index knows of the items that it was built from: which of them have the same key, and which comes first. */
import { type BufferView, extentCount, type Recorder } from '../../gpu/index.ts';
import { type KeyBuffers, keysView } from '../../keys/index.ts';
import { recordFill } from '../../primitives/index.ts';
import { NO_SLOT } from '../../schemes/contract/index.ts';
import type { Reading } from '../../table/reading.wgsl.ts';
import type { Searchable } from '../../table/searchable.ts';
import { kept, kernel, storage, WORD_BYTES, wgsl } from '../../wgsl/index.ts';
import type { KeysById } from './keysById.ts';

/** What a key is known by: its slot or, once there are ids, its id, which is the value of the slot. */
export type KnownBy = 'slot' | 'value';

const numbersOut = storage('numbers', 'array<u32>', 'read_write');
const firstsOut = storage('firsts', 'array<atomic<u32>>', 'read_write');

const firstsKernel = kept((reading: Reading, by: KnownBy) => {
  const keys = keysView(reading.request.key, 'input');
  return {
    keys,
    program: kernel({
      label: 'keyIndex/firsts',
      threads: 256,
      body: wgsl`
  if (item >= ${extentCount}) { return; }
  var number = ${NO_SLOT}u;
  if (item < ${reading.view.header}.count) {
    let hit = ${reading.find(keys.access)}(${keys.at('item')});
    if (hit.found) {
      number = hit.${by};
      // Nearly all copies come too late, and see that without a turn at the atomic.
      if (item < atomicLoad(&${firstsOut}[number])) { atomicMin(&${firstsOut}[number], item); }
    }
  }
  ${numbersOut}[item] = number;`,
    }),
  };
});

/** Records the slot or id of every item, 2³² − 1 past the last one, and the first item of every slot or id. */
export function recordFirstItems(
  recorder: Recorder,
  table: Searchable,
  by: KnownBy,
  call: KeyBuffers & {
    /** The most items that there can be. */
    readonly maxCount: number;
    /** Gets the slot or id of every item. */
    readonly numbers: BufferView;
    /** Gets the first item of every slot or id, of which there are at most so many. */
    readonly firsts: GPUBuffer;
    readonly maxNumbers: number;
  },
): void {
  const { maxCount, numbers, firsts, maxNumbers } = call;
  const { program, keys } = firstsKernel(table.reading, by);
  const items = recorder.extent(maxCount);
  recordFill(recorder, { output: firsts, value: NO_SLOT, items: maxNumbers });
  recorder.run(
    program,
    [...table.bound, ...keys.bind(call), [numbersOut, numbers], [firstsOut, firsts], [extentCount, items.count]],
    items,
  );
}

/** Room for the ids of so many items. What an earlier build of more items has left behind them is forgotten. */
export function recordRoomForIds(recorder: Recorder, byId: KeysById, items: number): GPUBuffer {
  const ids = byId.itemIds(items);
  const room = ids.size / WORD_BYTES;
  if (room > items) recordFill(recorder, { output: ids, value: NO_SLOT, items: room });
  return ids;
}
