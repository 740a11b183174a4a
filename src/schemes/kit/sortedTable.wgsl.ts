/**
 * What a table of sorted keys is made of, wherever its slots lie. `leads` has the first 32 bits of every key's order, and
 * nothing else, so that a search that goes by them reads few bytes. `rest` has what else there is: the key and its value,
 * or the value alone where the lead tells the key.
 */
import { fromWords, type KeyAccess, wordAt, wordsArray, wordsOf, wordsType } from '../../keys/index.ts';
import type { OrderedKey } from '../../primitives/sortKeys.wgsl.ts';
import { type Binding, storage, type Wgsl, type WgslPart, WORD_BYTES, wgsl } from '../../wgsl/index.ts';
import {
  entryOf,
  entryType,
  hit,
  hitType,
  type PlanRequest,
  sizeIn,
  type TableBuffer,
  type TableReader,
  type TableView,
  type ValueStore,
} from '../contract/index.ts';

type SortedShape = Pick<PlanRequest, 'key' | 'valueWords'>;

/** Words of the key in the rest of a slot: none where the lead tells it. */
const restKeyWords = ({ key }: SortedShape): number => (key.order?.unlead ? 0 : key.words);

const restWords = (shape: SortedShape): number => restKeyWords(shape) + shape.valueWords;

/** The buffers of such a table. */
export const sortedTableBuffers = (shape: SortedShape, slots: number): readonly TableBuffer[] => [
  { name: 'leads', bytes: slots * WORD_BYTES, type: 'array<u32>' },
  ...(restWords(shape) > 0
    ? [
        {
          name: 'rest',
          bytes: slots * restWords(shape) * WORD_BYTES,
          type: wgsl`array<${wordsType(restWords(shape))}>`,
        },
      ]
    : []),
];

/** How a build writes a slot. */
export interface SortedSlots {
  readonly leads: Binding;
  /** None where the leads are all there is. */
  readonly rest: Binding | undefined;
  /** The rest of a slot, from expressions for its key and its value; each may be left out where there is none. */
  restOf(key: WgslPart, value: WgslPart): WgslPart;
}

export const sortedSlots = (shape: SortedShape): SortedSlots => ({
  leads: storage('leads', 'array<u32>', 'read_write'),
  rest: restWords(shape) > 0 ? wordsArray('rest', restWords(shape), 'read_write') : undefined,
  restOf: (key, value) => fromWords([...wordsOf(restKeyWords(shape), key), ...wordsOf(shape.valueWords, value)]),
});

/** How searches for one kind of needles see the table. */
export interface SortedSearch {
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
}

/**
 * The reader of a table of sorted keys.
 * @param search the statements of a search, which see `lead`, `size` and `key`
 * @param isPresent whether there is a key in `slot`, from the number of keys
 */
export function sortedReader(
  shape: SortedShape,
  view: TableView,
  search: (search: SortedSearch) => Wgsl,
  isPresent: (size: WgslPart) => Wgsl,
): TableReader {
  const { key, valueWords } = shape;
  const { order } = key as OrderedKey;
  const leads = view.buffer('leads');
  const part = (slot: WgslPart, first: number, words: number): WgslPart => {
    const rest = wgsl`${view.buffer('rest')}[${slot}]`;
    return fromWords(Array.from({ length: words }, (_, i) => wordAt(restWords(shape), rest, first + i)));
  };
  const keyAt = (slot: WgslPart): WgslPart =>
    order.unlead ? wgsl`${order.unlead}(${leads}[${slot}])` : view.key.safe(part(slot, 0, key.words));
  const valueAt = (slot: WgslPart): WgslPart => (valueWords > 0 ? part(slot, restKeyWords(shape), valueWords) : '');
  /** Whole keys are fetched only where the leads do not decide. */
  const ifSameLead = (compare: Wgsl): WgslPart =>
    order.unlead
      ? ''
      : wgsl`
  if (leadHere == lead) {
    let keyHere = ${keyAt('slot')};
    return ${compare}(${view.key.of('keyHere')}, key);
  }`;
  const size = sizeIn(view.header);
  const searchFor = (needle: KeyAccess): SortedSearch => ({
    size,
    lead: order.lead(needle),
    isLess: wgsl`
fn isLess(slot: u32, lead: u32, key: ${needle.type}) -> bool {
  let leadHere = ${leads}[slot];
  ${ifSameLead(order.less(view.key, needle))}
  return leadHere < lead;
}`,
    isEqual: wgsl`
fn isEqual(slot: u32, lead: u32, key: ${needle.type}) -> bool {
  let leadHere = ${leads}[slot];
  ${ifSameLead(key.equals(view.key, needle))}
  return leadHere == lead;
}`,
    hitAt: (slot, probes) => hit(valueWords, slot, probes, valueAt(slot)),
  });
  return {
    find: (needle) => {
      const parts = searchFor(needle);
      return wgsl`
fn findSlot(key: ${needle.type}) -> ${hitType(valueWords)} {
  let lead = ${parts.lead}(key);
  let size = ${size};
  ${search(parts)}
}`;
    },
    entry: wgsl`
fn entry(slot: u32) -> ${entryType(key.words, valueWords)} {
  return ${entryOf(key.words, valueWords, isPresent(size), keyAt('slot'), valueAt('slot'))};
}`,
  };
}

/** Replaces values of one word. */
export function sortedValueStore(shape: SortedShape): ValueStore {
  const words = storage('rest', 'array<u32>', 'read_write');
  return {
    store: wgsl`
fn storeValue(slot: u32, value: u32) {
  ${words}[slot * ${restWords(shape)}u + ${restKeyWords(shape)}u] = value;
}`,
    bind: (table) => [[words, table.get('rest')]],
  };
}
