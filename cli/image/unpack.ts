import type { Command } from 'commander';
import { MOST_PIXELS } from '../../bench/pictures/png/format.ts';
import { SparseImage } from '../../src/apps.ts';
import { type SchemeName, schemes } from '../../src/index.ts';
import { unpack } from '../../src/table/saved/format.ts';
import { type CommonOptions, finishCommand } from '../command.ts';
import { describeGpu, withGpu } from '../device.ts';
import { RunFailure } from '../failure.ts';
import { oneLine } from '../output.ts';
import { grouped } from '../textTable.ts';
import { inputFile, kilobytes, milliseconds, outputFile, readInput, timed, writePicture } from './files.ts';

export function addUnpack(image: Command): void {
  const command = image
    .command('unpack')
    .description('make a PNG again of a picture that `image pack` saved')
    .addArgument(inputFile('a saved picture'))
    .addArgument(outputFile('the picture, as PNG'));
  finishCommand<CommonOptions, [string, string]>(command, async (options, output, from, to) => {
    const saved = readInput(from);
    await withGpu(options, async (gpu) => {
      output.say(describeGpu(gpu));
      const { result: image, ms: openMs } = await timed(() =>
        opened(from, () => SparseImage.fromBytes(gpu, saved, { scheme: schemeOf(saved) })),
      );
      const { width, height, size } = image;
      if (width * height > MOST_PIXELS) {
        throw new RunFailure(
          `'${from}' has ${width} × ${height} pixels; no more than ${MOST_PIXELS} go into a PNG here`,
        );
      }
      const { result: bytes, ms: rebuildMs } = await timed(() => image.pixels());
      image.destroy();
      const pngBytes = writePicture(to, { width, height, pixels: new Uint32Array(bytes.buffer) });
      output.say(
        [
          `${from}: ${width} × ${height} pixels, ${grouped(size)} of them in the table, ${kilobytes(saved.length)}`,
          `${to}: ${kilobytes(pngBytes)}`,
          `opened ${milliseconds(openMs)}, picture rebuilt ${milliseconds(rebuildMs)}`,
        ].join('\n'),
      );
      output.write({ from, to, width, height, size, bytes: saved.length, pngBytes, openMs, rebuildMs });
    });
  });
}

/** The scheme that the table in a saved picture says it was built by. */
function schemeOf(saved: Uint8Array) {
  const { body } = unpack(saved, (json) => json);
  const { scheme } = unpack(body, (json) => json as { readonly scheme?: unknown }).description;
  const name = Object.keys(schemes).find((known) => known === scheme) as SchemeName | undefined;
  if (name === undefined)
    throw new RunFailure(`it was built by the scheme '${String(scheme).slice(0, 40)}', which is not known`);
  return schemes[name]();
}

async function opened<T>(file: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    throw new RunFailure(`'${file}' cannot be opened: ${oneLine(error)}`, { cause: error });
  }
}
