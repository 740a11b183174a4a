import { refuse, requireMembers, UnsupportedError } from '../../gpu/index.ts';
import type { OnExisting } from '../../schemes/contract/index.ts';
import { type ValueType, wordsOfValue } from '../../table/values.ts';
import { Wgsl, wgsl } from '../../wgsl/index.ts';
import { plainCombiner } from '../aggregate/combiners.wgsl.ts';

/**
 * A combiner of your own, for values of one word. Copies are combined in any order, so it has to be associative and commutative.
 * @example
 * const either = { identity: 0, combine: wgsl`fn either(a: u32, b: u32) -> u32 { return a | b; }` };
 */
export interface ValueCombiner {
  /** Combined with any value it is that value. */
  readonly identity: number;
  /** WGSL: `(a, b) -> value`, in the type of the values. */
  readonly combine: Wgsl;
}

/** What happens to a key that is there already: its value is replaced, kept, or combined with the new one. */
export type Existing = 'replace' | 'keep' | 'sum' | 'min' | 'max' | ValueCombiner;

const NAMES = ['replace', 'keep', 'sum', 'min', 'max'];

/** By the value type and the function, so that the same kernels are found again. */
const KNOWN = new Map<string, OnExisting>();
const OWN = new WeakMap<Wgsl, Map<string, OnExisting>>();

/** What a scheme is told to do with existing keys. */
export function onExistingOf(existing: Existing, value: ValueType | undefined): OnExisting {
  if (existing === 'replace' || existing === 'keep') return existing;
  const isName = typeof existing === 'string';
  if (isName ? !NAMES.includes(existing) : typeof existing !== 'object' || existing === null) {
    refuse('onExisting', `${NAMES.join(', ')} or a combiner of your own`, existing);
  }
  if (value?.words !== 1) {
    throw new UnsupportedError(`values of ${value?.name ?? 'no type'} cannot be combined: only those of one word can`);
  }
  if (isName) return kept(KNOWN, `${existing}/${value.name}`, () => combinerOf(existing, value));
  requireMembers(existing, 'onExisting', ['identity', 'combine']);
  const { combine, identity } = existing;
  if (!(combine instanceof Wgsl && combine.declares))
    refuse('combine', 'a WGSL function, written with the template wgsl', combine);
  const own = OWN.get(combine) ?? new Map<string, OnExisting>();
  OWN.set(combine, own);
  const [word] = wordsOfValue(identity, value, 'identity') as [number];
  return kept(own, `${word}/${value.name}`, () => onWords(value, combine, word));
}

function kept(known: Map<string, OnExisting>, name: string, make: () => OnExisting): OnExisting {
  const made = known.get(name) ?? make();
  known.set(name, made);
  return made;
}

function combinerOf(name: 'sum' | 'min' | 'max', value: ValueType): OnExisting {
  const { combine, identity } = plainCombiner(name, value);
  return onWords(value, combine, identity[0] as number);
}

/** The function on the words that stand for the values. */
const onWords = ({ shaderType }: ValueType, combine: Wgsl, identity: number): OnExisting => ({
  identity,
  combine: wgsl`
fn combineWords(a: u32, b: u32) -> u32 {
  return bitcast<u32>(${combine}(bitcast<${shaderType}>(a), bitcast<${shaderType}>(b)));
}`,
});
