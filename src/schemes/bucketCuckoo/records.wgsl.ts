/**
 * Items on their way to their regions: the key, the value, and the item's number where the policy compares it. Where the
 * hash tells the key, it stands in the key's place; before keys of variable length it stands by itself. So nobody has to
 * hash those again.
 */
import { mix } from '../../hashing/index.ts';
import { fromWords, wordAt, wordsOf, wordsType } from '../../keys/index.ts';
import { type Binding, storage, type WgslPart, wgsl } from '../../wgsl/index.ts';
import type { TablePlan } from '../contract/scheme.ts';
import { hashWords, shapeOf } from './plan.ts';

/** The parts of a record of a plan, and the buffers that hold records; `header` is the table's, as the kernel sees it. */
export function recordsOf(plan: TablePlan, header: Binding) {
  const { key, valueWords } = plan;
  const { recordWords, indexed } = shapeOf(plan);
  const { unhash } = key;
  const type = wordsType(recordWords);
  const input = key.access('input');
  const hashKey = key.hash(input, mix);
  const equalKeys = key.equals(input, input);
  const part = (record: WgslPart, first: number, words: number): WgslPart =>
    fromWords(Array.from({ length: words }, (_, i) => wordAt(recordWords, record, first + i)));
  const hashed = hashWords(key);
  const keyPart = (record: WgslPart): WgslPart => part(record, hashed, key.words);
  const storedKey = (record: WgslPart): WgslPart =>
    unhash ? wgsl`${unhash}(${keyPart(record)}, ${header}.hash)` : keyPart(record);
  const hashOf = (keyExpression: WgslPart): WgslPart => wgsl`${hashKey}(${input.of(keyExpression)}, ${header}.hash)`;
  const keys = storage('keys', wgsl`array<${wordsType(key.words)}>`);
  const values = storage('values', wgsl`array<${wordsType(valueWords || 1)}>`);
  const hash = (record: WgslPart): WgslPart => (hashed ? part(record, 0, 2) : hashOf(storedKey(record)));
  const isSameKey = unhash
    ? wgsl`${keyPart('a')} == ${keyPart('b')}`
    : wgsl`${equalKeys}(${input.of(keyPart('a'))}, ${input.of(keyPart('b'))})`;
  const sameKey = wgsl`
fn sameKey(a: ${type}, b: ${type}) -> bool {
  ${hashed ? wgsl`if (any(${hash('a')} != ${hash('b')})) { return false; }` : ''}
  return ${isSameKey};
}`;
  const keyWords = unhash ? ['hash.x'] : wordsOf(key.words, 'stored');
  const fromInput = wgsl`
fn recordOf(item: u32) -> ${type} {
  let stored = ${keys}[item];
  ${unhash || hashed ? wgsl`let hash = ${hashOf('stored')};` : ''}
  ${valueWords > 0 ? wgsl`let value = ${values}[item];` : ''}
  return ${fromWords([
    ...(hashed ? ['hash.x', 'hash.y'] : []),
    ...keyWords,
    ...(valueWords > 0 ? wordsOf(valueWords, 'value') : []),
    ...(indexed ? ['item'] : []),
  ])};
}`;
  return {
    type,
    keys,
    values,
    readable: storage('records', wgsl`array<${type}>`),
    writable: storage('recordsOut', wgsl`array<${type}>`, 'read_write'),
    /** The key as stored. */
    storedKey,
    /** The hash, of which only the first word is known where it stands for the key. */
    hash: (record: WgslPart): WgslPart => (unhash ? wgsl`vec2u(${keyPart(record)}, 0u)` : hash(record)),
    /** Both words of the hash. */
    fullHash: hash,
    sameKey: (a: WgslPart, b: WgslPart): WgslPart => wgsl`${sameKey}(${a}, ${b})`,
    value: (record: WgslPart): WgslPart => part(record, hashed + key.words, valueWords),
    index: (record: WgslPart): WgslPart => wordAt(recordWords, record, hashed + key.words + valueWords),
    /** The record of an item of the input. */
    fromInput: (item: string): WgslPart => wgsl`${fromInput}(${item})`,
    /** Whether a record takes so long to make that none must be made in vain. */
    isCostly: hashed > 0,
  };
}
