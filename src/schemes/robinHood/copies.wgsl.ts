/** Who meets a copy of a one-word key may have come with another key. So the key waits in the header until its items are found. */
import { type Kernel, kernel, wgsl } from '../../wgsl/index.ts';
import { STATUS } from '../contract/index.ts';
import { reportDuplicate } from '../kit/copies.wgsl.ts';
import { type BuildParts, THREADS } from './parts.wgsl.ts';

/** Names an item that has the accused key. */
export const blameKernel = ({ view }: BuildParts): Kernel =>
  kernel({
    label: 'robinHood/blame',
    threads: THREADS,
    body: wgsl`
  if (item >= ${view.header}.count || (atomicLoad(&${view.header}.status) & ${STATUS.duplicate}u) == 0u) { return; }
  if (${view.keys.stored('item')} == atomicLoad(&${view.header}.witness)) { ${reportDuplicate(view.header)}(item); }`,
  });
