/**
 * What a table of sorted keys is made of, wherever its slots lie. `leads` has the first 32 bits of every key's order, and
 * nothing else, so that a search that goes by them reads few bytes. `records` has what else there is: the key and its value,
 * or the value alone where the lead tells the key.
 */
import { fromWords, type KeySide, wordAt, wordsOf, wordsType } from '../../keys/index.ts';
import type { OrderedKey } from '../../primitives/sortKeys.wgsl.ts';
import { type Binding, storage, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { header } from '../contract/header.wgsl.ts';
import { entryOf, hit } from '../contract/hit.wgsl.ts';
import type { BufferSpec, PlanRequest, TablePlan, ValueStore } from '../contract/scheme.ts';

type RecordShape = Pick<PlanRequest, 'key' | 'valueWords'>;

/** Words of the key in a record: none where the lead tells it. */
const recordKeyWords = ({ key }: RecordShape): number => (key.order?.unlead ? 0 : key.words);

const recordWords = (shape: RecordShape): number => recordKeyWords(shape) + shape.valueWords;

/** The buffers of such a table. */
export const sortedTableBuffers = (shape: RecordShape, slots: number): readonly BufferSpec[] => [
  { name: 'leads', bytes: slots * 4 },
  ...(recordWords(shape) > 0 ? [{ name: 'records', bytes: slots * recordWords(shape) * 4 }] : []),
];

/** A record from expressions for its key and its value; each may be left out where a record has none. */
export const recordOf = (shape: RecordShape, key: WgslPart, value: WgslPart): WgslPart =>
  fromWords([...wordsOf(recordKeyWords(shape), key), ...wordsOf(shape.valueWords, value)]);

/** The bindings of the buffers, by their names. */
export function sortedTableBindings(shape: RecordShape, access: 'read' | 'read_write'): ReadonlyMap<string, Binding> {
  const bindings = new Map([['leads', storage('leads', 'array<u32>', access)]]);
  const words = recordWords(shape);
  if (words > 0) bindings.set('records', storage('records', wgsl`array<${wordsType(words)}>`, access));
  return bindings;
}

/** How searches for keys of one side see the table. */
export interface SortedTable {
  readonly bindings: ReadonlyMap<string, Binding>;
  /** How many keys there are. */
  readonly size: WgslPart;
  /** WGSL: `(key) -> u32`, the lead of the needle. */
  readonly lead: Wgsl;
  /** WGSL: `(slot: u32, lead: u32, key) -> bool`, whether the key in the slot is less than the needle with that lead. */
  readonly isLess: Wgsl;
  /** WGSL: `(slot: u32, lead: u32, key) -> bool`, whether it is the needle. */
  readonly isEqual: Wgsl;
  /** A hit in that slot. */
  hitAt(slot: WgslPart, probes: WgslPart): Wgsl;
  /** An `Entry` of that slot. */
  entryAt(slot: WgslPart, present: WgslPart): Wgsl;
}

export function sortedTable(plan: TablePlan, side: KeySide): SortedTable {
  const { key, valueWords } = plan;
  const { order } = key as OrderedKey;
  const needle = key.access(side);
  const inTable = key.access('table');
  const bindings = sortedTableBindings(plan, 'read');
  const leads = bindings.get('leads') as Binding;
  const part = (slot: WgslPart, first: number, words: number): WgslPart => {
    const record = wgsl`${bindings.get('records') as Binding}[${slot}]`;
    return fromWords(Array.from({ length: words }, (_, i) => wordAt(recordWords(plan), record, first + i)));
  };
  const keyAt = (slot: WgslPart): WgslPart =>
    order.unlead ? wgsl`${order.unlead}(${leads}[${slot}])` : part(slot, 0, key.words);
  const valueAt = (slot: WgslPart): WgslPart => (valueWords > 0 ? part(slot, recordKeyWords(plan), valueWords) : '');
  /** Whole keys are fetched only where the leads do not decide. */
  const ifSameLead = (compare: Wgsl): WgslPart =>
    order.unlead
      ? ''
      : wgsl`
  if (leadHere == lead) {
    let keyHere = ${keyAt('slot')};
    return ${compare}(${inTable.of('keyHere')}, key);
  }`;
  return {
    bindings: new Map([['header', header], ...bindings]),
    size: wgsl`(${header}.count - ${header}.copies)`,
    lead: order.lead(needle),
    isLess: wgsl`
fn isLess(slot: u32, lead: u32, key: ${needle.type}) -> bool {
  let leadHere = ${leads}[slot];
  ${ifSameLead(order.less(inTable, needle))}
  return leadHere < lead;
}`,
    isEqual: wgsl`
fn isEqual(slot: u32, lead: u32, key: ${needle.type}) -> bool {
  let leadHere = ${leads}[slot];
  ${ifSameLead(key.equals(inTable, needle))}
  return leadHere == lead;
}`,
    hitAt: (slot, probes) => hit(valueWords, slot, probes, valueAt(slot)),
    entryAt: (slot, present) => entryOf(key.words, valueWords, present, keyAt(slot), valueAt(slot)),
  };
}

/** Replaces values of one word. */
export function sortedValueStore(plan: TablePlan): ValueStore {
  const words = storage('records', 'array<u32>', 'read_write');
  return {
    store: wgsl`
fn storeValue(slot: u32, value: u32) {
  ${words}[slot * ${recordWords(plan)}u + ${recordKeyWords(plan)}u] = value;
}`,
    bindings: new Map([['records', words]]),
  };
}
