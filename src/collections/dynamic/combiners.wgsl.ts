import { refuse, requireMembers, UnsupportedError } from '../../gpu/index.ts';
import type { OnExisting } from '../../schemes/contract/index.ts';
import { type ValueType, wordsOfValue } from '../../table/values.ts';
import { kept, Wgsl, wgsl } from '../../wgsl/index.ts';
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
  if (isName) return combinerOf(existing, value);
  requireMembers(existing, 'onExisting', ['identity', 'combine']);
  const { combine, identity } = existing;
  if (!(combine instanceof Wgsl && combine.declares))
    refuse('combine', 'a WGSL function, written with the template wgsl', combine);
  const [word] = wordsOfValue(identity, value, 'identity') as [number];
  return onWords(value, combine, word);
}

const combinerOf = kept((name: 'sum' | 'min' | 'max', value: ValueType): OnExisting => {
  const { combine, identity } = plainCombiner(name, value);
  return onWords(value, combine, identity[0] as number);
});

/** The function on the words that stand for the values. Kernels are found by it. */
const onWords = kept(
  ({ shaderType }: ValueType, combine: Wgsl, identity: number): OnExisting => ({
    identity,
    combine: wgsl`
fn combineWords(a: u32, b: u32) -> u32 {
  return bitcast<u32>(${combine}(bitcast<${shaderType}>(a), bitcast<${shaderType}>(b)));
}`,
  }),
);
