/** No call of the host face compiles while everybody waits: a page would stand still meanwhile. */
import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { afterAll, describe, expect, it } from 'vitest';
import { Gpu } from '../../src/index.ts';
import { madeObjects } from '../madeObjects.ts';
import { FREE_CALLS, HOST_CALLS } from './hostCalls.ts';

const opened = await Gpu.open();
afterAll(() => opened.destroy());

/** Makes a call with a `Gpu` that has compiled nothing yet, and tells what it made. */
async function madeBy(call: (gpu: Gpu) => Promise<unknown>): Promise<Readonly<Record<string, number>>> {
  const gpu = Gpu.from(opened.device);
  try {
    return await madeObjects(gpu, () => call(gpu));
  } finally {
    gpu.destroy();
  }
}

const CALLS = [
  ...Object.entries(HOST_CALLS).flatMap(([name, { make, first, calls }]) => [
    ...Object.entries(first).map(([call, run]) => [`${name}.${call}`, run] as const),
    ...Object.entries(calls).map(
      ([call, run]) => [`${name}.${call}`, async (gpu: Gpu) => run(await make(gpu))] as const,
    ),
  ]),
  ...Object.entries(FREE_CALLS),
];

describe('no call of the host face compiles while everybody waits', () => {
  it.each(CALLS)('%s', async (_, call) => {
    const made = await madeBy(call);
    expect(made.createComputePipelineAsync).toBeGreaterThan(0);
    expect(made.createComputePipeline).toBeUndefined();
  });

  it('is asked of all calls that are public and wait', () => {
    const asked = new Set(CALLS.map(([name]) => name.split(',')[0]));
    const waiting = waitingCalls(['hashnest', 'hashnest/apps', 'hashnest/relational', 'hashnest/spatial']);
    expect(waiting.length).toBeGreaterThan(100);
    // Those of `Gpu` and `Requests` run no kernels.
    expect(waiting.filter((name) => !asked.has(name) && !/^(Gpu|Requests)\./.test(name))).toEqual([]);
  });
});

/** The calls of these entry points that return a promise, by the report of the public API. */
function waitingCalls(modules: readonly string[]): readonly string[] {
  const report = readFileSync(new URL('../../docs/api/hashnest.d.ts', import.meta.url), 'utf8');
  const classes = new Map<string, ts.ClassDeclaration>();
  const names: string[] = [];
  const waits = (type: ts.TypeNode | undefined) => /^(Promise|AsyncGenerator)</.test(type?.getText() ?? '');
  const wanted: string[] = [];
  for (const part of ts.createSourceFile('api.d.ts', report, ts.ScriptTarget.Latest, true).statements) {
    if (!ts.isModuleDeclaration(part) || !part.body || !ts.isModuleBlock(part.body)) continue;
    const isWanted = modules.includes(part.name.text);
    for (const one of part.body.statements) {
      if (ts.isClassDeclaration(one) && one.name) {
        classes.set(part.name.text === 'hashnest/bare' ? `Bare${one.name.text}` : one.name.text, one);
        const isAbstract = one.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AbstractKeyword);
        if (isWanted && !isAbstract) wanted.push(one.name.text);
      }
      if (isWanted && ts.isFunctionDeclaration(one) && waits(one.type)) names.push(one.name?.text as string);
    }
  }
  for (const name of wanted) {
    let parent: string | undefined = name;
    while (parent) {
      const one: ts.ClassDeclaration | undefined = classes.get(parent);
      for (const member of one?.members ?? []) {
        if (ts.isMethodDeclaration(member) && waits(member.type)) names.push(`${name}.${member.name.getText()}`);
      }
      parent = one?.heritageClauses?.[0]?.types[0]?.expression.getText();
    }
  }
  return [...new Set(names)];
}
