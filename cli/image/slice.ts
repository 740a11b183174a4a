import type { Command } from 'commander';
import { hasLoadFactor, makeScheme } from '../../bench/configurations.ts';
import { chanceOf } from '../../bench/pictures/chance.ts';
import { makeVolume, VOLUME_KINDS, type VolumeKind, type Voxels } from '../../bench/pictures/volumes.ts';
import { type Slice, SparseVolume, type Vector } from '../../src/apps.ts';
import type { SchemeName } from '../../src/index.ts';
import { type CommonOptions, finishCommand, option, seedOption } from '../command.ts';
import { describeGpu, withGpu } from '../device.ts';
import { grouped } from '../textTable.ts';
import { parseLoad, parseScheme, parseVolumeKind, parseVolumeSide, SCHEME_NAMES } from '../values.ts';
import { kilobytes, milliseconds, outputFile, timed, writePicture } from './files.ts';

interface Options extends CommonOptions {
  readonly kind: VolumeKind;
  readonly side: number;
  readonly scheme: SchemeName;
  readonly load: number;
  readonly seed: number;
}

export function addSlice(image: Command): void {
  const command = image
    .command('slice')
    .description('draw a plane through a volume of voxels, at an orientation that the seed decides')
    .addArgument(outputFile('the picture, as PNG'))
    .addOption(option('--kind <kind>', `of ${VOLUME_KINDS.join(', ')}`, parseVolumeKind).default('armadillo'))
    .addOption(option('--side <n>', 'voxels of an edge of the cube', parseVolumeSide).default(256))
    .addOption(option('--scheme <name>', `of ${SCHEME_NAMES.join(', ')}`, parseScheme).default('robinHood'))
    .addOption(option('--load <f>', 'load factor, for schemes that have one', parseLoad).default(0.8))
    .addOption(seedOption());
  finishCommand<Options, [string]>(command, async (options, output, file) => {
    const { kind, side, seed, load } = options;
    const { result: voxels, ms: makeMs } = await timed(() => makeVolume({ kind, side, seed }));
    const scheme = makeScheme(options.scheme, hasLoadFactor(options.scheme) ? { loadFactor: load } : {});
    await withGpu(options, async (gpu) => {
      output.say(describeGpu(gpu));
      const input = { width: side, height: side, depth: side, points: pointsOf(voxels), colours: voxels.colours };
      const { result: volume, ms: buildMs } = await timed(() =>
        SparseVolume.from(gpu, input, { background: [255, 255, 255, 255], scheme }),
      );
      const { result: pixels, ms: sliceMs } = await timed(() => volume.slice(planeOf(side, seed)));
      const { size, tableBytes, map } = volume;
      const { loadFactor } = map;
      writePicture(file, { width: side, height: side, pixels: new Uint32Array(pixels.buffer) });
      output.say(
        [
          `${kind}: ${grouped(size)} voxels of ${side}³, made in ${milliseconds(makeMs)}`,
          `table: ${options.scheme} at load ${loadFactor.toFixed(3)}, ${kilobytes(tableBytes)}; all voxels take ${kilobytes(4 * side ** 3)}`,
          `built ${milliseconds(buildMs)}, slice drawn ${milliseconds(sliceMs)}: ${file}`,
        ].join('\n'),
      );
      output.write({ file, kind, side, size, scheme: options.scheme, loadFactor, tableBytes, buildMs, sliceMs });
      volume.destroy();
    });
  });
}

const pointsOf = ({ side, places }: Voxels): Uint32Array<ArrayBuffer> => {
  const points = new Uint32Array(3 * places.length);
  for (const [i, place] of places.entries()) {
    points.set([place % side, Math.floor(place / side) % side, Math.floor(place / side ** 2)], 3 * i);
  }
  return points;
};

/** A plane through the middle of a cube: two directions at right angles, by chance. */
function planeOf(side: number, seed: number): Slice {
  const chance = chanceOf(seed);
  const [yaw, pitch] = [2 * Math.PI * chance(), Math.PI * (chance() - 0.5)];
  const u: Vector = [Math.cos(yaw), Math.sin(yaw), 0];
  const v: Vector = [-Math.sin(yaw) * Math.sin(pitch), Math.cos(yaw) * Math.sin(pitch), Math.cos(pitch)];
  const half = (side - 1) / 2;
  const origin = [0, 1, 2].map((k) => half - half * ((u[k] as number) + (v[k] as number))) as unknown as Vector;
  return { origin, u, v, width: side, height: side };
}
