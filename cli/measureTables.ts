/** Measures many tables, those of one workload in a row. */
import { type BenchOptions, type BenchRecord, benchmark } from '../bench/benchmark.ts';
import { type Configuration, describeConfiguration, refusalOf } from '../bench/configurations.ts';
import { describeScheme } from '../bench/schemeChoice.ts';
import { Workload } from '../bench/workload.ts';
import type { Gpu } from '../src/index.ts';
import { RunFailure } from './failure.ts';
import type { Output } from './output.ts';
import { type ReportProgress, runSteps } from './progress.ts';
import { recordTable } from './recordTable.ts';
import { counted, grouped } from './textTable.ts';

export interface Measured {
  readonly records: readonly BenchRecord[];
  /** What could not be measured, and what was wrong. */
  readonly failures: readonly string[];
}

/** Measures all that is not refused. Records are kept as they come. */
export async function measureTables(
  gpu: Gpu,
  configurations: readonly Configuration[],
  options: BenchOptions,
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
    for (const { correct, error, scheme, options, collection, key, items, op } of measured) {
      const name = `${describeScheme(scheme, options)} ${collection} ${key} ${items} ${op}`;
      if (!correct) failures.push(`${name}: ${error}`);
    }
  };
  await runSteps(
    byWorkload(accepted).map((group) => ({
      title: titleOf(group[0] as Configuration),
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

/** Measures tables and writes the records down; what went wrong is a failure at the end. */
export async function measureAndShow(
  gpu: Gpu,
  configurations: readonly Configuration[],
  options: BenchOptions,
  output: Output,
): Promise<void> {
  const { records, failures } = await measureTables(gpu, configurations, options, output);
  output.say(recordTable(records));
  output.write(records);
  if (failures.length > 0) throw new RunFailure(`${failures.length} went wrong: ${failures.join(' | ')}`);
}

const titleOf = ({ key, items, copies = 1 }: Configuration): string =>
  `${key.name} ${grouped(items)}${copies === 1 ? '' : `, copies ${copies}`}`;

/** Neighbours of the same key type, size and number of copies share their items. */
function byWorkload(configurations: readonly Configuration[]): Configuration[][] {
  const groups = new Map<string, Configuration[]>();
  for (const configuration of configurations) {
    const { key, items, copies = 1 } = configuration;
    const name = `${key.name}/${items}/${copies}`;
    groups.set(name, [...(groups.get(name) ?? []), configuration]);
  }
  return [...groups.values()];
}

/** Returns what went wrong: what one table cannot do says nothing about the others. */
async function measureGroup(
  gpu: Gpu,
  group: readonly Configuration[],
  options: BenchOptions,
  { note, report }: { note: (measured: readonly BenchRecord[]) => void; report: ReportProgress },
): Promise<string[]> {
  const { key, value, items, copies = 1 } = group[0] as Configuration;
  const { seed, absent = [] } = options;
  let workload: Workload;
  try {
    workload = await Workload.create(gpu, { items, key, value, seed, copies, absent });
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
