/** Sorts points by the slots of their cells: count, scan, scatter. */
import { type Bound, type BufferView, countWord, type GpuCount, type Recorder, type Workspace } from '../gpu/index.ts';
import { recordExclusiveScan, recordFill } from '../primitives/index.ts';
import { kept, kernel, movingUniform, storage, uniform, type Wgsl, WORD_BYTES, wgsl } from '../wgsl/index.ts';
import { shape, starts } from './cells.wgsl.ts';
import type { GridMemory } from './gridMemory.ts';
import type { GridSearch } from './neighbours.wgsl.ts';

const THREADS = 256;
/** Instead of a slot, for points that are in none. */
const NOWHERE = 0xffff_ffff;

const Call = wgsl`
struct Call {
  countWord: u32,
  mostPoints: u32,
  strideWords: u32,
}`;
const call = uniform('call', Call);
/** The number of this build. */
const build = movingUniform('build', 'u32');
const given = storage('given', 'array<u32>');
const points = storage('points', 'array<u32>');
const groups = storage('groups', 'array<u32>');
const counts = storage('counts', 'array<atomic<u32>>', 'read_write');
/** For every point its slot, and how many points of that slot came before it. */
const ranks = storage('ranks', 'array<vec2u>', 'read_write');
const sortedOut = storage('sortedOut', 'array<vec4u>', 'read_write');
const sortedGroupsOut = storage('sortedGroupsOut', 'array<u32>', 'read_write');
/** How many points the last build was given, and its number. */
const state = storage('state', 'vec2u', 'read_write');

const pointCount = wgsl`
fn pointCount() -> u32 {
  return min(${given}[${call}.countWord], ${call}.mostPoints);
}`;

const kernelsOf = kept(({ cells, kind: { dimensions, hasGroups } }: GridSearch) => {
  const bits = ['x', 'y', 'z'].slice(0, dimensions).map((_, i): Wgsl => wgsl`${points}[first + ${i}u]`);
  const bitsAt = wgsl`
fn bitsAt(item: u32) -> vec3u {
  let first = item * ${call}.strideWords;
  return vec3u(${bits[0] as Wgsl}, ${bits[1] as Wgsl}, ${bits[2] ?? '0u'});
}`;
  const at = dimensions === 2 ? 'bitcast<vec2f>(bits.xy)' : 'bitcast<vec3f>(bits)';
  return {
    count: kernel({
      label: 'spatialGrid/count',
      threads: THREADS,
      body: wgsl`
  if (item == 0u) { ${state} = vec2u(${given}[${call}.countWord], ${build}); }
  if (item >= ${pointCount}()) { return; }
  let bits = ${bitsAt}(item);
  let at = ${at};
  if (!${cells.isFinite}(at)) {
    ${ranks}[item] = vec2u(${NOWHERE}u);
    return;
  }
  let slot = ${cells.slotOf}(${cells.cellAt}(at), ${hasGroups ? wgsl`${groups}[item]` : '0u'});
  ${ranks}[item] = vec2u(slot, atomicAdd(&${counts}[slot], 1u));`,
    }),
    scatter: kernel({
      label: 'spatialGrid/scatter',
      threads: THREADS,
      body: wgsl`
  if (item >= ${pointCount}()) { return; }
  let rank = ${ranks}[item];
  if (rank.x == ${NOWHERE}u) { return; }
  let position = ${starts}[rank.x] + rank.y;
  ${sortedOut}[position] = vec4u(${bitsAt}(item), item);
  ${hasGroups ? wgsl`${sortedGroupsOut}[position] = ${groups}[item];` : ''}`,
    }),
  };
});

/** Points on the GPU. */
export interface PointsCall {
  readonly points: BufferView;
  readonly strideWords: number;
  readonly groups: BufferView | undefined;
  readonly count: number | GpuCount;
  /** How many there are at most. */
  readonly most: number;
}

/** A build, and what tells it from others. */
interface NumberedCall extends PointsCall {
  readonly build: number;
}

/** Records a build: everything that the grid held before is forgotten. */
export function recordGrid(
  recorder: Recorder,
  search: GridSearch,
  to: GridMemory,
  input: NumberedCall,
  workspace: Workspace,
): void {
  const { gpu } = recorder;
  const { count, scatter } = kernelsOf(search);
  const { buffer, word } = countWord(gpu, input.count);
  const bound: Bound = [
    [shape, to.shape],
    [call, gpu.constants(word, input.most, input.strideWords)],
    [build, gpu.wordsOnce(Uint32Array.of(input.build))],
    [given, buffer],
    [points, input.points],
    [counts, to.starts],
    [starts, to.starts],
    [ranks, to.ranks],
    [sortedOut, to.sorted],
    [state, to.state],
    ...(search.kind.hasGroups
      ? ([
          [groups, input.groups as BufferView],
          [sortedGroupsOut, to.groups as GPUBuffer],
        ] as const)
      : []),
  ];
  // One at least, which says how many there were.
  const items = Math.max(1, input.most);
  recordFill(recorder, { output: to.starts, value: 0, items: to.starts.size / WORD_BYTES });
  recorder.run(count, bound, items);
  recordExclusiveScan(recorder, { input: to.starts, output: to.starts, items: to.slots + 1, workspace });
  recorder.run(scatter, bound, items);
}
