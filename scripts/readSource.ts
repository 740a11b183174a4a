import ts from 'typescript';
import { Wgsl } from '../src/wgsl/index.ts';

/** An import: with the file, of types alone, or by a call: of `import()` alone, or as `new Later(() => import())`. */
export interface Import {
  readonly specifier: string;
  readonly how: 'first' | 'types' | 'call' | 'later';
}

/** A function, a method, a constructor, or the type of one. */
export interface Signature {
  readonly name: string;
  readonly parameters: number;
}

/** What a file imports, types too, whether it declares WGSL for the linker, and what its functions take. */
export function readSource(
  path: string,
  text: string,
): { imports: Import[]; declaresWgsl: boolean; functions: Signature[] } {
  const imports: Import[] = [];
  const functions: Signature[] = [];
  let declaresWgsl = false;
  const visit = (node: ts.Node, parents: readonly ts.Node[]): void => {
    const literal = specifierIn(node);
    if (literal && ts.isStringLiteralLike(literal)) {
      imports.push({ specifier: literal.text, how: howImported(node, parents) });
    }
    declaresWgsl ||= isWgslDeclaration(node);
    if (ts.isFunctionLike(node)) {
      functions.push({ name: nameOf(node, parents), parameters: node.parameters.length });
    }
    ts.forEachChild(node, (child) => visit(child, [node, ...parents]));
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.ESNext), []);
  return { imports, declaresWgsl, functions };
}

function howImported(node: ts.Node, [parent, grandparent]: readonly ts.Node[]): Import['how'] {
  if (ts.isImportDeclaration(node))
    return node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword ? 'types' : 'first';
  if (ts.isExportDeclaration(node)) return node.isTypeOnly ? 'types' : 'first';
  if (ts.isImportTypeNode(node)) return 'types';
  const isLater =
    parent &&
    ts.isArrowFunction(parent) &&
    grandparent &&
    ts.isNewExpression(grandparent) &&
    isNamed(grandparent.expression, 'Later');
  return isLater ? 'later' : 'call';
}

/** What a function is called: by itself, or by what holds it. */
function nameOf(node: ts.SignatureDeclaration, [parent]: readonly ts.Node[]): string {
  if (ts.isConstructorDeclaration(node)) return 'a constructor';
  const named = [node, parent].find(
    (one): one is ts.NamedDeclaration => (one as ts.NamedDeclaration)?.name !== undefined,
  );
  return named?.name && 'text' in named.name ? String(named.name.text) : 'a function';
}

const isNamed = (node: ts.Node, name: string): boolean => ts.isIdentifier(node) && node.text === name;

function specifierIn(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return node.argument.literal;
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) return node.arguments[0];
  return undefined;
}

/** The linker itself says what is a declaration. A kernel always is one. */
function isWgslDeclaration(node: ts.Node): boolean {
  if (ts.isTaggedTemplateExpression(node)) {
    const { tag, template } = node;
    const { text } = ts.isTemplateExpression(template) ? template.head : template;
    return isNamed(tag, 'wgsl') && new Wgsl([text], []).declares !== undefined;
  }
  return ts.isCallExpression(node) && isNamed(node.expression, 'kernel');
}
