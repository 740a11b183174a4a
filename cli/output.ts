import { accessSync, constants, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { RunFailure } from './failure.ts';

/** Thousands of short tests would otherwise write all of their results thousands of times. */
const KEEP_EVERY_MS = 500;

/** Where results go: words to standard output, unless JSON is wanted there. */
export class Output {
  #lastKept = Number.NEGATIVE_INFINITY;

  /** @param json A file, `-` for standard output, or undefined for none. */
  constructor(readonly json: string | undefined) {}

  /** Prints something for people. */
  say(text: string): void {
    const stream = this.json === '-' ? process.stderr : process.stdout;
    stream.write(`${text}\n`);
  }

  /** Says what is wrong. */
  complain(text: string): void {
    process.stderr.write(`${text}\n`);
  }

  /** Writes the results so far to the file, if there is one: a long run that is cut short leaves what it has. */
  keep(results: unknown): void {
    const now = performance.now();
    if (this.json === '-' || now - this.#lastKept < KEEP_EVERY_MS) return;
    this.#lastKept = now;
    this.write(results);
  }

  /** Writes the results for programs. */
  write(results: unknown): void {
    if (this.json === undefined) return;
    const text = `${JSON.stringify(results, null, 2)}\n`;
    if (this.json === '-') process.stdout.write(text);
    else writeOutput(this.json, text);
  }
}

/** The records in a file of results; none if it is no list. */
export function readRecords(file: string): readonly unknown[] {
  try {
    const records: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return Array.isArray(records) ? records : [];
  } catch (error) {
    throw new RunFailure(`'${file}' cannot be read: ${oneLine(error)}`, { cause: error });
  }
}

export function writeOutput(file: string, content: string | Uint8Array): void {
  try {
    writeFileSync(file, content);
  } catch (error) {
    throw new RunFailure(`'${file}' cannot be written: ${oneLine(error)}`, { cause: error });
  }
}

/** What went wrong, in one line; messages of the GPU have many. */
export const oneLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).trim().replace(/\s*\n\s*/g, ' ');

/** Refuses a file for results that cannot be written; `-` is standard output. */
export const parseJsonFile = (file: string): string => (file === '-' ? file : parseOutputFile(file));

/** Refuses a file that cannot be written, before an hour of measuring rather than after it. */
export function parseOutputFile(file: string): string {
  const path = resolve(file);
  try {
    if (existsSync(path)) {
      accessSync(path, constants.W_OK);
      if (!statSync(path).isDirectory()) return file;
    } else {
      accessSync(dirname(path), constants.W_OK);
      if (statSync(dirname(path)).isDirectory()) return file;
    }
  } catch {
    // Said below.
  }
  throw new InvalidArgumentError(`'${file}' cannot be written.`);
}
