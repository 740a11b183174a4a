/** How many rows every key has, and their exact sum, in one go; then the groups with the greatest sums. */
import type { Gpu } from 'hashnest';
import { groupBy, topK } from 'hashnest/relational';

const orders = {
  country: ['NO', 'UK', 'NO', 'NO', 'FR'],
  cents: new Uint32Array([900, 250, 4_000_000_000, 100, 7]),
};

/** The two countries that spent most: how many orders they made, and what they spent. */
export async function spentMost(gpu: Gpu): Promise<[country: string, orders: number, cents: bigint][]> {
  const { keys, values } = await groupBy(gpu, orders.country, {
    values: { cents: orders.cents },
    combine: { n: 'count', total: { of: 'cents', combine: 'sum64' } }, // `sum` would wrap around at 2³²
  });
  const greatest = await topK(gpu, values.total, 2); // numbers of groups
  return Array.from(greatest, (group) => [
    keys[group] as string,
    values.n[group] as number,
    values.total[group] as bigint,
  ]); // ['NO', 3, 4000001000n], ['UK', 1, 250n]
}
