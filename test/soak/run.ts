/** Takes several tables through a history and compares all that they say with plain maps. */
import type { Gpu } from '../../src/gpu/index.ts';
import { isTrue } from '../conformance/expect.ts';
import { BuiltTables } from './built.ts';
import { takeCall } from './callRun.ts';
import { Calls } from './calls.ts';
import { watchDevice } from './faults.ts';
import type { History, TimedStep } from './history.ts';
import { LivingTables } from './living.ts';

/** One step takes a second; one that takes so long does not end. */
const STEP_LIMIT_MS = 120_000;

/** What is wrong, and with which step. */
class WrongStep extends Error {
  constructor(
    readonly step: TimedStep,
    readonly number: number,
    override readonly cause: unknown,
  ) {
    super(`step ${number}: ${cause instanceof Error ? cause.message : cause}`);
  }
}

/** What came of a history that went well. */
export interface Outcome {
  readonly answers: number;
  readonly mostBytes: number;
}

/** Runs a history on a device that nobody else uses. Throws a `WrongStep` at the first thing that is wrong. */
export async function runHistory(gpu: Gpu, history: History): Promise<Outcome> {
  const device = watchDevice(gpu);
  const world = new World(gpu, device.arm);
  try {
    for (const [number, step] of history.entries()) {
      try {
        await inTime(world.take(step));
      } catch (cause) {
        throw new WrongStep(step, number, cause);
      }
    }
    await inTime(world.waitForAll());
    world.destroy();
    const left = [...device.live()].map(([label, bytes]) => `${label} (${bytes} bytes)`);
    isTrue(left.length === 0, `no buffer is left when all tables are destroyed, but there are ${left.join(', ')}`);
    return { answers: world.answers, mostBytes: device.mostBytes };
  } finally {
    // Calls that are under way would make their buffers in the next history.
    await inTime(world.waitForAll()).catch(() => {});
    world.destroy();
    device.release();
  }
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no end after ${STEP_LIMIT_MS / 1000} s`)), STEP_LIMIT_MS);
  });
  try {
    return await Promise.race([work, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}

class World {
  readonly #gpu: Gpu;
  readonly #arm: ReturnType<typeof watchDevice>['arm'];
  readonly #calls = new Calls();
  readonly #built: BuiltTables;
  readonly #living: LivingTables;

  constructor(gpu: Gpu, arm: ReturnType<typeof watchDevice>['arm']) {
    this.#gpu = gpu;
    this.#arm = arm;
    this.#built = new BuiltTables(gpu, this.#calls);
    this.#living = new LivingTables(gpu, this.#calls);
  }

  get answers(): number {
    return this.#calls.answers;
  }

  async take(step: TimedStep): Promise<void> {
    const calls = this.#calls;
    // Whose call a fault strikes is known only if there is no other.
    if (step.strike) await calls.wait();
    this.#arm(step.strike);
    calls.isStruck = step.strike !== undefined;
    await this.#do(step);
    if (step.strike || step.awaited) await calls.wait();
    this.#arm(undefined);
    calls.isStruck = false;
    calls.check();
  }

  waitForAll(): Promise<void> {
    return this.#calls.wait();
  }

  async #do(step: TimedStep): Promise<void> {
    if (step.do === 'wait') return this.waitForAll();
    if ('living' in step) return this.#living.take(step);
    if ('call' in step) return takeCall(this.#gpu, this.#calls, step);
    return this.#built.take(step);
  }

  destroy(): void {
    this.#built.destroy();
    this.#living.destroy();
  }
}
