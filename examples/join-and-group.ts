import type { Gpu } from 'hashnest';
import { groupBy, join, topK } from 'hashnest/relational';

/** What each country spent, the greatest first: orders joined with their customers, grouped by country. */
export async function spentByCountry(gpu: Gpu): Promise<[country: string, orders: number, cents: bigint][]> {
  const customers = { name: ['ada', 'bob', 'eve'], country: ['UK', 'NO', 'NO'] };
  const orders = {
    customer: ['eve', 'ada', 'bob', 'eve', 'kim'],
    cents: new Uint32Array([900, 250, 4_000_000_000, 100, 7]),
  };

  // Pairs of row numbers; the order of kim, who is no customer, is in none of them.
  const { left, right } = await join(gpu, orders.customer, customers.name);
  const country = Array.from(right, (row) => customers.country[row] as string);
  const cents = Uint32Array.from(left, (row) => orders.cents[row] as number);

  const { keys, values } = await groupBy(gpu, country, {
    values: { cents },
    combine: { n: 'count', total: { of: 'cents', combine: 'sum64' } },
  });
  const order = await topK(gpu, values.total, 10);
  return Array.from(order, (group) => [
    keys[group] as string,
    values.n[group] as number,
    values.total[group] as bigint,
  ]);
}
