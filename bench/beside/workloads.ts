/** What is measured, and who takes part. */
import type { Gpu } from '../../src/gpu/index.ts';
import { type ContestOptions, contest, type Listener, type Workload } from './contest.ts';
import { groupByArquero } from './group/arquero.ts';
import { groupByDuckDB } from './group/duckdb.ts';
import { groupByHashnest } from './group/hashnest.ts';
import { groupByHashnestOnGpu } from './group/hashnestOnGpu.ts';
import { groupByMap } from './group/javascript.ts';
import { groupsByLuma } from './group/luma.ts';
import { joinByArquero } from './join/arquero.ts';
import { joinByDuckDB } from './join/duckdb.ts';
import { joinByHashnest } from './join/hashnest.ts';
import { joinByHashnestOnGpu } from './join/hashnestOnGpu.ts';
import { joinByMap } from './join/javascript.ts';
import { joinsByLuma } from './join/luma.ts';
import { neighboursInDenseGrid } from './neighbours/dense.ts';
import { makeParticles, type Particles, wrongSums } from './neighbours/particles.ts';
import { neighboursInSpatialGrid } from './neighbours/spatialGrid.wgsl.ts';
import {
  type GroupData,
  type Groups,
  type JoinData,
  type KeyKind,
  makeGroups,
  makeJoin,
  type Pairs,
  wrongGroups,
  wrongPairs,
} from './rows.ts';
import { weldByHashnest } from './weld/hashnest.ts';
import { type Mesh, makeSoup, type Soup, wrongMesh } from './weld/soup.ts';
import { weldByThree } from './weld/three.ts';

const ROWS = [1_000_000, 10_000_000];

const joinOf = (kind: KeyKind): Workload<JoinData, Pairs> => ({
  task: 'join',
  data: kind,
  asks: 'inner join of n rows with n/8 rows of different keys; one in eight rows on the left has no partner; all pairs of row numbers',
  sizes: ROWS,
  make: (size) => makeJoin(kind, size),
  wrong: wrongPairs,
  contestants: [joinByHashnest, joinByHashnestOnGpu, ...joinsByLuma, joinByDuckDB, joinByArquero, joinByMap],
});

const groupOf = (kind: KeyKind): Workload<GroupData, Groups> => ({
  task: 'group',
  data: kind,
  asks: 'count and sum of a u32 column of n rows, by n/8 keys; all keys with both',
  sizes: ROWS,
  make: (size) => makeGroups(kind, size),
  wrong: wrongGroups,
  contestants: [groupByHashnest, groupByHashnestOnGpu, ...groupsByLuma, groupByDuckDB, groupByArquero, groupByMap],
});

const neighbours: Workload<Particles, Uint32Array> = {
  task: 'neighbours',
  data: 'particles',
  asks: 'n particles in a box, about 30 within the radius; for each how many, and the sum of their numbers',
  sizes: [131_072, 1_000_000],
  make: makeParticles,
  wrong: wrongSums,
  contestants: [...neighboursInSpatialGrid, neighboursInDenseGrid],
};

const weld: Workload<Soup, Mesh> = {
  task: 'weld',
  data: 'triangles',
  asks: 'n corners of triangles, six for a vertex; the indexed mesh, by positions with a tolerance of 1e-4',
  sizes: [1_000_000, 6_000_000],
  make: makeSoup,
  wrong: wrongMesh,
  contestants: [weldByHashnest, weldByThree],
};

/** A workload, whatever its data is. */
export interface Entered extends Pick<Workload<unknown, unknown>, 'task' | 'data' | 'asks' | 'sizes'> {
  contest(gpu: Gpu, size: number, options: ContestOptions, listener: Listener): Promise<void>;
}

const entered = <Data, Answer>(workload: Workload<Data, Answer>): Entered => ({
  ...workload,
  contest: (gpu, size, options, listener) => contest(gpu, workload, size, options, listener),
});

export const WORKLOADS: readonly Entered[] = [
  ...(['scattered u32', 'strings'] as const).map((kind) => entered(joinOf(kind))),
  ...(['dense u32', 'scattered u32', 'strings'] as const).map((kind) => entered(groupOf(kind))),
  entered(neighbours),
  entered(weld),
];

/** What `--data` names. */
export const DATA: readonly string[] = [...new Set(WORKLOADS.map(({ data }) => data))];
