import { basename } from 'node:path';
import * as esbuild from 'esbuild';
import { rolldown } from 'rolldown';

/** A file that a bundler writes, and the files that it loads: with itself, or when they are wanted. */
export interface Chunk {
  readonly code: string;
  readonly imports: readonly string[];
  readonly dynamicImports: readonly string[];
}

/** A program for browsers in several files, as a bundler splits it. */
export interface Split {
  /** The name of the file that is loaded first. */
  readonly entry: string;
  readonly files: ReadonlyMap<string, Chunk>;
}

async function byEsbuild(entry: string): Promise<Split> {
  const { outputFiles, metafile } = await esbuild.build({
    entryPoints: [entry],
    platform: 'browser',
    format: 'esm',
    bundle: true,
    minify: true,
    splitting: true,
    metafile: true,
    write: false,
    outdir: 'out',
  });
  const chunks = Object.entries(metafile.outputs).map(([path, { imports }]): [string, Chunk] => {
    const name = basename(path);
    const of = (wanted: string) => imports.flatMap(({ kind, path: to }) => (kind === wanted ? basename(to) : []));
    const code = outputFiles.find((file) => basename(file.path) === name)?.text as string;
    return [name, { code, imports: of('import-statement'), dynamicImports: of('dynamic-import') }];
  });
  return { entry: basename(entry), files: new Map(chunks) };
}

async function byRolldown(entry: string): Promise<Split> {
  const build = await rolldown({ input: entry, platform: 'browser', transform: { target: 'es2022' } });
  const { output } = await build.generate({ format: 'esm', minify: true });
  await build.close();
  const chunks = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk : []));
  return { entry: basename(entry), files: new Map(chunks.map((chunk) => [basename(chunk.fileName), chunk])) };
}

export const SPLITTERS = { esbuild: byEsbuild, rolldown: byRolldown };

/** The names of the files that are loaded with the first one, itself included. */
export function first({ entry, files }: Split): string[] {
  const found = new Set([entry]);
  for (const name of found) for (const other of files.get(name)?.imports ?? []) found.add(other);
  return [...found];
}

/** The names of the files that those may load when they are wanted. */
export const later = (split: Split): string[] =>
  first(split).flatMap((name) => split.files.get(name)?.dynamicImports ?? []);
