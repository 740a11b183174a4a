/**
 * A program that uses every part of maps that is loaded later. `useParts` tells how the first `toBytes` went, and what the calls after it
 * answered: values of a map that was saved and opened, keys that its statistics found, and a value of a table that was built on the host.
 */
export const laterProgram = (library: string): string => `
import { Gpu, HashMap, perfectSpatial, u32, vec2i } from '${library}';

export async function useParts() {
  const gpu = await Gpu.open();
  const keys = new Uint32Array([7, 9]);
  await HashMap.prepare(gpu, { key: u32, items: 2 });
  const map = await HashMap.from(gpu, { keys, values: new Float32Array([0.5, 2]) });
  const first = await map.toBytes().then(() => 'saved', ({ code }) => code);
  const bytes = await map.toBytes();
  const opened = await HashMap.fromBytes(gpu, bytes);
  const { values } = await opened.get(keys);
  const { present } = await opened.stats();
  const points = { keys: new Int32Array([1, 2, 3, 4]), values: new Uint32Array([5, 6]) };
  const built = await HashMap.from(gpu, points, { key: vec2i, scheme: perfectSpatial() });
  const answers = await built.get(new Int32Array([3, 4]));
  gpu.destroy();
  return [first, ...values, present.searches, ...answers.values].join(' ');
}`;

/** What the program answers where it begins with a part that cannot be loaded, or can. */
export const ANSWERS = { failing: 'load-failed 0.5 2 2 6', loading: 'saved 0.5 2 2 6' };
