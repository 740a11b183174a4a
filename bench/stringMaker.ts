/** Strings of 5 to 25 characters, uniformly distributed, as in Due et al. 2025, section 4; without gaps between them. */
import { type Gpu, type Recorder, record } from '../src/gpu/index.ts';
import type { KeyType } from '../src/keys/index.ts';
import { recordExclusiveScan, recordFill } from '../src/primitives/index.ts';
import { type Binding, kernel, storage, wgsl } from '../src/wgsl/index.ts';
import { indexAt, parameters, type WorkloadSeeds } from './generators.ts';
import type { KeyList, KeyMaker } from './keyMaker.ts';
import { scramble, scrambleBits, scrambleBitsTwin, scrambleTwin } from './scramble.ts';

const THREADS = 256;
const SHORTEST = 5;
const LONGEST = 25;
const LENGTHS = LONGEST - SHORTEST + 1;
/** Characters are 64 in a row of ASCII, from '0' to 'o': six bits each, and thirty bits make the shortest string. */
const FIRST_CHARACTER = 48;
const BITS = 6;
const SHORTEST_MASK = 2 ** (BITS * SHORTEST) - 1;
/** Offsets are 32-bit words. */
const MOST_ITEMS = Math.floor(2 ** 32 / LONGEST);

const lengthOf = wgsl`
fn lengthOf(index: u32) -> u32 {
  return ${SHORTEST}u + ${scramble}(index, ${parameters}.keySeed[1].xy) % ${LENGTHS}u;
}`;

// The first five characters are a permutation of the index, so they tell strings apart; those behind come in fives too.
const characterOf = wgsl`
fn characterOf(index: u32, at: u32) -> u32 {
  let five = at / ${SHORTEST}u;
  var bits = 0u;
  if (five == 0u) { bits = ${scrambleBits}(index, ${SHORTEST_MASK}u, ${parameters}.keySeed[0]); }
  else { bits = ${scramble}(index ^ (five << 28u), ${parameters}.keySeed[1].zw); }
  return ${FIRST_CHARACTER}u + extractBits(bits, (at % ${SHORTEST}u) * ${BITS}u, ${BITS}u);
}`;

/** Bit-identical to the string of `lengthOf` and `characterOf`. */
function stringTwin(index: number, { key: [first, [a, b, c, d]] }: WorkloadSeeds): string {
  const length = SHORTEST + (scrambleTwin(index, [a, b]) % LENGTHS);
  const characters = Array.from({ length }, (_, at) => {
    const five = Math.floor(at / SHORTEST);
    const bits =
      five === 0 ? scrambleBitsTwin(index, SHORTEST_MASK, first) : scrambleTwin(index ^ (five << 28), [c, d]);
    return FIRST_CHARACTER + ((bits >>> ((at % SHORTEST) * BITS)) & (2 ** BITS - 1));
  });
  return String.fromCharCode(...characters);
}

const offsets = storage('offsets', 'array<u32>', 'read_write');
const keys = storage('keys', 'array<vec2u>', 'read_write');
const bytes = storage('bytes', 'array<atomic<u32>>', 'read_write');

const measure = kernel({
  label: 'workload/lengths',
  threads: THREADS,
  body: wgsl`
  if (item < ${parameters}.items) { ${offsets}[item] = ${lengthOf}(${indexAt}(item)); }`,
});

// Strings share words with their neighbours.
const write = kernel({
  label: 'workload/strings',
  threads: THREADS,
  body: wgsl`
  if (item >= ${parameters}.items) { return; }
  let index = ${indexAt}(item);
  let length = ${lengthOf}(index);
  let offset = ${offsets}[item];
  ${keys}[item] = vec2u(offset, length);
  for (var at = 0u; at < length; at++) {
    let position = offset + at;
    atomicOr(&${bytes}[position / 4u], ${characterOf}(index, at) << (position % 4u * 8u));
  }`,
});

const totalOf = ({ workspace }: KeyList): GPUBuffer => workspace.scratch('workload/total', 4);

/** Records where every string begins, and in `totalOf` how many bytes all have. */
function recordOffsets(recorder: Recorder, list: KeyList): GPUBuffer {
  const { items, workspace } = list;
  const at = workspace.scratch('workload/offsets', items * 4);
  recorder.run(
    measure,
    [
      [parameters, list.parameters],
      [offsets, at],
    ],
    items,
  );
  recordExclusiveScan(recorder, { input: at, output: at, items, total: { buffer: totalOf(list) }, workspace });
  return at;
}

async function contextBytes(gpu: Gpu, list: KeyList): Promise<number> {
  const [sum] = await gpu.run(
    (encoder) => record(gpu, encoder, 'workload/offsets', (recorder) => recordOffsets(recorder, list)),
    [{ buffer: totalOf(list), bytes: 4 }],
  );
  return new Uint32Array(sum as ArrayBuffer)[0] as number;
}

/** Makes strings of any type that is a slice of bytes. */
export function stringMaker(type: KeyType): KeyMaker {
  if (!type.hasContext) throw new Error(`${type.name} keys are no slices of bytes`);
  return {
    type,
    mostItems: MOST_ITEMS,
    contextBytes,
    record: (recorder, list, to) => {
      const at = recordOffsets(recorder, list);
      const output = to.context as GPUBuffer;
      recordFill(recorder, { output, value: 0, items: output.size / 4 });
      recorder.run(
        write,
        [
          [parameters, list.parameters],
          [offsets, at],
          [keys, to.keys],
          [bytes, output],
        ],
        list.items,
      );
    },
    isKeyOf: (context) => wgsl`
fn isKeyOf(index: u32, key: vec2u) -> bool {
  let length = ${lengthOf}(index);
  if (key.y != length) { return false; }
  for (var at = 0u; at < length; at++) {
    let byte = key.x + at;
    let character = (${context as Binding}[byte / 4u] >> (byte % 4u * 8u)) & 0xffu;
    if (character != ${characterOf}(index, at)) { return false; }
  }
  return true;
}`,
    twins: (indices, seeds) => indices.map((index) => stringTwin(index, seeds)),
  };
}
