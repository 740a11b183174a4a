/** Figures 10 to 14 and Table IV of Li et al. 2021: the dynamic workload over its parameters. */
import type { Gpu } from '../../src/gpu/index.ts';
import { DataSet, type SetName } from '../living/dataSets.ts';
import type { Contender } from '../living/tables.ts';
import { type DynamicOutcome, type DynamicRequest, runDynamic } from '../living/workload.ts';

/** One line of a figure. */
export interface DynamicLine extends Omit<DynamicRequest, 'onProgress'> {
  readonly contender: Contender;
  readonly set: SetName;
  readonly scale: number;
  /** Of every key only one pair. */
  readonly unique: boolean;
}

export interface DynamicRecord extends DynamicOutcome, Omit<DynamicLine, 'contender'> {
  readonly scheme: string;
  readonly pairs: number;
  /** GPU time of all batches, resizing left out. */
  readonly batchesMs: number;
  /** Operations a second, resizing in GPU time as well; undefined without timestamps. */
  readonly perSecondGpu: number | undefined;
  /** The same with the wall time of all that the host does to resize. */
  readonly perSecondWall: number;
  /** Of all batches but those that leave the table empty. */
  readonly lowestFilled: number;
  readonly highestFilled: number;
}

/** Table IV: 10⁶ operations a second, for 2·10⁷ to 10·10⁷ pairs. */
export const PAPER_SCALABILITY: readonly { readonly name: string; readonly rates: readonly number[] }[] = [
  { name: 'Slab', rates: [265, 255, 250, 230, 218] },
  { name: 'DyCuckoo', rates: [1085, 1086, 1074, 1076, 1082] },
];

export async function measureDynamic(
  gpu: Gpu,
  { contender, ...line }: DynamicLine,
  onProgress?: DynamicRequest['onProgress'],
): Promise<DynamicRecord> {
  const set = await DataSet.create(gpu, line.set, line);
  try {
    const outcome = await runDynamic(gpu, contender, set, { ...line, ...(onProgress && { onProgress }) });
    const { operations, insertMs, findMs, deleteMs, upsize, downsize, trace } = outcome;
    const batchesMs = insertMs + findMs + deleteMs;
    const resizeGpuMs =
      upsize.gpuMs === undefined || downsize.gpuMs === undefined ? undefined : upsize.gpuMs + downsize.gpuMs;
    const filled = trace.filter(({ size }) => size > 0).map((batch) => batch.filled);
    return {
      scheme: contender.name,
      ...line,
      pairs: set.pairs,
      operations,
      insertMs,
      findMs,
      deleteMs,
      upsize,
      downsize,
      again: outcome.again,
      wrong: outcome.wrong,
      trace,
      batchesMs,
      perSecondGpu: resizeGpuMs === undefined ? undefined : operations / ((batchesMs + resizeGpuMs) / 1000),
      perSecondWall: operations / ((batchesMs + upsize.wallMs + downsize.wallMs) / 1000),
      lowestFilled: Math.min(...filled),
      highestFilled: Math.max(...filled),
    };
  } finally {
    set.destroy();
  }
}

/** Runs a little of the workload, so that all pipelines are compiled before something is measured. */
export async function warmUp(gpu: Gpu, line: DynamicLine): Promise<void> {
  await measureDynamic(gpu, { ...line, set: 'COM', scale: 0.01, batch: 20_000, runs: 1 });
}
