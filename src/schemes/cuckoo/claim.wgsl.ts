/** Construction, Alcantara 2011, section 6.2.1: every thread swaps items until one falls into an empty slot. */
import { allOnes } from '../../keys/index.ts';
import { type Kernel, kernel, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { buildHeader, STATUS } from '../contract/header.wgsl.ts';
import { NO_SLOT } from '../contract/hit.wgsl.ts';
import { forbidsCopies, reportDuplicate } from '../kit/copies.wgsl.ts';
import { copyCounter, longestCounter } from '../kit/groupCounters.wgsl.ts';
import { tryClaim } from '../kit/token.wgsl.ts';
import { accuse } from './copies.wgsl.ts';
import { locate } from './locate.wgsl.ts';
import type { BuildParts } from './parts.wgsl.ts';
import { type Places, placesOf } from './places.wgsl.ts';
import { isCrowded } from './plan.ts';

/** Few, as in the dissertation: one long chain keeps all threads of its workgroup from ending. */
const THREADS = 64;

/** Exchanges between two looks at whether the attempt has failed already and every further one is in vain. */
const EXCHANGES_BETWEEN_LOOKS = 256;

/** How an insertion ended. A copy is an item that met one of the same key; of the two, one remains. */
const Insertion = wgsl`
struct Insertion {
  isCopy: bool,
  isLost: bool,
  exchanges: u32,
}`;

export function claimKernel(parts: BuildParts): Kernel {
  const { cuckoo, plan, token, slotWords, words, keys, rank } = parts;
  const { key, duplicates } = plan;
  const input = key.access('input');
  const places = placesOf(cuckoo, key, input);
  const copies = copyCounter();
  const longest = longestCounter();
  const ownToken = token === 'key' ? 'stored' : wgsl`${rank}(item)`;
  const insertItem = wgsl`insertion = ${insert(parts, places)}(${ownToken}, ${input.of('stored')});`;
  // The key that looks like an empty slot: its own slot, and in it anything that does not.
  const insertOnes = wgsl`
      let mark = ${token === 'key' ? '0u' : ownToken};
      insertion.isCopy = atomicExchange(&${words}[${buildHeader}.capacity * ${slotWords}u], mark) != 0xffffffffu;
      ${forbidsCopies(duplicates) ? wgsl`if (insertion.isCopy) { ${reportDuplicate}(item); }` : ''}`;

  return kernel({
    label: 'cuckoo/claim',
    threads: THREADS,
    body: wgsl`
  if (item < ${buildHeader}.count) {
    let stored = ${keys}[item];
    var insertion = ${Insertion}(false, false, 1u);
    ${input.context ? insertItem : wgsl`if (${allOnes(key.words, 'stored')}) {${insertOnes} } else { ${insertItem} }`}
    if (insertion.isCopy) { ${copies.count} }
    if (insertion.isLost) {
      atomicOr(&${buildHeader}.status, ${STATUS.retry}u);
      atomicAdd(&${buildHeader}.failed, 1u);
    }
    ${longest.note('insertion.exchanges')}
  }
  workgroupBarrier();
  if (thread == 0u) {${longest.flush}${copies.flush}
  }`,
  });
}

/** Listing 6.1. Nothing is ever lost: what an exchange returns is in this thread's hands until it is put somewhere. */
function insert(parts: BuildParts, places: Places): Wgsl {
  const { cuckoo, plan, slotWords, words, keyOf } = parts;
  const { key } = plan;
  const input = key.access('input');
  const isSame = key.equals(input, input);
  const crowded = isCrowded(cuckoo, plan);
  return wgsl`
fn insert(ownToken: u32, ownKey: ${input.type}) -> ${Insertion} {
  let constants = ${buildHeader}.hash;
  let capacity = ${buildHeader}.capacity;
  ${crowded ? wgsl`if (${whereNow(parts)}(ownKey) != ${NO_SLOT}u) { return ${meetCopy(parts)}(ownToken, 0u); }` : ''}
  var token = ownToken;
  var key = ownKey;
  var slot = ${cuckoo.family.reduce}(${places.first}(key, constants).x, capacity);
  for (var exchanges = 1u; exchanges <= ${buildHeader}.own.x; exchanges++) {
    let evicted = atomicExchange(&${words}[slot * ${slotWords}u], token);
    if (evicted == 0xffffffffu) { return ${Insertion}(false, false, exchanges); }
    let evictedKey = ${keyOf('evicted')};
    if (${isSame}(evictedKey, key)) { return ${meetCopy(parts)}(evicted, exchanges); }
    token = evicted;
    key = evictedKey;
    slot = ${places.next}(key, slot, constants, capacity);
    if (exchanges % ${EXCHANGES_BETWEEN_LOOKS}u == 0u && (atomicLoad(&${buildHeader}.status) & ${STATUS.retry}u) != 0u) {
      return ${Insertion}(false, true, exchanges);
    }
  }
  ${cuckoo.stashSlots > 0 ? wgsl`return ${putAside(parts, places)}(token, key);` : wgsl`return ${Insertion}(false, true, ${buildHeader}.own.x);`}
}`;
}

/** The stash: one slot for each key, and no second try. */
function putAside(parts: BuildParts, places: Places): Wgsl {
  const { cuckoo, plan, slotWords, words, keyOf } = parts;
  const { key } = plan;
  const input = key.access('input');
  return wgsl`
fn putAside(token: u32, key: ${input.type}) -> ${Insertion} {
  let constants = ${buildHeader}.hash;
  let exchanges = ${buildHeader}.own.x;
  let word = ${places.functionOf}(key, ${places.first}(key, constants), ${cuckoo.functions}u, constants);
  let slot = ${buildHeader}.capacity + 1u + ${cuckoo.family.reduce}(word, ${cuckoo.stashSlots}u);
  let old = ${tryClaim(words)}(slot * ${slotWords}u, token);
  if (old == 0xffffffffu) {
    atomicAdd(&${buildHeader}.stashed, 1u);
    return ${Insertion}(false, false, exchanges);
  }
  if (${key.equals(input, input)}(${keyOf('old')}, key)) { return ${meetCopy(parts)}(token, exchanges); }
  return ${Insertion}(false, true, exchanges);
}`;
}

/** What happens when an item with this token meets another of the same key. */
function meetCopy({ plan, token, rank }: BuildParts): Wgsl {
  const report = token === 'key' ? wgsl`${accuse}(token);` : wgsl`${reportDuplicate}(${rank}(token));`;
  return wgsl`
fn meetCopy(token: u32, exchanges: u32) -> ${Insertion} {
  ${forbidsCopies(plan.duplicates) ? report : ''}
  return ${Insertion}(true, false, exchanges);
}`;
}

/**
 * For inputs with more items than slots, which fit only because most are copies: looks before it inserts. Without this,
 * every copy would drive another key out of a table that is nearly full, a million times over.
 */
const whereNow = (parts: BuildParts): Wgsl =>
  locate(parts, {
    load: (index) => wgsl`atomicLoad(&${parts.words}[${index} * ${parts.slotWords}u])`,
    isEmpty: (token) => wgsl`(${token} == 0xffffffffu)`,
    keyOf: parts.keyOf,
  });
