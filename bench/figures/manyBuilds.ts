/**
 * Builds a table many times, each time from new random keys with new hash functions and in a single attempt. Many builds
 * go into one submission and leave a line each on the GPU, so that thousands of small ones take seconds on a real GPU.
 */

import { extentCount, type Gpu, knownExtent, type Recorder, record, Workspace } from '../../src/gpu/index.ts';
import { u32 } from '../../src/keys/index.ts';
import { buildHeader, STATUS } from '../../src/schemes/contract/header.wgsl.ts';
import type { PlanRequest, Scheme, TablePlan } from '../../src/schemes/index.ts';
import { recordAttempt } from '../../src/table/attempt.wgsl.ts';
import { allocate, destroyBuffers } from '../../src/table/buffers.ts';
import { planTable } from '../../src/table/plan.ts';
import { kernel, storage, uniform, wgsl } from '../../src/wgsl/index.ts';
import { scramble } from '../scramble.ts';

/** Slots written between two looks at the results: enough to keep a GPU busy, and little enough to stay responsive. */
const SLOTS_PER_SUBMISSION = { software: 1 << 20, real: 1 << 26 };
const MOST_BUILDS_PER_SUBMISSION = 250;

/** How one build went. */
export interface BuildLine {
  /** Whether the driver would try again. */
  readonly hasFailed: boolean;
  /** Items that found no slot at all. */
  readonly lost: number;
  readonly stashed: number;
  readonly longest: number;
  /** Parts of the table that were begun again. */
  readonly restarts: number;
  readonly rounds: number;
}

export interface ManyBuilds {
  readonly scheme: Scheme;
  readonly items: number;
  readonly builds: number;
  /** Everything random follows from it. */
  readonly random: () => number;
  /** Told after every submission how many builds are done. */
  readonly onProgress?: ((done: number) => void) | undefined;
}

const Line = wgsl`
struct Line {
  status: u32,
  lost: u32,
  stashed: u32,
  longest: u32,
  restarts: u32,
  rounds: u32,
}`;
const LINE_WORDS = 6;

const keys = storage('keys', 'array<u32>', 'read_write');
const keySeed = uniform('keySeed', 'vec2u');
const lines = storage('lines', wgsl`array<${Line}>`, 'read_write');
const lineIndex = uniform('lineIndex', 'u32');

/** A permutation, so the keys are distinct. */
const drawKeys = kernel({
  label: 'manyBuilds/draw',
  threads: 256,
  body: wgsl`if (item < ${extentCount}) { ${keys}[item] = ${scramble}(item, ${keySeed}); }`,
});

const noteLine = kernel({
  label: 'manyBuilds/note',
  threads: 1,
  body: wgsl`
  ${lines}[${lineIndex}] = ${Line}(
    atomicLoad(&${buildHeader}.status),
    atomicLoad(&${buildHeader}.failed),
    atomicLoad(&${buildHeader}.stashed),
    atomicLoad(&${buildHeader}.longest),
    atomicLoad(&${buildHeader}.restarts),
    atomicLoad(&${buildHeader}.rounds),
  );`,
});

/** What is asked of the scheme: a set of so many different keys. */
export const requestFor = (items: number): PlanRequest => ({
  items,
  key: u32,
  valueWords: 0,
  duplicates: 'unique',
  growth: 0,
});

/** Calls `note` for every build, and returns the plan that all of them had. */
export async function buildMany(gpu: Gpu, options: ManyBuilds, note: (line: BuildLine) => void): Promise<TablePlan> {
  const { scheme, items, builds, random, onProgress } = options;
  const plan = planTable(scheme, requestFor(items), gpu.limits);
  const most = Math.floor(SLOTS_PER_SUBMISSION[gpu.info.software ? 'software' : 'real'] / plan.capacitySlots);
  const perSubmission = Math.max(1, Math.min(MOST_BUILDS_PER_SUBMISSION, most, builds));
  const buffers = await allocate(gpu, scheme, plan);
  const workspace = new Workspace(gpu);
  let own: readonly GPUBuffer[] = [];
  try {
    own = await gpu.allocate([
      { label: 'manyBuilds/keys', bytes: items * 4 },
      { label: 'manyBuilds/lines', bytes: perSubmission * LINE_WORDS * 4 },
    ]);
    const [keyBuffer, lineBuffer] = own as [GPUBuffer, GPUBuffer];
    const extent = knownExtent(gpu, items);
    const recordBuild = (recorder: Recorder, line: number): void => {
      recorder.run(
        drawKeys,
        [
          [keys, keyBuffer],
          [keySeed, gpu.constants(random(), random())],
          [extentCount, extent.count],
        ],
        extent,
      );
      const hash = scheme.family.draw(random);
      recordAttempt(recorder, plan, buffers, { hash, index: 0, build: 0, count: items, maxCount: items });
      scheme.encodeBuild(recorder, plan, buffers, { keys: keyBuffer, values: undefined, items: extent, workspace });
      recorder.runOnce(noteLine, [
        [buildHeader, buffers.header],
        [lines, lineBuffer],
        [lineIndex, gpu.constants(line)],
      ]);
    };
    for (let done = 0; done < builds; ) {
      const now = Math.min(perSubmission, builds - done);
      const [bytes] = await gpu.run(
        (encoder) =>
          record(gpu, encoder, 'manyBuilds', (recorder) => {
            for (let line = 0; line < now; line++) recordBuild(recorder, line);
          }),
        [{ buffer: lineBuffer, bytes: now * LINE_WORDS * 4 }],
      );
      for (const line of readLines(bytes as ArrayBuffer)) note(line);
      done += now;
      onProgress?.(done);
    }
  } finally {
    for (const buffer of own) buffer.destroy();
    destroyBuffers(buffers);
    workspace.destroy();
  }
  return plan;
}

function* readLines(bytes: ArrayBuffer): Generator<BuildLine> {
  const words = new Uint32Array(bytes);
  for (let at = 0; at < words.length; at += LINE_WORDS) {
    const [status, lost, stashed, longest, restarts, rounds] = [...words.subarray(at, at + LINE_WORDS)] as [
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    // The keys are distinct, and there are as many as were planned for.
    if ((status & ~STATUS.retry) !== 0) throw new Error(`a build ended with the status ${status}`);
    yield { hasFailed: status === STATUS.retry, lost, stashed, longest, restarts, rounds };
  }
}
