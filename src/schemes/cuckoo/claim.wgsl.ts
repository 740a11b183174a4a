/** Construction, Alcantara 2011, section 6.2.1: every thread swaps items until one falls into an empty slot. */
import { allOnes } from '../../keys/index.ts';
import { type Kernel, kernel, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { NO_SLOT, STATUS } from '../contract/index.ts';
import { accuse, forbidsCopies, reportDuplicate } from '../kit/copies.wgsl.ts';
import { groupCounter, longestCounter } from '../kit/groupCounters.wgsl.ts';
import { tryClaim } from '../kit/token.wgsl.ts';
import { type BuildParts, isSameKey, keyOfToken, locate } from './parts.wgsl.ts';

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

/** @param isCrowded whether keys are looked for before they are inserted: see `whereNow` */
export function claimKernel(parts: BuildParts, isCrowded: boolean): Kernel {
  const { request, view, token, rank, slotWords, words } = parts;
  const { header, keys } = view;
  const { key, duplicates } = request;
  const copies = groupCounter(header);
  const longest = longestCounter(header);
  const ownToken = token === 'key' ? 'stored' : wgsl`${rank}(item)`;
  const insertItem = wgsl`insertion = ${insert(parts, isCrowded)}(${ownToken}, ${keys.access.of('stored')});`;
  // The key that looks like an empty slot goes to the extra slot, where anything that does not look so marks it as taken.
  const insertOnes = wgsl`
      let mark = ${token === 'key' ? '0u' : ownToken};
      insertion.isCopy = atomicExchange(&${words}[${header}.capacity * ${slotWords}u], mark) != 0xffffffffu;
      ${forbidsCopies(duplicates) ? wgsl`if (insertion.isCopy) { ${reportDuplicate(header)}(item); }` : ''}`;

  return kernel({
    label: 'cuckoo/claim',
    threads: THREADS,
    body: wgsl`
  if (item < ${header}.count) {
    let stored = ${keys.stored('item')};
    var insertion = ${Insertion}(false, false, 1u);
    ${key.hasContext ? insertItem : wgsl`if (${allOnes(key.words, 'stored')}) {${insertOnes} } else { ${insertItem} }`}
    if (insertion.isCopy) { ${copies.count} }
    if (insertion.isLost) {
      atomicOr(&${header}.status, ${STATUS.retry}u);
      atomicAdd(&${header}.failed, 1u);
    }
    ${longest.note('insertion.exchanges')}
  }
  workgroupBarrier();
  if (thread == 0u) {${longest.flush}${copies.flush}
  }`,
  });
}

/** Listing 6.1. Nothing is ever lost: what an exchange returns is in this thread's hands until it is put somewhere. */
function insert(parts: BuildParts, isCrowded: boolean): Wgsl {
  const { cuckoo, view, choices, slotWords, words } = parts;
  const { header, keys } = view;
  const met = meetCopy(parts);
  const look = wgsl`if (${whereNow(parts)}(ownKey) != ${NO_SLOT}u) { return ${met}(ownToken, 0u); }`;
  const giveUp =
    cuckoo.stashSlots > 0
      ? wgsl`return ${putAside(parts, met)}(token, key);`
      : wgsl`return ${Insertion}(false, true, ${header}.chainLimit);`;
  return wgsl`
fn insert(ownToken: u32, ownKey: ${keys.access.type}) -> ${Insertion} {
  let constants = ${header}.hash;
  let capacity = ${header}.capacity;
  ${isCrowded ? look : ''}
  var token = ownToken;
  var key = ownKey;
  var slot = ${cuckoo.family.reduce}(${choices.first}(key, constants).x, capacity);
  for (var exchanges = 1u; exchanges <= ${header}.chainLimit; exchanges++) {
    let evicted = atomicExchange(&${words}[slot * ${slotWords}u], token);
    if (evicted == 0xffffffffu) { return ${Insertion}(false, false, exchanges); }
    let evictedKey = ${keyOfToken(parts, 'evicted')};
    if (${isSameKey(parts)}(evictedKey, key)) { return ${met}(evicted, exchanges); }
    token = evicted;
    key = evictedKey;
    slot = ${choices.next}(key, slot, constants, capacity);
    if (exchanges % ${EXCHANGES_BETWEEN_LOOKS}u == 0u && (atomicLoad(&${header}.status) & ${STATUS.retry}u) != 0u) {
      return ${Insertion}(false, true, exchanges);
    }
  }
  ${giveUp}
}`;
}

/** The stash: one slot for each key, and no second try. */
function putAside(parts: BuildParts, met: Wgsl): Wgsl {
  const { view, choices, slotWords, words } = parts;
  const { header, keys } = view;
  return wgsl`
fn putAside(token: u32, key: ${keys.access.type}) -> ${Insertion} {
  let constants = ${header}.hash;
  let exchanges = ${header}.chainLimit;
  let slot = ${choices.stashSlotOf}(key, ${choices.first}(key, constants), constants, ${header}.capacity);
  let old = ${tryClaim(header, words)}(slot * ${slotWords}u, token);
  if (old == 0xffffffffu) {
    atomicAdd(&${header}.stashed, 1u);
    return ${Insertion}(false, false, exchanges);
  }
  if (${isSameKey(parts)}(${keyOfToken(parts, 'old')}, key)) { return ${met}(token, exchanges); }
  return ${Insertion}(false, true, exchanges);
}`;
}

/** WGSL: `(token: u32, exchanges: u32) -> Insertion`, for an item with this token that meets another of the same key. */
function meetCopy({ request, view, token, rank }: BuildParts): Wgsl {
  const { header } = view;
  const report = token === 'key' ? wgsl`${accuse(header)}(token);` : wgsl`${reportDuplicate(header)}(${rank}(token));`;
  return wgsl`
fn meetCopy(token: u32, exchanges: u32) -> ${Insertion} {
  ${forbidsCopies(request.duplicates) ? report : ''}
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
    hasKey: (token) => wgsl`${isSameKey(parts)}(${keyOfToken(parts, token)}, key)`,
  });
