/** Takes collections that live through their steps, and compares all that they say with plain maps. */
import { DynamicIndex } from '../../src/collections/dynamic/dynamicIndex.ts';
import { DEFAULT_BOUNDS } from '../../src/dynamic/settings.ts';
import { type Gpu, HashnestError } from '../../src/gpu/index.ts';
import { equal, equalWords, isTrue } from '../conformance/expect.ts';
import type { Keys } from '../conformance/keyKinds.ts';
import type { Calls } from './calls.ts';
import type { Strike } from './history.ts';
import { keysOf } from './items.ts';
import type { LivingShape, LivingStep } from './livingHistory.ts';
import {
  areSame,
  areThere,
  batchOf,
  checkFound,
  existingOf,
  KnownIds,
  type LivingContents,
  withItems,
  withoutKeys,
} from './livingOracle.ts';
import {
  canAskInShader,
  createLiving,
  deleteOnEncoder,
  type Found,
  findInShader,
  findOnEncoder,
  findOnHost,
  getOrInsert,
  type Inserted,
  insertOnEncoder,
  insertOnHost,
  type LivingTable,
  livingKind,
  openLiving,
  readLiving,
} from './livingTables.ts';
import type { Items } from './oracle.ts';

type Timed = LivingStep & { readonly strike?: Strike };

interface Held {
  readonly shape: LivingShape;
  table: LivingTable;
  /** What it has when all calls have come back. */
  contents: LivingContents;
  readonly ids: KnownIds;
  /** The most keys that there were at once since the table was made or cleared. */
  most: number;
  isDestroyed: boolean;
  /** Calls under way. */
  readonly calls: Set<Promise<void>>;
}

export class LivingTables {
  readonly #gpu: Gpu;
  readonly #calls: Calls;
  readonly #tables = new Map<number, Held>();

  constructor(gpu: Gpu, calls: Calls) {
    this.#gpu = gpu;
    this.#calls = calls;
  }

  destroy(): void {
    for (const { table } of this.#tables.values()) table.destroy();
  }

  async take(step: Timed): Promise<void> {
    if (step.do === 'create') return this.#create(step);
    const held = this.#tables.get(step.living);
    if (!held) return;
    const { table, shape, contents } = held;
    switch (step.do) {
      case 'insert':
        return this.#insert(held, step);
      case 'get or insert': {
        const items = batchOf(shape, step.items);
        const after = withItems(shape, contents, items, 'keep');
        return this.#change(held, step, after, async () => {
          const inserted = await getOrInsert(table, shape, items);
          this.#checkInserted(held, contents, items, inserted);
          if (inserted.answers) checkFound(after, items.keys, inserted.answers);
        });
      }
      case 'delete':
        return this.#delete(held, step);
      case 'find':
        return this.#find(held, step);
      case 'make room':
        return this.#change(held, step, contents, () => table.reserve(step.keys, step.bytes));
      case 'clear':
        return this.#change(held, step, new Map(), () => table.clear());
      case 'shrink':
        return this.#change(held, step, contents, () => table.shrink());
      case 'compact':
        return this.#change(held, step, contents, () => table.compact());
      case 'read':
        return this.#ask(held, step, async () => this.#checkAll(held, contents, await readLiving(table, shape)));
      case 'save':
        return this.#save(held, step);
      case 'drop':
        table.destroy();
        held.isDestroyed = true;
    }
  }

  async #create({ living, shape, keys, strike }: Timed & { do: 'create' }): Promise<void> {
    const before = this.#tables.get(living);
    if (before) {
      before.table.destroy();
      before.isDestroyed = true;
      this.#tables.delete(living);
    }
    try {
      const table = await createLiving(this.#gpu, shape, keys, 1 + living);
      const ids = new KnownIds();
      const held = { shape, table, contents: new Map(), ids, most: 0, isDestroyed: false, calls: new Set() };
      this.#tables.set(living, held as Held);
    } catch (error) {
      if (!(strike && error instanceof HashnestError)) throw error;
    }
  }

  async #insert(held: Held, step: Timed & { do: 'insert' }): Promise<void> {
    const { table, shape } = held;
    const { unique, face, strike } = step;
    const items = batchOf(shape, step.items, unique);
    const how = { onExisting: existingOf(shape, step.onExisting), unique };
    if (face === 'host' || strike || held.isDestroyed) {
      const { contents } = held;
      return this.#change(held, step, withItems(shape, contents, items, how.onExisting), async () =>
        this.#checkInserted(held, contents, items, await insertOnHost(table, shape, items, how)),
      );
    }
    await this.#quiet(held);
    const { contents } = held;
    const { left, found, ids } = await insertOnEncoder(table, shape, items, how);
    equalWords(
      found,
      areThere(contents, items.keys).map((flag, i) => (ids && left.has(i) ? 0 : flag)),
      'keys there',
    );
    const leftKeys = new Set([...left].map((i) => items.keys[i]));
    const words = items.values.length / Math.max(1, items.keys.length);
    const numbers = [...items.keys.keys()].filter((i) => !left.has(i));
    for (const key of leftKeys) isTrue(!contents.has(key as bigint), `key ${key}, which is there, is not left`);
    for (const i of numbers) isTrue(!leftKeys.has(items.keys[i]), `copies of key ${items.keys[i]} share their fate`);
    const arrived = {
      keys: numbers.map((i) => items.keys[i] as bigint),
      values: Uint32Array.from(numbers.flatMap((i) => [...items.values.subarray(i * words, (i + 1) * words)])),
    };
    this.#become(held, withItems(shape, contents, arrived, how.onExisting));
    if (ids)
      held.ids.learn(
        arrived.keys,
        numbers.map((i) => ids[i] as number),
        held.most,
      );
    this.#checkSizes(held);
  }

  async #delete(held: Held, step: Timed & { do: 'delete' }): Promise<void> {
    const { table, shape } = held;
    const { keys } = batchOf(shape, step.items);
    if (step.face === 'host' || step.strike || held.isDestroyed) {
      const { contents } = held;
      return this.#change(held, step, withoutKeys(contents, keys), async () => {
        const host = livingKind(shape).host(keys);
        equalWords(await table.delete(host), areThere(contents, keys), 'keys that were there');
      });
    }
    await this.#quiet(held);
    equalWords(await deleteOnEncoder(table, shape, keys), areThere(held.contents, keys), 'keys that were there');
    this.#become(held, withoutKeys(held.contents, keys));
    this.#checkSizes(held);
  }

  async #find(held: Held, step: Timed & { do: 'find' }): Promise<void> {
    const { table, shape } = held;
    const queries = keysOf(livingKind(shape), step.queries);
    if (step.face !== 'host') await this.#quiet(held);
    const { contents } = held;
    const inShader = step.face === 'shader' && canAskInShader(shape) && queries.length > 0;
    const find = step.face === 'host' ? findOnHost : inShader ? findInShader : findOnEncoder;
    return this.#ask(held, step, async () => {
      const { answers, ids } = await find(table, shape, queries);
      this.#calls.answers += answers.length;
      checkFound(contents, queries, answers);
      if (ids) this.#learn(held, queries, answers, ids);
    });
  }

  async #save(held: Held, step: Timed): Promise<void> {
    await this.#quiet(held);
    if (held.isDestroyed) return;
    await this.#ask(held, step, async () => {
      const opened = await openLiving(this.#gpu, held.shape, await held.table.toBytes());
      held.table.destroy();
      held.table = opened;
    });
    await this.#quiet(held);
    this.#checkSizes(held);
  }

  /** A call that changes what a table has. Where something goes wrong outside, it is done in whole or not at all. */
  async #change(held: Held, step: Timed, after: LivingContents, call: () => Promise<void>): Promise<void> {
    const before = held.contents;
    const { table, isDestroyed } = held;
    if (!step.strike || isDestroyed) {
      if (!isDestroyed) this.#become(held, after, step.do === 'clear');
      this.#under(held, call(), () => false);
      return;
    }
    await this.#quiet(held);
    const [capacity, bytes] = [table.capacitySlots, table.tableBytes];
    try {
      await call();
      this.#become(held, after, step.do === 'clear');
    } catch (error) {
      if (!(error instanceof HashnestError)) throw error;
      await table.settle();
      const all = await readLiving(table, held.shape);
      const now = new Map(all.keys.map((key, i) => [key, all.answers[i] as readonly number[]]));
      const isDone = areSame(now, after);
      isTrue(
        isDone || areSame(now, before),
        `a call that fails with '${error.message}' is done in whole or not at all`,
      );
      if (isDone) this.#become(held, after, step.do === 'clear');
      else {
        equal(table.capacitySlots, capacity, 'slots after a call that is not done');
        equal(table.tableBytes, bytes, 'bytes after a call that is not done');
      }
      this.#checkAll(held, held.contents, all);
    }
    this.#checkSizes(held);
  }

  /** A call that changes nothing. */
  async #ask(held: Held, { strike }: Timed, call: () => Promise<void>): Promise<void> {
    this.#under(held, call(), () => strike !== undefined);
  }

  #under(held: Held, work: Promise<void>, mayFail: () => boolean): void {
    const { isDestroyed } = held;
    const checked = work.then(
      () => isTrue(!isDestroyed, 'a call to a table that was destroyed fails'),
      (error: unknown) => {
        if (!(error instanceof HashnestError)) throw error;
        if (held.isDestroyed) equal(error.code, 'destroyed', 'the error of a table that was destroyed');
        else if (!mayFail()) throw error;
      },
    );
    this.#calls.under(checked, held.calls);
  }

  /** Waits for the calls to one table. */
  async #quiet(held: Held): Promise<void> {
    await Promise.all(held.calls);
    this.#calls.check();
  }

  #become(held: Held, contents: LivingContents, isCleared = false): void {
    held.contents = contents;
    held.most = isCleared ? 0 : Math.max(held.most, contents.size);
    held.ids.keepOnly(contents);
  }

  #checkInserted(held: Held, before: LivingContents, { keys }: Items, { fresh, ids }: Inserted): void {
    this.#calls.answers += keys.length;
    equalWords(
      fresh,
      areThere(before, keys).map((flag) => 1 - flag),
      'keys that are new',
    );
    // What follows is so until the next call.
    if (held.calls.size > 1) return;
    const { filledFactor } = held.table;
    isTrue(filledFactor <= DEFAULT_BOUNDS.highest, `the filled factor ${filledFactor} is not above the upper bound`);
    if (ids) held.ids.learn(keys, ids, held.most + keys.length);
  }

  #learn(held: Held, queries: Keys, answers: Found['answers'], ids: ArrayLike<number>): void {
    if (held.calls.size > 1) return;
    const there = [...queries.keys()].filter((i) => answers[i]);
    held.ids.learn(
      there.map((i) => queries[i] as bigint),
      there.map((i) => ids[i] as number),
      held.most,
    );
  }

  #checkAll(held: Held, contents: LivingContents, { keys, answers, ids }: { readonly keys: Keys } & Found): void {
    this.#calls.answers += keys.length;
    equal(keys.length, contents.size, 'number of keys');
    equal(new Set(keys).size, contents.size, 'number of distinct keys');
    checkFound(contents, keys, answers);
    if (ids) equal(new Set(Array.from(ids)).size, contents.size, 'number of distinct ids');
    if (ids) this.#learn(held, keys, answers, ids);
  }

  /** When no call is under way. */
  #checkSizes({ table, contents, most, calls, isDestroyed }: Held): void {
    if (isDestroyed || calls.size > 0) return;
    equal(table.size, contents.size, 'size');
    if (table instanceof DynamicIndex) equal(table.idLimit, most, 'one more than the greatest id');
  }
}
