import { mix, type PlanRequest, slotsBuffer, slotValueStore, type TablePlan } from 'hashnest/scheme';
import { plainListBuild } from './build.wgsl.ts';
import { plainListReader } from './find.wgsl.ts';

/** Decides every size before anything is allocated. The same request must always give the same plan. */
export function planPlainList(request: PlanRequest): TablePlan {
  const capacitySlots = Math.max(1, request.items);
  return {
    request,
    // Draws `header.hash` anew for every attempt. This scheme does not hash, and ignores it.
    family: mix,
    // Its name and version. Tables of one format have the same searches, whatever their sizes.
    format: 'plainList/1',
    capacitySlots,
    slotCount: request.items,
    // What remains after the build, what is needed only while building, and own fields of the header.
    buffers: [slotsBuffer('slots', request, capacitySlots)],
    scratch: [],
    fields: {},
    build: plainListBuild(request),
    reader: (view) => plainListReader(request, view),
    // For key indexes, which put ids where the values were.
    valueStore: () => slotValueStore('slots', request),
  };
}
