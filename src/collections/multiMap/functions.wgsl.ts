import { type KeyAccess, type KeyType, wordsArray } from '../../keys/index.ts';
import { shaderValue, type ValueType } from '../../table/values.ts';
import { type Binding, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { bounds } from './retrieve.wgsl.ts';

/** What a shader may call: `find(key)` tells where a key's values are, `value(i)` what they are. */
export function multiMapFunctions(
  find: Wgsl,
  { shader }: KeyType,
  needle: KeyAccess,
  valueType: ValueType,
): { readonly functions: readonly Wgsl[]; readonly values: Binding } {
  const values = wordsArray('values', valueType.words);
  const Hit = wgsl`
struct Hit {
  found: bool,
  slot: u32,
  probes: u32,
  id: u32,
  start: u32, // the values are value(start) to value(start + count - 1)
  count: u32,
}`;
  const findValues = wgsl`
fn find(key: ${shader.type}) -> ${Hit} {
  let words = ${needle.safe(shader.toWords('key'))};
  let hit = ${find}(${needle.of('words')});
  var range = vec2u(0u);
  if (hit.found) { range = ${bounds}[hit.value]; }
  return ${Hit}(hit.found, hit.slot, hit.probes, hit.value, range.x, range.y - range.x);
}`;
  const valueAt = wgsl`
fn value(i: u32) -> ${valueType.shaderType} {
  let stored = ${values}[i];
  return ${shaderValue(valueType, 'stored')};
}`;
  return { functions: [findValues, valueAt], values };
}
