/**
 * Builds a table many times, each time from new random keys with new hash functions and in a single attempt. Many builds
 * go into one submission and leave a line each on the GPU, so that thousands of small ones take seconds on a real GPU.
 */

import { extentCount, type Gpu, knownExtent, type Recorder, record, Workspace } from '../../src/gpu/index.ts';
import { u32 } from '../../src/keys/index.ts';
import {
  type GpuBuild,
  HeaderLayout,
  type PlanRequest,
  type Scheme,
  STATUS,
  type TablePlan,
} from '../../src/schemes/contract/index.ts';
import { recordAttempt } from '../../src/table/attempt.wgsl.ts';
import { allocate } from '../../src/table/buffers.ts';
import { planTable } from '../../src/table/plan.ts';
import { kept, kernel, storage, uniform, wgsl } from '../../src/wgsl/index.ts';
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

const noteKernel = kept((layout: HeaderLayout) => {
  const header = layout.forBuilding();
  const noteLine = kernel({
    label: 'manyBuilds/note',
    threads: 1,
    body: wgsl`
  ${lines}[${lineIndex}] = ${Line}(
    atomicLoad(&${header}.status),
    atomicLoad(&${header}.failed),
    atomicLoad(&${header}.stashed),
    atomicLoad(&${header}.longest),
    atomicLoad(&${header}.restarts),
    atomicLoad(&${header}.rounds),
  );`,
  });
  return { header, noteLine };
});

/** What is asked of the scheme: a set of so many different keys. */
const requestFor = (items: number): PlanRequest => ({
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
  const table = { header: buffers.header, context: undefined, get: (name: string) => buffers.get(name) };
  const { header, noteLine } = noteKernel(HeaderLayout.of(plan.fields));
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
      const hash = plan.family.draw(random);
      recordAttempt(recorder, plan, buffers.header, { hash, number: 1, build: 0, count: items, maxCount: items });
      (plan.build as GpuBuild).record(recorder, table, {
        keys: keyBuffer,
        values: undefined,
        items: extent,
        workspace,
        attempt: 1,
        effort: 'both',
      });
      recorder.runOnce(noteLine, [
        [header, buffers.header],
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
    buffers.destroy();
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
