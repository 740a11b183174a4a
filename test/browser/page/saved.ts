/** One visit to a page that keeps its table in IndexedDB. */
import { prices } from '../../../examples/save-in-a-browser.ts';
import { Gpu } from '../../../src/index.ts';

/** A price, and how often the items had to be loaded. */
export async function visit(): Promise<{ price: number | undefined; loads: number }> {
  const gpu = await Gpu.open({ limits: 'default' });
  let loads = 0;
  const map = await prices(gpu, async () => {
    loads++;
    return { keys: new Uint32Array([7, 9]), values: new Float32Array([0.5, 2]) };
  });
  const price = await map.getOne(9);
  gpu.destroy();
  return { price, loads };
}
