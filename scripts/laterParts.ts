// Writes every part that is loaded later (`*.later.ts`, see src/gpu/later.ts) as one file that imports nothing. A bundler that splits
// would put all that such a part shares with the rest into chunks of their own: more files, which compress worse, and some bundlers
// would load more than is used. So a part becomes a function of what it shares, and whoever loads it calls it:
//
//     new Later(() => import('./saved.later.js'))
//
// becomes
//
//     new Later(() => import('./saved.later.js'), (file) => file.default(Table, HeaderLayout))
//
// What only such parts import is in the file of each.
import { posix } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import { parseSync, Visitor } from 'rolldown/utils';

const SUFFIX = '.later.js';

/** How the bundle of a part names the files that it shares with the rest. */
const SHARED = 'shared:';

/** The code of every file by its name. */
type Files = ReadonlyMap<string, string>;

/**
 * Rewrites the parts, and the files that load them.
 * @param copied files without a state that parts have copies of, so that nobody else has to load them for the parts' sake
 */
export const laterParts = ({ copied = [] }: { readonly copied?: readonly string[] } = {}): Plugin => ({
  name: 'later-parts',
  async generateBundle(_, bundle) {
    const chunks = Object.values(bundle).filter((output) => output.type === 'chunk');
    const scripts = chunks.filter(({ fileName }) => fileName.endsWith('.js'));
    const files: Files = new Map(scripts.map(({ fileName, code }) => [fileName, code]));
    const first = reached(
      files,
      scripts.flatMap(({ fileName, isEntry }) => (isEntry ? fileName : [])),
    );
    const shared = new Set([...first].filter((file) => !copied.includes(file)));
    for (const chunk of scripts) {
      const { fileName } = chunk;
      if (fileName.endsWith(SUFFIX)) chunk.code = (await partOf(fileName, files, shared)).code;
      else if (first.has(fileName)) chunk.code = await loadingParts(fileName, files, shared);
      else delete bundle[fileName];
    }
  },
});

/** The files that are loaded with some, parts excepted. */
function reached(files: Files, from: readonly string[]): ReadonlySet<string> {
  const found = new Set(from);
  for (const file of found) {
    for (const { specifier } of importsIn(files.get(file) ?? '')) found.add(fileAt(file, specifier));
  }
  return found;
}

const fileAt = (importer: string, specifier: string): string => posix.join(posix.dirname(importer), specifier);

interface Part {
  /** A module whose only export is a function. */
  readonly code: string;
  /** What the function takes: names that files export. */
  readonly takes: readonly { readonly file: string; readonly name: string }[];
}

/** A part and what only parts import, as a function. */
async function partOf(part: string, files: Files, shared: ReadonlySet<string>): Promise<Part> {
  const build = await rolldown({
    input: part,
    treeshake: { moduleSideEffects: false },
    plugins: [
      {
        name: 'files',
        resolveId(specifier, importer) {
          const file = importer === undefined ? specifier : fileAt(importer, specifier);
          return shared.has(file) ? { id: SHARED + file, external: true } : file;
        },
        load: (file) => files.get(file),
      },
    ],
  });
  const { output } = await build.generate({ format: 'esm' });
  await build.close();
  const { code } = output[0];
  const imports = importsIn(code);
  const takes = imports.flatMap(({ specifier, specifiers }) =>
    specifiers.map((name) => ({ file: specifier.slice(SHARED.length), ...nameOf(name) })),
  );
  const { start, end, names } = exportsIn(code);
  const body = code.slice(Math.max(0, ...imports.map((declaration) => declaration.end)), start) + code.slice(end);
  const gives = names.map(({ name, local }) => (name === local ? name : `${name}: ${local}`));
  const parameters = takes.map(({ local }) => local).join(', ');
  return { takes, code: `export default (${parameters}) => {\n${body.trim()}\nreturn { ${gives.join(', ')} };\n};\n` };
}

/** The code of a file, with every part called that it loads. */
async function loadingParts(file: string, files: Files, shared: ReadonlySet<string>): Promise<string> {
  const code = files.get(file) as string;
  const imports: string[] = [];
  let copied = 0;
  let rewritten = '';
  for (const { end, specifier } of loadsIn(code)) {
    const { takes } = await partOf(fileAt(file, specifier), files, shared);
    const given = takes.map(({ file: from, name }) => {
      const local = `given${imports.length}`;
      imports.push(`import { ${name} as ${local} } from '${specifierOf(file, from)}';\n`);
      return local;
    });
    rewritten += `${code.slice(copied, end)}, (file) => file.default(${given.join(', ')})`;
    copied = end;
  }
  return imports.join('') + rewritten + code.slice(copied);
}

function specifierOf(importer: string, file: string): string {
  const path = posix.relative(posix.dirname(importer), file);
  return path.startsWith('.') ? path : `./${path}`;
}

interface Name {
  /** As others know it. */
  readonly name: string;
  /** As it is called in the file. */
  readonly local: string;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

const parsed = (code: string) => parseSync('file.js', code).program;

/** Where a file imports from, or exports from. */
function importsIn(code: string) {
  return parsed(code).body.flatMap((node) => {
    if (node.type !== 'ImportDeclaration' && node.type !== 'ExportNamedDeclaration') return [];
    if (!node.source) return [];
    const specifiers = node.type === 'ImportDeclaration' ? node.specifiers : [];
    return { end: node.end, specifier: node.source.value, specifiers };
  });
}

/** A name that is imported; parts import nothing as a whole. */
function nameOf(specifier: ReturnType<typeof importsIn>[number]['specifiers'][number]): Name {
  if (specifier.type !== 'ImportSpecifier' || specifier.imported.type !== 'Identifier') {
    throw new Error(`${specifier.local.name} has no name in the file that exports it`);
  }
  return { name: specifier.imported.name, local: specifier.local.name };
}

/** The one statement by which a bundle exports all that it does. */
function exportsIn(code: string): Span & { readonly names: readonly Name[] } {
  const [statement, ...others] = parsed(code).body.flatMap((node) =>
    node.type === 'ExportNamedDeclaration' ? node : [],
  );
  if (!statement || others.length > 0) throw new Error('a part has one statement that exports');
  const names = statement.specifiers.flatMap(({ local, exported }) =>
    local.type === 'Identifier' && exported.type === 'Identifier' ? { name: exported.name, local: local.name } : [],
  );
  return { ...spanOf(statement), names };
}

/** Where a file loads parts. */
function loadsIn(code: string): (Span & { readonly specifier: string })[] {
  const loads: (Span & { readonly specifier: string })[] = [];
  new Visitor({
    ImportExpression(node) {
      const { source } = node;
      if (source.type === 'Literal' && typeof source.value === 'string' && source.value.endsWith(SUFFIX)) {
        loads.push({ ...spanOf(node), specifier: source.value });
      }
    },
  }).visit(parsed(code));
  return loads;
}

const spanOf = ({ start, end }: Span): Span => ({ start, end });
