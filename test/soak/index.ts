/**
 * A soak: histories of random calls, one after the other, until the time is up or something is wrong. Like the conformance
 * list it needs no test runner: `hashnest soak` runs it on whatever GPU there is.
 */
import type { Gpu } from '../../src/gpu/index.ts';
import { describeHistory, type Extent, type History, historyOf } from './history.ts';
import { runHistory } from './run.ts';
import { shrink } from './shrink.ts';

/** What a soak may be told. */
export interface SoakOptions {
  /** The seed of the first history; the next ones have the seeds behind it. */
  readonly seed: number;
  /** When to begin no other history. */
  readonly isOver: (histories: number) => boolean;
  readonly extent?: Extent;
  /** Hears of every history that went well. */
  readonly onProgress?: (soFar: SoakOutcome) => void;
  /** What runs a history, throwing what is wrong. */
  readonly run?: (gpu: Gpu, history: History) => Promise<{ readonly answers: number; readonly mostBytes: number }>;
}

export interface SoakOutcome {
  readonly histories: number;
  readonly steps: number;
  /** Answers that were compared. */
  readonly answers: number;
  /** The most bytes of buffers that lived at once; after every history there are none. */
  readonly mostBytes: number;
}

/** A history that went wrong, made short. */
export class SoakFailure extends Error {
  constructor(
    /** `hashnest soak --seed` with it begins with the history that failed. */
    readonly seed: number,
    readonly history: History,
    cause: unknown,
  ) {
    const what = cause instanceof Error ? cause.message : String(cause);
    super(`seed ${seed}: ${what}\n${describeHistory(history)}`, { cause });
  }
}

/** Shortening is given up after so many histories: each may take seconds. */
const MOST_TRIES = 400;

/** Runs histories until it is over. Throws a `SoakFailure` at the first one that goes wrong. */
export async function soak(gpu: Gpu, options: SoakOptions): Promise<SoakOutcome> {
  const { seed: first, isOver, extent, onProgress, run = runHistory } = options;
  let outcome: SoakOutcome = { histories: 0, steps: 0, answers: 0, mostBytes: 0 };
  while (!isOver(outcome.histories)) {
    const seed = (first + outcome.histories) >>> 0;
    const history = historyOf(seed, extent);
    try {
      const { answers, mostBytes } = await run(gpu, history);
      outcome = {
        histories: outcome.histories + 1,
        steps: outcome.steps + history.length,
        answers: outcome.answers + answers,
        mostBytes: Math.max(outcome.mostBytes, mostBytes),
      };
      onProgress?.(outcome);
    } catch (cause) {
      throw await shortened(gpu, seed, history, cause, run);
    }
  }
  return outcome;
}

/** The failure with as short a history as is found; what is wrong with that one may be something else. */
async function shortened(
  gpu: Gpu,
  seed: number,
  history: History,
  cause: unknown,
  run: typeof runHistory,
): Promise<SoakFailure> {
  let tries = 0;
  let last = cause;
  const short = await shrink(history, async (candidate) => {
    if (++tries > MOST_TRIES) return false;
    return run(gpu, candidate).then(
      () => false,
      (error: unknown) => {
        last = error;
        return true;
      },
    );
  });
  return new SoakFailure(seed, short, last);
}
