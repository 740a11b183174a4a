/**
 * How often `twoLevelCuckoo` begins again, and how many rounds its buckets take, over many builds from random keys: the
 * statistics of Alcantara et al. 2009, sections 4.1 and 7 (the same in Alcantara 2011, sections 5.2.2 and 5.5).
 *
 *   npx tsx bench/twoLevelRestarts.ts --items 1000000 --builds 25000 --capacity 512
 */
import { parseArgs } from 'node:util';
import { extentCount, knownExtent } from '../src/gpu/index.ts';
import { randomWords } from '../src/hashing/index.ts';
import { Gpu, HashSet, kernel, mix, record, storage, twoLevelCuckoo, u32, uniform, wgsl } from '../src/index.ts';

const { values: flags } = parseArgs({
  options: {
    items: { type: 'string', default: '100000' },
    builds: { type: 'string', default: '20' },
    capacity: { type: 'string', default: '512' },
    seed: { type: 'string', default: '1' },
  },
});
const [items, builds, capacity, seed] = [flags.items, flags.builds, flags.capacity, flags.seed].map(Number) as [
  number,
  number,
  number,
  number,
];

const keys = storage('keys', 'array<u32>', 'read_write');
const constants = uniform('constants', 'vec4u');

/** The hash of one word is a bijection, so these are distinct; and they are drawn anew with the constants. */
const drawKeys = kernel({
  label: 'twoLevelRestarts/draw',
  threads: 256,
  body: wgsl`
  if (item < ${extentCount}) { ${keys}[item] = ${mix.hash(1)}(item, ${constants}).x; }`,
});

const gpu = await Gpu.open();
const random = randomWords(seed);
const keyBuffer = gpu.createBuffer('twoLevelRestarts/keys', items * 4);
const scheme = twoLevelCuckoo({ bucketCapacity: capacity as 512 | 1024 | 2048 });
const bucketSlots = (capacity / 8) * 9;

let set: HashSet<Uint32Array> | undefined;
let [buckets, restartedBuilds, growths, attempts, rounds, bucketRestarts] = [0, 0, 0, 0, 0, 0];
for (let build = 0; build < builds; build++) {
  await gpu.run((encoder) =>
    record(gpu, encoder, 'twoLevelRestarts', (recorder) => {
      const extent = knownExtent(gpu, items);
      const drawn = gpu.constants(...mix.draw(random));
      recorder.run(
        drawKeys,
        [
          [keys, keyBuffer],
          [constants, drawn],
          [extentCount, extent.count],
        ],
        extent,
      );
    }),
  );
  const input = { keys: keyBuffer, count: items };
  if (set) await set.rebuild(input);
  else set = await HashSet.from(gpu, input, { key: u32, scheme, duplicates: 'unique' });
  const { report } = set;
  buckets += set.capacitySlots / bucketSlots;
  restartedBuilds += Number(report.attempts > 1);
  attempts += report.attempts;
  growths += report.growths;
  rounds += report.rounds;
  bucketRestarts += report.restarts;
}

const percent = (part: number, whole: number) => `${((100 * part) / whole).toFixed(3)}%`;
console.log(`${gpu.info.description}: ${builds} builds of ${items} random keys, buckets of at most ${capacity}`);
console.log(`  phase one begun again: ${restartedBuilds} builds (${percent(restartedBuilds, builds)})`);
console.log(`  attempts: ${attempts}, growths: ${growths}`);
console.log(`  rounds: ${(rounds / buckets).toFixed(3)} a bucket on average`);
console.log(`  buckets begun again: ${bucketRestarts} of ${buckets} (${percent(bucketRestarts, buckets)})`);
set?.destroy();
gpu.destroy();
