/** Steps that leave nothing behind: joins and groups of tables, neighbours of points, pictures. */
import type { How } from '../../src/relational.ts';
import type { ColumnKind } from '../oracles/columns.ts';
import type { Draw } from './items.ts';

/** How many rows, of so many different keys, a tenth of them without a value if so. */
export interface RowsOf {
  readonly count: number;
  readonly seed: number;
  readonly below: number;
  readonly hasNulls: boolean;
}

export type CallStep =
  | {
      readonly call: true;
      readonly do: 'join';
      readonly how: How;
      readonly kinds: readonly ColumnKind[];
      readonly left: RowsOf;
      readonly right: RowsOf;
      /** Whether the right side is a table that is joined twice. */
      readonly keepsRight: boolean;
    }
  | { readonly call: true; readonly do: 'group'; readonly kinds: readonly ColumnKind[]; readonly rows: RowsOf }
  | { readonly call: true; readonly do: 'neighbours'; readonly dimensions: 2 | 3; readonly counts: readonly number[] }
  | {
      readonly call: true;
      readonly do: 'picture' | 'paint';
      readonly width: number;
      readonly height: number;
      readonly seed: number;
    };

const HOWS: readonly How[] = ['inner', 'left', 'right', 'full', 'semi', 'anti'];
const COUNTS = [0, 1, 2, 63, 65, 256, 400];
const COLUMNS: readonly (readonly ColumnKind[])[] = [['u32'], ['u64'], ['string'], ['u32', 'string']];

/** No first steps, and what draws the next ones. */
export function callSteps(draw: Draw): { first: readonly CallStep[]; next: () => CallStep } {
  const rows = (): RowsOf => ({
    count: draw.oneOf(COUNTS),
    seed: draw.below(1000),
    below: draw.oneOf([1, 4, 60, 100_000]),
    hasNulls: draw.below(3) === 0,
  });
  // Kernels take seconds to compile on a software GPU.
  const kinds = [draw.oneOf(COLUMNS), draw.oneOf(COLUMNS)];
  const next = (): CallStep => {
    const chance = draw.below(100);
    if (chance < 40) {
      const [left, right, keepsRight] = [rows(), rows(), draw.below(2) === 0];
      return { call: true, do: 'join', how: draw.oneOf(HOWS), kinds: draw.oneOf(kinds), left, right, keepsRight };
    }
    if (chance < 65) return { call: true, do: 'group', kinds: draw.oneOf(kinds), rows: rows() };
    if (chance < 85) {
      const counts = Array.from({ length: 1 + draw.below(3) }, () => draw.oneOf(COUNTS));
      return { call: true, do: 'neighbours', dimensions: draw.oneOf([2, 3] as const), counts };
    }
    const [width, height, seed] = [1 + draw.below(40), 1 + draw.below(40), draw.below(1000)];
    return { call: true, do: draw.oneOf(['picture', 'paint'] as const), width, height, seed };
  };
  return { first: [], next };
}

const describeRows = ({ count, seed, below, hasNulls }: RowsOf): string =>
  `rows(${count}, seed ${seed}, below ${below}${hasNulls ? ', with nulls' : ''})`;

/** The call of a step, as a reader wants to see it. */
export function describeCall(step: CallStep): string {
  switch (step.do) {
    case 'join': {
      const { how, kinds, left, right, keepsRight } = step;
      return `${keepsRight ? 'joinTwice' : 'join'}(${kinds.join('+')}, ${describeRows(left)}, ${describeRows(right)}, ${how})`;
    }
    case 'group':
      return `group(${step.kinds.join('+')}, ${describeRows(step.rows)})`;
    case 'neighbours':
      return `neighbours(${step.dimensions} dimensions, ${step.counts.join(' then ')} points)`;
    default:
      return `${step.do}(${step.width} × ${step.height}, seed ${step.seed})`;
  }
}
