/**
 * A table in a function of TypeGPU
 *
 * The root's own device builds the table from typed buffers. `typed` makes its search a function that TypeGPU knows, with the types that are
 * named; the table's buffers are a bind group, which a pipeline takes by `with`. It is asked for at every dispatch, because a rebuild may replace it.
 */
import { HashMap } from 'hashnest';
import { gpuOf, itemsOf, typed } from 'hashnest/typegpu';
import tgpu, { d, type TgpuRoot } from 'typegpu';

/** What some items cost, or −1 where nobody knows. */
export async function pricesOf(root: TgpuRoot, wanted: readonly number[]): Promise<number[]> {
  const keys = root.createBuffer(d.arrayOf(d.u32, 3), [7, 9, 0xffffffff]).$usage('storage');
  const values = root.createBuffer(d.arrayOf(d.f32, 3), [0.5, 2, 80]).$usage('storage');
  using map = await HashMap.from(gpuOf(root), ...itemsOf({ keys, values }));
  const prices = typed(root, map, { key: d.u32, value: d.f32 });

  const queries = root.createReadonly(d.arrayOf(d.u32, wanted.length), [...wanted]);
  const answers = root.createMutable(d.arrayOf(d.f32, wanted.length));
  const main = tgpu.computeFn({ workgroupSize: [1], in: { id: d.builtin.globalInvocationId } })`{
    let hit = find(queries[in.id.x]);
    answers[in.id.x] = select(-1.0, hit.value, hit.found);
  }`.$uses({ find: prices.find, queries, answers });
  root.createComputePipeline({ compute: main }).with(prices.bindGroup).dispatchWorkgroups(wanted.length);
  return answers.read();
}
