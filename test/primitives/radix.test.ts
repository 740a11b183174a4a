import { describe, it } from 'vitest';
import { type Gpu, record, Workspace } from '../../src/gpu/index.ts';
import { sort } from '../../src/primitives/index.ts';
import { recordSortBy } from '../../src/primitives/sort.ts';
import { TestBuffers } from '../conformance/buffers.ts';
import { equalWords } from '../conformance/expect.ts';
import { primitiveCases } from '../conformance/primitives.ts';
import { indices, wordsBelow } from '../conformance/primitiveWords.ts';
import { pick } from '../oracles/primitives.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();
/** With the least workgroup memory. */
const small = await sharedGpu('default');

/** The same device, said to have subgroups of that many lanes, or none. */
const withSubgroups = (lanes: number | undefined): Gpu =>
  new Proxy(gpu, {
    get(target, name) {
      if (name === 'subgroupSize') return lanes;
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

/** A stable order by the lowest byte. */
function orderByByte(keys: Uint32Array): Uint32Array {
  const starts = new Uint32Array(257);
  for (const key of keys) starts[(key & 255) + 1] = (starts[(key & 255) + 1] as number) + 1;
  for (let digit = 0; digit < 256; digit++)
    starts[digit + 1] = (starts[digit + 1] as number) + (starts[digit] as number);
  const order = new Uint32Array(keys.length);
  for (const [i, key] of keys.entries()) {
    const place = starts[key & 255] as number;
    order[place] = i;
    starts[key & 255] = place + 1;
  }
  return order;
}

describe('a radix sort', () => {
  it.each(primitiveCases.filter(({ name }) => name.startsWith('sort')))('without subgroups: $name', ({ run }) =>
    run(withSubgroups(undefined)),
  );
  it('takes no subgroups that are larger than a word has bits', async () => {
    const keys = wordsBelow(5000);
    equalWords((await sort(withSubgroups(64), keys)).keys, keys.slice().sort(), 'keys');
  });
  it('sorts more tiles of items than few threads scan', async () => {
    const keys = wordsBelow(4_000_000);
    const order = orderByByte(keys);
    const sorted = await sort(gpu, keys, { values: indices(keys.length), bits: 8 });
    equalWords(sorted.keys, pick(keys, order), 'keys');
    equalWords(sorted.values as Uint32Array, order, 'values');
  });
  // Tiles of 3,840 or 5,632 items: whole chunks, chunks of one tile, and tiles that are not full.
  const sizes = [1, 3840, 3841, 5632, 3 * 3840, 3 * 5632, 25_001];
  const ways = [
    ['few', gpu],
    ['many', gpu],
    ['many', small],
  ] as const;
  it.each(sizes.flatMap((count) => ways.map(([name, device]) => [count, name, device] as const)))(
    'sorts %i items like %s, several tiles counted together',
    async (count, name, device) => {
      using buffers = new TestBuffers(device);
      using workspace = new Workspace(device);
      const words = wordsBelow(count);
      const [keys, values] = [buffers.upload(words), buffers.upload(indices(count))];
      const call = { keys, values, items: count, bits: 8, workspace };
      await device.run((encoder) =>
        record(device, encoder, 'sort', (recorder) => recordSortBy(recorder, call, name === 'many', 3)),
      );
      const order = orderByByte(words);
      equalWords(await buffers.read(keys, count), pick(words, order), 'keys');
      equalWords(await buffers.read(values, count), order, 'values');
    },
  );
});
