import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { linkPackage, type PackedPackage, packPackage } from './pack.ts';

const CONSUMER = `
import { Gpu, HashMap, linearProbing } from 'hashnest';

const gpu = await Gpu.open({ software: 'never' });
const keys = new Uint32Array([7, 9]);
const prices = await HashMap.from(gpu, { keys, values: new Float32Array([0.5, 2]) }, { scheme: linearProbing() });
const { values, found } = await prices.get(keys);
export const first: number | undefined = values[0];
export const buffer: GPUBuffer = gpu.device.createBuffer({ size: found.byteLength, usage: 0x80 });
// @ts-expect-error The device is typed, not any.
gpu.device.nonsense();
prices.destroy();
`;

/** Errors in the consumer and in our declarations; those of other packages are theirs. */
function errorsOf({ projectDir }: PackedPackage, options: ts.CompilerOptions): string[] {
  const file = join(projectDir, 'consumer.ts');
  writeFileSync(file, CONSUMER);
  const program = ts.createProgram([file], {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    // As if the project had been checked in its own folder.
    typeRoots: [join(projectDir, 'node_modules/@types')],
    ...options,
  });
  return ts
    .getPreEmitDiagnostics(program)
    .filter(({ file: source }) => !source || source.fileName === file || source.fileName.includes('/hashnest/dist/'))
    .map(
      ({ file: source, messageText }) => `${source?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
    );
}

describe('the published types', () => {
  let packed: PackedPackage;
  beforeAll(async () => {
    packed = await packPackage();
  });
  afterAll(() => packed?.remove());

  // First, because the later ones install packages.
  it('compile in a browser project, which has no other types', () => {
    expect(errorsOf(packed, { lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'], types: [] })).toEqual([]);
  });

  it('compile in a project without the DOM library, where @webgpu/types is installed', () => {
    linkPackage(packed, '@webgpu/types');
    expect(errorsOf(packed, { lib: ['lib.es2023.d.ts'], types: [] })).toEqual([]);
  });

  it('compile in a Node project', () => {
    linkPackage(packed, '@types/node');
    expect(errorsOf(packed, { lib: ['lib.es2023.d.ts'], types: ['node'] })).toEqual([]);
  });
});
