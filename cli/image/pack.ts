import type { Command } from 'commander';
import { hasLoadFactor, makeScheme } from '../../bench/configurations.ts';
import { type Rgba, SparseImage } from '../../src/apps.ts';
import type { SchemeName } from '../../src/index.ts';
import { type CommonOptions, finishCommand, option } from '../command.ts';
import { describeGpu, withGpu } from '../device.ts';
import { RunFailure } from '../failure.ts';
import { writeOutput } from '../output.ts';
import { grouped, percent } from '../textTable.ts';
import { parseBackground, parseLoad, parseScheme, SCHEME_NAMES } from '../values.ts';
import { colourName, inputFile, kilobytes, milliseconds, outputFile, readPicture, timed } from './files.ts';

interface Options extends CommonOptions {
  readonly scheme: SchemeName;
  readonly load: number;
  readonly background?: Rgba;
}

export function addPack(image: Command): void {
  const command = image
    .command('pack')
    .description('put the pixels of a PNG that are not background into a table, check that all are there, and save it')
    .addArgument(inputFile('a picture, as PNG'))
    .addArgument(outputFile('the saved table'))
    .addOption(option('--scheme <name>', `of ${SCHEME_NAMES.join(', ')}`, parseScheme).default('robinHood'))
    .addOption(option('--load <f>', 'load factor, for schemes that have one', parseLoad).default(0.99))
    .addOption(
      option(
        '--background <colour>',
        'auto (the most frequent one), white, transparent, #rrggbb or #rrggbbaa',
        parseBackground,
      ).default(undefined, 'auto'),
    );
  finishCommand<Options, [string, string]>(command, async (options, output, from, to) => {
    const { result: picture, ms: readMs } = await timed(() => readPicture(from));
    const { width, height, pixels } = picture;
    const background = options.background ?? mostFrequent(pixels);
    const scheme = makeScheme(options.scheme, hasLoadFactor(options.scheme) ? { loadFactor: options.load } : {});
    await withGpu(options, async (gpu) => {
      output.say(describeGpu(gpu));
      const { result: made, ms: buildMs } = await timed(() => SparseImage.from(gpu, picture, { background, scheme }));
      const { result: again, ms: rebuildMs } = await timed(() => made.pixels());
      requireSame(pixels, new Uint32Array(again.buffer));
      const bytes = await made.toBytes();
      writeOutput(to, bytes);
      const { size, tableBytes, map } = made;
      output.say(
        [
          `${from}: ${width} × ${height} pixels, ${grouped(size)} of them not ${colourName(background)} (${percent(size / pixels.length)})`,
          `table: ${options.scheme} at load ${map.loadFactor.toFixed(3)}, ${kilobytes(tableBytes)}; all pixels take ${kilobytes(pixels.byteLength)}`,
          `${to}: ${kilobytes(bytes.length)}`,
          `read ${milliseconds(readMs)}, built ${milliseconds(buildMs)}, picture rebuilt and compared ${milliseconds(rebuildMs)}`,
        ].join('\n'),
      );
      const loadFactor = map.loadFactor;
      output.write({
        from,
        to,
        width,
        height,
        background,
        size,
        scheme: options.scheme,
        loadFactor,
        tableBytes,
        bytes: bytes.length,
        buildMs,
        rebuildMs,
      });
      made.destroy();
    });
  });
}

function requireSame(pixels: Uint32Array, again: Uint32Array): void {
  const wrong = pixels.findIndex((word, i) => again[i] !== word);
  if (wrong >= 0) throw new RunFailure(`pixel ${wrong} comes back as ${again[wrong]}, not as ${pixels[wrong]}`);
}

/** Pixels that are looked at: all colours of more might not fit a `Map`. */
const MOST_SAMPLED = 2 ** 20;

/** The colour that most pixels have, or most of a sample. */
function mostFrequent(pixels: Uint32Array): Rgba {
  const counts = new Map<number, number>();
  // Odd, so that it is no column of a picture whose width is a power of two.
  const step = 2 * Math.floor(pixels.length / (2 * MOST_SAMPLED)) + 1;
  for (let at = 0; at < pixels.length; at += step) {
    const word = pixels[at] as number;
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const [word] = [...counts].reduce((best, next) => (next[1] > best[1] ? next : best));
  return [...new Uint8Array(Uint32Array.of(word).buffer)] as unknown as Rgba;
}
