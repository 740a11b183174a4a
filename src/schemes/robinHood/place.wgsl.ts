/** Where keys of several words begin: neighbours beside each other, where the key type knows of neighbours. */
import { type KeyType, morton, type PlaceOrder, remainderOf, wordsType } from '../../keys/index.ts';
import { kept, type Wgsl, wgsl } from '../../wgsl/index.ts';

/** The order of keys with coordinates, unless another is named. */
export const DEFAULT_ORDER: PlaceOrder = morton;

/**
 * WGSL: `(key: wordsType(key.words), size: u32) -> u32`, the place of a key modulo the size of the table; nothing for keys that have no
 * place. The order is for keys with coordinates; without, they are in Morton order.
 */
export function remainderOfPlace(key: KeyType, order: PlaceOrder | undefined): Wgsl | undefined {
  if (key.coordinates) return pointRemainder(order ?? DEFAULT_ORDER, key.coordinates);
  return key.isNumber ? remainderOf(key.words) : undefined;
}

const pointRemainder = kept((order: PlaceOrder, coordinates: NonNullable<KeyType['coordinates']>): Wgsl => {
  const { words, place } = order.wide(coordinates);
  return wgsl`
fn placeRemainder(key: ${wordsType(coordinates)}, size: u32) -> u32 {
  return ${remainderOf(words)}(${place}(key), size);
}`;
});
