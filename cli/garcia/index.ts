import type { Command } from 'commander';
import { addAccessFigures } from './access.ts';
import { addAgeFigures } from './ages.ts';
import { addFailures } from './failures.ts';
import { addPaint } from './paint.ts';
import { addPictureFigures } from './pictures.ts';
import { addRates } from './rates.ts';
import { addScreen } from './screen.ts';
import { addVolumes } from './volumes.ts';

/** The figures of García et al. 2011. */
export function addGarciaFigures(reproduce: Command): void {
  addAgeFigures(reproduce);
  addRates(reproduce);
  addPictureFigures(reproduce);
  addAccessFigures(reproduce);
  addScreen(reproduce);
  addPaint(reproduce);
  addVolumes(reproduce);
  addFailures(reproduce);
}
