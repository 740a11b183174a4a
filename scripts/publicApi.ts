/** What a package shows to its users, read from the declarations that the compiler makes of its sources. */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';
import { declare } from './declarations.ts';

/** The public face of a package. */
export interface PublicApi {
  /** Why the sources do not compile, as `tsc` says it; empty if they do. */
  readonly errors: string;
  /** Every export of every entry point, as TypeScript, in an order that does not depend on that of the sources. */
  readonly report: string;
  /** What users meet in a signature, and cannot name: no entry point exports it. The report has it too, at the end. */
  readonly hidden: readonly HiddenType[];
}

interface HiddenType {
  readonly name: string;
  /** Where it is declared. */
  readonly path: string;
  /** What mentions it. */
  readonly users: readonly string[];
}

/** Compiles the project `src/` of a package, and reports on the entry points that its `package.json` exports. */
export function publicApi(root: string): PublicApi {
  const { declared, program, errors } = declare(root, { removeComments: true, noCheck: false });
  const checker = program.getTypeChecker();
  const sourceOf = (path: string): string => relative(root, path).replace('.d.ts', '.ts');
  const resolve = (symbol: ts.Symbol): ts.Symbol =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;

  const entries = entryPoints(root).map(({ name, path }) => {
    const file = program.getSourceFile(path);
    const module = file && checker.getSymbolAtLocation(file);
    if (!module) throw new Error(`package.json exports '${name}', but nothing is exported from ${sourceOf(path)}`);
    const exports = checker.getExportsOfModule(module).sort(byName);
    return { name, exports: exports.map((symbol) => ({ as: symbol.name, symbol: resolve(symbol) })) };
  });
  const exported = new Set(entries.flatMap(({ exports }) => exports.map(({ symbol }) => symbol)));

  const usersOfHidden = new Map<ts.Symbol, Set<string>>();
  const show = (symbol: ts.Symbol): string => {
    const nodes = (symbol.declarations ?? []).map(publicPart);
    for (const used of new Set(nodes.flatMap((node) => symbolsIn(node, checker)).map(resolve))) {
      if (exported.has(used) || used === symbol || !isOfModule(used, declared)) continue;
      usersOfHidden.set(used, (usersOfHidden.get(used) ?? new Set()).add(symbol.name));
    }
    return nodes.map(print).join('\n');
  };

  const shownIn = new Map<ts.Symbol, string>();
  const modules = entries.map(({ name, exports }) => {
    const blocks: string[] = [];
    // What is shown by another entry point, and other names for what is shown here: by where it is shown.
    const again = new Map<string, string[]>();
    for (const { as, symbol } of exports) {
      const shown = shownIn.get(symbol);
      if (shown === undefined) {
        shownIn.set(symbol, name);
        blocks.push(show(symbol));
      }
      const where = shown ?? name;
      if (where === name && as === symbol.name) continue;
      const spelled = as === symbol.name ? as : `${symbol.name} as ${as}`;
      again.set(where, [...(again.get(where) ?? []), spelled]);
    }
    for (const [where, names] of again) {
      blocks.unshift(`export { ${names.join(', ')} }${where === name ? '' : ` from '${where}'`};`);
    }
    return { name, blocks };
  });

  // Showing one may add others to the map, and the loop comes to them as well.
  const hidden: (HiddenType & { text: string })[] = [];
  for (const [symbol, users] of usersOfHidden) {
    const path = symbol.declarations?.[0]?.getSourceFile().fileName ?? '';
    hidden.push({ name: symbol.name, path: sourceOf(path), users: [...users], text: show(symbol) });
  }
  hidden.sort(byName);
  if (hidden.length > 0) modules.push({ name: '(not exported)', blocks: hidden.map(({ text }) => text) });
  const report = modules
    .map(({ name, blocks }) => `declare module '${name}' {\n${blocks.join('\n\n')}\n}\n`)
    .join('\n');
  return { errors: errors(), report, hidden };
}

/** For `"./scheme": { "types": "./dist/scheme.d.ts" }` it is `hashnest/scheme`, with the declarations of `src/scheme.ts`. */
export function entryPoints(root: string): { name: string; path: string }[] {
  const { name, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return Object.entries<{ types: string } | string>(exports)
    .filter((entry): entry is [string, { types: string }] => typeof entry[1] !== 'string')
    .map(([key, { types }]) => ({ name: name + key.slice(1), path: join(root, types.replace('./dist/', 'src/')) }));
}

/** A declaration without private members, and the others in the order of their names. */
function publicPart(node: ts.Declaration): ts.Declaration {
  if (ts.isInterfaceDeclaration(node)) {
    const { modifiers, name, typeParameters, heritageClauses } = node;
    const members = [...node.members].sort(byMemberName);
    return ts.factory.updateInterfaceDeclaration(node, modifiers, name, typeParameters, heritageClauses, members);
  }
  if (ts.isClassDeclaration(node)) {
    const { modifiers, name, typeParameters, heritageClauses } = node;
    const members = node.members.filter((member) => !isPrivate(member)).sort(byMemberName);
    return ts.factory.updateClassDeclaration(node, modifiers, name, typeParameters, heritageClauses, members);
  }
  return node;
}

/** A private constructor does not count: it tells that nobody else can make such an object. */
const isPrivate = (member: ts.ClassElement): boolean =>
  !ts.isConstructorDeclaration(member) &&
  ((member.name !== undefined && ts.isPrivateIdentifier(member.name)) ||
    (ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Private) !== 0);

const byName = (a: { readonly name: string }, b: { readonly name: string }): number =>
  a.name < b.name ? -1 : a.name > b.name ? 1 : 0;

/** What has no name comes first: constructors, calls. Overloads stay in their order. */
const byMemberName = (a: ts.NamedDeclaration, b: ts.NamedDeclaration): number =>
  byName({ name: a.name?.getText() ?? '' }, { name: b.name?.getText() ?? '' });

/** A declaration as it stands in a module, without the paths of files that an inferred type may come from. */
function print(node: ts.Declaration): string {
  const text = ts
    .createPrinter()
    .printNode(ts.EmitHint.Unspecified, node, ts.getOriginalNode(node).getSourceFile())
    .replaceAll(/import\("\.[^"]*"\)\./g, '');
  return ts.isVariableDeclaration(node) ? `const ${text};` : text.replace(/^(export )?(declare )?/, '');
}

/** What the identifiers in a declaration stand for. */
function symbolsIn(node: ts.Node, checker: ts.TypeChecker): ts.Symbol[] {
  const own = ts.isIdentifier(node) ? checker.getSymbolAtLocation(node) : undefined;
  const found: ts.Symbol[] = own ? [own] : [];
  ts.forEachChild(node, (child) => void found.push(...symbolsIn(child, checker)));
  return found;
}

/** Whether a module of the package declares it: it is no member, no parameter, and not from elsewhere. */
const isOfModule = ({ declarations = [] }: ts.Symbol, declared: ReadonlySet<string>): boolean =>
  declarations.some(
    (node) =>
      declared.has(node.getSourceFile().fileName) && (ts.isSourceFile(node.parent) || ts.isVariableDeclaration(node)),
  );
