import { describe, expect, it } from 'vitest';
import { describeScheme, parseSchemeChoice } from '../../bench/schemeChoice.ts';
import { InvalidInputError, type SchemeName } from '../../src/index.ts';

const parse = (text: string) => parseSchemeChoice(text, (name) => name as SchemeName);

describe('a scheme with options in brackets', () => {
  it.each([
    ['cuckoo', { name: 'cuckoo' }],
    ['cuckoo(functions=3)', { name: 'cuckoo', options: { functions: 3 } }],
    ['chaining(bucketsPerItem=0.5)', { name: 'chaining', options: { bucketsPerItem: 0.5 } }],
    ['robinHood(sequence=random, evict=false)', { name: 'robinHood', options: { sequence: 'random', evict: false } }],
  ])('is read and written: %s', (text, choice) => {
    const read = parse(text);
    expect(read).toEqual(choice);
    expect(describeScheme(read.name, read.options)).toBe(text);
  });

  it.each([
    ['cuckoo(function=3)', 'options have no function; did you mean functions?'],
    ['cuckoo(wings=3)', 'options have no wings; there are '],
    ['sortedArray(loadFactor=0.5)', 'options have no loadFactor; there are none'],
    ['cuckoo(functions=many)', 'functions must be a number'],
    ['robinHood(sequence=odd)', "sequence must be 'coherent', 'random' or 'stride'"],
    ['cuckoo(functions)', "'functions' is no option of a scheme: write it as in cuckoo(functions=3)"],
    ['cuckoo()', "'' is no option of a scheme"],
    ['cuckoo(functions=3,functions=4)', 'functions stands there twice'],
  ])('is refused: %s', (text, message) => {
    expect(() => parse(text)).toThrow(InvalidInputError);
    expect(() => parse(text)).toThrow(message);
  });
});
