/** Searching a table for many keys at once: the one kernel behind `get`, `has` and their encoder forms. */
import {
  type Bound,
  type Extent,
  extentCount,
  Gate,
  type GpuCount,
  knownExtent,
  type Recorder,
  record,
  type Target,
} from '../gpu/index.ts';
import { fromWords, wordsOf, wordsType } from '../keys/index.ts';
import { requireApart, requireStorage } from '../primitives/checks.ts';
import { bindTable, type TablePlan } from '../schemes/contract/scheme.ts';
import { type Binding, type Kernel, kernel, storage, uniform, wgsl } from '../wgsl/index.ts';
import { bindContext, requireContext } from './context.ts';
import { checkCount, roomFor, sized } from './source.ts';
import type { Table } from './table.ts';

/** Buffers of an encoded search. */
export interface LookupBuffers {
  /** The keys to look for, in the table's key type. */
  readonly queries: GPUBuffer;
  /** How many, known here or on the GPU. */
  readonly count: number | GpuCount;
  /** Gets the value of every query, or `missing`. */
  readonly values?: GPUBuffer;
  /** Gets 1 or 0 for every query, a word each. */
  readonly found?: GPUBuffer;
  /** The bytes that the queries point into, for keys that have a context. */
  readonly context?: GPUBuffer | undefined;
}

interface LookupKernel {
  readonly kernel: Kernel;
  readonly queries: Binding;
  readonly values: Binding;
  readonly found: Binding;
  readonly missing: Binding;
}

const THREADS = 256;
/** Kept gates for counts on the GPU; a renderer has a few, each used every frame. */
const GATES_KEPT = 16;

/** The searches of one table. */
export class Lookup {
  readonly #kernels = new Map<string, LookupKernel>();
  readonly #gates = new Map<number, Gate>();
  #plan: TablePlan;

  constructor(readonly table: Table) {
    this.#plan = table.plan;
  }

  /** Checks the buffers, then records the search. `missing` are the words that stand for "not found". */
  encode(target: Target, buffers: LookupBuffers, missing: readonly number[]): void {
    const { gpu } = this.table;
    this.table.assertBuilt();
    const maxCount = this.#check(buffers);
    const context = bindContext(this.table.settings.key, 'needle', buffers.context);
    record(gpu, target, 'lookup', (pass) => {
      const recorder = pass.binding(context);
      if (typeof buffers.count === 'number') {
        this.#run(recorder, buffers, missing, knownExtent(gpu, buffers.count));
      } else {
        const gate = this.#gate(maxCount);
        gate.open(recorder, buffers.count, maxCount);
        this.#run(recorder.behind(gate), buffers, missing, gate.extent(maxCount));
        gate.seal();
      }
    });
  }

  #check({ queries, values, found, count, context }: LookupBuffers): number {
    const { key, valueWords } = this.table.settings;
    requireContext(key, context);
    const sizes = [
      ['queries', queries, key.words],
      ['values', values, valueWords],
      ['found', found, 1],
    ] as const;
    let room = Number.POSITIVE_INFINITY;
    for (const [name, buffer, words] of sizes) {
      if (!buffer) continue;
      requireStorage(buffer, name);
      room = Math.min(room, roomFor(buffer, words * 4));
    }
    requireApart({ queries, values, found });
    requireApart({ context, values, found });
    return checkCount(count, room);
  }

  #run(recorder: Recorder, buffers: LookupBuffers, missing: readonly number[], extent: Extent): void {
    const { settings, buffers: tableBuffers } = this.table;
    const { key, valueWords } = settings;
    const { queries, values, found } = buffers;
    const { kernel: program, ...bindings } = this.#kernel(values !== undefined, found !== undefined);
    const bound: (readonly [Binding, Bound[number][1]])[] = [
      ...bindTable(this.table.shader('needle'), tableBuffers),
      [extentCount, extent.count],
      [bindings.queries, sized(recorder.gpu, queries, extent.max * key.words * 4)],
    ];
    if (values) {
      bound.push([bindings.values, sized(recorder.gpu, values, extent.max * valueWords * 4)]);
      bound.push([bindings.missing, recorder.gpu.constants(...missing)]);
    }
    if (found) bound.push([bindings.found, sized(recorder.gpu, found, extent.max * 4)]);
    recorder.run(program, bound, extent);
  }

  #kernel(withValues: boolean, withFound: boolean): LookupKernel {
    if (this.#plan !== this.table.plan) {
      // A larger table has another shader, and the kernels are written around it.
      this.#kernels.clear();
      this.#plan = this.table.plan;
    }
    const name = `${withValues}/${withFound}`;
    let made = this.#kernels.get(name);
    if (!made) {
      made = lookupKernel(this.table, withValues, withFound);
      this.#kernels.set(name, made);
    }
    return made;
  }

  #gate(maxCount: number): Gate {
    let gate = this.#gates.get(maxCount);
    if (!gate) {
      gate = new Gate(this.table.gpu);
      const oldest = this.#gates.keys().next();
      if (this.#gates.size >= GATES_KEPT && !oldest.done) this.#gates.delete(oldest.value);
      this.#gates.set(maxCount, gate);
    }
    return gate;
  }
}

function lookupKernel(table: Table, withValues: boolean, withFound: boolean): LookupKernel {
  const { key, valueWords } = table.settings;
  const { find } = table.shader('needle');
  const words = valueWords || 1;
  const queries = storage('queries', wgsl`array<${wordsType(key.words)}>`);
  const values = storage('values', wgsl`array<${wordsType(words)}>`, 'read_write');
  const found = storage('found', 'array<u32>', 'read_write');
  const missing = uniform('missing', 'vec4u');
  const storeValue = wgsl`
  if (hit.found) { ${values}[item] = hit.value; } else {
    ${values}[item] = ${fromWords(wordsOf(4, missing).slice(0, words))};
  }`;
  return {
    queries,
    values,
    found,
    missing,
    kernel: kernel({
      label: 'lookup',
      threads: THREADS,
      body: wgsl`
  if (item >= ${extentCount}) { return; }
  let hit = ${find}(${key.access('needle').of(wgsl`${queries}[item]`)});
  ${withValues ? storeValue : ''}
  ${withFound ? wgsl`${found}[item] = u32(hit.found);` : ''}`,
    }),
  };
}
