import { refuse, requireMembers } from '../gpu/arguments.ts';

/** What a maker of key types takes beside a name. */
interface Members {
  readonly functions: readonly string[];
  readonly optionalFunctions: readonly string[];
  readonly others: readonly string[];
}

/** Throws unless a key type can be made of that: what is missing would show in a call that knows nothing of it. */
export function requireKeyOptions(options: unknown, { functions, optionalFunctions, others }: Members): void {
  requireMembers(options, 'options', ['name', ...functions, ...optionalFunctions, ...others]);
  const given = options as Readonly<Record<string, unknown>>;
  if (typeof given.name !== 'string') refuse('name', 'a text', given.name);
  for (const name of [...functions, ...optionalFunctions]) {
    const isLeftOut = given[name] === undefined && optionalFunctions.includes(name);
    if (!isLeftOut && typeof given[name] !== 'function') refuse(name, 'a function', given[name]);
  }
}
