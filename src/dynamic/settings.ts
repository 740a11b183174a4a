import { InvalidInputError, refuse } from '../gpu/index.ts';
import type { KeyType } from '../keys/index.ts';
import type { DynamicScheme, ValueWords } from '../schemes/contract/index.ts';

/** The bounds of the filled factor: keys per slot. */
export interface Bounds {
  /** Below it the table shrinks, but for slots that are reserved. */
  readonly lowest: number;
  /** Above it the table grows. */
  readonly highest: number;
}

/** What a table that lives is and stays. */
export interface DynamicSettings {
  readonly scheme: DynamicScheme;
  readonly key: KeyType;
  readonly valueWords: ValueWords;
  readonly bounds: Bounds;
  readonly seed?: number | undefined;
}

/** Li et al. 2021, table II. */
export const DEFAULT_BOUNDS: Bounds = { lowest: 0.5, highest: 0.85 };

/** A step to another size must not lead straight back: the bounds are that far apart. */
const CLOSEST = 0.8;

/** Throws for bounds that a table of that scheme cannot keep. */
export function requireBounds(
  { name, mostFilled, closestBounds = CLOSEST }: DynamicScheme,
  { lowest, highest }: Bounds,
): void {
  for (const [bound, value] of Object.entries({ lowest, highest })) {
    if (!(typeof value === 'number' && value > 0 && value <= mostFilled)) {
      refuse(bound, `above 0 and at most ${mostFilled} (${name})`, value);
    }
  }
  if (lowest > highest * closestBounds) {
    throw new InvalidInputError(
      `lowest must be at most ${closestBounds} of highest, so that a table that has just grown need not shrink: ${lowest} and ${highest}`,
    );
  }
}

/** Slots of a table that is as full with so many keys as it may be. */
export const fewestSlots = (keys: number, { highest }: Bounds): number => Math.ceil(keys / highest);

/** Where a table is between its bounds after it was resized: as far from one as from the other. */
export const targetOf = ({ lowest, highest }: Bounds): number => Math.sqrt(lowest * highest);
