/** Makes a failing history as short as it can be. */
import type { History, TimedStep } from './history.ts';

/** A history that fails with nothing left that could be left out: no step, no fault, no half of any items. */
export async function shrink(history: History, fails: (history: History) => Promise<boolean>): Promise<History> {
  let best = await withoutSteps(history, fails);
  for (let i = 0; i < best.length; i++) {
    for (let simpler = simplerSteps(best[i] as TimedStep); ; simpler = simplerSteps(best[i] as TimedStep)) {
      let found: History | undefined;
      for (const step of simpler) {
        const candidate = best.with(i, step);
        if (!(await fails(candidate))) continue;
        found = candidate;
        break;
      }
      if (!found) break;
      best = found;
    }
  }
  return withoutSteps(best, fails);
}

/** Leaves out as many steps as it can: halves first, then smaller parts, down to single steps. */
async function withoutSteps(history: History, fails: (history: History) => Promise<boolean>): Promise<History> {
  let best = history;
  for (let part = Math.ceil(best.length / 2); part >= 1; part = Math.floor(part / 2)) {
    for (let start = 0; start < best.length; ) {
      const candidate = best.toSpliced(start, part);
      if (await fails(candidate)) best = candidate;
      else start += part;
    }
  }
  return best;
}

/** The same step with something less. */
function simplerSteps(step: TimedStep): TimedStep[] {
  const simpler: TimedStep[] = [];
  if (step.strike) {
    const { strike: _, ...calm } = step;
    simpler.push(calm);
  }
  if (!step.awaited) simpler.push({ ...step, awaited: true });
  if ('face' in step && step.face !== 'host') simpler.push({ ...step, face: 'host' });
  for (const name of ['items', 'queries', 'rows', 'left', 'right'] as const) {
    const made = (step as Partial<Record<typeof name, Counted>>)[name];
    if (made) simpler.push(...fewer(made).map((less) => ({ ...step, [name]: less }) as TimedStep));
  }
  return simpler;
}

interface Counted {
  readonly count: number;
}

const fewer = <T extends Counted>(items: T): T[] =>
  items.count === 0
    ? []
    : [
        { ...items, count: items.count >> 1 },
        { ...items, count: items.count - 1 },
      ];
