import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { linkPackage, type PackedPackage, packPackage } from './pack.ts';
import { BRIDGE_PROGRAMS, PROGRAMS, writePrograms } from './programs.ts';

/** Errors in programs and in our declarations. What other packages declare is not looked at: that is theirs, and takes long. */
function errorsOf({ projectDir }: PackedPackage, programs: readonly string[], options: ts.CompilerOptions): string[] {
  const program = ts.createProgram(
    programs.map((name) => join(projectDir, name)),
    {
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
      strict: true,
      exactOptionalPropertyTypes: true,
      allowImportingTsExtensions: true,
      noEmit: true,
      // As if the project had been checked in its own folder.
      typeRoots: [join(projectDir, 'node_modules/@types')],
      ...options,
    },
  );
  const isOthers = (name: string): boolean => name.includes('/node_modules/') && !name.includes('/hashnest/dist/');
  const files = program.getSourceFiles().filter(({ fileName }) => !isOthers(fileName));
  const errors = [
    ...program.getOptionsDiagnostics(),
    ...files.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
    ...program.getGlobalDiagnostics(),
  ];
  return errors.map(
    ({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
  );
}

describe.each([{ skipLibCheck: false }, { skipLibCheck: true }])('the published types with %o', (check) => {
  let packed: PackedPackage;
  beforeAll(async () => {
    packed = await packPackage();
    writePrograms(packed);
  });
  afterAll(() => packed?.remove());

  // First, because the later ones install packages.
  it('compile in a browser project, which has no other types', () => {
    expect(errorsOf(packed, PROGRAMS, { lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'], types: [], ...check })).toEqual([]);
  });

  it('compile in a project without the DOM library, where @webgpu/types is installed', () => {
    linkPackage(packed, '@webgpu/types');
    // The tour prints to the console, and there are blobs in the other: both are nobody's there.
    const programs = PROGRAMS.filter((name) => name !== 'tour.ts' && name !== 'saver.ts');
    expect(errorsOf(packed, programs, { lib: ['lib.es2023.d.ts'], types: [], ...check })).toEqual([]);
  });

  it('compile in a Node project', () => {
    for (const name of ['@types/node', 'apache-arrow']) linkPackage(packed, name);
    const programs = [...PROGRAMS, 'arrowUser.ts'];
    expect(errorsOf(packed, programs, { lib: ['lib.es2023.d.ts'], types: ['node'], ...check })).toEqual([]);
  });
});

describe('the published types of bridges', () => {
  let packed: PackedPackage;
  beforeAll(async () => {
    packed = await packPackage();
    writePrograms(packed);
    for (const name of ['@types/three', 'typegpu']) linkPackage(packed, name);
  });
  afterAll(() => packed?.remove());

  it('compile where three.js and TypeGPU are installed', () => {
    const lib = ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts', 'lib.esnext.disposable.d.ts'];
    expect(errorsOf(packed, BRIDGE_PROGRAMS, { lib, types: [] })).toEqual([]);
  });
});
