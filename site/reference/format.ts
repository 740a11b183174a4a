import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { repository } from '../repository.ts';

const WIDTH = 92;
const MARK = '// part ';

/** Formats pieces of TypeScript, all in one go; members of classes are put into one. */
export function formatCode(pieces: readonly { readonly code: string; readonly isMember: boolean }[]): string[] {
  const joined = pieces.map(
    ({ code, isMember }, i) =>
      `${MARK}${i}\n${isMember ? `declare abstract class C {\n${code}\n}` : `declare ${code.replaceAll(/\n(?=function )/g, '\ndeclare ')}`}\n`,
  );
  const biome = fileURLToPath(import.meta.resolve('@biomejs/biome/bin/biome'));
  const text = execFileSync(
    process.execPath,
    [biome, 'format', `--line-width=${WIDTH}`, '--stdin-file-path=api.d.ts'],
    {
      cwd: repository.root,
      input: joined.join('\n'),
      encoding: 'utf8',
      maxBuffer: 1 << 26,
    },
  );
  const formatted = text.split(/^\/\/ part \d+\n/m).slice(1);
  return pieces.map(({ isMember }, i) => {
    const piece = (formatted[i] ?? '').trim();
    if (!isMember) return piece.replaceAll(/^declare /gm, '');
    return piece.split('\n').slice(1, -1).join('\n').replaceAll(/^ {2}/gm, '');
  });
}
