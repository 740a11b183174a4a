/** What all figures of Li et al. 2021 have in common. */
import { SET_NAMES, type SetName } from '../../bench/living/dataSets.ts';
import type { Gpu } from '../../src/index.ts';
import { option } from '../command.ts';
import { parseScale, parseSets } from '../values.ts';

/** The scale that is used if none is named. */
const SCALES = { software: 0.0005, real: 0.1 };
export const scaleOption = () =>
  option('--scale <x>', 'share of the sizes of Table I (default: 0.1, in software 0.0005)', parseScale);
export const scaleFor = (gpu: Gpu, scale: number | undefined): number =>
  scale ?? SCALES[gpu.info.software ? 'software' : 'real'];
export const uniqueFlag = ['--unique', 'of every key one pair only'] as const;
export const setsOption = (sets: readonly SetName[]) =>
  option('--sets <list>', `of ${SET_NAMES.join(', ')}`, parseSets).default(sets, sets.join());

/** Table II: θ and β. */
export const UPPER = [0.7, 0.75, 0.8, 0.85, 0.9];
