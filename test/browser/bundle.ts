import { rolldown } from 'rolldown';

/** Bundles a file with all it imports into one module for browsers. Anything left to resolve is an error. */
export async function bundle(entry: string, { minify = false } = {}): Promise<string> {
  const build = await rolldown({
    input: entry,
    platform: 'browser',
    transform: { target: 'es2022' },
    onLog(level, log) {
      if (level === 'warn') throw new Error(log.message);
    },
  });
  const { output } = await build.generate({ format: 'esm', codeSplitting: false, minify });
  await build.close();
  return output[0].code;
}
