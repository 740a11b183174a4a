import { join } from 'node:path';
import ts from 'typescript';

const EMIT: ts.CompilerOptions = {
  noEmit: false,
  declaration: true,
  emitDeclarationOnly: true,
  // What is marked `@internal` is not public.
  stripInternal: true,
  // Without it the order of an inferred union depends on what was compiled before.
  stableTypeOrdering: true,
};

/** The declarations of all sources, as a program of their own. */
export interface Declared {
  readonly declared: ReadonlySet<string>;
  readonly program: ts.Program;
  /** What the compiler has to say against the sources. */
  errors(): string;
}

/** How declarations are made: with or without what comments say, from sources that are checked or known to compile. */
type Declaring = Required<Pick<ts.CompilerOptions, 'removeComments' | 'noCheck'>>;

/** Makes declarations of the project `src/` of a package. */
export function declare(root: string, declaring: Declaring): Declared {
  const sys = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => {} };
  const emit = { ...EMIT, ...declaring };
  const config = ts.getParsedCommandLineOfConfigFile(join(root, 'src/tsconfig.json'), emit, sys);
  if (!config) throw new Error(`there is no src/tsconfig.json in ${root}`);
  const { options } = config;
  const sources = ts.createProgram(config.fileNames, options);
  const texts = new Map<string, string>();
  const emitted = sources.emit(undefined, (path, text) => void texts.set(path, text), undefined, true);
  const diagnostics = () => [
    config.errors,
    sources.getOptionsDiagnostics(),
    sources.getGlobalDiagnostics(),
    sources.getSyntacticDiagnostics(),
    sources.getSemanticDiagnostics(),
    emitted.diagnostics,
  ];

  // The folder of the sources holds nothing but declarations now. All else need not be read twice.
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (path) => (path.startsWith(join(root, 'src/')) ? texts.has(path) : fileExists(path));
  host.readFile = (path) => texts.get(path) ?? readFile(path);
  host.getSourceFile = (path, ...rest) => sources.getSourceFile(path) ?? getSourceFile(path, ...rest);
  const program = ts.createProgram([...texts.keys()], options, host);
  return { declared: new Set(texts.keys()), program, errors: () => ts.formatDiagnostics(diagnostics().flat(), host) };
}
