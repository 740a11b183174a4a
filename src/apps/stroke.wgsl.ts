/**
 * A stroke of paint (García et al. 2011, section 4.3): texels that are in the table get other colours there; with the others the table
 * is built anew, from its own entries and from them. All of it on the GPU.
 */
import { type Bound, type Extent, extentCount, type Recorder, type Workspace } from '../gpu/index.ts';
import { u32 } from '../keys/index.ts';
import { recordFill } from '../primitives/index.ts';
import { recordScan, scanKernels } from '../primitives/scanKernels.wgsl.ts';
import { NO_SLOT, type TablePlan, type ValueStore } from '../schemes/contract/index.ts';
import { recordContents } from '../table/contents.wgsl.ts';
import type { Reading } from '../table/reading.wgsl.ts';
import type { Table } from '../table/table.ts';
import { kept, kernel, storage, uniform, wgsl } from '../wgsl/index.ts';
import { bindGrid, placeInside } from './cells.wgsl.ts';
import type { Grid } from './grid.ts';

const THREADS = 256;

/** Dabs of paint on the GPU. */
export interface Stroke {
  /** x and y of each, as signed words. Those outside of the picture are left out. */
  readonly points: GPUBuffer;
  /** A word each. Of several dabs at one point the last one counts. */
  readonly colours: GPUBuffer;
  readonly items: Extent;
  readonly workspace: Workspace;
}

/** What a table is built anew from. */
export interface TexelList {
  readonly places: GPUBuffer;
  readonly colours: GPUBuffer;
  /** Texels that there is room for. */
  readonly room: number;
}

const points = storage('points', 'array<vec2i>');
const colours = storage('colours', 'array<u32>');
const slots = storage('slots', 'array<u32>');
const slotsOut = storage('slots', 'array<u32>', 'read_write');
/** For every slot of the table, the number of the last dab there, from 1. */
const lastDabs = storage('lastDabs', 'array<u32>');
const lastDabsOut = storage('lastDabs', 'array<atomic<u32>>', 'read_write');
const newDabs = storage('newDabs', 'atomic<u32>', 'read_write');
const groupNew = wgsl`var<workgroup> groupNew: atomic<u32>;`;

/** What stands for the slot of a dab outside of the picture. */
const OUTSIDE = NO_SLOT - 1;

const kernelsOf = kept((reading: Reading<TablePlan>) => {
  const needle = u32.access('needle');
  const values = reading.plan.valueStore?.() as ValueStore;
  return {
    values,
    find: kernel({
      label: 'apps/findDabs',
      threads: THREADS,
      body: wgsl`
  if (item < ${extentCount}) {
    let place = ${placeInside}(vec3i(${points}[item], 0));
    let hit = ${reading.find(needle)}(${needle.of('place.number')});
    if (!place.isInside) { ${slotsOut}[item] = ${OUTSIDE}u; }
    else if (hit.found) {
      ${slotsOut}[item] = hit.slot;
      atomicMax(&${lastDabsOut}[hit.slot], item + 1u);
    } else {
      ${slotsOut}[item] = ${NO_SLOT}u;
      atomicAdd(&${groupNew}, 1u);
    }
  }
  workgroupBarrier();
  if (thread == 0u) { atomicAdd(&${newDabs}, atomicLoad(&${groupNew})); }`,
    }),
    // Apart, because a kernel must not bind the table both for reading and for writing.
    recolour: kernel({
      label: 'apps/recolour',
      threads: THREADS,
      body: wgsl`
  if (item >= ${extentCount}) { return; }
  let slot = ${slots}[item];
  if (slot < ${OUTSIDE}u && ${lastDabs}[slot] == item + 1u) { ${values.store}(slot, ${colours}[item]); }`,
    }),
  };
});

/** The buffers between the two halves of a stroke. */
const between = (workspace: Workspace, items: number) => ({
  dabSlots: workspace.scratch('apps/dabSlots', 4 * items),
  added: workspace.scratch('apps/newDabs', 4),
});

/** Records that texels of the table change their colours. Returns where the number of dabs goes that are on none of them. */
export function recordRecolour(recorder: Recorder, table: Table, grid: Grid, stroke: Stroke): GPUBuffer {
  const { items, workspace } = stroke;
  const { find, recolour, values } = kernelsOf(table.reading as Reading<TablePlan>);
  const { slotCount } = table.plan;
  const { dabSlots, added } = between(workspace, items.max);
  const last = workspace.scratch('apps/lastDabs', 4 * slotCount);
  recordFill(recorder, { output: last, value: 0, items: slotCount });
  recordFill(recorder, { output: added, value: 0, items: 1 });
  const counted = [extentCount, items.count] as const;
  const found: Bound = [[points, stroke.points], [slotsOut, dabSlots], [lastDabsOut, last], [newDabs, added], counted];
  recorder.run(find, [...table.bound, ...bindGrid(recorder.gpu, grid), ...found], items);
  const stored: Bound = [[slots, dabSlots], [lastDabs, last], [colours, stroke.colours], counted];
  recorder.run(recolour, [...values.bind(table.buffers), ...stored], items);
  return added;
}

const places = storage('places', 'array<u32>', 'read_write');
const words = storage('words', 'array<u32>', 'read_write');
const oldTexels = storage('oldTexels', 'u32');
const room = uniform('room', 'u32');

/** New texels go behind those of the table, in their order, so that the last of several at one point counts. */
const append = scanKernels(
  'apps/append',
  wgsl`fn load(entry: u32) -> u32 { return u32(${slots}[entry] == ${NO_SLOT}u); }`,
  wgsl`
fn store(entry: u32, loaded: u32, prefix: u32) {
  let at = ${oldTexels} + prefix;
  if (loaded == 0u || at >= ${room}) { return; }
  ${places}[at] = ${placeInside}(vec3i(${points}[entry], 0)).number;
  ${words}[at] = ${colours}[entry];
}`,
);

const appended = storage('appended', 'u32');
const all = storage('all', 'u32', 'read_write');
const leftOut = storage('leftOut', 'u32', 'read_write');
const addUp = kernel({
  label: 'apps/addUp',
  threads: 1,
  body: wgsl`
  let wanted = ${oldTexels} + ${appended};
  ${all} = min(wanted, ${room});
  ${leftOut} += wanted - ${all};`,
});

/** The word that counts dabs for which there was no room, in all strokes that share a workspace. */
export const leftOutIn = (workspace: Workspace): GPUBuffer => workspace.scratch('apps/leftOut', 4);

/**
 * Records the list of all texels: those of the table, with their colours as they are now, and behind them those of the stroke that were
 * not there, as far as there is room. Returns where their number goes.
 */
export function recordTexels(recorder: Recorder, table: Table, grid: Grid, stroke: Stroke, list: TexelList): GPUBuffer {
  const { items, workspace } = stroke;
  const { dabSlots } = between(workspace, items.max);
  const [old, more, sum] = ['oldTexels', 'moreTexels', 'allTexels'].map((name) =>
    workspace.scratch(`apps/${name}`, 4),
  ) as [GPUBuffer, GPUBuffer, GPUBuffer];
  recordFill(recorder, { output: old, value: 0, items: 1 });
  recordContents(recorder, table, { keys: list.places, values: list.colours, count: { buffer: old }, room: list.room });
  const bound: Bound = [
    ...bindGrid(recorder.gpu, grid),
    [points, stroke.points],
    [colours, stroke.colours],
    [slots, dabSlots],
    [places, list.places],
    [words, list.colours],
    [oldTexels, old],
    [room, recorder.gpu.constants(list.room)],
  ];
  recordScan(recorder, append, { bound, items, total: { buffer: more }, workspace });
  recorder.runOnce(addUp, [
    ...bound.filter(([binding]) => binding === oldTexels || binding === room),
    [appended, more],
    [all, sum],
    [leftOut, leftOutIn(workspace)],
  ]);
  return sum;
}
