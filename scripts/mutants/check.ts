/** Whether TypeScript accepts a file that was changed, in a project that stays in memory. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** A removed statement may leave a name that nobody uses: that is no fault of the program. */
const UNUSED = [6133, 6192, 6196, 6198];

/** A function that tells whether a file compiles with this text in it. */
export function makeCompiles(root: string): (path: string, text: string) => boolean {
  const config = join(root, 'src', 'tsconfig.json');
  const { fileNames, options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(config, ts.sys.readFile).config,
    ts.sys,
    join(root, 'src'),
  );
  let changed = { file: '', text: '', version: 0 };
  const textOf = (file: string): string | undefined => (file === changed.file ? changed.text : ts.sys.readFile(file));
  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => fileNames,
    getScriptVersion: (file) => (file === changed.file ? String(changed.version) : '0'),
    getScriptSnapshot: (file) => {
      const text = textOf(file);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  });
  return (path, text) => {
    const file = join(root, path);
    const faultsWith = (tried: string): number => {
      changed = { file, text: tried, version: changed.version + 1 };
      return [...service.getSyntacticDiagnostics(file), ...service.getSemanticDiagnostics(file)].filter(
        ({ code, category }) => category === ts.DiagnosticCategory.Error && !UNUSED.includes(code),
      ).length;
    };
    return faultsWith(text) <= faultsWith(readFileSync(file, 'utf8'));
  };
}
