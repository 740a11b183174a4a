import { type KeyAccess, wordAt } from '../../keys/index.ts';
import { type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import {
  entryOf,
  entryType,
  hit,
  hitType,
  miss,
  type PlanRequest,
  type TableReader,
  type TableView,
} from '../contract/index.ts';
import { keyIn, slotWords, valueIn } from '../kit/slot.wgsl.ts';
import { type RobinHood, sequenceOf } from './shape.ts';
import { wordFunctions } from './word.wgsl.ts';

/**
 * The probes of the insertion again, up to the maximum age of the first slot. A search also ends where a key that is less senior
 * stands: the key would have taken that slot.
 */
export function robinHoodReader(made: RobinHood, request: PlanRequest, view: TableView): TableReader {
  const { key, valueWords } = request;
  const { header } = view;
  const slots = view.buffer('slots');
  const { probes, words } = sequenceOf(made, request, header);
  const word = wordFunctions(header);
  const value = valueIn(request, 'slot');
  const storedKey = keyIn(request, 'slot');
  /** Statements that read a slot: its `word` and, as `slot`, what else there is. */
  const load = (index: WgslPart): Wgsl =>
    words
      ? wgsl`let slot = ${slots}[${index}];
    let word = ${wordAt(slotWords(request), 'slot', 0)};`
      : wgsl`let word = ${view.buffer('words')}[${index}];`;
  const find = (needle: KeyAccess): Wgsl => {
    const found = hit(valueWords, 'probe.x', 'age', value);
    const onSame = words
      ? wgsl`return ${found};`
      : wgsl`let slot = ${slots}[probe.x];
      if (${key.equals(view.key, needle)}(${view.key.of(storedKey)}, key)) { return ${found}; }`;
    return wgsl`
fn findSlot(key: ${needle.type}) -> ${hitType(valueWords)} {
  let state = ${probes.begin(needle)}(key);
  var limit = min(${header}.longest, ${header}.mostAge);
  for (var age = 1u; age <= limit; age++) {
    let probe = ${probes.probe}(state, age);
    ${load('probe.x')}
    let own = ${word.seniorityOf}(age, probe.y);
    let there = ${word.seniorityIn}(word);
    if (there == own) {
      ${onSame}
    }
    if (there ${made.evict ? '< own' : '== 0u'}) { return ${miss(valueWords, 'age')}; }
    ${made.reject ? wgsl`if (age == 1u) { limit = ${word.limitIn}(word, limit); }` : ''}
  }
  return ${miss(valueWords, 'limit')};
}`;
  };
  const stored = words
    ? wgsl`let stored = ${words.keyOf}(${words.resume}(index, age, ${word.markIn}(word)));`
    : wgsl`let slot = ${slots}[index];
  let stored = ${storedKey};`;
  return {
    find,
    entry: wgsl`
fn entry(index: u32) -> ${entryType(key.words, valueWords)} {
  ${load('index')}
  let age = ${word.ageIn}(word);
  ${stored}
  return ${entryOf(key.words, valueWords, 'age != 0u', 'stored', value)};
}`,
  };
}
