import { refuse, requireOptions, within } from '../../gpu/index.ts';

/**
 * Throws for options that a scheme does not have, and for values that cannot be meant: all but `hash` are numbers.
 * @param words what may be named instead of a number, by option
 */
export function requireSchemeOptions(
  scheme: string,
  options: object,
  names: readonly string[],
  words: Readonly<Record<string, readonly string[]>> = {},
): void {
  within(scheme, () => {
    requireOptions(options, names);
    for (const [name, value] of Object.entries(options)) {
      const named = words[name] ?? [];
      if (name === 'hash') {
        if (value !== undefined && typeof value?.draw !== 'function') refuse(name, 'a hash family such as mix', value);
      } else if (value !== undefined && typeof value !== 'number' && !named.includes(value)) {
        refuse(name, ['a number', ...named.map((word) => `'${word}'`)].join(' or '), value);
      }
    }
  });
}
