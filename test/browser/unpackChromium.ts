import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A browser on disk and the environment it has to be started with. */
export interface UnpackedChromium {
  readonly executablePath: string;
  readonly env: Record<string, string>;
}

/**
 * Unpacks the Chromium of `@sparticuz/chromium`, or finds it unpacked by an earlier run.
 * The package itself would take any file `/tmp/chromium` for a complete one, even while another process still writes it.
 */
export async function unpackChromium(): Promise<UnpackedChromium> {
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  const { version } = JSON.parse(readFileSync(join(entry, '../../../package.json'), 'utf8'));
  const dir = join(tmpdir(), `hashnest-chromium-${version}-${process.getuid?.()}`);
  if (!existsSync(dir)) await unpackInto(dir);

  const fontConfig = join(dir, 'fonts.conf');
  return {
    executablePath: join(dir, 'chromium'),
    env: { LD_LIBRARY_PATH: join(dir, 'al2023/lib'), FONTCONFIG_FILE: fontConfig },
  };
}

async function unpackInto(dir: string): Promise<void> {
  const ownDir = mkdtempSync(`${dir}-`);
  try {
    await unpackWithTmpdir(ownDir);
    // The package's own file names folders of AWS Lambda, where it is meant to run.
    writeFileSync(join(ownDir, 'fonts.conf'), fontConfigFor(dir));
    renameSync(ownDir, dir);
  } catch (error) {
    // Another process was faster.
    if (!existsSync(dir)) throw error;
  } finally {
    rmSync(ownDir, { recursive: true, force: true });
  }
}

/**
 * The package unpacks into the temporary folder, and its libraries only where it believes to be on AWS Lambda. It also
 * changes the environment it is loaded in: so it gets a process of its own.
 */
async function unpackWithTmpdir(dir: string): Promise<void> {
  const program = `(await import(${JSON.stringify(import.meta.resolve('@sparticuz/chromium'))})).default.executablePath()`;
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    env: { ...process.env, TMPDIR: dir, AWS_LAMBDA_JS_RUNTIME: 'nodejs20.x' },
  });
}

const fontConfigFor = (dir: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${dir}/fonts</dir><cachedir>${dir}/fonts-cache</cachedir></fontconfig>
`;
