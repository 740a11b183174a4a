import type { Binding } from '../wgsl/index.ts';
import { type Bound, type BufferView, rangeOf, viewsOf } from './bound.ts';

/** Ranges of one buffer that are remembered; who binds ever other ones gets new bind groups now and then. */
const RANGES_KEPT = 64;

/** What is known below a choice of buffers for the first bindings. */
interface Branch {
  group?: GPUBindGroup;
  /** By the buffer of the next binding, and the part of it. Nothing here keeps a buffer alive that nobody else has. */
  readonly next: WeakMap<GPUBuffer, Map<string, Branch>>;
}

/** The bind groups of a kernel: who records the same every frame gets the same ones every frame. */
export class BindGroups {
  readonly #root: Branch = { next: new WeakMap() };

  constructor(
    readonly layout: GPUBindGroupLayout,
    readonly bindings: readonly Binding[],
  ) {}

  /** The bind group for these buffers, and where the bindings begin that move. */
  of(device: GPUDevice, label: string, bound: Bound): { readonly group: GPUBindGroup; readonly offsets: number[] } {
    const views = viewsOf(this.bindings, bound);
    const offsets: number[] = [];
    let branch = this.#root;
    for (const [i, view] of views.entries()) {
      const { buffer, offset = 0, size = '' } = rangeOf(view);
      const moves = (this.bindings[i] as Binding).moves;
      if (moves) offsets.push(offset);
      branch = below(branch, buffer, `${moves ? 'moves' : offset}/${size}`);
    }
    branch.group ??= device.createBindGroup({ label, layout: this.layout, entries: this.#entries(views) });
    return { group: branch.group, offsets };
  }

  #entries(views: readonly BufferView[]): GPUBindGroupEntry[] {
    return views.map((view, binding) => {
      const { buffer, size } = rangeOf(view);
      const moves = (this.bindings[binding] as Binding).moves;
      return { binding, resource: moves ? { buffer, ...(size !== undefined && { size }) } : rangeOf(view) };
    });
  }
}

function below({ next }: Branch, buffer: GPUBuffer, range: string): Branch {
  let ranges = next.get(buffer);
  if (!ranges) {
    ranges = new Map();
    next.set(buffer, ranges);
  }
  let branch = ranges.get(range);
  if (!branch) {
    if (ranges.size >= RANGES_KEPT) ranges.clear();
    branch = { next: new WeakMap() };
    ranges.set(range, branch);
  }
  return branch;
}
