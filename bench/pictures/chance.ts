import { scrambleTwin } from '../scramble.ts';

/** A number from 0 up to 1, another one each time. */
export type Chance = () => number;

/** The same numbers for the same seed. */
export function chanceOf(seed: number): Chance {
  let drawn = 0;
  return () => scrambleTwin(drawn++, [seed, 0x9e3779b9]) / 2 ** 32;
}
