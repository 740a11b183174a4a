/** Small changes to a source file, each of which some test should notice. */
import ts from 'typescript';

/** One change: the text from `start` to `end` becomes `replacement`. */
export interface Mutant {
  readonly path: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly original: string;
  readonly replacement: string;
}

type Change = Pick<Mutant, 'start' | 'end' | 'replacement'>;

/** What each operator becomes. Both languages have these. */
const OPERATORS: Readonly<Record<string, string>> = {
  '+': '-',
  '-': '+',
  '*': '+',
  '/': '*',
  '%': '*',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '==': '!=',
  '!=': '==',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
  '??': '&&',
  '<<': '>>',
  '>>': '<<',
  '>>>': '<<',
  '&': '|',
  '|': '&',
  '^': '&',
  '+=': '-=',
  '-=': '+=',
};

/** All mutants of a file. */
export function mutantsOf(path: string, text: string): Mutant[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const changes: Change[] = [];
  const visit = (node: ts.Node): void => {
    // Types are the compiler's to check, and what messages say is for people.
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isThrowStatement(node)) return;
    // How many threads a workgroup has is a choice: kernels take the number by its name, and any that they take gives the same answers.
    const isNamed = ts.isVariableDeclaration(node) || ts.isPropertyAssignment(node);
    if (isNamed && /^(\w+_)?THREADS$|^threads$/.test(node.name.getText(file))) return;
    // Only the compiler thinks that `[a = 0]` of words which were read may need its default.
    if (ts.isBindingElement(node) && ts.isArrayBindingPattern(node.parent)) return;
    if (ts.isTaggedTemplateExpression(node) && node.tag.getText(file) === 'wgsl') {
      for (const part of partsOf(node.template)) {
        const start = part.getStart(file) + 1;
        changes.push(...wgslChanges(text.slice(start, part.getEnd()), start));
      }
    } else changes.push(...changesOf(node, file));
    ts.forEachChild(node, visit);
  };
  visit(file);
  return changes.map((change) => ({
    path,
    line: file.getLineAndCharacterOfPosition(change.start).line + 1,
    original: text.slice(change.start, change.end),
    ...change,
  }));
}

const partsOf = (template: ts.TemplateLiteral): readonly ts.Node[] =>
  ts.isNoSubstitutionTemplateLiteral(template)
    ? [template]
    : [template.head, ...template.templateSpans.map(({ literal }) => literal)];

/** Changes of one node of TypeScript. */
function changesOf(node: ts.Node, file: ts.SourceFile): Change[] {
  const range = { start: node.getStart(file), end: node.getEnd() };
  const text = node.getText(file);
  if (ts.isBinaryExpression(node)) {
    const operator = node.operatorToken;
    const replacement = OPERATORS[operator.getText(file)];
    return replacement ? [{ start: operator.getStart(file), end: operator.getEnd(), replacement }] : [];
  }
  if (ts.isNumericLiteral(node)) {
    const n = Number(text.replaceAll('_', ''));
    return Number.isInteger(n) ? [n + 1, n - 1].map((other) => ({ ...range, replacement: `(${other})` })) : [];
  }
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [{ ...range, replacement: 'false' }];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [{ ...range, replacement: 'true' }];
  if (ts.isIfStatement(node)) return negated(node.expression, file);
  if (ts.isConditionalExpression(node)) return negated(node.condition, file);
  if (ts.isExpressionStatement(node)) return [{ ...range, replacement: ';' }];
  return [];
}

const negated = (condition: ts.Expression, file: ts.SourceFile): Change[] => [
  { start: condition.getStart(file), end: condition.getEnd(), replacement: `!(${condition.getText(file)})` },
];

/** An operator between spaces, a number, a condition, or a statement that stands on a line of its own. */
const WGSL =
  /\/\/[^\n]*|(?<= )(?<operator>[-+*/%&|^]=?|[<>]=?|[!=]=|<<|>>|&&|\|\|)(?= )|(?<![\w.])(?<number>\d+)(?=u?\b)(?!\.)|\bif \((?<condition>[^(){}\n]*(?:\([^(){}\n]*\)[^(){}\n]*)*)\) \{|(?<=\n[ \t]*)(?<statement>(?!return|let|var|const|for|while|if|loop|break|continue|\})[\w.[\]]+[^\n{}]*;)(?=\n)/g;

/** Changes of a part of a WGSL template, which begins at `at`. */
function wgslChanges(text: string, at: number): Change[] {
  return [...text.matchAll(WGSL)].flatMap((match): Change[] => {
    const { operator, number, condition, statement } = match.groups ?? {};
    const start = at + match.index;
    if (operator !== undefined) {
      const replacement = OPERATORS[operator];
      return replacement ? [{ start, end: start + operator.length, replacement }] : [];
    }
    if (number !== undefined) {
      const end = start + number.length;
      const greater = { start, end, replacement: String(Number(number) + 1) };
      return number === '0' ? [greater] : [greater, { start, end, replacement: String(Number(number) - 1) }];
    }
    if (condition !== undefined) {
      const from = start + match[0].indexOf(condition);
      return [{ start: from, end: from + condition.length, replacement: `!(${condition})` }];
    }
    return statement === undefined ? [] : [{ start, end: start + statement.length, replacement: '' }];
  });
}

/** Whether it is a number that became one more or one less. Other tools for mutants, such as Stryker, leave numbers alone. */
export const isOfNumber = ({ original }: Mutant): boolean => /^\d\w*$/.test(original);

/** The text with the mutant in it. */
export const applied = (text: string, { start, end, replacement }: Mutant): string =>
  text.slice(0, start) + replacement + text.slice(end);
