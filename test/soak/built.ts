/** Takes collections that are built at once through their steps, and compares all that they say with plain maps. */
import { type ErrorCode, type Gpu, HashnestError } from '../../src/gpu/index.ts';
import { TestBuffers } from '../conformance/buffers.ts';
import { equal, isTrue } from '../conformance/expect.ts';
import type { Keys } from '../conformance/keyKinds.ts';
import type { BuiltStep, Shape } from './builtHistory.ts';
import type { Calls } from './calls.ts';
import { openForged } from './forged.ts';
import type { Strike } from './history.ts';
import { type Face, keysOf } from './items.ts';
import {
  type Answer,
  type Contents,
  checkAnswers,
  checkSums,
  contentsOf,
  forOneOf,
  type Items,
  itemsOf,
  namesCopy,
  refusesCopies,
} from './oracle.ts';
import {
  type AnyTable,
  hasShaderFace,
  isSavable,
  kindOf,
  makeOnEncoder,
  makeOnHost,
  open,
  readAll,
  rebuildOnEncoder,
  rebuildOnHost,
  save,
  searchInShader,
  searchOnEncoder,
  searchOnHost,
} from './tables.ts';

/** What a table must say: one of these contents, or the error; an empty list if it has none of both. */
interface State {
  readonly contents: readonly Contents[];
  readonly error?: ErrorCode;
  /** After something went wrong outside: any error of the library's is fine as well. */
  readonly mayFail?: boolean;
}

interface Held {
  readonly shape: Shape;
  table: AnyTable;
  state: State;
  /** Items that a rebuild on the encoder face may have. */
  planned: number;
  /** Whether an encoder sized it last: for all items and bytes that its buffers have room for. */
  sizedByEncoder: boolean;
  /** Calls under way. */
  readonly calls: Set<Promise<void>>;
}

type Timed = BuiltStep & { readonly strike?: Strike };

export class BuiltTables {
  readonly #gpu: Gpu;
  readonly #calls: Calls;
  readonly #tables = new Map<number, Held>();
  /** Tables that were replaced; calls to them may be under way. */
  readonly #replaced: Held[] = [];

  constructor(gpu: Gpu, calls: Calls) {
    this.#gpu = gpu;
    this.#calls = calls;
  }

  destroy(): void {
    for (const { table } of [...this.#tables.values(), ...this.#replaced]) table.destroy();
  }

  async take(step: Timed): Promise<void> {
    if (step.do === 'make') return this.#make(step);
    const held = this.#tables.get(step.table);
    if (!held) return;
    switch (step.do) {
      case 'rebuild':
        return this.#rebuild(held, itemsOf(held.shape, step.items), step);
      case 'search':
        return this.#search(held, keysOf(kindOf(held.shape), step.queries), step.face);
      case 'read all':
        return this.#call(held, async ({ contents }) => {
          const { keys, answers } = await readAll(held.table, held.shape);
          return () =>
            forOneOf(contents, (right) => {
              equal(keys.length, right.size, 'number of keys');
              equal(new Set(keys).size, right.size, 'number of distinct keys');
              checkAnswers(held.shape, right, keys, answers);
            });
        });
      case 'save and open':
        return this.#saveAndOpen(held);
      case 'open damaged':
        return this.#openDamaged(held, step.at);
      case 'open forged':
        if (!isSavable(held.shape)) return;
        return this.#call(held, async () => {
          await openForged(this.#gpu, held.shape, await save(held.table), step.seed, this.#calls.isStruck);
          return () => {};
        });
      case 'misuse':
        return this.#misuse(held, step.how);
      case 'destroy':
        held.table.destroy();
        held.state = { contents: [], error: 'destroyed' };
    }
  }

  async #make(step: Timed & { do: 'make' }): Promise<void> {
    const { shape, face } = step;
    const items = itemsOf(shape, step.items);
    const onHost = face !== 'encoder' || shape.scheme === 'perfectSpatial';
    const before = this.#tables.get(step.table);
    if (before) {
      before.table.destroy();
      before.state = { contents: [], error: 'destroyed' };
      this.#replaced.push(before);
      this.#tables.delete(step.table);
    }
    let table: AnyTable;
    try {
      table = await (onHost ? makeOnHost : makeOnEncoder)(this.#gpu, shape, items);
    } catch (error) {
      if (!(error instanceof HashnestError)) throw error;
      if (step.strike) return;
      if (refusesCopies(shape, items) && error.code === 'duplicate-key') return;
      throw error;
    }
    isTrue(!refusesCopies(shape, items), 'copies are refused');
    const state = { contents: [contentsOf(shape, items)] };
    this.#tables.set(step.table, {
      shape,
      table,
      state,
      planned: items.keys.length,
      sizedByEncoder: !onHost,
      calls: new Set(),
    });
  }

  async #rebuild(held: Held, items: Items, { face, strike }: Timed & { do: 'rebuild' }): Promise<void> {
    const { shape, state } = held;
    const inPlace = face === 'encoder' && canRebuildInPlace(held, items);
    if (inPlace || strike) await Promise.all(held.calls);
    const contents = contentsOf(shape, items);
    const refused = refusesCopies(shape, items);
    const isDestroyed = state.error === 'destroyed';
    const next: State = refused ? { contents: [], error: 'duplicate-key' } : { contents: [contents] };
    if (!isDestroyed) held.state = next;
    const { planned } = held;
    if (!inPlace) {
      held.planned = Math.max(held.planned, items.keys.length);
      held.sizedByEncoder = false;
    }
    const work = (inPlace ? rebuildOnEncoder : rebuildOnHost)(held.table, shape, items);
    this.#under(
      held,
      work.then(
        () => isTrue(!refused && !isDestroyed, 'a rebuild that must fail does'),
        (error: unknown) => {
          if (!(error instanceof HashnestError)) throw error;
          if (isDestroyed || held.state.error === 'destroyed') return equal(error.code, 'destroyed', 'a rebuild');
          if (strike) {
            // The larger table may not have been made.
            held.planned = planned;
            held.state = { contents: [...state.contents, ...next.contents], mayFail: true };
          } else if (!refused || error.code !== 'duplicate-key') throw error;
          else namesCopy(error, items);
        },
      ),
    );
    if (inPlace) await Promise.all(held.calls);
  }

  async #search(held: Held, queries: Keys, face: Face): Promise<void> {
    const { shape, table } = held;
    if (face !== 'host') await Promise.all(held.calls);
    const inShader = face === 'shader' && hasShaderFace(shape) && queries.length > 0;
    const search = face === 'host' ? searchOnHost : inShader ? searchInShader : searchOnEncoder;
    await this.#call(held, async ({ contents }) => {
      const answers: readonly Answer[] = await search(table, shape, queries);
      this.#calls.answers += answers.length;
      return () =>
        forOneOf(contents, (right) => {
          if (inShader && shape.collection === 'multiMap') checkSums(right, queries, answers);
          else checkAnswers(shape, right, queries, answers);
        });
    });
  }

  async #saveAndOpen(held: Held): Promise<void> {
    if (!isSavable(held.shape)) return;
    await Promise.all(held.calls);
    await this.#call(held, async () => {
      const bytes = await save(held.table);
      const opened = await open(this.#gpu, held.shape, bytes);
      return () => {
        held.table.destroy();
        held.table = opened;
        held.sizedByEncoder = false;
      };
    });
    await Promise.all(held.calls);
  }

  async #openDamaged(held: Held, at: number): Promise<void> {
    if (!isSavable(held.shape)) return;
    // What is damaged shows on the GPU at last, if that has the memory to look.
    const isStruck = this.#calls.isStruck;
    await this.#call(held, async () => {
      const bytes = await save(held.table);
      const place = at % bytes.length;
      const damaged =
        at % 3 === 0 ? bytes.subarray(0, place) : bytes.with(place, (bytes[place] as number) ^ (1 << (at % 8)));
      const code = await open(this.#gpu, held.shape, damaged).then(
        (table) => {
          table.destroy();
          return 'none';
        },
        (error: unknown) => (error instanceof HashnestError ? error.code : String(error)),
      );
      const isFault = isStruck && (code === 'out-of-memory' || code === 'gpu-fault');
      return () => isFault || equal(code, 'bad-format', `the error of a file that is damaged at byte ${place}`);
    });
  }

  /** Calls that make no sense are refused, and change nothing. */
  async #misuse(held: Held, how: number): Promise<void> {
    const { table, shape } = held;
    if (held.state.error !== undefined || held.state.mayFail) return;
    const kind = kindOf(shape);
    using buffers = new TestBuffers(this.#gpu);
    const calls: (() => unknown)[] = [
      () => table.has({}),
      () => table.has(undefined),
      () => rebuildOnHost(table, shape, { keys: [1n, 2n], values: new Uint32Array(7) }),
      () => table.rebuild({ keys: kind.host([1n]), values: new Uint32Array(1), count: 2 } as never),
      () => table.rebuild({} as never),
      () => {
        const io = { ...buffers.queries(kind, [1n]), found: buffers.words(1), count: 1000 };
        table.encodeHas(this.#gpu.device.createCommandEncoder(), io);
      },
    ];
    const call = calls[how % calls.length] as () => unknown;
    // Sets have no values that could be too many.
    if (call === calls[2] && (shape.collection === 'set' || shape.collection === 'keyIndex')) return;
    if (call === calls[2] && shape.collection === 'aggregate' && shape.combine === 'count') return;
    const code = await new Promise((resolve) => resolve(call())).then(
      () => 'none',
      (error: unknown) => (error instanceof HashnestError ? error.code : String(error)),
    );
    equal(code, 'invalid-input', `the error of the misuse ${how % calls.length}`);
  }

  /** A call that must give what the state says, when it comes back. */
  async #call(held: Held, call: (state: State) => Promise<() => void>): Promise<void> {
    const { state } = held;
    this.#under(
      held,
      call(state).then(
        (check) => {
          isTrue(state.contents.length > 0, `the call fails with '${state.error}'`);
          check();
        },
        (error: unknown) => {
          if (!(error instanceof HashnestError)) throw error;
          // It may have been destroyed, or struck, after the call.
          if (error.code === 'destroyed' && held.state.error === 'destroyed') return;
          if (error.code !== state.error && !state.mayFail && !this.#calls.isStruck) throw error;
        },
      ),
    );
  }

  #under(held: Held, work: Promise<void>): void {
    this.#calls.under(work, held.calls);
  }
}

/** Whether an encoder may rebuild the table: on the GPU, with room for the items, their bytes and their distinct keys. */
function canRebuildInPlace({ shape, planned, sizedByEncoder }: Held, { keys }: Items): boolean {
  if (shape.scheme === 'perfectSpatial' || keys.length > planned) return false;
  const hasContext = kindOf(shape).type.hasContext;
  const isSized = shape.construction === 'sort' && shape.collection !== 'map' && shape.collection !== 'set';
  return sizedByEncoder || !(hasContext || isSized);
}
