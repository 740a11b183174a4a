/**
 * A stroke of paint (García et al. 2011, section 4.3): texels that are in the table get other colours there; with the others the table
 * is built anew, from its own entries and from them. All of it on the GPU.
 */
import { type Bound, type BufferView, type Extent, extentCount, type Recorder, type Workspace } from '../gpu/index.ts';
import { u32 } from '../keys/index.ts';
import { recordFill } from '../primitives/index.ts';
import { recordScan, scanKernels } from '../primitives/scanKernels.wgsl.ts';
import { NO_SLOT, type TablePlan, type ValueStore } from '../schemes/contract/index.ts';
import { recordContents } from '../table/contents.wgsl.ts';
import type { Reading } from '../table/reading.wgsl.ts';
import type { Table } from '../table/table.ts';
import { kept, kernel, storage, uniform, WORD_BYTES, wgsl } from '../wgsl/index.ts';
import { bindGrid, placeInside } from './cells.wgsl.ts';
import type { Grid } from './grid.ts';

const THREADS = 256;

/** Dabs of paint on the GPU. */
export interface Stroke {
  /** x and y of each, as signed words. Those outside of the picture are left out. */
  readonly points: BufferView;
  /** A word each. Of several dabs at one point the last one counts. */
  readonly colours: BufferView;
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

/** What the steps of a stroke leave to each other. */
const between = ({ items, workspace }: Stroke, { slotCount }: TablePlan) => ({
  dabSlots: workspace.scratch('apps/dabSlots', WORD_BYTES * items.max),
  last: workspace.scratch('apps/lastDabs', WORD_BYTES * slotCount),
  added: workspace.scratch('apps/newDabs', 4),
});

/** Records where every dab is in the table. Returns where the number of those goes that are on none of its texels. */
export function recordFind(recorder: Recorder, table: Table, grid: Grid, stroke: Stroke): GPUBuffer {
  const { find } = kernelsOf(table.reading as Reading<TablePlan>);
  const { dabSlots, last, added } = between(stroke, table.plan);
  recordFill(recorder, { output: last, value: 0, items: table.plan.slotCount });
  recordFill(recorder, { output: added, value: 0, items: 1 });
  const bound: Bound = [
    ...bindGrid(recorder.gpu, grid),
    [points, stroke.points],
    [slotsOut, dabSlots],
    [lastDabsOut, last],
    [newDabs, added],
    [extentCount, stroke.items.count],
  ];
  recorder.run(find, [...table.bound, ...bound], stroke.items);
  return added;
}

/** Records that texels of the table change their colours, after `recordFind`. */
export function recordRecolour(recorder: Recorder, table: Table, stroke: Stroke): void {
  const { recolour, values } = kernelsOf(table.reading as Reading<TablePlan>);
  const { dabSlots, last } = between(stroke, table.plan);
  const bound: Bound = [
    [slots, dabSlots],
    [lastDabs, last],
    [colours, stroke.colours],
    [extentCount, stroke.items.count],
  ];
  recorder.run(recolour, [...values.bind(table.buffers), ...bound], stroke.items);
}

const places = storage('places', 'array<u32>', 'read_write');
const words = storage('words', 'array<u32>', 'read_write');
const oldTexels = storage('oldTexels', 'u32');
const oldTexelsOut = storage('oldTexels', 'u32', 'read_write');
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
 * Begins the list behind nothing, or behind what it had if the table could not be built from that: nothing that was painted is
 * lost then.
 */
const beginKernel = kept((reading: Reading) =>
  kernel({
    label: 'apps/beginList',
    threads: 1,
    body: wgsl`${oldTexelsOut} = select(${all}, 0u, ${reading.isBuilt});`,
  }),
);

/** The word that says how many texels the list of the last stroke has. */
export const listedIn = (workspace: Workspace): GPUBuffer => workspace.scratch('apps/allTexels', 4);

/**
 * Records the list of all texels, after `recordFind`: those of the table, with their colours as they are now, and behind them those of
 * the stroke that were not there, as far as there is room. Returns where their number goes.
 */
export function recordTexels(recorder: Recorder, table: Table, grid: Grid, stroke: Stroke, list: TexelList): GPUBuffer {
  const { items, workspace } = stroke;
  const { gpu } = recorder;
  const { dabSlots } = between(stroke, table.plan);
  const [old, more] = ['oldTexels', 'moreTexels'].map((name) => workspace.scratch(`apps/${name}`, 4)) as [
    GPUBuffer,
    GPUBuffer,
  ];
  const sum = listedIn(workspace);
  recorder.runOnce(beginKernel(table.reading), [...table.bound, [all, sum], [oldTexelsOut, old]]);
  recordContents(recorder, table, { keys: list.places, values: list.colours, count: { buffer: old }, room: list.room });
  const bound: Bound = [
    ...bindGrid(gpu, grid),
    [points, stroke.points],
    [colours, stroke.colours],
    [slots, dabSlots],
    [places, list.places],
    [words, list.colours],
    [oldTexels, old],
    [room, gpu.constants(list.room)],
  ];
  recordScan(recorder, append, { bound, items, total: { buffer: more }, workspace });
  const counts: Bound = [
    [oldTexels, old],
    [room, gpu.constants(list.room)],
    [appended, more],
    [all, sum],
    [leftOut, leftOutIn(workspace)],
  ];
  recorder.runOnce(addUp, counts);
  return sum;
}
