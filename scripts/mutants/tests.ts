/** Which tests look at a file of `src/`: those of its own first, then a part of the conformance list. */

/** Files of tests by how their paths begin, and which of their tests. */
export interface Stage {
  readonly files: readonly string[];
  /** A regular expression for names of tests. Default: all. */
  readonly only?: string;
}

/** The conformance list, the rest of it too. */
const LIST = ['test/everyScheme/part', 'test/full/part'];
const list = (only: string): Stage => ({ files: LIST, only });
const everyday = list('linearProbing u32');
/** Arguments that make no sense, and calls of which something fails: what they leave behind. */
const mishaps: Stage = {
  files: ['test/arguments', 'test/gpu/injectedFailures', 'test/gpu/failingCalls', 'test/gpu/spareBuffers'],
};

/** Every public call with what it does not take: what is true of many rooms at once. */
const everyCall: Stage = { files: ['test/arguments/'] };

/** Tables that live, what takes seconds first; histories of all kinds take a minute or two. */
const livingTables: Stage = { files: ['test/dynamic/table', 'test/dynamic/wholeBatches', 'test/dynamic/strings'] };
const livingHistories: Stage = { files: ['test/dynamic/histories', 'test/dynamic/fullTables'] };
const livingBatches: Stage = { files: ['test/dynamic/encoder', 'test/dynamic/index'] };

/** By how paths begin, the first that fits. */
const STAGES: readonly (readonly [string, ...Stage[]])[] = [
  ['src/gpu/device/', { files: ['test/gpu/device/', 'test/gpu/gpu'] }],
  [
    'src/gpu/',
    { files: ['test/gpu/', 'test/arguments'] },
    everyday,
    { files: ['test/collections/prepare'], only: 'without being called|recorded builds|refuses|is rejected' },
  ],
  ['src/wgsl/', { files: ['test/wgsl/'] }, everyday],
  ['src/hashing/', { files: ['test/hashing/', 'test/keys/'] }, list('linearProbing (u32|utf8)')],
  [
    'src/keys/',
    { files: ['test/keys/', 'test/table/source', 'test/arguments'] },
    list('linearProbing (utf8|vec3i|u64|i32)'),
    {
      files: ['test/collections/strings', 'test/primitives/sortKeys', 'test/schemes/views', 'test/table/saved/forged'],
    },
  ],
  ['src/primitives/', { files: ['test/primitives/'] }, everyday, everyCall],
  ['src/schemes/openAddressing/', list('(linearProbing|quadraticProbing|doubleHashing) (u32|u64)')],
  ['src/schemes/sortedArray/', { files: ['test/schemes/sortedTables'] }, list('sortedArray')],
  ['src/schemes/eytzinger/', { files: ['test/schemes/eytzinger'] }, list('eytzinger')],
  [
    'src/schemes/regionCuckoo/',
    livingTables,
    { files: ['test/schemes/regionCuckoo', 'test/dynamic/encoder', 'test/dynamic/faces'] },
    livingHistories,
  ],
  [
    'src/schemes/dyCuckoo/',
    livingTables,
    { files: ['test/schemes/dyCuckoo', 'test/dynamic/encoder', 'test/dynamic/faces'] },
    livingHistories,
  ],
  [
    'src/schemes/kit/quick/',
    { files: ['test/schemes/bucketCuckoo', 'test/schemes/regionCuckoo'] },
    list('bucketCuckoo u(32|64)'),
  ],
  ['src/schemes/kit/batch/', livingTables, livingBatches, livingHistories],
  ['src/schemes/contract/dynamic', livingTables, livingBatches],
  [
    'src/schemes/contract/',
    { files: ['test/schemes/views', 'test/schemes/registry', 'test/table/'] },
    list('(linearProbing|bucketCuckoo) u32'),
  ],
  [
    'src/schemes/kit/partition/',
    { files: ['test/schemes/bucketCuckoo', 'test/schemes/regionCuckoo'] },
    list('bucketCuckoo u(32|64)'),
  ],
  ['src/schemes/kit/bucketValues', { files: ['test/dynamic/index'] }],
  [
    'src/schemes/kit/bucket.',
    { files: ['test/schemes/bucketCuckoo', 'test/schemes/regionCuckoo', 'test/schemes/dyCuckoo'] },
    list('bucketCuckoo u(32|64)'),
  ],
  ['src/schemes/kit/sorted', { files: ['test/schemes/sortedTables'] }, list('(sortedArray|eytzinger) u(32|64)')],
  [
    'src/schemes/kit/',
    { files: ['test/schemes/oddKeys', 'test/schemes/sortedTables'] },
    list('(linearProbing|perfect|cuckoo) u(32|64)'),
  ],
  ['src/table/saved/', { files: ['test/table/saved'] }, list('linearProbing (u32|utf8)'), mishaps],
  ['src/table/hostBuilds', { files: ['test/schemes/perfectSpatial'] }, list('perfectSpatial'), mishaps],
  [
    'src/table/',
    { files: ['test/table/', 'test/gpu/memory', 'test/gpu/lost'] },
    list('linearProbing (u32|utf8)'),
    mishaps,
    { files: ['test/properties', 'test/collections/turns', 'test/collections/strings'] },
  ],
  [
    'src/dynamic/',
    { files: ['test/dynamic/context', 'test/dynamic/injectedFailures'] },
    livingTables,
    livingBatches,
    {
      files: ['test/dynamic/arguments', 'test/dynamic/faces', 'test/dynamic/saved', 'test/gpu/lost', 'test/gpu/memory'],
    },
    everyCall,
  ],
  [
    'src/collections/dynamic/',
    { files: ['test/dynamic/arguments', 'test/dynamic/faces', 'test/dynamic/requests'] },
    livingBatches,
    { files: ['test/dynamic/saved', 'test/dynamic/injectedFailures', 'test/gpu/lost'] },
    everyCall,
  ],
  ['src/collections/', { files: ['test/collections/'] }, everyday, mishaps],
  ['src/apps/', { files: ['test/apps/'] }, everyCall],
  ['src/relational/', { files: ['test/relational/'] }, everyCall],
  ['src/spatial/', { files: ['test/spatial/'] }, everyCall],
  ['src/bridges/arrow/', { files: ['test/bridges/arrow/'] }],
  ['src/bridges/kit/', { files: ['test/bridges/'] }],
  ['src/bridges/typegpu/', { files: ['test/bridges/typegpu/'] }],
  // A renderer of three.js needs a page: what is asked in Chromium alone is not asked here.
  ['src/bridges/three/', { files: ['test/bridges/three/'] }],
];

export function stagesOf(path: string): readonly Stage[] {
  const [, ...stages] = STAGES.find(([beginning]) => path.startsWith(beginning)) ?? [];
  if (!path.startsWith('src/schemes/')) return stages.length > 0 ? stages : [everyday];
  const sizes = { files: ['test/schemes/plannedSizes'] };
  if (stages.length > 0) return [sizes, ...stages];
  const [, scheme] = /^src\/schemes\/(\w+)\//.exec(path) ?? [];
  return scheme === undefined ? [everyday] : [sizes, { files: [`test/schemes/${scheme}`] }, list(`${scheme} `)];
}
