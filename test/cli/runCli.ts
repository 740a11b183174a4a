import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { vi } from 'vitest';
import { makeProgram, runProgram } from '../../cli/program.ts';

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs the command line from the sources, in a process of its own, as a user would. */
export const runCli = (...args: string[]): Promise<CliResult> => runScript('cli/main.ts', ...args);

/**
 * Runs a command line that makes no sense, in this process: to start one takes longer than to refuse it. Only for what needs no GPU; one at a time.
 */
export async function refuseHere(...args: string[]): Promise<CliResult> {
  const { argv, exitCode } = process;
  const said = { stdout: '', stderr: '' };
  const heard = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      said[name] += text;
      return true;
    }),
  );
  try {
    process.argv = [...argv.slice(0, 2), ...args];
    process.exitCode = undefined;
    await runProgram(makeProgram([]));
    return { code: Number(process.exitCode ?? 0), ...said };
  } finally {
    process.argv = argv;
    process.exitCode = exitCode;
    for (const write of heard) write.mockRestore();
  }
}

/** Runs any program of this folder's kind. */
export const runScript = async (script: string, ...args: string[]): Promise<CliResult> =>
  resultOf(await startScript(script, args));

/** Starts such a program, with its output in pipes or somewhere else. */
export async function startScript(script: string, args: readonly string[], stdout: 'pipe' | number = 'pipe') {
  return spawn(process.execPath, [await bundled(script), ...args], {
    cwd: root,
    stdio: ['ignore', stdout, 'pipe'],
  });
}

/** What a process that has just been started says until it ends. */
export function resultOf(child: ChildProcess): Promise<CliResult> {
  return new Promise((resolve, reject) => {
    let stdout = '';
    let stderr = '';
    child.stdout?.on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr?.on('data', (chunk) => {
      stderr += chunk;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

const bundles = new Map<string, Promise<string>>();

/** A program with all its modules in one file, made once: a process that has to translate them takes longer to start than to run. */
function bundled(script: string): Promise<string> {
  const file = bundles.get(script) ?? bundle(script);
  bundles.set(script, file);
  return file;
}

async function bundle(script: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'hashnest-cli-'));
  process.once('exit', () => rmSync(folder, { recursive: true }));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const file = join(folder, 'program.mjs');
  const build = await rolldown({
    input: join(root, script),
    platform: 'node',
    transform: { target: 'node20' },
    external: ['webgpu', '@sparticuz/chromium'],
  });
  await build.write({ file, format: 'esm', codeSplitting: false });
  await build.close();
  return file;
}
