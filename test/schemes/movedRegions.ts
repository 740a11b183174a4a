/** A table of regionCuckoo that is moved from one body to the next. */
import { expect } from 'vitest';
import { type Counted, countedIn, recordBatch } from '../../src/dynamic/batch.wgsl.ts';
import { Body } from '../../src/dynamic/body.ts';
import { withPacked } from '../../src/dynamic/move.ts';
import { itemsOf } from '../../src/dynamic/table.ts';
import { type Gpu, record, Workspace } from '../../src/gpu/index.ts';
import { mix, randomWords, unmix } from '../../src/hashing/index.ts';
import type { ValueWords } from '../../src/schemes/contract/index.ts';
import { roomsFor } from '../../src/schemes/kit/partition/partition.wgsl.ts';
import { regionCuckoo } from '../../src/schemes/regionCuckoo/index.ts';
import { sourceOf } from '../../src/table/source.ts';
import { type WgslPart, wgsl } from '../../src/wgsl/index.ts';
import type { KeyKind, Keys } from '../conformance/keyKinds.ts';
import { randomKeys } from '../conformance/keySets.ts';
import { evaluate } from '../evaluate.ts';
import { expectSound, type Grid } from '../oracles/regionCuckooTwin.ts';

const scheme = regionCuckoo();
/** The hash constants of all these tables. */
const hash = mix.draw(randomWords(11));

const undo: (() => void)[] = [];

/** Frees all tables. */
export function freeMoved(): void {
  for (const step of undo.splice(0)) step();
}

/** Keys with values of so many words each, in a table that is moved from one body to the next. */
export class Moved {
  readonly #workspace: Workspace;
  #body!: Body;
  /** Whether the first of several ways of the last move was enough. */
  isQuick = false;
  #context: GPUBuffer | undefined;

  private constructor(
    readonly gpu: Gpu,
    readonly kind: KeyKind,
    readonly words: ValueWords,
    readonly keys: Keys,
    readonly values: Uint32Array<ArrayBuffer>,
  ) {
    this.#workspace = new Workspace(gpu);
  }

  static async create(gpu: Gpu, kind: KeyKind, words: ValueWords, keys: Keys, slots: number): Promise<Moved> {
    const values = Uint32Array.from({ length: keys.length * words }, (_, i) => Math.imul(i + 1, 0x9e37_79b1));
    const moved = new Moved(gpu, kind, words, keys, values);
    await moved.#begin(slots);
    return moved;
  }

  get slotCount(): number {
    return this.#body.plan.slotCount;
  }

  get format(): string {
    return this.#body.plan.format;
  }

  async #make(slots: number): Promise<Body> {
    const { gpu, kind, words } = this;
    const plan = scheme.plan({ slots, key: kind.type, valueWords: words });
    const body = await Body.make(gpu, { scheme, plan, hash });
    undo.push(() => body.destroy());
    return body;
  }

  async #begin(slots: number): Promise<void> {
    const { gpu, kind, words, keys, values } = this;
    this.#body = await this.#make(slots);
    const given = { keys: kind.host(keys), ...(words > 0 && { values }) };
    const source = sourceOf(gpu, kind.type, given, words);
    undo.push(
      () => source.release(),
      () => this.#workspace.destroy(),
    );
    const items = itemsOf(source);
    this.#context = items.context;
    await gpu.run(
      (encoder) =>
        record(gpu, encoder, 'test', (recorder) =>
          recordBatch(
            recorder,
            {
              body: this.#body,
              context: items.context,
              workspace: this.#workspace,
              number: 1,
              extent: recorder.extent(keys.length),
              isEmpty: true,
            },
            items,
            { kind: 'insert', onExisting: 'replace', unique: true },
          ),
        ),
      [],
    );
  }

  async #scratch(name: string, words: number): Promise<Uint32Array> {
    const buffer = this.#workspace.scratch(`regionCuckoo/${name}`, words * 4);
    const [bytes] = await this.gpu.run(() => {}, [{ buffer, bytes: words * 4 }]);
    return new Uint32Array(bytes as ArrayBuffer);
  }

  get regions(): number {
    return (this.#body.plan.fields as unknown as Grid).regions;
  }

  /** How many regions the first insertion did not fill quickly: their parcels have not been taken from their rooms. */
  async givenUpAtFirst(): Promise<number> {
    const ends = await this.#scratch('regionEnds', this.regions);
    const { fine } = roomsFor(this.keys.length, this.regions);
    return ends.filter((end, region) => end !== region * fine).length;
  }

  /** Moves everything by the scheme's own ways to a table of so many slots. */
  async to(slots: number): Promise<Counted> {
    const { gpu } = this;
    const from = this.#body;
    const target = await this.#make(slots);
    const ways = target.plan.moveFrom?.(from.plan, gpu.limits) ?? [];
    if (ways.length === 0) throw new Error('there is no such way');
    const move = {
      from: from.buffers(this.#context),
      to: target.buffers(this.#context),
      keys: this.keys.length,
      counters: target.counters,
      workspace: this.#workspace,
    };
    // Each has to write all slots.
    const buckets = move.to.get('buckets');
    const litter = new Uint32Array(buckets.size / 4).fill(0x9e37_79b1);
    let counted = arrived(0);
    for (const [i, recordMove] of ways.entries()) {
      gpu.write(buckets, litter);
      const [bytes] = await gpu.run(
        (encoder) => {
          encoder.clearBuffer(target.counters);
          record(gpu, encoder, 'move', (recorder) => recordMove(recorder, move));
        },
        [target.countersRead],
      );
      counted = countedIn(bytes as ArrayBuffer);
      this.isQuick = i === 0 && ways.length > 1;
      if (counted.keys === this.keys.length) break;
    }
    this.#body = target;
    return counted;
  }

  /** Expects all keys with their values, and a sound table. */
  async check(): Promise<void> {
    await this.checkContents();
    await this.checkRaw();
  }

  async checkContents(): Promise<void> {
    const { gpu, kind, words, keys, values } = this;
    const valueAt = (all: Uint32Array, i: number) => all.subarray(i * words, (i + 1) * words).join();
    const got = await withPacked(this.#body, keys.length, this.#context, async (packed) => {
      const [packedKeys, packedValues, context] = await gpu.run(() => {}, [
        { buffer: packed.keys, bytes: keys.length * kind.type.words * 4 },
        { buffer: packed.values, bytes: keys.length * words * 4 },
        ...(this.#context ? [{ buffer: this.#context, bytes: this.#context.size }] : []),
      ]);
      const stored = new Uint32Array(packedKeys as ArrayBuffer);
      const decoded = kind.type.decode(stored, context && new Uint8Array(context));
      const valuesRead = new Uint32Array(packedValues as ArrayBuffer);
      return new Map(kind.numbers(decoded).map((key, i) => [key, valueAt(valuesRead, i)]));
    });
    expect(got).toEqual(new Map(keys.map((key, i) => [key, valueAt(values, i)])));
  }

  /** Looks at the tags and the bits of classes. */
  async checkRaw(): Promise<void> {
    const { gpu, kind, keys } = this;
    const { plan } = this.#body;
    const [buckets] = await gpu.run(() => {}, [
      { buffer: this.#body.buffers(undefined).get('buckets'), bytes: plan.buffers[0]?.bytes as number },
    ]);
    const encoded = kind.type.encode(kind.host(keys));
    const hashes = keys.map((_, i) => kind.type.hashTwin?.(encoded, i, mix, hash) as [number, number]);
    const grid = plan.fields as unknown as Grid;
    expectSound(new Uint32Array(buckets as ArrayBuffer), plan.format, grid, hashes, kind.type.isWord);
  }
}

/** The one-word keys that have these hashes. */
export async function keysOfHashes(gpu: Gpu, hashes: readonly number[]): Promise<Keys> {
  const unhashed = await evaluate(
    gpu,
    hashes.map((one) => [one]),
    ([one]) => ({
      results: [wgsl`${unmix(1)}(${one as WgslPart}, vec4u(${hash.map((word) => `${word}u`).join(', ')}))`],
    }),
  );
  return unhashed.flat().map(BigInt);
}

/** What the counters say when all have arrived. */
export const arrived = (keys: number): Counted => ({ keys, left: 0, absent: 0, batch: 0, leftBefore: 0 });

const SLOTS = 12_000;

/** Takes a table through sizes that are 1.25, 2, 0.6, 0.5 and 1 times as large as the one before. */
export async function moveThroughSizes(gpu: Gpu, kind: KeyKind, valueWords: ValueWords): Promise<void> {
  const keys = [...new Set([0n, kind.allOnes, ...randomKeys(kind, SLOTS / 2)])];
  const table = await Moved.create(gpu, kind, valueWords, keys, SLOTS);
  await table.check();
  for (const slots of [1.25 * SLOTS, 2.5 * SLOTS, 1.5 * SLOTS, 0.75 * SLOTS, 0.75 * SLOTS]) {
    expect(await table.to(slots)).toEqual(arrived(keys.length));
    await table.check();
  }
}
