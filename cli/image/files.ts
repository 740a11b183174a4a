/** Files that the commands for pictures read and write, and what they say of them. */
import { readFileSync } from 'node:fs';
import { Argument } from 'commander';
import type { Picture } from '../../bench/pictures/index.ts';
import { PngError } from '../../bench/pictures/png/format.ts';
import { readPng } from '../../bench/pictures/png/read.ts';
import { writePng } from '../../bench/pictures/png/write.ts';
import type { Rgba } from '../../src/apps.ts';
import { RunFailure } from '../failure.ts';
import { oneLine, parseOutputFile, writeOutput } from '../output.ts';
import { grouped } from '../textTable.ts';

export const inputFile = (what: string): Argument => new Argument('<in>', what);
export const outputFile = (what: string): Argument => new Argument('<out>', what).argParser(parseOutputFile);

export function readInput(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new RunFailure(`'${file}' cannot be read: ${oneLine(error)}`, { cause: error });
  }
}

export function readPicture(file: string): Picture {
  try {
    return readPng(readInput(file));
  } catch (error) {
    if (!(error instanceof PngError)) throw error;
    throw new RunFailure(`'${file}' cannot be read: ${error.message}`, { cause: error });
  }
}

/** Writes a picture, and returns how many bytes that took. */
export function writePicture(file: string, picture: Picture): number {
  const png = writePng(picture);
  writeOutput(file, png);
  return png.length;
}

/** Does something, and tells how many milliseconds it took. */
export async function timed<T>(work: () => T | Promise<T>): Promise<{ result: T; ms: number }> {
  const started = performance.now();
  const result = await work();
  return { result, ms: performance.now() - started };
}

export const milliseconds = (ms: number): string => `${grouped(Math.round(ms))} ms`;
export const kilobytes = (bytes: number): string => `${grouped(Math.ceil(bytes / 1000))} kB`;

export const colourName = (colour: Rgba): string => `#${Buffer.from(colour).toString('hex')}`;
