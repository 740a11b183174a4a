/** Phase 2 (Alcantara 2011, Algorithm 5.3): a workgroup builds the cuckoo table of one bucket in workgroup memory. */
import { allOnes } from '../../keys/index.ts';
import { type Kernel, kernel, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { isGoingWell, STATUS } from '../contract/index.ts';
import { starts } from './buckets.wgsl.ts';
import { type Crowd, crowdOf, mostItems } from './crowd.wgsl.ts';
import { PAPER_TRIES, seedOf } from './hashes.wgsl.ts';
import { countMistaken, electOwners, writeOut } from './owners.wgsl.ts';
import { itemIn, keyInParcel } from './parcel.wgsl.ts';
import { type BuildParts, bucketCount, seeds } from './parts.wgsl.ts';
import { EXTRA, NOBODY } from './rounds.wgsl.ts';

/** The last seeds of a bucket may take more rounds: they are there for the few buckets that are full to the brim. */
const PATIENT_TRIES = 4;
const PATIENCE = 4;
const TRIES = PAPER_TRIES + PATIENT_TRIES;

export function cuckooKernel(parts: BuildParts): Kernel {
  const { request, view, shape, rounds } = parts;
  const { header } = view;
  const { threads, roundLimit, capacity } = shape;
  const mayGoOn = wgsl`var<workgroup> mayGoOn: u32;`;
  const bucketSize = wgsl`var<workgroup> bucketSize: u32;`;
  const crowd = crowdOf(parts);
  const mayBeCrowded = mostItems(parts) > capacity;
  const keepOneOfEach = wgsl`if (isCrowded) { keys = ${crowd.keepOneOfEach}(${starts}[group], size, thread); }`;
  const addCopies = wgsl`if (isCrowded) { atomicAdd(&${header}.copies, size - keys); }`;
  const body = wgsl`
  if (group >= ${bucketCount}) { return; }
  if (thread == 0u) {
    ${mayGoOn} = u32(${isGoingWell(header)}());
    ${bucketSize} = ${starts}[group + 1u] - ${starts}[group];
  }
  if (workgroupUniformLoad(&${mayGoOn}) == 0u) { return; }
  let size = workgroupUniformLoad(&${bucketSize});
  let isCrowded = size > ${capacity}u;
  var keys = size;
  ${mayBeCrowded ? keepOneOfEach : ''}
  var seed = 0u;
  var rounds = 0u;
  var leftOver = keys;
  // A bucket of too many keys does not begin.
  var attempt = select(0u, ${TRIES}u, keys > ${capacity}u);
  for (; attempt < ${TRIES}u; attempt++) {
    seed = ${seedOf}(group, attempt, ${header}.hash);
    ${prepare(parts, crowd)}(group, seed, thread, isCrowded);
    let limit = select(${roundLimit}u, ${PATIENCE * roundLimit}u, attempt >= ${PAPER_TRIES}u);
    let outcome = ${rounds.runRounds}(limit, thread);
    rounds += outcome.rounds;
    leftOver = outcome.leftOver;
    if (leftOver == 0u) {
      ${electOwners(parts)}(thread);
      ${request.key.isWord ? '' : wgsl`leftOver = ${countMistaken(parts)}(thread);`}
      if (leftOver == 0u) { break; }
    }
  }
  if (attempt < ${TRIES}u) { ${writeOut(parts)}(group, thread); }
  if (thread == 0u) {
    ${seeds}[group] = seed;
    atomicAdd(&${header}.rounds, rounds);
    ${mayBeCrowded ? addCopies : ''}
    if (attempt > 0u && rounds > 0u) { atomicAdd(&${header}.restarts, min(attempt, ${TRIES - 1}u)); }
    if (attempt == ${TRIES}u) {
      atomicOr(&${header}.status, ${STATUS.retry}u);
      atomicAdd(&${header}.failed, leftOver);
    }
  }`;
  return kernel({ label: 'twoLevelCuckoo/cuckoo', threads, itemsPerGroup: 1, body });
}

/** Listing 5.1: the items of a thread, and the slot of each in every subtable. */
function prepare({ request, shape, view, hashes, rounds, parcels }: BuildParts, { locals }: Crowd): Wgsl {
  const { key } = request;
  const { header, keys } = view;
  const { threads, itemsPerThread } = shape;
  return wgsl`
fn prepare(bucket: u32, seed: u32, thread: u32, isCrowded: bool) {
  let start = ${starts}[bucket];
  let size = ${starts}[bucket + 1u] - start;
  let constants = ${header}.hash;
  for (var k = 0u; k < ${itemsPerThread}u; k++) {
    let local = select(k * ${threads}u + thread, ${locals}[k], isCrowded);
    ${rounds.homes}[k] = ${NOBODY}u;
    if (local >= size) { continue; }
    let parcel = ${parcels}[start + local];
    let stored = ${keyInParcel(key, keys, 'parcel')};
    let hashed = ${hashes.hashed(keys.access.of('stored'), 'constants')};
    let home = ${rounds.homeOf}(${hashes.slotsOf}(hashed, seed, constants));
    ${rounds.items}[k] = ${itemIn(key, 'parcel')};
    ${rounds.tokens}[k] = ${key.isWord ? 'stored' : 'hashed.y'};
    ${rounds.homes}[k] = select(home, ${EXTRA}u, ${allOnes(key.words, 'stored')});
  }
}`;
}
