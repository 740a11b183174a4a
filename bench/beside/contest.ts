/**
 * Libraries side by side: the same data for all, every answer compared with the one that is known, times as each gives them. A contestant is one module,
 * and all have the same contract.
 */
import type { Gpu } from '../../src/gpu/index.ts';
import { median } from '../measure.ts';
import { MissingPackage } from './packages.ts';

/** What `--without` names. */
export const LIBRARIES = ['hashnest', 'luma', 'duckdb', 'arquero', 'three', 'javascript', 'dense'] as const;
export type Library = (typeof LIBRARIES)[number];

/** What `--only` names. */
export const TASKS = ['join', 'group', 'neighbours', 'weld'] as const;
export type Task = (typeof TASKS)[number];

/** Milliseconds of one run, by what they were spent on. */
export type Times = Readonly<Record<string, number>>;

/** A contestant with its data before it. */
interface Entry<Answer> {
  /** Does the task once. */
  run(): Promise<Times>;
  /** What the last run gave. */
  answer(): Promise<Answer>;
}

/** What contestants find. */
export interface Stage {
  readonly gpu: Gpu;
  /** Has something destroyed when the contestant is done, or has failed. */
  keep<T extends { destroy(): void }>(made: T): T;
}

/** A way to do a task. */
export interface Contestant<Data, Answer> {
  readonly name: string;
  readonly library: Library;
  /** Whose time it is: the clock of this process, from arrays to arrays; or the timestamps of the GPU, where the data is there already. */
  readonly clock: 'wall' | 'gpu';
  /** Why it cannot do the task with such data. */
  refuses?(data: Data): string | undefined;
  /** All that is not timed. Throws a `MissingPackage` where it needs one that is not installed. */
  prepare(data: Data, stage: Stage): Promise<Entry<Answer>>;
}

/** A task with one kind of data. */
export interface Workload<Data, Answer> {
  readonly task: Task;
  /** What the data is, in a word or two. */
  readonly data: string;
  /** What exactly is asked for. */
  readonly asks: string;
  readonly sizes: readonly number[];
  make(size: number): Data;
  /** How much of an answer is wrong. */
  wrong(data: Data, answer: Answer): number;
  readonly contestants: readonly Contestant<Data, Answer>[];
}

/** What a contestant did with one workload. */
export interface BesideRecord {
  readonly task: Task;
  readonly data: string;
  readonly size: number;
  readonly contestant: string;
  readonly clock: 'wall' | 'gpu';
  /** Of all parts together. */
  readonly medianMs: number;
  readonly minMs: number;
  readonly maxMs: number;
  /** The median of every part. */
  readonly parts: Times;
  readonly runs: number;
  readonly wrong: number;
}

export interface ContestOptions {
  /** Measured runs, after one that warms up. */
  readonly repeat: number;
  /** After so many seconds of measured runs there are no more of them. */
  readonly seconds: number;
  readonly without: readonly Library[];
}

/** Who hears of what happens. */
export interface Listener {
  measured(record: BesideRecord): void;
  /** Somebody does not take part, and why. */
  leftOut(contestant: string, why: string): void;
  failed(contestant: string, error: unknown): void;
}

/** All contestants of a workload, one after the other. What one cannot do says nothing about the others. */
export async function contest<Data, Answer>(
  gpu: Gpu,
  workload: Workload<Data, Answer>,
  size: number,
  options: ContestOptions,
  listener: Listener,
): Promise<void> {
  const contestants = workload.contestants.filter(({ library }) => !options.without.includes(library));
  if (contestants.length === 0) return;
  const data = workload.make(size);
  for (const contestant of contestants) {
    const why = contestant.refuses?.(data) ?? missingClock(gpu, contestant);
    if (why !== undefined) {
      listener.leftOut(contestant.name, why);
      continue;
    }
    try {
      listener.measured({
        task: workload.task,
        data: workload.data,
        size,
        ...(await compete(gpu, workload, contestant, data, options)),
      });
    } catch (error) {
      if (error instanceof MissingPackage) listener.leftOut(contestant.name, error.message);
      else listener.failed(contestant.name, error);
      gpu.assertAlive();
    }
  }
}

const missingClock = (gpu: Gpu, { clock }: { readonly clock: string }): string | undefined =>
  clock === 'gpu' && !gpu.device.features.has('timestamp-query') ? 'this GPU has no timestamps' : undefined;

async function compete<Data, Answer>(
  gpu: Gpu,
  { wrong }: Workload<Data, Answer>,
  { name, clock, prepare }: Contestant<Data, Answer>,
  data: Data,
  { repeat, seconds }: ContestOptions,
) {
  const kept: { destroy(): void }[] = [];
  try {
    const entry = await prepare(data, {
      gpu,
      keep: (made) => {
        kept.push(made);
        return made;
      },
    });
    await entry.run();
    const runs: Times[] = [];
    const end = performance.now() + 1000 * seconds;
    do runs.push(await entry.run());
    while (runs.length < repeat && performance.now() < end);
    const totals = runs.map((times) => Object.values(times).reduce((sum, ms) => sum + ms, 0));
    return {
      contestant: name,
      clock,
      medianMs: median(totals),
      minMs: Math.min(...totals),
      maxMs: Math.max(...totals),
      parts: Object.fromEntries(
        Object.keys(runs[0] ?? {}).map((part) => [part, median(runs.map((t) => t[part] ?? 0))]),
      ),
      runs: runs.length,
      wrong: wrong(data, await entry.answer()),
    };
  } finally {
    for (const made of kept.reverse()) made.destroy();
  }
}
