/**
 * What a soak does, as data: a list of steps that follows from a seed. A step that no longer makes sense, because steps before
 * it were left out, does nothing; so a history that fails is shortened by leaving out steps.
 */
import { type BuiltExtent, type BuiltStep, builtSteps, describeBuilt } from './builtHistory.ts';
import { type CallStep, callSteps, describeCall } from './callHistory.ts';
import { Draw } from './items.ts';
import { describeLiving, type LivingExtent, type LivingStep, livingSteps } from './livingHistory.ts';

/** What goes wrong outside the library: a readback that cannot be mapped, memory that cannot be had. */
type Fault = 'mapping' | 'memory';

/** A fault that strikes at its so many-th chance in a step. */
export interface Strike {
  readonly fault: Fault;
  readonly after: number;
}

type Step = BuiltStep | LivingStep | CallStep | { readonly do: 'wait' };

/** A step, whether the next one waits for it, and what goes wrong meanwhile. */
export type TimedStep = Step & { readonly awaited: boolean; readonly strike?: Strike };

export type History = readonly TimedStep[];

const PARTS = { built: builtSteps, living: livingSteps, calls: callSteps } as const;

/** What a soak is made of. */
export interface Extent extends BuiltExtent, LivingExtent {
  /** What a history is about: collections that are built at once, those that live, or calls that leave nothing behind. */
  readonly parts?: readonly (keyof typeof PARTS)[];
  readonly steps?: number;
}

const STEPS = 30;

/** The history of a seed. */
export function historyOf(seed: number, extent: Extent = {}): History {
  const { parts = Object.keys(PARTS) as (keyof typeof PARTS)[], steps = STEPS } = extent;
  const draw = new Draw(seed);
  const { first, next } = PARTS[draw.oneOf(parts)](draw, extent);
  const timed = (made: Step): TimedStep => ({
    ...made,
    awaited: draw.below(2) === 0,
    ...(draw.below(12) === 0 && {
      strike: { fault: draw.oneOf(['mapping', 'memory'] as const), after: draw.below(4) },
    }),
  });
  const rest = Array.from({ length: steps }, (): Step => (draw.below(100) < 97 ? next() : { do: 'wait' }));
  return [...first, ...rest].map(timed);
}

/** A history as a reader wants to see it: one call a line. */
export const describeHistory = (history: History): string => history.map(describeStep).join('\n');

function describeStep(step: TimedStep): string {
  const waiting = step.awaited ? 'await ' : '';
  const strike = step.strike ? ` // ${step.strike.fault} fails after ${step.strike.after}` : '';
  return `${waiting}${callOf(step)};${strike}`;
}

function callOf(step: Step): string {
  if (step.do === 'wait') return 'all()';
  if ('living' in step) return describeLiving(step);
  if ('call' in step) return describeCall(step);
  return describeBuilt(step);
}
