import { refuse, requireOptions, within } from '../../gpu/index.ts';

/** Throws for options that a scheme does not have, and for values that cannot be meant: all but `hash` are numbers. */
export function requireSchemeOptions(scheme: string, options: object, names: readonly string[]): void {
  within(scheme, () => {
    requireOptions(options, names);
    for (const [name, value] of Object.entries(options)) {
      if (name === 'hash') {
        if (value !== undefined && typeof value?.draw !== 'function') refuse(name, 'a hash family such as mix', value);
      } else if (value !== undefined && typeof value !== 'number') refuse(name, 'a number', value);
    }
  });
}
