import { type KeyAccess, type KeyType, wordsArray } from '../../keys/index.ts';
import { type Binding, type Wgsl, wgsl } from '../../wgsl/index.ts';
import type { Combiner } from './combiners.wgsl.ts';

/** What a shader may call: `find(key)`, whose value is the result of the key. */
export function resultFunctions(
  find: Wgsl,
  { shader }: KeyType,
  needle: KeyAccess,
  { accumulator, words }: Combiner,
): { readonly functions: readonly Wgsl[]; readonly results: Binding } {
  const results = wordsArray('results', words);
  const Hit = wgsl`
struct Hit {
  found: bool,
  slot: u32,
  probes: u32,
  id: u32,
  value: ${accumulator},
}`;
  const findResult = wgsl`
fn find(key: ${shader.type}) -> ${Hit} {
  let words = ${needle.safe(shader.toWords('key'))};
  let hit = ${find}(${needle.of('words')});
  var value = ${accumulator}();
  if (hit.found) { value = bitcast<${accumulator}>(${results}[hit.value]); }
  return ${Hit}(hit.found, hit.slot, hit.probes, hit.value, value);
}`;
  return { functions: [findResult], results };
}
