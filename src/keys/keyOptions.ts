import { refuse, requireMembers } from '../gpu/arguments.ts';

/** Throws unless a key type can be made of that: what is missing would show in a call that knows nothing of it. */
export function requireKeyOptions(options: { readonly name: string }, functions: object): void {
  requireMembers(options, 'options', ['name', ...Object.keys(functions)]);
  if (typeof options.name !== 'string') refuse('name', 'a text', options.name);
  for (const [name, own] of Object.entries(functions)) {
    if (typeof own !== 'function') refuse(name, 'a function', own);
  }
}
