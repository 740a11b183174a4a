/** All that the package exports, with what its comments say, read from the declarations that users get. */
import ts from 'typescript';
import { declare } from '../../scripts/declarations.ts';
import { entryPoints } from '../../scripts/publicApi.ts';
import { repository } from '../repository.ts';

/** What a comment says. */
export interface Said {
  /** Markdown. */
  readonly text: string;
  /** Code. */
  readonly examples: readonly string[];
}

/** An export, by the entry point that shows it: two may have exports of one name. */
export interface Mention {
  readonly entry: string;
  readonly name: string;
}

/** A declaration, or several of one name. */
export interface Declared {
  readonly name: string;
  readonly said: Said;
  /** TypeScript, not formatted yet. */
  readonly code: string;
  /** Other exports that it mentions. */
  readonly mentions: readonly Mention[];
}

/** A member of a class: one of its own, or of a class that it extends. */
export interface Member extends Declared {
  readonly kind: 'static' | 'call' | 'property';
}

export type Kind = 'class' | 'function' | 'value' | 'type';

/** Something that an entry point exports. */
export interface Exported extends Declared {
  readonly kind: Kind;
  /** Of classes only. */
  readonly members: readonly Member[];
}

/** What can be imported from one path. */
export interface EntryPoint {
  /** `hashnest/apps` */
  readonly name: string;
  readonly said: Said;
  readonly exports: readonly Exported[];
  /** What it exports and an earlier entry point does too. */
  readonly again: readonly Mention[];
}

/** Reads all entry points, in the order of package.json. */
export function readEntryPoints(): EntryPoint[] {
  const { program } = declare(repository.root, { removeComments: false, noCheck: true });
  const checker = program.getTypeChecker();
  const reader = new Reader(checker);
  const entries = entryPoints(repository.root).map(({ name, path }) => {
    const file = program.getSourceFile(path) as ts.SourceFile;
    const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(file) as ts.Symbol).map(reader.resolve);
    return { name, said: saidOfFile(file), symbols: symbols.sort((a, b) => a.name.localeCompare(b.name, 'en')) };
  });
  for (const { name, symbols } of entries) {
    for (const symbol of symbols) if (!reader.shownIn.has(symbol)) reader.shownIn.set(symbol, name);
  }
  return entries.map(({ name, said, symbols }) => {
    const isOwn = (symbol: ts.Symbol): boolean => reader.shownIn.get(symbol) === name;
    const exports = symbols.filter(isOwn).map((symbol) => reader.read(symbol));
    return { name, said, exports, again: reader.mentions(symbols.filter((symbol) => !isOwn(symbol))) };
  });
}

class Reader {
  /** The first entry point that exports it. */
  readonly shownIn = new Map<ts.Symbol, string>();

  constructor(readonly checker: ts.TypeChecker) {}

  readonly resolve = (symbol: ts.Symbol): ts.Symbol =>
    symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;

  read(symbol: ts.Symbol): Exported {
    const declared = this.#declared(symbol);
    const node = symbol.declarations?.[0];
    if (!node) throw new Error(`${symbol.name} is declared nowhere`);
    if (ts.isClassDeclaration(node)) {
      const head = node
        .getText()
        .slice(0, node.members.pos - node.getStart())
        .replace(/\{\s*$/, '{}');
      return { ...declared, code: plain(head), kind: 'class', members: this.#members(symbol, node) };
    }
    const kind = ts.isFunctionDeclaration(node) ? 'function' : ts.isVariableDeclaration(node) ? 'value' : 'type';
    return { ...declared, kind, members: [] };
  }

  #declared(symbol: ts.Symbol): Declared {
    const nodes = symbol.declarations ?? [];
    const mentioned = new Set(nodes.flatMap((node) => this.#symbolsIn(node)));
    return {
      name: symbol.name,
      said: this.#said(symbol),
      code: nodes
        .map((node) => plain(ts.isVariableDeclaration(node) ? `const ${node.getText()};` : node.getText()))
        .join('\n'),
      mentions: this.mentions([...mentioned].filter((other) => other !== symbol)),
    };
  }

  /** Those of them that are exported. */
  mentions(symbols: readonly ts.Symbol[]): Mention[] {
    return symbols.flatMap((symbol) => {
      const entry = this.shownIn.get(symbol);
      return entry === undefined ? [] : { entry, name: symbol.name };
    });
  }

  #said(symbol: ts.Symbol): Said {
    const text = ts.displayPartsToString(symbol.getDocumentationComment(this.checker));
    const tags = symbol.getJsDocTags(this.checker).filter(({ name }) => name === 'example');
    return { text, examples: tags.map((tag) => ts.displayPartsToString(tag.text)) };
  }

  /** Statics, calls and properties, those of the classes that it extends too. */
  #members(symbol: ts.Symbol, node: ts.ClassDeclaration): Member[] {
    const { checker } = this;
    const statics = checker.getTypeOfSymbolAtLocation(symbol, node).getProperties();
    const own = checker.getDeclaredTypeOfSymbol(symbol).getProperties();
    return [
      ...statics.filter(isShown).map((member) => ({ ...this.#declared(member), kind: 'static' as const })),
      ...own.filter(isShown).map((member) => {
        const isCall = (member.flags & ts.SymbolFlags.Method) !== 0;
        return {
          ...this.#declared(member),
          name: nameOf(member),
          kind: isCall ? ('call' as const) : ('property' as const),
        };
      }),
    ];
  }

  /** What the identifiers in a declaration stand for. */
  #symbolsIn(node: ts.Node): ts.Symbol[] {
    const own = ts.isIdentifier(node) ? this.checker.getSymbolAtLocation(node) : undefined;
    const found: ts.Symbol[] = own ? [this.resolve(own)] : [];
    ts.forEachChild(node, (child) => void found.push(...this.#symbolsIn(child)));
    return found;
  }
}

/** Neither private nor protected, and declared by the package: not what every function or error has. */
function isShown({ declarations = [] }: ts.Symbol): boolean {
  const [node] = declarations;
  if (!node?.getSourceFile().fileName.startsWith(`${repository.root}src/`)) return false;
  const name = ts.getNameOfDeclaration(node);
  if (name && ts.isPrivateIdentifier(name)) return false;
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
  return (ts.getCombinedModifierFlags(node) & hidden) === 0;
}

/** `[Symbol.dispose]` is called `__@dispose@123` by the compiler. */
const nameOf = (symbol: ts.Symbol): string => symbol.name.replace(/^__@(\w+)@\d+$/, '[Symbol.$1]');

const plain = (code: string): string =>
  code.replaceAll(/import\("\.[^"]*"\)\./g, '').replaceAll(/^(export )?(declare )?/gm, '');

/** What the comment of a module says, which belongs to no declaration. */
function saidOfFile(file: ts.SourceFile): Said {
  const [comment = ''] = /\/\*\*.*?@packageDocumentation.*?\*\//s.exec(file.getFullText()) ?? [];
  const lines = comment
    .replaceAll(/^\/\*\*|\*\/$/g, '')
    .replaceAll(/^\s*\* ?/gm, '')
    .replace('@packageDocumentation', '');
  const [text = '', ...examples] = lines.split('@example');
  return { text: text.trim(), examples: examples.map((example) => example.trim()) };
}
