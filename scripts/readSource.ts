import ts from 'typescript';
import { Wgsl } from '../src/wgsl/index.ts';

/** What a file imports, types too, and whether it declares WGSL for the linker. */
export function readSource(path: string, text: string): { specifiers: string[]; declaresWgsl: boolean } {
  const specifiers: string[] = [];
  let declaresWgsl = false;
  const visit = (node: ts.Node): void => {
    const literal = specifierIn(node);
    if (literal && ts.isStringLiteralLike(literal)) specifiers.push(literal.text);
    declaresWgsl ||= isWgslDeclaration(node);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.ESNext));
  return { specifiers, declaresWgsl };
}

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
    return ts.isIdentifier(tag) && tag.text === 'wgsl' && new Wgsl([text], []).declares !== undefined;
  }
  return ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'kernel';
}
