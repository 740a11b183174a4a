/** Every call of the encoder face, with each of its buffers, counts and targets replaced by what it does not take. */
import { afterAll, describe, expect, it } from 'vitest';
import { SparseImage, SparsePaint, SparseVolume } from '../../src/apps.ts';
import {
  Aggregate,
  DynamicIndex,
  DynamicMap,
  DynamicSet,
  encodeCompact,
  encodeExclusiveScan,
  encodeFill,
  encodeGatherRows,
  encodeHistogram,
  encodeSort,
  HashMap,
  HashnestError,
  HashSet,
  KeyIndex,
  linearProbing,
  MultiMap,
  u32,
  valueTypes,
} from '../../src/index.ts';
import { JoinTable } from '../../src/relational.ts';
import { SpatialGrid } from '../../src/spatial.ts';
import { watchBuffers } from '../liveBuffers.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();
const scheme = linearProbing();
const words = Uint32Array.of(1, 2, 3);
const items = { keys: words, values: words };
const unusable = gpu.createBuffer('test/unusable', 8192, 0x8);
const tiny = gpu.device.createBuffer({ label: 'test/tiny', size: 4, usage: 0x80 });
const made: { destroy(): void }[] = [unusable, tiny];
const keep = <T extends { destroy(): void }>(one: T): T => {
  made.push(one);
  return one;
};
/** A buffer of its own for every member. */
const room = () => keep(gpu.createBuffer('test', 8192));
const place = () => ({ buffer: room() });

const map = keep(await HashMap.from(gpu, items, { scheme }));
const set = keep(await HashSet.from(gpu, { keys: words }, { scheme }));
const index = keep(await KeyIndex.from(gpu, { keys: words }, { scheme }));
const multi = keep(await MultiMap.from(gpu, items, { scheme }));
const sums = keep(await Aggregate.from(gpu, items, { scheme, combine: 'sum' }));
const livingMap = keep(await DynamicMap.create(gpu, { key: u32, reserve: 100 }));
const livingSet = keep(await DynamicSet.create(gpu, { key: u32, reserve: 100 }));
const livingIndex = keep(await DynamicIndex.create(gpu, { key: u32, reserve: 100 }));
const volume = keep(await SparseVolume.from(gpu, { width: 3, height: 1, depth: 1, voxels: words }));
const paint = keep(await SparsePaint.create(gpu, { width: 4, height: 4, most: 64 }));
const grid = keep(await SpatialGrid.from(gpu, { points: new Float32Array(9) }, { radius: 1 }));
const grouped = keep(await SpatialGrid.from(gpu, { points: new Float32Array(9), groups: words }, { radius: 1 }));
const table = keep(await JoinTable.from(gpu, words));
const image = keep(await encodedImage());
afterAll(() => {
  for (const one of made) one.destroy();
});

async function encodedImage(): Promise<SparseImage> {
  const input = { width: 3, height: 2, pixels: room() };
  const built: SparseImage[] = [];
  await gpu.run((encoder) => built.push(SparseImage.encodeBuild(gpu, encoder, input)));
  return (built[0] as SparseImage).settle() as Promise<SparseImage>;
}

type Target = GPUCommandEncoder;
type Call = readonly [call: (target: Target, args: never) => unknown, args: () => object];
const call = <A extends object>(run: (target: Target, args: A) => unknown, args: () => A): Call => [run as never, args];

const setInput = () => ({ keys: room(), count: 3 });
const mapInput = () => ({ keys: room(), values: room(), count: 3 });
const search = () => ({ queries: room(), values: room(), found: room(), count: 3 });
const hasSearch = () => ({ queries: room(), found: room(), count: 3 });
const listing = () => ({ keys: room(), count: place() });
const entryList = () => ({ keys: room(), values: room(), count: place() });
const points = () => ({ points: room(), count: 3 });
const columns = () => ({ columns: { values: room(), key: u32 }, count: 3 });
const columnsWithNulls = () => ({ columns: { values: room(), key: u32, valid: room() }, count: 3 });
const options = { scheme, key: u32 } as never;

const CALLS: Record<string, Call> = {
  encodeFill: call(
    (target, args) => encodeFill(gpu, target, args),
    () => ({ output: room(), value: 7, count: 3 }),
  ),
  encodeExclusiveScan: call(
    (target, args) => encodeExclusiveScan(gpu, target, args),
    () => ({ input: room(), output: room(), total: place(), count: 3 }),
  ),
  encodeCompact: call(
    (target, args) => encodeCompact(gpu, target, args),
    () => ({ values: room(), flags: room(), output: room(), total: place(), count: 3 }),
  ),
  encodeHistogram: call(
    (target, args) => encodeHistogram(gpu, target, args),
    () => ({ values: room(), output: room(), bins: 3, count: 3 }),
  ),
  encodeSort: call(
    (target, args) => encodeSort(gpu, target, args),
    () => ({ keys: room(), values: room(), count: 3 }),
  ),
  encodeGatherRows: call(
    (target, args) => encodeGatherRows(gpu, target, args),
    () => ({ rows: room(), rowWords: 2, indices: room(), output: room(), count: 3 }),
  ),
  'HashMap.encodeBuild': call((target, args) => keep(HashMap.encodeBuild(gpu, target, args, options)), mapInput),
  'HashSet.encodeBuild': call((target, args) => keep(HashSet.encodeBuild(gpu, target, args, options)), setInput),
  'KeyIndex.encodeBuild': call((target, args) => keep(KeyIndex.encodeBuild(gpu, target, args, options)), setInput),
  'MultiMap.encodeBuild': call((target, args) => keep(MultiMap.encodeBuild(gpu, target, args, options)), mapInput),
  'Aggregate.encodeBuild': call(
    (target, args) =>
      keep(Aggregate.encodeBuild(gpu, target, args, { scheme, key: u32, value: valueTypes.u32, combine: 'sum' })),
    mapInput,
  ),
  'HashMap.encodeRebuild': call((target, args) => map.encodeRebuild(target, args), mapInput),
  'HashSet.encodeRebuild': call((target, args) => set.encodeRebuild(target, args), setInput),
  'KeyIndex.encodeRebuild': call((target, args) => index.encodeRebuild(target, args), setInput),
  'MultiMap.encodeRebuild': call((target, args) => multi.encodeRebuild(target, args), mapInput),
  'Aggregate.encodeRebuild': call((target, args) => sums.encodeRebuild(target, args), mapInput),
  'HashMap.encodeGet': call((target, args) => map.encodeGet(target, args), search),
  'HashMap.encodeEntries': call((target, args) => map.encodeEntries(target, args), entryList),
  'HashSet.encodeHas': call((target, args) => set.encodeHas(target, args), hasSearch),
  'HashSet.encodeKeys': call((target, args) => set.encodeKeys(target, args), listing),
  'KeyIndex.encodeHas': call((target, args) => index.encodeHas(target, args), hasSearch),
  'KeyIndex.encodeKeys': call((target, args) => index.encodeKeys(target, args), listing),
  'KeyIndex.encodeIds': call(
    (target, args) => index.encodeIds(target, args),
    () => ({ queries: room(), ids: room(), found: room(), count: 3 }),
  ),
  'KeyIndex.encodeKeysOf': call(
    (target, args) => index.encodeKeysOf(target, args),
    () => ({ ids: room(), keys: room(), count: 3 }),
  ),
  'KeyIndex.encodeEntries': call(
    (target, args) => index.encodeEntries(target, args),
    () => ({ keys: room(), ids: room(), count: place() }),
  ),
  'MultiMap.encodeCount': call(
    (target, args) => multi.encodeCount(target, args),
    () => ({ queries: room(), counts: room(), starts: room(), count: 3 }),
  ),
  'MultiMap.encodeRetrieve': call(
    (target, args) => multi.encodeRetrieve(target, args),
    () => ({ queries: room(), offsets: room(), values: room(), total: place(), count: 3, capacity: 3 }),
  ),
  'MultiMap.encodeEntries': call((target, args) => multi.encodeEntries(target, args), entryList),
  'Aggregate.encodeGet': call((target, args) => sums.encodeGet(target, args), search),
  'Aggregate.encodeEntries': call((target, args) => sums.encodeEntries(target, args), entryList),
  'DynamicMap.encodeInsert': call(
    (target, args) => livingMap.encodeInsert(target, args),
    () => ({ keys: room(), values: room(), found: room(), left: room(), count: 3 }),
  ),
  'DynamicMap.encodeDelete': call(
    (target, args) => livingMap.encodeDelete(target, args),
    () => ({ keys: room(), found: room(), count: 3 }),
  ),
  'DynamicMap.encodeGet': call((target, args) => livingMap.encodeGet(target, args), search),
  'DynamicMap.encodeEntries': call((target, args) => livingMap.encodeEntries(target, args), entryList),
  'DynamicSet.encodeInsert': call(
    (target, args) => livingSet.encodeInsert(target, args),
    () => ({ keys: room(), found: room(), left: room(), count: 3 }),
  ),
  'DynamicSet.encodeHas': call((target, args) => livingSet.encodeHas(target, args), hasSearch),
  'DynamicSet.encodeKeys': call((target, args) => livingSet.encodeKeys(target, args), listing),
  'DynamicIndex.encodeActivate': call(
    (target, args) => livingIndex.encodeActivate(target, args),
    () => ({ keys: room(), ids: room(), fresh: room(), left: room(), count: 3 }),
  ),
  'DynamicIndex.encodeRelease': call(
    (target, args) => livingIndex.encodeRelease(target, args),
    () => ({ keys: room(), found: room(), count: 3 }),
  ),
  'DynamicIndex.encodeIds': call(
    (target, args) => livingIndex.encodeIds(target, args),
    () => ({ queries: room(), ids: room(), count: 3 }),
  ),
  'DynamicIndex.encodeEntries': call(
    (target, args) => livingIndex.encodeEntries(target, args),
    () => ({ keys: room(), ids: room(), count: place() }),
  ),
  'SparseImage.encodeBuild': call(
    (target, args) => keep(SparseImage.encodeBuild(gpu, target, args)),
    () => ({ width: 3, height: 2, pixels: room(), most: 3 }),
  ),
  'SparseImage.encodeRebuild': call(
    (target, args) => image.encodeRebuild(target, args),
    () => ({ pixels: room() }),
  ),
  'SparseImage.encodeUnpack': call(
    (target, args) => image.encodeUnpack(target, args),
    () => ({ output: room() }),
  ),
  'SparseVolume.encodeBuild': call(
    (target, args) => keep(SparseVolume.encodeBuild(gpu, target, args)),
    () => ({ width: 3, height: 2, depth: 1, voxels: room(), most: 3 }),
  ),
  'SparseVolume.encodeSlice': call(
    (target, args) => volume.encodeSlice(target, args),
    () => ({ origin: [0, 0, 0], u: [1, 0, 0], v: [0, 1, 0], width: 3, height: 1, output: room() }) as never,
  ),
  'SparsePaint.encodePaint': call(
    (target, args) => paint.encodePaint(target, args),
    () => ({ points: room(), colours: room(), count: 3 }),
  ),
  'SpatialGrid.encodeBuild': call(
    (target, args) => keep(SpatialGrid.encodeBuild(gpu, target, args, { radius: 1 })),
    points,
  ),
  'SpatialGrid.encodeRebuild': call((target, args) => grid.encodeRebuild(target, args), points),
  'SpatialGrid.encodeRebuild, with groups': call(
    (target, args) => grouped.encodeRebuild(target, args),
    () => ({ ...points(), groups: room() }),
  ),
  'JoinTable.encodeBuild': call((target, args) => keep(JoinTable.encodeBuild(gpu, target, args)), columnsWithNulls),
  'JoinTable.encodeRebuild': call((target, args) => table.encodeRebuild(target, args), columns),
  'JoinTable.encodeJoin': call(
    (target, args) => table.encodeJoin(target, args as never),
    () => ({ ...columnsWithNulls(), leftRows: room(), rightRows: room(), total: place(), capacity: 3 }),
  ),
};

/** Paths to all members of arguments, those of objects within them too. */
const pathsOf = (args: object): string[][] =>
  Object.entries(args).flatMap(([name, value]) =>
    value && Object.getPrototypeOf(value) === Object.prototype
      ? pathsOf(value).map((path) => [name, ...path])
      : [[name]],
  );
const at = (args: object, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], args);
const replaced = (args: object, [name = '', ...rest]: readonly string[], value: unknown): object => ({
  ...args,
  [name]: rest.length > 0 ? replaced((args as Record<string, object>)[name] as object, rest, value) : value,
});
const isBuffer = (value: unknown): boolean => 'mapState' in Object(value);
/** Members for which one word is enough. */
const MAY_BE_SMALL = ['total', 'count', 'rows', 'valid'];

/** What is refused, and the member that the message names. */
function wrongArguments(args: object): [what: string, args: object, member: string][] {
  return pathsOf(args).flatMap((path) => {
    const [member = ''] = path;
    const wrong = (what: string, value: unknown): [string, object, string] => [
      `${path.join('.')}: ${what}`,
      replaced(args, path, value),
      member,
    ];
    if (isBuffer(at(args, path))) {
      return [
        wrong('an array', words),
        wrong('a buffer that kernels cannot use', unusable),
        ...(path.some((name) => MAY_BE_SMALL.includes(name)) ? [] : [wrong('a small buffer', tiny)]),
      ];
    }
    if (['count', 'capacity', 'most', 'bins', 'rowWords', 'value'].includes(member)) {
      const counted = [wrong('half', 1.5), wrong('less than nothing', -1), wrong('text', '3')];
      return member === 'most' || member === 'value' || member === 'rowWords'
        ? counted
        : [...counted, wrong('far too many', 2 ** 31)];
    }
    return [];
  });
}

/** Checks that a call throws an error of the library's that names the member, and makes nothing. */
function checkRefused(run: () => unknown, what: string, member: RegExp): void {
  const watched = watchBuffers(gpu);
  try {
    let error: unknown;
    try {
      run();
    } catch (thrown) {
      error = thrown;
    }
    expect(error, what).toBeInstanceOf(HashnestError);
    expect((error as Error).message, what).toMatch(member);
    expect(watched.madeBytes(), what).toBe(0);
  } finally {
    watched.restore();
  }
}

describe.each(Object.entries(CALLS))('%s', (_, [run, makeArgs]) => {
  it('takes buffers, and nothing else in their place', () => {
    const args = makeArgs();
    run(gpu.device.createCommandEncoder(), args as never);
    const target = gpu.device.createCommandEncoder();
    for (const [what, wrong, member] of wrongArguments(args)) {
      // Rooms are told by what is too small, or by the count that is too great.
      const named = new RegExp(`${member}|count|room`);
      checkRefused(() => run(target, wrong as never), what, named);
    }
    checkRefused(() => run(gpu.device as never, args as never), 'a device as target', /target must be/);
    checkRefused(() => run(undefined as never, args as never), 'no target', /target must be/);
    // What was refused has left no mark on it.
    target.finish();
  });
});
