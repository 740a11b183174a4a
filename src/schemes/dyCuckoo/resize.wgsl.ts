/**
 * From one size to another (Li et al. 2021, section IV-D), one thread for each new bucket. A bucket of a subtable that has doubled
 * gets the keys of one old bucket that belong there, of one that was halved those of two, and the others are copied. Nobody else
 * writes the bucket, and tags tell where their keys belong without another look at them. The keys of two buckets may be too many for
 * one: the residuals, which go into the new table as a batch of their own, in later dispatches.
 */
import { type Bound, extentCount, Gate, type Recorder } from '../../gpu/index.ts';
import { wordsArray } from '../../keys/index.ts';
import { recordFill } from '../../primitives/index.ts';
import {
  join,
  type Kernel,
  kernel,
  once,
  storage,
  type Wgsl,
  type WgslPart,
  WORD_BYTES,
  wgsl,
} from '../../wgsl/index.ts';
import { counters, type DynamicPlan, HeaderLayout, type RecordMove, TableView } from '../contract/index.ts';
import { newKeys } from '../kit/batch/ends.wgsl.ts';
import { THREADS } from '../kit/batch/work.wgsl.ts';
import { BUCKET_WORDS } from '../kit/bucket.wgsl.ts';
import { geometry } from './geometry.wgsl.ts';
import type { Shape } from './shape.ts';

interface Sized {
  readonly plan: DynamicPlan;
  readonly shape: Shape;
}

/** How many there are, then the old slots of those keys that did not fit. */
const residuals = storage('residuals', 'array<atomic<u32>>', 'read_write');
const bucketsOut = storage('bucketsOut', 'array<u32>', 'read_write');
const sideOut = storage('sideOut', 'array<u32>', 'read_write');

/** The function that records how a table takes over all that is in one of another size. */
export function resizing(before: Sized, after: Sized): RecordMove {
  const view = new TableView(before.plan);
  const header = HeaderLayout.of(after.plan.fields).forReading();
  const rebuild = once(() => rebuildKernel(before.shape, after.shape, view, header));
  const list = once(() => listKernel(before.plan, view));
  const halved = slotsHalved(before.shape, after.shape);
  return (recorder, { from, to, keys, counters: buffer, workspace }) => {
    const most = Math.min(keys, halved);
    const left = workspace.scratch('dyCuckoo/residuals', (1 + most) * WORD_BYTES);
    recordFill(recorder, { output: left, value: 0, items: 1 });
    const buckets = recorder.extent(after.shape.buckets);
    const bound: Bound = [...view.bind(from), [residuals, left]];
    const rebuilt: Bound = [
      ...bound,
      [header, to.header],
      [bucketsOut, to.get('buckets')],
      [sideOut, to.get('side')],
      [counters, buffer],
      [extentCount, buckets.count],
    ];
    recorder.run(rebuild(), rebuilt, buckets);
    if (most === 0) return;
    const { key, valueWords } = after.plan.request;
    const { program, keysOut, valuesOut } = list();
    const keyWords = workspace.scratch('dyCuckoo/residualKeys', most * key.words * WORD_BYTES);
    const valueBuffer = workspace.scratch('dyCuckoo/residualValues', most * valueWords * WORD_BYTES);
    const gate = new Gate(recorder.gpu);
    gate.open(recorder, { buffer: left }, most);
    const items = gate.extent(most);
    const behind: Recorder = recorder.behind(gate);
    behind.run(program, [...bound, [keysOut, keyWords], [valuesOut, valueBuffer], [extentCount, items.count]], items);
    after.plan.recordInsert(behind, to, {
      keys: keyWords,
      values: valueWords > 0 ? valueBuffer : undefined,
      context: to.context,
      items,
      workspace,
      counters: buffer,
      onExisting: 'replace',
      unique: true,
    });
    gate.seal();
  };
}

/** Buckets of the subtable with that number. */
const bucketsOf = ({ bits, doubled }: Shape, number: number): number => 2 ** (bits + Number(number < doubled));

/** By how many slots subtables have become smaller: so many keys at most find no room where they were. */
function slotsHalved(before: Shape, after: Shape): number {
  const lost = Array.from({ length: after.subtables }, (_, i) =>
    Math.max(0, bucketsOf(before, i) - bucketsOf(after, i)),
  );
  return lost.reduce((sum, buckets) => sum + buckets, 0) * after.perBucket;
}

function rebuildKernel(before: Shape, after: Shape, view: TableView, header: WgslPart): Kernel {
  const { perBucket, inline, sideWords } = after;
  const old = geometry(before, view.header);
  const now = geometry(after, header);
  const [buckets, side] = [view.buffer('buckets'), view.buffer('side')];
  // Words of old buckets by number: a bucket is two vectors.
  const oldWord = wgsl`
fn oldWord(bucket: u32, word: u32) -> u32 {
  if (word < 4u) { return ${buckets}[bucket].low[word]; }
  return ${buckets}[bucket].high[word - 4u];
}`;
  const sideWord = (w: number): Wgsl =>
    wgsl`${sideOut}[(bucket * ${perBucket}u + taken) * ${sideWords}u + ${w}u] = ${side}[(source * ${perBucket}u + s) * ${sideWords}u + ${w}u];`;
  const rebuildBucket = wgsl`
fn rebuildBucket(bucket: u32) {
  let part = ${now.subtableOf}(bucket);
  let local = bucket - part.start;
  let oldPart = ${old.subtable}(part.number);
  var taken = 0u;
  for (var origin = local & oldPart.mask; origin <= oldPart.mask; origin += part.mask + 1u) {
    let source = oldPart.start + origin;
    for (var s = 0u; s < ${perBucket}u; s++) {
      let tag = ${oldWord}(source, s);
      if ((tag & oldPart.mask) != origin || (tag & part.mask) != local) { continue; }
      if (taken == ${perBucket}u) {
        atomicStore(&${residuals}[1u + atomicAdd(&${residuals}[0], 1u)], source * ${perBucket}u + s);
        continue;
      }
      ${bucketsOut}[bucket * ${BUCKET_WORDS}u + taken] = tag;
      ${inline ? wgsl`${bucketsOut}[bucket * ${BUCKET_WORDS}u + ${perBucket}u + taken] = ${oldWord}(source, ${perBucket}u + s);` : ''}
      ${join(
        Array.from({ length: sideWords }, (_, w) => sideWord(w)),
        '\n      ',
      )}
      taken++;
      ${newKeys.count}
    }
  }
}`;
  return kernel({
    label: 'dyCuckoo/rebuild',
    threads: THREADS,
    body: wgsl`
  if (item < ${extentCount}) { ${rebuildBucket}(item); }
  ${newKeys.flush}`,
  });
}

/** Packs the residuals as the items of a batch. */
function listKernel(plan: DynamicPlan, view: TableView) {
  const { key, valueWords } = plan.request;
  const keysOut = wordsArray('keysOut', key.words, 'read_write');
  const valuesOut = wordsArray('valuesOut', valueWords, 'read_write');
  return {
    keysOut,
    valuesOut,
    program: kernel({
      label: 'dyCuckoo/residuals',
      threads: THREADS,
      body: wgsl`
  if (item >= ${extentCount}) { return; }
  let found = ${plan.reader(view).entry}(atomicLoad(&${residuals}[1u + item]));
  ${keysOut}[item] = found.key;
  ${valueWords > 0 ? wgsl`${valuesOut}[item] = found.value;` : ''}`,
    }),
  };
}
