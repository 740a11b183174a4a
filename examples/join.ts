/**
 * Which rows of two tables belong together. What comes back are pairs of row numbers, so the tables stay as they are, and
 * only the columns that are wanted are looked at.
 */
import type { Gpu } from 'hashnest';
import { join, NO_ROW } from 'hashnest/relational';

const customers = { name: ['ada', 'bob', 'eve'], country: ['UK', 'NO', 'NO'] };
const orders = { customer: ['eve', 'ada', 'kim', 'eve'], cents: [900, 250, 7, 100] };

/** Every order with the country of its customer, where there is one. */
export async function ordersByCountry(gpu: Gpu): Promise<[cents: number, country: string][]> {
  const { left, right } = await join(gpu, orders.customer, customers.name, { how: 'left' });
  return Array.from(left, (order, pair) => {
    const customer = right[pair] as number;
    const country = customer === NO_ROW ? 'unknown' : (customers.country[customer] as string);
    return [orders.cents[order] as number, country]; // [900, 'NO'], [250, 'UK'], [7, 'unknown'], [100, 'NO']
  });
}
