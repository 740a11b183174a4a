/** Phase 2 (Alcantara 2011, Algorithm 5.3): a workgroup builds the cuckoo table of one bucket in workgroup memory. */
import { allOnes, fromWords, isOneWord, wordsOf, wordsType } from '../../keys/index.ts';
import {
  type Binding,
  type Kernel,
  kernel,
  storage,
  uniform,
  type Wgsl,
  type WgslPart,
  wgsl,
} from '../../wgsl/index.ts';
import { buildHeader, isGoingWell, STATUS } from '../contract/header.wgsl.ts';
import type { TablePlan } from '../contract/scheme.ts';
import { reportDuplicate } from '../kit/copies.wgsl.ts';
import { slotsType, slotWords } from '../kit/slot.wgsl.ts';
import { rankOf } from '../kit/token.wgsl.ts';
import { starts } from './buckets.wgsl.ts';
import { globalSlot, type LevelHashes, PAPER_TRIES, seedOf } from './hashes.wgsl.ts';
import type { BucketShape } from './plan.ts';
import { itemIn, keyInRecord, recordsBinding } from './record.wgsl.ts';
import { EXTRA, NOBODY, type Rounds, roundsOf } from './rounds.wgsl.ts';

/** The last seeds of a bucket may take more rounds: they are there for the few buckets that are full to the brim. */
const PATIENT_TRIES = 4;
const PATIENCE = 4;
const TRIES = PAPER_TRIES + PATIENT_TRIES;

/** How many buckets there are; a uniform, because a workgroup may leave before a barrier only by what all of it knows. */
export const bucketCount = uniform('bucketCount', 'u32');
export const seeds = storage('seeds', 'array<u32>', 'read_write');

/** The kernel, and its bindings that depend on the plan. */
export interface CuckooKernel {
  readonly kernel: Kernel;
  readonly keys: Binding;
  readonly values: Binding;
  readonly records: Binding;
  readonly slots: Binding;
}

/** What the parts of the kernel have in common. */
interface Parts extends Omit<CuckooKernel, 'kernel'> {
  readonly plan: TablePlan;
  readonly shape: BucketShape;
  readonly hashes: LevelHashes;
  readonly rounds: Rounds;
  /** For each item of a thread: its number in the input. */
  readonly items: Wgsl;
  readonly rank: Wgsl;
}

export function cuckooKernel(plan: TablePlan, shape: BucketShape, hashes: LevelHashes): CuckooKernel {
  const { key, valueWords, duplicates } = plan;
  const { threads, roundLimit } = shape;
  const parts: Parts = {
    plan,
    shape,
    hashes,
    rounds: roundsOf(shape),
    items: wgsl`var<private> items: array<u32, ${shape.itemsPerThread}>;`,
    rank: rankOf(duplicates),
    keys: storage('keys', wgsl`array<${wordsType(key.words)}>`),
    values: storage('values', wgsl`array<${wordsType(valueWords || 1)}>`),
    records: recordsBinding(key, 'read'),
    slots: storage('slots', slotsType(plan), 'read_write'),
  };
  const mayGoOn = wgsl`var<workgroup> mayGoOn: u32;`;
  const body = wgsl`
  if (group >= ${bucketCount}) { return; }
  if (thread == 0u) { ${mayGoOn} = u32(${isGoingWell}()); }
  if (workgroupUniformLoad(&${mayGoOn}) == 0u) { return; }
  var seed = 0u;
  var rounds = 0u;
  var unplaced = 0u;
  var attempt = 0u;
  for (; attempt < ${TRIES}u; attempt++) {
    seed = ${seedOf}(group, attempt, ${buildHeader}.hash);
    ${prepare(parts)}(group, seed, thread);
    let limit = select(${roundLimit}u, ${PATIENCE * roundLimit}u, attempt >= ${PAPER_TRIES}u);
    let outcome = ${parts.rounds.runRounds}(limit, thread);
    rounds += outcome.rounds;
    unplaced = outcome.unplaced;
    if (unplaced == 0u) {
      ${electOwners(parts)}(thread);
      ${isOneWord(key) ? '' : wgsl`unplaced = ${countMistaken(parts)}(thread);`}
      if (unplaced == 0u) { break; }
    }
  }
  if (attempt < ${TRIES}u) { ${writeOut(parts)}(group, thread); }
  if (thread == 0u) {
    ${seeds}[group] = seed;
    atomicAdd(&${buildHeader}.rounds, rounds);
    if (attempt > 0u) { atomicAdd(&${buildHeader}.restarts, min(attempt, ${TRIES - 1}u)); }
    if (attempt == ${TRIES}u) {
      atomicOr(&${buildHeader}.status, ${STATUS.retry}u);
      atomicAdd(&${buildHeader}.failed, unplaced);
    }
  }`;
  return { ...parts, kernel: kernel({ label: 'twoLevelCuckoo/cuckoo', threads, itemsPerGroup: 1, body }) };
}

/** Listing 5.1: the items of a thread, and the slot of each in every subtable. */
function prepare({ plan, shape, hashes, rounds, items, keys, records }: Parts): Wgsl {
  const { key } = plan;
  const { threads, itemsPerThread } = shape;
  return wgsl`
fn prepare(bucket: u32, seed: u32, thread: u32) {
  let start = ${starts}[bucket];
  let size = ${starts}[bucket + 1u] - start;
  let constants = ${buildHeader}.hash;
  for (var k = 0u; k < ${itemsPerThread}u; k++) {
    let local = k * ${threads}u + thread;
    ${rounds.homes}[k] = ${NOBODY}u;
    if (local >= size) { continue; }
    let record = ${records}[start + local];
    let stored = ${keyInRecord(key, keys, 'record')};
    let hashed = ${hashes.hashed(key.access('input').of('stored'), 'constants')};
    let home = ${rounds.homeOf}(${hashes.slotsOf}(hashed, seed, constants));
    ${items}[k] = ${itemIn(key, 'record')};
    ${rounds.tokens}[k] = ${isOneWord(key) ? 'stored' : 'hashed.y'};
    ${rounds.homes}[k] = select(home, ${EXTRA}u, ${allOnes(key.words, 'stored')});
  }
}`;
}

/** All copies of a key are in one place by now. The table has done its work, and takes the least rank of each place. */
function electOwners({ shape, rounds, items, rank }: Parts): Wgsl {
  const { threads, itemsPerThread, subtableSlots } = shape;
  const { table, homes, placeOf } = rounds;
  return wgsl`
fn electOwners(thread: u32) {
  for (var place = thread; place <= ${3 * subtableSlots}u; place += ${threads}u) {
    atomicStore(&${table}[place], 0xffffffffu);
  }
  workgroupBarrier();
  for (var k = 0u; k < ${itemsPerThread}u; k++) {
    if (${homes}[k] != ${NOBODY}u) { atomicMin(&${table}[${placeOf}(${homes}[k])], ${rank}(${items}[k])); }
  }
  workgroupBarrier();
}`;
}

/**
 * Tokens of wider keys are hashes, so different keys may take each other for copies, about once in 10⁷ buckets. Returns
 * how many do, the same for the whole workgroup.
 */
function countMistaken({ plan, shape, rounds, items, rank, keys }: Parts): Wgsl {
  const { key } = plan;
  const { table, homes, placeOf } = rounds;
  const input = key.access('input');
  const mistaken = wgsl`var<workgroup> mistaken: atomic<u32>;`;
  const counted = wgsl`var<workgroup> counted: u32;`;
  const keyOf = (item: WgslPart) => input.of(wgsl`${keys}[${item}]`);
  return wgsl`
fn countMistaken(thread: u32) -> u32 {
  for (var k = 0u; k < ${shape.itemsPerThread}u; k++) {
    if (${homes}[k] == ${NOBODY}u) { continue; }
    let item = ${items}[k];
    let owner = ${rank}(atomicLoad(&${table}[${placeOf}(${homes}[k])]));
    if (owner != item && !${key.equals(input, input)}(${keyOf('owner')}, ${keyOf('item')})) {
      atomicAdd(&${mistaken}, 1u);
    }
  }
  workgroupBarrier();
  if (thread == 0u) { ${counted} = atomicExchange(&${mistaken}, 0u); }
  return workgroupUniformLoad(&${counted});
}`;
}

/** Owners write their key and value to their slots, and the workgroup marks the rest as empty. */
function writeOut({ plan, shape, rounds, items, rank, keys, values, slots }: Parts): Wgsl {
  const { key, valueWords, duplicates } = plan;
  const { threads, itemsPerThread, subtableSlots } = shape;
  const { table, tokens, homes, placeOf } = rounds;
  const slotAt = globalSlot(subtableSlots);
  const empty = fromWords(Array.from({ length: slotWords(plan) }, () => '0xffffffffu'));
  // The extra slot is marked as taken by a first word that is not all ones.
  const keyWords = wordsOf(key.words, 'stored').map((word, i) =>
    i === 0 ? wgsl`select(${word}, 0u, home == ${EXTRA}u)` : word,
  );
  const groupCopies = wgsl`var<workgroup> groupCopies: atomic<u32>;`;
  const isForbidden = duplicates === 'error' || duplicates === 'unique';
  const addCopies = wgsl`
  workgroupBarrier();
  if (thread == 0u) {
    let copies = atomicLoad(&${groupCopies});
    if (copies > 0u) { atomicAdd(&${buildHeader}.copies, copies); }
  }`;
  return wgsl`
fn writeOut(bucket: u32, thread: u32) {
  for (var place = thread; place < ${3 * subtableSlots}u; place += ${threads}u) {
    if (atomicLoad(&${table}[place]) == 0xffffffffu) {
      ${slots}[${slotAt}(bucket, place, ${bucketCount})] = ${empty};
    }
  }
  for (var k = 0u; k < ${itemsPerThread}u; k++) {
    let home = ${homes}[k];
    if (home == ${NOBODY}u) { continue; }
    let item = ${items}[k];
    let place = ${placeOf}(home);
    if (atomicLoad(&${table}[place]) == ${rank}(item)) {
      let stored = ${isOneWord(key) ? wgsl`${tokens}[k]` : wgsl`${keys}[item]`};
      ${valueWords > 0 ? wgsl`let value = ${values}[item];` : ''}
      let slot = select(${slotAt}(bucket, place, ${bucketCount}), ${buildHeader}.capacity, home == ${EXTRA}u);
      ${slots}[slot] = ${fromWords([...keyWords, ...wordsOf(valueWords, 'value')])};
    } else {
      ${isForbidden ? wgsl`${reportDuplicate}(item);` : wgsl`atomicAdd(&${groupCopies}, 1u);`}
    }
  }
  ${isForbidden ? '' : addCopies}
}`;
}
