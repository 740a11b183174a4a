/**
 * Tables of Apache Arrow, joined and grouped.
 *
 * Orders get the country of their customers, and every country its sum: Arrow tables in, Arrow tables out. The GPU finds out which
 * rows belong together. Nulls follow SQL: an order without a customer has no partner, and a sum leaves out what is not known.
 */
import { Int32, Table, tableFromIPC, tableToIPC, Utf8, vectorFromArray } from 'apache-arrow';
import type { Gpu } from 'hashnest';
import { dictionaryEncode, groupBy, join, topK } from 'hashnest/arrow';

export async function spentByCountry(gpu: Gpu): Promise<Uint8Array> {
  const customers = new Table({
    name: vectorFromArray(['ada', 'bob', 'eve'], new Utf8()),
    country: await dictionaryEncode(gpu, vectorFromArray(['UK', 'NO', 'NO'], new Utf8())),
  });
  const orders = new Table({
    customer: vectorFromArray(['eve', 'ada', null, 'bob', 'eve'], new Utf8()),
    cents: vectorFromArray([900, 250, 7, null, 100], new Int32()),
  });
  // Record batches may come from anywhere, and stay where they are: nothing is joined into longer arrays first.
  const batches = tableFromIPC(tableToIPC(orders.concat(orders)));

  const joined = await join(gpu, batches, customers, { on: { customer: 'name' } });
  const totals = await groupBy(gpu, joined, {
    by: 'country',
    combine: { orders: 'count', paid: { of: 'cents', combine: 'count' }, cents: { of: 'cents', combine: 'sum' } },
  });
  return tableToIPC(await topK(gpu, totals, 10, { by: 'cents' }));
}
