import { fromWords, wordAt } from '../../keys/index.ts';
import { wgsl } from '../../wgsl/index.ts';
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
import { slotWords, valueIn } from '../kit/slot.wgsl.ts';
import { type RobinHood, sequenceOf, shapeOf } from './shape.ts';
import { wordFunctions } from './word.wgsl.ts';

/**
 * The probes of the insertion again, up to the maximum age of the first slot. A search also ends where a key that is less senior
 * stands: the key would have taken that slot.
 */
export function robinHoodReader(made: RobinHood, request: PlanRequest, view: TableView): TableReader {
  const { key, valueWords } = request;
  const { header } = view;
  const slots = view.buffer('slots');
  const shape = shapeOf(request);
  const { probes, words } = sequenceOf(made, request, header);
  const word = wordFunctions(header);
  const first = wordAt(slotWords(shape), 'slot', 0);
  const stored = fromWords(Array.from({ length: key.words }, (_, i) => wordAt(slotWords(shape), 'slot', 1 + i)));
  const value = valueIn(shape, 'slot');
  return {
    find: (needle) => {
      const isKey = words ? '' : wgsl` && ${key.equals(view.key, needle)}(${view.key.of(stored)}, key)`;
      return wgsl`
fn findSlot(key: ${needle.type}) -> ${hitType(valueWords)} {
  let state = ${probes.begin(needle)}(key);
  var limit = min(${header}.longest, ${header}.mostAge);
  for (var age = 1u; age <= limit; age++) {
    let probe = ${probes.probe}(state, age);
    let slot = ${slots}[probe.x];
    let own = ${word.seniorityOf}(age, probe.y);
    let there = ${word.seniorityIn}(${first});
    if (there == own${isKey}) { return ${hit(valueWords, 'probe.x', 'age', value)}; }
    if (there ${made.evict ? '< own' : '== 0u'}) { return ${miss(valueWords, 'age')}; }
    ${made.reject ? wgsl`if (age == 1u) { limit = ${word.limitIn}(${first}, limit); }` : ''}
  }
  return ${miss(valueWords, 'limit')};
}`;
    },
    entry: wgsl`
fn entry(index: u32) -> ${entryType(key.words, valueWords)} {
  let slot = ${slots}[index];
  let age = ${word.ageIn}(${first});
  ${words ? wgsl`let stored = ${words.keyOf}(${words.resume}(index, age, ${word.markIn}(${first})));` : wgsl`let stored = ${stored};`}
  return ${entryOf(key.words, valueWords, 'age != 0u', 'stored', value)};
}`,
  };
}
