/** Strings as they are, and as a key type of their own that ignores the case of letters. */
import { type Gpu, HashMap, stringKey, wgsl } from 'hashnest';

/** ASCII letters count as lower case: four bytes at once, of which those from A to Z get the bit that makes them small. */
export const caseless = stringKey({
  name: 'caseless',
  fold: wgsl`
fn lowerCase(text: u32) -> u32 {
  let letters = text & 0x7f7f7f7fu;
  let isUpper = ((letters + 0x3f3f3f3fu) & ~(letters + 0x25252525u) & ~text) & 0x80808080u;
  return text | (isUpper >> 2u);
}`,
});

/** Looks names up, first as they are and then whatever their case. */
export async function lookNamesUp(gpu: Gpu): Promise<number[][]> {
  const people = { keys: ['Ada', 'Grace', 'Émilie'], values: new Uint32Array([1815, 1906, 1706]) };
  const queries = ['Ada', 'ada', 'GRACE', 'Émilie', 'émilie'];

  using exactly = await HashMap.from(gpu, people);
  using roughly = await HashMap.from(gpu, people, { key: caseless });
  const born = [await exactly.get(queries), await roughly.get(queries)];
  return born.map(({ values }) => [...values]); // [1815, 0, 0, 1706, 0], [1815, 1815, 1906, 1706, 0]
}
