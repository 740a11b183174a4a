/** What makes no key type is refused by the call that got it, and what a key type of somebody's own makes of keys by the call that they went to. */
import { describe, expect, it } from 'vitest';
import { bytesKey, HashSet, InvalidInputError, stringKey, wgsl, wordsKey } from '../../src/index.ts';
import { liveBuffers } from '../liveBuffers.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();

const accepts = () => true;
const pair = { name: 'pair', words: 2, accepts, encode: () => new Uint32Array(2), decode: () => [] };
const text = { name: 'text', accepts, encode: () => [new Uint8Array(3)], decode: () => [] };
const fold = wgsl`fn fold(bytes: u32) -> u32 { return bytes; }`;

const CALLS = { wordsKey, bytesKey, stringKey } as unknown as Record<string, (options: unknown) => never>;

describe('a key type is refused', () => {
  it.each([
    ['wordsKey', undefined, 'options must be an object'],
    ['wordsKey', { ...pair, ordr: () => [] }, 'options have no ordr; did you mean order?'],
    ['wordsKey', { ...pair, name: 7 }, 'name must be of the type string, not 7'],
    ['wordsKey', { ...pair, words: 0 }, 'words must be a whole number from 1 to 16, not 0'],
    ['wordsKey', { ...pair, words: 17 }, 'words must be a whole number from 1 to 16, not 17'],
    ['wordsKey', { ...pair, words: 1.5 }, 'words must be a whole number from 1 to 16, not 1.5'],
    ['wordsKey', { ...pair, words: '2' }, "words must be of the type number, not '2'"],
    ['wordsKey', { ...pair, encode: undefined }, 'encode must be of the type function, not undefined'],
    ['wordsKey', { ...pair, order: ['x'] }, 'order must be of the type function, not Array(1)'],
    ['wordsKey', { ...pair, coordinates: 3 }, 'coordinates must be as many as words, 2 to 4, not 3'],
    ['wordsKey', { ...pair, words: 1, coordinates: 1 }, 'coordinates must be as many as words, 2 to 4, not 1'],
    ['bytesKey', null, 'options must be an object'],
    ['bytesKey', { ...text, decode: undefined }, 'decode must be of the type function, not undefined'],
    ['bytesKey', { ...text, flod: fold }, 'options have no flod; did you mean fold?'],
    ['stringKey', 'text', "options must be an object { name, fold, foldTwin }, not 'text'"],
    ['stringKey', {}, 'name must be of the type string, not undefined'],
    ['stringKey', { name: 'text', fold: 'fn fold' }, "fold must be of the type object, not 'fn fold'"],
    ['stringKey', { name: 'text', fold: wgsl`1u` }, 'fold must be a function in WGSL'],
    ['stringKey', { name: 'text', fold, foldTwin: 1 }, 'foldTwin must be of the type function, not 1'],
  ])('by %s where it is made of %j', (name, options, message) => {
    const call = () => CALLS[name]?.(options);
    expect(call).toThrow(InvalidInputError);
    expect(call).toThrow(`${name}: ${message}`);
  });

  it.each([
    [{ ...pair, encode: () => [1, 2] }, 'what encode gives for pair keys must be a Uint32Array, not Array(2)'],
    [{ ...pair, encode: () => new Float32Array(2) }, 'must be a Uint32Array, not Float32Array(2)'],
    [{ ...pair, encode: () => undefined }, 'must be a Uint32Array, not undefined'],
    [{ ...pair, encode: async () => new Uint32Array(2) }, 'must be a Uint32Array, not Promise'],
    [{ ...text, encode: () => ['abc'] }, "what encode gives must be a Uint8Array for each key, not 'abc'"],
    [{ ...text, encode: () => [[1, 2]] }, 'what encode gives must be a Uint8Array for each key, not Array(2)'],
  ])('by the call that its keys went to, where they are encoded as something else', async (options, message) => {
    const key = ('words' in options ? wordsKey : bytesKey)(options as never);
    const { error, madeBytes } = await liveBuffers(gpu, () => HashSet.from(gpu, { keys: [[1, 2]] as never }, { key }));
    expect(madeBytes).toBe(0);
    expect(error).toBeInstanceOf(InvalidInputError);
    expect((error as Error).message).toContain('HashSet.from: what encode gives');
    expect((error as Error).message).toContain(message);
  });
});
