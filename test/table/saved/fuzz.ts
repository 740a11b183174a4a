/** Mutated tables are opened, searched and read: whatever they are, they end, and take no more than they have. */
import { HashMap, HashSet, KeyIndex, MultiMap } from '../../../src/collections/index.ts';
import { FormatError, type Gpu } from '../../../src/gpu/index.ts';
import { randomWords } from '../../../src/hashing/index.ts';
import type { Scheme } from '../../../src/schemes/index.ts';
import { decodeValues, type ValueType, valueTypes } from '../../../src/table/values.ts';
import type { KeyKind } from '../../conformance/keyKinds.ts';
import { randomKeys, valuesFor } from '../../conformance/keySets.ts';
import { mutated } from '../../forging/mutate.ts';
import { liveBuffers } from '../../liveBuffers.ts';

/** What any opened collection can do that a stranger's file might spoil. */
interface AnyCollection {
  readonly key: { readonly name: string };
  toBytes(): Promise<Uint8Array>;
  has(keys: unknown): Promise<Uint8Array>;
  keys(): Promise<unknown>;
  entries?(): Promise<unknown>;
  get?(keys: unknown): Promise<unknown>;
  destroy(): void;
}

export const collectionNames = ['HashMap', 'HashSet', 'KeyIndex', 'MultiMap'] as const;
export type CollectionName = (typeof collectionNames)[number];

/** What is fuzzed. */
export interface FuzzSubject {
  readonly collection: CollectionName;
  readonly scheme: Scheme;
  readonly kind: KeyKind;
  readonly value: ValueType;
}

/** Types of values of one to four words, by turns. */
export const valueTypeAt = (i: number): ValueType => {
  const all: readonly ValueType[] = Object.values(valueTypes);
  return all[i % all.length] as ValueType;
};

/** A collection of so many keys, most of them twice. */
function build(gpu: Gpu, subject: FuzzSubject, count: number, seed: number): Promise<AnyCollection> {
  const { collection, scheme, kind, value } = subject;
  const distinct = randomKeys(kind, count, seed);
  const host = kind.host([...distinct, ...distinct.slice(0, count >> 1)]);
  const items = count + (count >> 1);
  const values = decodeValues(value, valuesFor(items * value.words));
  const options = { scheme: scheme as never, key: kind.type, seed };
  const input = { keys: host };
  switch (collection) {
    case 'HashMap':
      return HashMap.from(gpu, { ...input, values }, { ...options, value }) as Promise<AnyCollection>;
    case 'HashSet':
      return HashSet.from(gpu, input, options) as Promise<AnyCollection>;
    case 'KeyIndex':
      return KeyIndex.from(gpu, input, options) as Promise<AnyCollection>;
    case 'MultiMap':
      return MultiMap.from(gpu, { ...input, values }, { ...options, value }) as Promise<AnyCollection>;
  }
}

type Opens = { fromBytes(gpu: Gpu, bytes: Uint8Array, options: object): Promise<unknown> };

const COLLECTIONS: Readonly<Record<CollectionName, Opens>> = { HashMap, HashSet, KeyIndex, MultiMap };

/** How the opening of files ended. */
export interface Tally {
  files: number;
  opened: number;
}

/**
 * Files of that many bytes may make buffers of so many, and of some more that a table of nothing has. Arrays by id have room for as
 * many items as the table was planned for.
 */
const allowance = (bytes: number): number => 5 * bytes + 8192;
/** Keys may share bytes, and what is read comes back twice. */
const readingAllowance = (bytes: number): number => 64 * bytes + 65_536;

/** Opens mutated files of one subject. Throws at the first that does what it must not, with what was done to it. */
export async function fuzz(gpu: Gpu, subject: FuzzSubject, files: number, seed: number, tally: Tally): Promise<void> {
  const { collection, scheme, kind } = subject;
  const random = randomWords(seed);
  const saved: Uint8Array[] = [];
  for (const [i, count] of [24, 30, 3, 0].entries()) {
    const built = await build(gpu, subject, count, i + 1);
    saved.push(await built.toBytes());
    built.destroy();
  }
  const needles = kind.host(randomKeys(kind, 40, 1));
  for (let file = 0; file < files; file++) {
    const [mine, other] = [saved[file % 8 < 6 ? 0 : 1 + (file % 3)], saved[1 + (random() % 3)]] as [
      Uint8Array,
      Uint8Array,
    ];
    const { file: bytes, done } = mutated(random, mine, other);
    const where = `${collection} of ${kind.name}, ${scheme.name}, seed ${seed}, file ${file} (${done.join(', ')})`;
    // Half of the callers know what they expect.
    const isNamed = file % 2 === 0 || kind.name.startsWith('tuple');
    const names = { scheme: scheme as never, ...(isNamed && { key: kind.type }) };
    const opening = await liveBuffers(
      gpu,
      () => COLLECTIONS[collection].fromBytes(gpu, bytes, names) as Promise<AnyCollection>,
    );
    tally.files++;
    const { error, madeBytes, live, result } = opening;
    if (madeBytes > allowance(bytes.length)) throw new Error(`${where} made ${madeBytes} of ${bytes.length} bytes`);
    if (result === undefined) {
      if (!(error instanceof FormatError)) throw new Error(`${where} threw ${error}`, { cause: error });
      if (live.length > 0) throw new Error(`${where} left ${live.join(', ')}`);
      continue;
    }
    tally.opened++;
    const reading = await liveBuffers(gpu, async () => {
      // Who names no type may get a table of other keys, if that is what the bytes make.
      if (result.key.name === kind.name) {
        const answers = await result.has(needles);
        if (answers.some((answer) => answer > 1)) throw new Error('an answer is neither yes nor no');
        await result.get?.(needles);
      }
      await result.keys();
      await result.entries?.();
      result.destroy();
    });
    result.destroy();
    if (reading.error) throw new Error(`${where} opened, and then threw ${reading.error}`, { cause: reading.error });
    if (reading.live.length > 0) throw new Error(`${where} left ${reading.live.join(', ')}`);
    if (reading.madeBytes > readingAllowance(bytes.length)) {
      throw new Error(`${where} made ${reading.madeBytes} of ${bytes.length} bytes when it was read`);
    }
  }
}
