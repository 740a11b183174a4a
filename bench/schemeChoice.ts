/** Schemes as they are asked for and recorded: a name, and the options that are not as usual. */
import { InvalidInputError, type Scheme, type SchemeName, schemes } from '../src/index.ts';

export type SchemeOptions = Readonly<Record<string, number | boolean | string>>;

/** A scheme, with options of its own. */
export interface SchemeChoice {
  readonly name: SchemeName;
  readonly options?: SchemeOptions | undefined;
}

/** `cuckoo`, or `cuckoo(functions=3, stashSlots=0)`. */
export function describeScheme(name: string, options: SchemeOptions = {}): string {
  const named = Object.entries(options).map(([option, value]) => `${option}=${value}`);
  return named.length === 0 ? name : `${name}(${named.join(', ')})`;
}

/** Makes a scheme with such options; one that it does not know is an `InvalidInputError`. */
export const schemeWith = (name: SchemeName, options: object = {}): Scheme =>
  (schemes[name] as (options?: object) => Scheme)(options);

/** What `describeScheme` writes, read again. Options that the scheme does not have are an `InvalidInputError`. */
export function parseSchemeChoice(text: string, parseName: (name: string) => SchemeName): SchemeChoice {
  const [, name = text, written] = /^([^(]*)\((.*)\)$/s.exec(text) ?? [];
  const choice = { name: parseName(name.trim()) };
  if (written === undefined) return choice;
  const options: Record<string, number | boolean | string> = {};
  for (const part of written.split(',')) {
    const [, option, value] = /^\s*(\w+)\s*=\s*(\S+)\s*$/.exec(part) ?? [];
    if (option === undefined || value === undefined) {
      throw new InvalidInputError(`'${part.trim()}' is no option of a scheme: write it as in cuckoo(functions=3)`);
    }
    if (option in options) throw new InvalidInputError(`${text}: ${option} stands there twice`);
    options[option] = optionValue(value);
  }
  schemeWith(choice.name, options);
  return { ...choice, options };
}

function optionValue(text: string): number | boolean | string {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^\d+(\.\d+)?(e\d+)?$/i.test(text) ? Number(text) : text;
}
