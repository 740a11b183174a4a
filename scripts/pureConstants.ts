// Lets bundlers drop constants that nobody uses. Loading the library does nothing but make them, yet a bundler cannot know
// that: it drops calls that are marked as pure, if their arguments are, and tagged templates cannot be marked at all. So
//
//     const place = uniform('place', 'vec2u');
//
// becomes
//
//     const place = /* @__PURE__ */ pure(() => uniform('place', 'vec2u'));
//
// `pure` calls what it is given. It is in a file of its own, because bundlers unwrap a function that is called on the spot,
// and lose the mark.
import type { Plugin } from 'rolldown';
import { Visitor } from 'rolldown/utils';

/** Marks the constants of every file that is written. */
export const pureConstants = (): Plugin => ({
  name: 'pure-constants',
  renderChunk(code, { fileName }) {
    if (!fileName.endsWith('.js')) return null;
    const values = valuesByCalls(this.parse(code));
    if (values.length === 0) return null;
    const toRoot = '../'.repeat(fileName.split('/').length - 1) || './';
    let marked = `import { pure } from '${toRoot}pure.js';\n`;
    let copied = 0;
    for (const { start, end } of values) {
      marked += `${code.slice(copied, start)}/* @__PURE__ */ pure(() => (${code.slice(start, end)}))`;
      copied = end;
    }
    return marked + code.slice(copied);
  },
  generateBundle() {
    this.emitFile({ type: 'asset', fileName: 'pure.js', source: 'export const pure = (make) => make();\n' });
  },
});

type Program = Parameters<Visitor['visit']>[0];

interface Span {
  readonly start: number;
  readonly end: number;
}

/** The values of a file's constants that take a call to make, in the order of the text. */
function valuesByCalls(program: Program): Span[] {
  const values: Span[] = [];
  // What is inside a function or a class runs later.
  let depth = 0;
  let calls = 0;
  const enter = () => void depth++;
  const leave = () => void depth--;
  const call = () => {
    if (depth === 0) calls++;
  };
  new Visitor({
    FunctionDeclaration: enter,
    'FunctionDeclaration:exit': leave,
    FunctionExpression: enter,
    'FunctionExpression:exit': leave,
    ArrowFunctionExpression: enter,
    'ArrowFunctionExpression:exit': leave,
    ClassBody: enter,
    'ClassBody:exit': leave,
    CallExpression: call,
    NewExpression: call,
    TaggedTemplateExpression: call,
    VariableDeclarator() {
      if (depth === 0) calls = 0;
    },
    'VariableDeclarator:exit'({ init }) {
      if (depth === 0 && calls > 0 && init) values.push(init);
    },
  }).visit(program);
  return values;
}
