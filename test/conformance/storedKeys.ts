/** Keys as they lie in a table. */
import { record } from '../../src/gpu/index.ts';
import { wordsOf } from '../../src/keys/index.ts';
import type { Table } from '../../src/table/table.ts';
import { join, kernel, storage, uniform, wgsl } from '../../src/wgsl/index.ts';
import { TestBuffers } from './buffers.ts';
import type { Key, KeyKind } from './keyKinds.ts';

/** The numbers of keys, from their words in a table. */
export async function storedKeys(kind: KeyKind, table: Table, words: Uint32Array): Promise<Key[]> {
  const { context: buffer } = table.buffers;
  const [bytes] = buffer ? await table.gpu.run(() => {}, [{ buffer, bytes: buffer.size }]) : [];
  return kind.numbers(kind.type.decode(words, bytes && new Uint8Array(bytes)));
}

/** The key in every slot, by the scheme's own `entry`; `undefined` where there is none. */
export async function keysInSlots(kind: KeyKind, table: Table): Promise<(Key | undefined)[]> {
  const { gpu, plan, reading } = table;
  const { words } = kind.type;
  const count = plan.slotCount;
  const slotCount = uniform('slotCount', 'u32');
  const presence = storage('presence', 'array<u32>', 'read_write');
  const found = storage('found', 'array<u32>', 'read_write');
  const readEntries = kernel({
    label: 'test/entries',
    threads: 64,
    body: wgsl`
  if (item >= ${slotCount}) { return; }
  let entry = ${reading.entry}(item);
  ${presence}[item] = u32(entry.present);
  ${join(
    wordsOf(words, 'entry.key').map((word, i) => wgsl`${found}[item * ${words}u + ${i}u] = ${word};`),
    '\n  ',
  )}`,
  });
  using buffers = new TestBuffers(gpu);
  const [isPresent, stored] = [buffers.words(count), buffers.words(count * words)];
  const bound = [
    ...table.bound,
    [slotCount, gpu.constants(count)] as const,
    [presence, isPresent] as const,
    [found, stored] as const,
  ];
  await gpu.run((encoder) => record(gpu, encoder, 'test', (recorder) => recorder.run(readEntries, bound, count)));
  const present = await buffers.read(isPresent, count);
  const all = await buffers.read(stored, count * words);
  const slots = [...present.keys()].filter((slot) => present[slot] === 1);
  const keys = await storedKeys(
    kind,
    table,
    Uint32Array.from(slots.flatMap((slot) => [...all.subarray(slot * words, (slot + 1) * words)])),
  );
  const bySlot = Array<Key | undefined>(count).fill(undefined);
  for (const [i, slot] of slots.entries()) bySlot[slot] = keys[i];
  return bySlot;
}
