import { Binding, Wgsl, type WgslPart } from './fragment.ts';

/** Where the linked text is going to live. */
export interface LinkOptions {
  /** The bind group that all bindings go to. Default 0. */
  readonly group?: number;
  /** The number of the first binding; the others follow. Default 0. */
  readonly firstBinding?: number;
  /** Buffers that someone else declares, and how they are called there. */
  readonly external?: ReadonlyMap<Binding, string>;
  /** Put before every name, so that the text can stand beside someone else's: `prices` gives `prices_find`. */
  readonly prefix?: string;
}

/** Linked WGSL. */
export interface Linked {
  readonly code: string;
  /** The buffers that the code uses, in the order of their binding numbers. */
  readonly bindings: readonly Binding[];
  /** How a declaration or binding came to be spelled in `code`. */
  nameOf(part: Wgsl | Binding): string;
}

/**
 * Joins fragments and all they depend on into one text. Every declaration gets a spelling of its own: two fragments that
 * both declare `find` become `find` and `find_1`, and a spelling that anyone uses as a local name is avoided, because a
 * local would shadow it.
 */
export function link(roots: readonly Wgsl[], options: LinkOptions = {}): Linked {
  const { group = 0, firstBinding = 0, prefix, external = new Map<Binding, string>() } = options;
  const declarations = collect(roots).filter((part) => !(part instanceof Binding && external.has(part)));
  const taken = new Set([...localNames(declarations), ...external.values()]);
  const names = new Map<Wgsl | Binding, string>(external);
  for (const part of declarations) {
    const wanted = part instanceof Binding ? part.name : (part.declares as string);
    const base = prefix === undefined ? wanted : `${prefix}_${wanted}`;
    let name = base;
    for (let i = 1; taken.has(name); i++) name = `${base}_${i}`;
    taken.add(name);
    names.set(part, name);
  }

  const nameOf = (part: Wgsl | Binding): string => {
    const name = names.get(part);
    if (name === undefined) throw new Error('hashnest: this fragment is not part of the linked module');
    return name;
  };
  const spell = (part: WgslPart): string => {
    if (part instanceof Wgsl) return part.declares === undefined ? expand(part) : nameOf(part);
    if (part instanceof Binding) return nameOf(part);
    return String(part);
  };
  const expand = (fragment: Wgsl): string =>
    fragment.texts.reduce((text, next, i) => text + spell(fragment.parts[i - 1] as WgslPart) + next);

  const bindings = declarations.filter((part) => part instanceof Binding);
  const lines = declarations.map((part) => {
    if (part instanceof Binding) {
      const space = part.access === 'uniform' ? 'uniform' : `storage, ${part.access}`;
      const number = firstBinding + bindings.indexOf(part);
      return `@group(${group}) @binding(${number}) var<${space}> ${nameOf(part)}: ${spell(part.type)};`;
    }
    return renamed(part, expand(part), nameOf(part)).trim();
  });
  return { code: `${lines.join('\n')}\n`, bindings, nameOf };
}

/** Whether fragments use a name for something of their own: nobody else's declaration could then be seen under it. */
export const usesName = (roots: readonly Wgsl[], name: string): boolean => localNames(collect(roots)).has(name);

/** All declarations and bindings below the roots, each after what it depends on. */
function collect(roots: readonly Wgsl[]): (Wgsl | Binding)[] {
  const order = new Set<Wgsl | Binding>();
  const visit = (part: WgslPart): void => {
    if (typeof part === 'string' || typeof part === 'number' || order.has(part)) return;
    if (part instanceof Binding) visit(part.type);
    else for (const inner of part.parts) visit(inner);
    if (part instanceof Binding || part.declares !== undefined) order.add(part);
  };
  for (const root of roots) visit(root);
  return [...order];
}

const IDENTIFIER = /[A-Za-z_]\w*/g;

/** Every identifier that stands as plain text in some fragment, except where a declaration names itself. */
function localNames(declarations: readonly (Wgsl | Binding)[]): Set<string> {
  const found = new Set<string>();
  const scan = (part: WgslPart): void => {
    if (part instanceof Binding || typeof part === 'number') return;
    const [first = '', ...rest] = typeof part === 'string' ? [part] : part.texts;
    const texts = part instanceof Wgsl ? [renamed(part, first, ''), ...rest] : [first];
    for (const text of texts) for (const [name] of text.matchAll(IDENTIFIER)) found.add(name);
    if (part instanceof Wgsl) for (const inner of part.parts) if (!isDeclaration(inner)) scan(inner);
  };
  for (const part of declarations) {
    if (part instanceof Binding) {
      if (!isDeclaration(part.type)) scan(part.type);
    } else scan(part);
  }
  return found;
}

const isDeclaration = (part: WgslPart): boolean => part instanceof Wgsl && part.declares !== undefined;

/** The text of a declaration with another name. By position, since a comment before it may have the name too. */
function renamed({ declares = '', declaredAt }: Wgsl, text: string, name: string): string {
  return declares === '' ? text : text.slice(0, declaredAt) + name + text.slice(declaredAt + declares.length);
}
