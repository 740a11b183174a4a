/** Keys of fixed size. */
import { fromWords, type KeyType, wordAt, wordsOf, wordsType } from '../src/keys/index.ts';
import { join, kernel, storage, wgsl } from '../src/wgsl/index.ts';
import { indexAt, parameters, type WorkloadSeeds } from './generators.ts';
import type { KeyMaker } from './keyMaker.ts';
import { scramble, scrambleTwin, type WideSeed } from './scramble.ts';

const THREADS = 256;
/** Indices of absent keys reach twice the number of items, and have to be 32-bit words. */
const MOST_ITEMS = 2 ** 31;

// Of several words each lacks another bit of the index, so that no word alone tells keys apart, but any two do.
const without = wgsl`
fn without(index: u32, bit: u32) -> u32 {
  let below = (1u << bit) - 1u;
  return (index & below) | ((index >> 1u) & ~below);
}`;

function withoutTwin(index: number, bit: number): number {
  const below = (1 << bit) - 1;
  return ((index & below) | ((index >>> 1) & ~below)) >>> 0;
}

/** Makes keys of one to four words: words as they lie in a buffer, so any bits will do. */
export function wordsMaker(type: KeyType): KeyMaker {
  const { words } = type;
  const keys = storage('keys', wgsl`array<${wordsType(words)}>`, 'read_write');
  const keyOf = wgsl`
fn keyOf(index: u32) -> ${wordsType(words)} {
  return ${fromWords(
    Array.from({ length: words }, (_, i) => {
      const seed = `keySeed[${i >> 1}].${i % 2 === 0 ? 'xy' : 'zw'}`;
      return wgsl`${scramble}(${words === 1 ? 'index' : wgsl`${without}(index, ${i}u)`}, ${parameters}.${seed})`;
    }),
  )};
}`;
  const makeKeys = kernel({
    label: `workload/${type.name}`,
    threads: THREADS,
    body: wgsl`
  if (item < ${parameters}.items) { ${keys}[item] = ${keyOf}(${indexAt}(item)); }`,
  });
  const wordTwin = (index: number, i: number, { key }: WorkloadSeeds): number => {
    const [a, b, c, d] = key[i >> 1] as WideSeed;
    return scrambleTwin(words === 1 ? index : withoutTwin(index, i), i % 2 === 0 ? [a, b] : [c, d]);
  };
  return {
    type,
    mostItems: MOST_ITEMS,
    contextBytes: async () => 0,
    record: (recorder, list, to) =>
      recorder.run(
        makeKeys,
        [
          [parameters, list.parameters],
          [keys, to.keys],
        ],
        list.items,
      ),
    isKeyOf: () => wgsl`
fn isKeyOf(index: u32, key: ${wordsType(words)}) -> bool {
  let made = ${keyOf}(index);
  return ${join(
    wordsOf(words, 'made').map((word, i) => wgsl`${word} == ${wordAt(words, 'key', i)}`),
    ' && ',
  )};
}`,
    twins: (indices, seeds) =>
      type.decode(
        Uint32Array.from({ length: indices.length * words }, (_, at) =>
          wordTwin(indices[Math.floor(at / words)] as number, at % words, seeds),
        ),
      ),
  };
}
