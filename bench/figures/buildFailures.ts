/** How often one attempt to build a table fails, for any scheme and load, over many builds from random keys. */
import type { Gpu, Scheme, SchemeName } from '../../src/index.ts';
import { hasLoadFactor, makeScheme } from '../configurations.ts';
import { buildMany, type ManyBuilds } from './manyBuilds.ts';

/** One table of the figure. */
export interface AttemptedTable {
  readonly items: number;
  /** Undefined for schemes that have no load to choose. */
  readonly loadFactor: number | undefined;
  readonly scheme: Scheme;
}

export interface BuildFailures extends Omit<AttemptedTable, 'scheme'> {
  readonly scheme: string;
  readonly builds: number;
  readonly capacitySlots: number;
  /** Builds that would have been tried again. */
  readonly failed: number;
  /** Builds that put items outside the table proper, and the most items of one build that went there. */
  readonly needed: number;
  readonly most: number;
}

/** Every combination. */
export const attemptedTables = (axes: {
  readonly schemes: readonly SchemeName[];
  readonly loads: readonly number[];
  readonly items: readonly number[];
}): AttemptedTable[] =>
  axes.schemes.flatMap((name) =>
    (hasLoadFactor(name) ? axes.loads : [undefined]).flatMap((loadFactor) =>
      axes.items.map((items) => ({ items, loadFactor, scheme: makeScheme(name, { loadFactor }) })),
    ),
  );

/** Builds one table of the figure many times. */
export async function buildFailures(
  gpu: Gpu,
  { scheme, ...table }: AttemptedTable,
  options: Pick<ManyBuilds, 'builds' | 'random' | 'onProgress'>,
): Promise<BuildFailures> {
  let [failed, needed, most] = [0, 0, 0];
  const { capacitySlots } = await buildMany(gpu, { ...options, scheme, items: table.items }, (line) => {
    failed += Number(line.hasFailed);
    needed += Number(line.stashed > 0);
    most = Math.max(most, line.stashed);
  });
  return { scheme: scheme.name, ...table, builds: options.builds, capacitySlots, failed, needed, most };
}
