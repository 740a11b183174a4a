import { extentCount } from '../../gpu/index.ts';
import { type Kernel, kernel, wgsl } from '../../wgsl/index.ts';
import type { Speakers } from '../kit/batch/speakers.wgsl.ts';
import { ABSENT, THREADS } from '../kit/batch/work.wgsl.ts';
import { searchBucket } from './find.wgsl.ts';
import type { Items } from './items.wgsl.ts';
import { ROOM_BITS, work } from './scratch.wgsl.ts';

/**
 * Every item looks for its key in both buckets, before anybody writes: one that looked into the first alone, as algorithm 1 does,
 * would add a key again that lives in the second. It remembers the slot, or where there was room. With copies, only who speaks for
 * a key looks.
 */
export function matchKernel({ parts, keys }: Items, copies?: Speakers): Kernel {
  const { buckets, code, choices, emptyTag } = parts;
  const inBucket = searchBucket(parts, keys.access);
  const match = wgsl`
fn matchKey(key: ${keys.access.type}) -> u32 {
  let both = ${choices(keys.access)}(key);
  var room = 0u;
  for (var i = 0u; i < 2u; i++) {
    let choice = both[i];
    let bucket = ${buckets}[choice.bucket];
    let hit = ${inBucket}(bucket, choice.bucket, choice.tag, key, 1u);
    if (hit.found) { return hit.slot; }
    room |= ${code.matches}(bucket, ${emptyTag}(choice.bucket)) << (i * ${ROOM_BITS}u);
  }
  return ${ABSENT} | room;
}`;
  return kernel({
    label: 'dyCuckoo/match',
    threads: THREADS,
    body: wgsl`
  if (item >= ${extentCount}) { return; }
  var slot = ${ABSENT};
  ${copies ? wgsl`if (${copies.isSpeaker}(item))` : ''} { slot = ${match}(${keys.at('item')}); }
  atomicStore(&${work.of('slot', 'item')}, slot);`,
  });
}
