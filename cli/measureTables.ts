/** Measures many tables, those of one workload in a row. */
import { type BenchOptions, type BenchRecord, benchmark } from '../bench/benchmark.ts';
import { type Configuration, describeConfiguration, refusalOf } from '../bench/configurations.ts';
import { Workload } from '../bench/workload.ts';
import type { Gpu } from '../src/index.ts';
import type { Output } from './output.ts';
import { type ReportProgress, runSteps } from './progress.ts';
import { counted, grouped } from './textTable.ts';

export interface MeasureTablesOptions extends BenchOptions {
  /** How often every key occurs. */
  readonly copies: number;
}

export interface Measured {
  readonly records: readonly BenchRecord[];
  /** What could not be measured, and what was wrong. */
  readonly failures: readonly string[];
}

/** Measures all that is not refused. Records are kept as they come. */
export async function measureTables(
  gpu: Gpu,
  configurations: readonly Configuration[],
  options: MeasureTablesOptions,
  output: Output,
): Promise<Measured> {
  const accepted = configurations.filter((configuration) => {
    const refusal = refusalOf(configuration, options.duplicates);
    if (refusal !== undefined) output.say(`skipped: ${describeConfiguration(configuration)}: ${refusal}`);
    return refusal === undefined;
  });
  const records: BenchRecord[] = [];
  const failures: string[] = [];
  const note = (measured: readonly BenchRecord[]): void => {
    records.push(...measured);
    output.keep(records);
    for (const { correct, error, scheme, collection, key, items, op } of measured) {
      if (!correct) failures.push(`${scheme} ${collection} ${key} ${items} ${op}: ${error}`);
    }
  };
  await runSteps(
    byWorkload(accepted).map((group) => ({
      title: `${group[0]?.key.name} ${grouped(group[0]?.items ?? 0)}`,
      run: async (report) => {
        const failed = await measureGroup(gpu, group, options, { note, report });
        failures.push(...failed);
        if (failed.length > 0) throw new Error(`${failed.length} of ${group.length} could not be measured`);
        return counted(group.length, 'table');
      },
    })),
  );
  return { records, failures };
}

/** Neighbours of the same key type and size share their items. */
function byWorkload(configurations: readonly Configuration[]): Configuration[][] {
  const groups = new Map<string, Configuration[]>();
  for (const configuration of configurations) {
    const name = `${configuration.key.name}/${configuration.items}`;
    groups.set(name, [...(groups.get(name) ?? []), configuration]);
  }
  return [...groups.values()];
}

/** Returns what went wrong: what one table cannot do says nothing about the others. */
async function measureGroup(
  gpu: Gpu,
  group: readonly Configuration[],
  options: MeasureTablesOptions,
  { note, report }: { note: (measured: readonly BenchRecord[]) => void; report: ReportProgress },
): Promise<string[]> {
  const { key, value, items } = group[0] as Configuration;
  const { seed, copies } = options;
  let workload: Workload;
  try {
    workload = await Workload.create(gpu, { items, key, value, seed, copies });
  } catch (error) {
    return [`${key.name} ${items}: ${(error as Error).message}`];
  }
  const failures: string[] = [];
  try {
    for (const [i, configuration] of group.entries()) {
      const name = describeConfiguration(configuration);
      try {
        note(await benchmark(gpu, workload, configuration, options, (op) => report(i, group.length, `${name} ${op}`)));
      } catch (error) {
        failures.push(`${name}: ${(error as Error).message}`);
        gpu.assertAlive();
      }
    }
  } catch (error) {
    // The device is gone, and the rest of the group with it.
    failures.push(`${key.name} ${items}: ${(error as Error).message}`);
  } finally {
    workload.destroy();
  }
  return failures;
}
