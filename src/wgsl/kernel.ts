import { Wgsl } from './fragment.ts';

/** A compute entry point and the size of its workgroups. */
export interface Kernel {
  /** Shown by GPU debuggers: `hashnest/scan/reduce`. */
  readonly label: string;
  /** Invocations of one workgroup. */
  readonly threads: number;
  /** Items that one workgroup handles; a grid over n items has ⌈n / itemsPerGroup⌉ workgroups. */
  readonly itemsPerGroup: number;
  /** Whether it needs the feature `subgroups`. */
  readonly subgroups?: boolean;
  readonly entry: Wgsl;
}

/**
 * Makes a kernel from its body. The body sees `item` (index over the whole grid), `group` (index of the workgroup),
 * `thread` (index inside the workgroup) and `groups` (how many workgroups there are). Grids are two-dimensional where
 * they have to be, so `item` and `group` may run past the end and the body must check. One that uses subgroups also sees
 * `lane` (index inside the subgroup).
 */
export function kernel(options: {
  readonly label: string;
  readonly threads: number;
  readonly itemsPerGroup?: number;
  readonly subgroups?: boolean;
  readonly body: Wgsl;
}): Kernel {
  const { label, threads, itemsPerGroup = threads, subgroups = false, body } = options;
  const head = `
@compute @workgroup_size(${threads}) fn main(
  @builtin(workgroup_id) groupId: vec3u,
  @builtin(num_workgroups) groupGrid: vec3u,
  @builtin(local_invocation_index) thread: u32,${subgroups ? '\n  @builtin(subgroup_invocation_id) lane: u32,' : ''}
) {
  let groups = groupGrid.x * groupGrid.y;
  let group = groupId.y * groupGrid.x + groupId.x;
  let item = group * ${threads}u + thread;
  `;
  return { label: `hashnest/${label}`, threads, itemsPerGroup, subgroups, entry: new Wgsl([head, '\n}'], [body]) };
}
