import { describe, expect, it } from 'vitest';
import { grouped, rate, textTable } from '../../cli/textTable.ts';

describe('textTable', () => {
  it('aligns words to the left and numbers to the right', () => {
    const text = textTable(
      ['scheme', 'items', 'rate'],
      [
        ['linear', '1,000', '1.5 M/s'],
        ['a', '10', '12.0 G/s'],
      ],
    );
    expect(text.split('\n')).toEqual([
      'scheme  items      rate',
      '------  -----  --------',
      'linear  1,000   1.5 M/s',
      'a          10  12.0 G/s',
    ]);
  });

  it('is a header where there are no rows', () => {
    expect(textTable(['one', 'two'], [])).toBe('one  two\n---  ---');
  });
});

describe('numbers', () => {
  it('are grouped by thousands', () => expect(grouped(1234567)).toBe('1,234,567'));

  it.each([
    [1500, '1.5 k/s'],
    [2.5e6, '2.5 M/s'],
    [35.4e9, '35.4 G/s'],
  ])('%d items a second are %s', (items, text) => expect(rate(items)).toBe(text));
});
