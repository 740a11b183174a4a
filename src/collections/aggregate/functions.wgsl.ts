import { type KeyAccess, type KeyType, wordsArray } from '../../keys/index.ts';
import { type Binding, join, type Wgsl, wgsl } from '../../wgsl/index.ts';
import type { Combiner } from './combiners.wgsl.ts';

/** What a shader may call: `find(key)`, whose members of these names are the results of the key. */
export function resultFunctions(
  find: Wgsl,
  { shader }: KeyType,
  needle: KeyAccess,
  columns: readonly { readonly name: string; readonly combiner: Combiner }[],
): { readonly functions: readonly Wgsl[]; readonly results: readonly Binding[] } {
  const members = columns.map(({ name, combiner: { result } }) => ({
    name,
    type: result.type,
    array: wordsArray(name === 'value' ? 'results' : name, result.words),
  }));
  const Hit = wgsl`
struct Hit {
  found: bool,
  slot: u32,
  probes: u32,
  id: u32,
  ${join(
    members.map(({ name, type }) => wgsl`${name}: ${type},`),
    '\n  ',
  )}
}`;
  const findResult = wgsl`
fn find(key: ${shader.type}) -> ${Hit} {
  let words = ${needle.safe(shader.toWords('key'))};
  let found = ${find}(${needle.of('words')});
  var hit: ${Hit};
  hit.found = found.found;
  hit.slot = found.slot;
  hit.probes = found.probes;
  hit.id = found.value;
  if (found.found) {
    ${join(
      members.map(({ name, type, array }) => wgsl`hit.${name} = bitcast<${type}>(${array}[found.value]);`),
      '\n    ',
    )}
  }
  return hit;
}`;
  return { functions: [findResult], results: members.map(({ array }) => array) };
}
