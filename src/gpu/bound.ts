import type { Binding } from '../wgsl/index.ts';

/** A whole buffer, or a part of one. */
export type BufferView = GPUBuffer | { readonly buffer: GPUBuffer; readonly offset?: number; readonly size?: number };

/** Which buffer stands behind each binding of a kernel. */
export type Bound = readonly (readonly [Binding, BufferView])[];

/** The buffers of a list of bindings, in their order. Two buffers for one binding are a mistake: one would silently be left out. */
export function viewsOf(bindings: readonly Binding[], bound: Bound): readonly BufferView[] {
  const views = new Map<Binding, BufferView>();
  for (const [binding, view] of bound) {
    const other = views.get(binding);
    if (other && !isSameView(other, view)) throw new Error(`hashnest: two buffers are bound to ${binding.name}`);
    views.set(binding, view);
  }
  return bindings.map((binding) => {
    const view = views.get(binding);
    if (view === undefined) throw new Error(`hashnest: no buffer is bound to ${binding.name}`);
    return view;
  });
}

/** Bind group entries for a list of bindings. */
export const bindEntries = (bindings: readonly Binding[], bound: Bound, firstBinding = 0): GPUBindGroupEntry[] =>
  viewsOf(bindings, bound).map((view, index) => ({ binding: firstBinding + index, resource: rangeOf(view) }));

export const rangeOf = (view: BufferView): Exclude<BufferView, GPUBuffer> =>
  'buffer' in view ? view : { buffer: view };

function isSameView(a: BufferView, b: BufferView): boolean {
  const [x, y] = [rangeOf(a), rangeOf(b)];
  return x.buffer === y.buffer && (x.offset ?? 0) === (y.offset ?? 0) && x.size === y.size;
}
