/** What an index knows of the items that it was built from: which of them have the same key, and which comes first. */
import { type BufferView, extentCount, type Recorder } from '../../gpu/index.ts';
import { type KeyBuffers, keysView } from '../../keys/index.ts';
import { recordFill } from '../../primitives/index.ts';
import { NO_SLOT } from '../../schemes/contract/index.ts';
import type { Reading } from '../../table/reading.wgsl.ts';
import type { Searchable } from '../../table/searchable.ts';
import { kept, kernel, storage, wgsl } from '../../wgsl/index.ts';

/** What stands for a key: its slot, or once there are ids, its id. */
export type Meeting = 'slot' | 'value';

const meetingsOut = storage('meetings', 'array<u32>', 'read_write');
const firstsOut = storage('firsts', 'array<atomic<u32>>', 'read_write');

const meetKernel = kept((reading: Reading, meeting: Meeting) => {
  const keys = keysView(reading.request.key, 'input');
  return {
    keys,
    program: kernel({
      label: 'keyIndex/meet',
      threads: 256,
      body: wgsl`
  if (item >= ${extentCount}) { return; }
  var place = ${NO_SLOT}u;
  if (item < ${reading.view.header}.count) {
    let hit = ${reading.find(keys.access)}(${keys.at('item')});
    if (hit.found) {
      place = hit.${meeting};
      // Nearly all copies come too late, and see that without a turn at the atomic.
      if (item < atomicLoad(&${firstsOut}[place])) { atomicMin(&${firstsOut}[place], item); }
    }
  }
  ${meetingsOut}[item] = place;`,
    }),
  };
});

/**
 * Records that every item gets what stands for its key (2³² − 1 if there is no such item), and every slot or id the first of
 * its items.
 */
export function recordMeetings(
  recorder: Recorder,
  table: Searchable,
  meeting: Meeting,
  call: KeyBuffers & {
    /** The most items that there can be. */
    readonly maxCount: number;
    readonly meetings: BufferView;
    readonly firsts: GPUBuffer;
    /** Slots or ids. */
    readonly places: number;
  },
): void {
  const { maxCount, meetings, firsts, places } = call;
  const { program, keys } = meetKernel(table.reading, meeting);
  const items = recorder.extent(maxCount);
  recordFill(recorder, { output: firsts, value: NO_SLOT, items: places });
  recorder.run(
    program,
    [...table.bound, ...keys.bind(call), [meetingsOut, meetings], [firstsOut, firsts], [extentCount, items.count]],
    items,
  );
}
