import type { Command } from 'commander';
import {
  makePicture,
  PAPER_PICTURES,
  PICTURE_KINDS,
  type PictureKind,
  type PictureRequest,
  WHITE,
} from '../../bench/pictures/index.ts';
import { type CommonOptions, finishCommand, option, seedOption } from '../command.ts';
import { grouped, percent } from '../textTable.ts';
import { PAPER_NAMES, parsePaperPicture, parsePictureKind, parsePictureSize, parseSize } from '../values.ts';
import { kilobytes, milliseconds, outputFile, timed, writePicture } from './files.ts';

interface Options extends CommonOptions {
  readonly kind: PictureKind;
  readonly size: readonly [number, number];
  readonly filled?: number;
  readonly paper?: keyof typeof PAPER_PICTURES;
  readonly seed: number;
}

export function addMake(image: Command): void {
  const command = image
    .command('make')
    .description('make a sparse picture: coloured on white, the same for the same seed')
    .addArgument(outputFile('the picture, as PNG'))
    .addOption(option('--kind <kind>', `of ${PICTURE_KINDS.join(', ')}`, parsePictureKind).default('text'))
    .addOption(option('--size <n>', 'its sides, as 512 or 640x480', parsePictureSize).default([1024, 1024], '1024'))
    .addOption(
      option('--filled <n>', 'pixels that are not white (default: a share that goes with the kind)', parseSize),
    )
    .addOption(
      option(
        '--paper <name>',
        `instead: as large and as full as ${PAPER_NAMES.join(', ')} in García et al. 2011`,
        parsePaperPicture,
      ),
    )
    .addOption(seedOption());
  finishCommand<Options, [string]>(command, async (options, output, file) => {
    const { result: picture, ms } = await timed(() => makePicture(requestOf(options)));
    const { width, height, pixels } = picture;
    const filled = pixels.reduce((sum, word) => sum + Number(word !== WHITE), 0);
    const bytes = writePicture(file, picture);
    output.say(
      `${file}: ${width} × ${height} pixels, ${grouped(filled)} of them not white (${percent(filled / pixels.length)}), ${kilobytes(bytes)}, made in ${milliseconds(ms)}`,
    );
    output.write({ file, width, height, filled, bytes });
  });
}

const requestOf = ({ kind, size: [width, height], filled, paper, seed }: Options): PictureRequest =>
  paper ? { ...PAPER_PICTURES[paper], seed } : { kind, width, height, seed, ...(filled !== undefined && { filled }) };
