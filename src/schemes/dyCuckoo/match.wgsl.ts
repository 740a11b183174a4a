import { extentCount } from '../../gpu/index.ts';
import { type Kernel, kernel, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { NO_SLOT } from '../contract/index.ts';
import { find } from './find.wgsl.ts';
import { type Items, THREADS } from './items.wgsl.ts';
import { workOf } from './scratch.wgsl.ts';

/**
 * Every item looks for its key in both buckets, before anybody writes: one that looked into the first alone, as algorithm 1 does,
 * would add a key again that lives in the second. With copies, only who speaks for a key looks.
 */
export const matchKernel = ({ parts, keys }: Items, speaker: Wgsl | undefined): Kernel =>
  kernel({
    label: 'dyCuckoo/match',
    threads: THREADS,
    body: wgsl`
  if (item >= ${extentCount}) { return; }
  var slot = ${NO_SLOT}u;
  ${speaker ? wgsl`if (${speaker}(item) == item)` : ''} {
    let hit = ${find(parts, keys.access)}(${keys.at('item')});
    slot = hit.slot;
  }
  atomicStore(&${workOf('slot', 'item')}, slot);`,
  });
