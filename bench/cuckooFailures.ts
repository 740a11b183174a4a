/**
 * How often builds of `cuckoo` need the stash, and how often they fail in spite of it (Alcantara 2011, section 6.1.1).
 * Every build draws new keys and new hash functions and is tried once. Many builds go into one submission and leave a
 * line each on the GPU, so that 10,000 small ones take seconds on a real GPU.
 *
 *   npx tsx bench/cuckooFailures.ts --items 1000,10000 --builds 10000
 *   npx tsx bench/cuckooFailures.ts --items 10000000 --builds 100 --slots 1.25 --functions 4
 */
import { parseArgs } from 'node:util';
import { recordAttempt } from '../src/collections/attempt.ts';
import { allocate } from '../src/collections/tableBuffers.ts';
import { extentCount, knownExtent, type Recorder } from '../src/gpu/index.ts';
import { randomWords } from '../src/hashing/index.ts';
import { cuckoo, Gpu, kernel, record, storage, u32, uniform, Workspace, wgsl } from '../src/index.ts';
import { REACH } from '../src/schemes/cuckoo/plan.ts';
import { buildHeader, STATUS } from '../src/schemes/header.ts';
import type { Scheme } from '../src/schemes/index.ts';
import { scramble } from './scramble.ts';

const { values: flags } = parseArgs({
  options: {
    items: { type: 'string', default: '1000,10000' },
    builds: { type: 'string', default: '100' },
    functions: { type: 'string', default: '2,3,4,5' },
    /** Slots per item; `least` is the smallest size that the functions can do. */
    slots: { type: 'string', default: 'least,1.25' },
    stash: { type: 'string', default: '101' },
    seed: { type: 'string', default: '1' },
  },
});

/** Slots written between two looks at the results: enough to keep a GPU busy, and little enough to stay responsive. */
const SLOTS_PER_SUBMISSION = 1 << 26;
const MOST_BUILDS_PER_SUBMISSION = 250;

const keys = storage('keys', 'array<u32>', 'read_write');
const keySeed = uniform('keySeed', 'vec2u');

/** A permutation, so the keys are distinct. */
const drawKeys = kernel({
  label: 'cuckooFailures/draw',
  threads: 256,
  body: wgsl`if (item < ${extentCount}) { ${keys}[item] = ${scramble}(item, ${keySeed}); }`,
});

const Line = wgsl`
struct Line {
  failed: u32,
  stashed: u32,
  lost: u32,
  longest: u32,
}`;
const lines = storage('lines', wgsl`array<${Line}>`, 'read_write');
const lineIndex = uniform('lineIndex', 'u32');

const noteLine = kernel({
  label: 'cuckooFailures/note',
  threads: 1,
  body: wgsl`
  ${lines}[${lineIndex}] = ${Line}(
    atomicLoad(&${buildHeader}.status) & ${STATUS.retry}u,
    atomicLoad(&${buildHeader}.stashed),
    atomicLoad(&${buildHeader}.failed),
    atomicLoad(&${buildHeader}.longest),
  );`,
});

interface Failures {
  readonly capacitySlots: number;
  readonly chainLimit: number;
  /** Builds in which some item found no slot in the table. */
  readonly needed: number;
  /** Builds in which the stash could not take them all. */
  readonly failed: number;
  /** The most items of one build that found no slot. */
  readonly most: number;
  readonly longest: number;
}

async function measure(gpu: Gpu, scheme: Scheme, items: number, builds: number, random: () => number) {
  const plan = scheme.plan({ items, key: u32, valueWords: 0, duplicates: 'unique', growth: 0 });
  const buffers = await allocate(gpu, scheme, plan);
  const workspace = new Workspace(gpu);
  const keyBuffer = gpu.createBuffer('cuckooFailures/keys', items * 4);
  const lineBuffer = gpu.createBuffer('cuckooFailures/lines', MOST_BUILDS_PER_SUBMISSION * 16);
  const extent = knownExtent(gpu, items);
  const recordBuild = (recorder: Recorder, line: number): void => {
    const drawn = gpu.constants(random(), random());
    recorder.run(
      drawKeys,
      [
        [keys, keyBuffer],
        [keySeed, drawn],
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

  const perSubmission = Math.max(
    1,
    Math.min(MOST_BUILDS_PER_SUBMISSION, Math.floor(SLOTS_PER_SUBMISSION / plan.capacitySlots)),
  );
  const result = {
    capacitySlots: plan.capacitySlots,
    chainLimit: plan.own[0] ?? 0,
    needed: 0,
    failed: 0,
    most: 0,
    longest: 0,
  };
  for (let done = 0; done < builds; done += perSubmission) {
    const now = Math.min(perSubmission, builds - done);
    const [bytes] = await gpu.run(
      (encoder) =>
        record(gpu, encoder, 'cuckooFailures', (recorder) => {
          for (let line = 0; line < now; line++) recordBuild(recorder, line);
        }),
      [{ buffer: lineBuffer, bytes: now * 16 }],
    );
    const words = new Uint32Array(bytes as ArrayBuffer);
    for (let line = 0; line < now; line++) {
      const [failed, stashed, lost, longest] = words.subarray(line * 4) as unknown as [number, number, number, number];
      result.needed += Number(stashed + lost > 0);
      result.failed += Number(failed > 0);
      result.most = Math.max(result.most, stashed + lost);
      result.longest = Math.max(result.longest, longest);
    }
  }
  for (const buffer of [buffers.header, ...buffers.named.values(), keyBuffer, lineBuffer]) buffer.destroy();
  workspace.destroy();
  return result satisfies Failures;
}

const numbers = (list: string): number[] => list.split(',').map(Number);
const builds = Number(flags.builds);
const random = randomWords(Number(flags.seed));
const gpu = await Gpu.open();
console.log(`${gpu.info.description || gpu.info.device}: ${builds} builds each, stash of ${flags.stash} slots`);
console.log('functions slots/item      items  limit  longest  need the stash  most items  fail with it   seconds');
for (const functions of numbers(flags.functions) as (2 | 3 | 4 | 5)[]) {
  for (const size of flags.slots.split(',')) {
    const loadFactor = size === 'least' ? REACH[functions].maxLoad : 1 / Number(size);
    if (loadFactor > REACH[functions].maxLoad) continue;
    const scheme = cuckoo({ functions, loadFactor, stashSlots: Number(flags.stash) });
    for (const items of numbers(flags.items)) {
      const started = performance.now();
      const { needed, failed, most, longest, chainLimit } = await measure(gpu, scheme, items, builds, random);
      const percent = (part: number) => `${((100 * part) / builds).toFixed(3)}%`;
      const cells = [
        String(functions).padStart(9),
        (1 / loadFactor).toFixed(3).padStart(10),
        String(items).padStart(10),
        String(chainLimit).padStart(6),
        String(longest).padStart(8),
        percent(needed).padStart(15),
        String(most).padStart(11),
        percent(failed).padStart(13),
        ((performance.now() - started) / 1000).toFixed(1).padStart(9),
      ];
      console.log(cells.join(' '));
    }
  }
}
gpu.destroy();
