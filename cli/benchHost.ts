/** `hashnest bench host`: whole calls of the host face, and the first calls of processes of their own. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { adapterName } from '../bench/benchmark.ts';
import {
  firstCalls,
  HOST_PARTS,
  type HostPart,
  type HostRecord,
  largeCalls,
  madeInFrames,
  smallCalls,
} from '../bench/hostCalls.ts';
import { crossingsOf, mapCalls } from '../bench/mapCalls.ts';
import { type CommonOptions, finishCommand, option, repeatOption } from './command.ts';
import { describeGpu, withGpu } from './device.ts';
import { RunFailure } from './failure.ts';
import { grouped, textTable } from './textTable.ts';
import { parseHostParts, parseRepeat, parseSize, parseSizes } from './values.ts';

interface Options extends CommonOptions {
  readonly parts: readonly HostPart[];
  readonly items?: number;
  readonly sizes?: readonly number[];
  readonly calls: number;
  readonly repeat: number;
  readonly firstCalls?: 'plain' | 'prepared';
}

const SIZES = { software: [10, 1000, 10_000], real: [1, 2, 3, 4, 5, 6, 7].map((power) => 10 ** power) };
const ITEMS = { software: 100_000, real: 10_000_000 };

/** Where drivers keep what they have compiled: an empty folder is a cold cache, the same one again a warm cache. */
const CACHE_VARIABLES = ['__GL_SHADER_DISK_CACHE_PATH', 'MESA_SHADER_CACHE_DIR'];

interface Measured extends HostRecord {
  /** What the driver had compiled before, where that matters. */
  readonly cache?: 'cold' | 'warm';
  readonly adapter: string;
  readonly software: boolean;
}

export function addBenchHost(bench: Command): void {
  const command = bench
    .command('host')
    .description('measure whole calls of the host face by the wall clock, and check every answer')
    .addOption(
      option('--parts <list>', `of ${HOST_PARTS.join(', ')}`, parseHostParts).default(HOST_PARTS, HOST_PARTS.join()),
    )
    .addOption(option('--items <n>', 'items of large calls (default: 10⁷, in software 10⁵)', parseSize))
    .addOption(option('--sizes <list>', 'items beside a Map (default: 10 to 10⁷, in software to 10⁴)', parseSizes))
    .addOption(
      option('--calls <n>', 'measured calls of each small kind, and the most beside a Map', parseRepeat).default(200),
    )
    .addOption(repeatOption())
    // What the processes are started with in which first calls are measured.
    .addOption(new Option('--first-calls <way>').choices(['plain', 'prepared']).hideHelp());
  finishCommand<Options>(command, async (options, output) => {
    if (options.firstCalls) {
      const { firstCalls: way } = options;
      await withGpu(options, async (gpu) => output.write(await firstCalls(gpu, way === 'prepared')));
      return;
    }
    const records: Measured[] = [];
    await withGpu({ ...options, measures: options.parts.includes('map') }, async (gpu) => {
      output.say(describeGpu(gpu));
      const { software } = gpu.info;
      const keep = (measured: readonly HostRecord[], cache?: 'cold' | 'warm') => {
        records.push(
          ...measured.map((record) => ({ ...record, ...(cache && { cache }), adapter: adapterName(gpu), software })),
        );
        output.keep(records);
      };
      const { items = ITEMS[software ? 'software' : 'real'], calls, repeat } = options;
      if (options.parts.includes('first')) {
        for (const [cache, measured] of await inNewProcesses(options)) keep(measured, cache);
      }
      if (options.parts.includes('small')) keep(await smallCalls(gpu, calls));
      if (options.parts.includes('large')) keep(await largeCalls(gpu, items, repeat));
      if (options.parts.includes('frames')) keep(await madeInFrames(gpu));
      if (options.parts.includes('map')) {
        const { sizes = SIZES[software ? 'software' : 'real'] } = options;
        for (const size of sizes) keep(await mapCalls(gpu, size, calls, repeat));
      }
    });
    output.say(recordTable(records));
    if (options.parts.includes('map')) output.say(describeCrossings(records));
    output.write(records);
    const wrong = records.filter(({ correct }) => !correct);
    if (wrong.length > 0) throw new RunFailure(`wrong answers: ${wrong.map(({ what }) => what).join(', ')}`);
  });
}

type FirstCalls = readonly [cache: 'cold' | 'warm', records: readonly HostRecord[]];

/** The first calls of new processes, with nothing in the driver's cache, and with all that the one before left there. */
async function inNewProcesses(options: Options): Promise<readonly FirstCalls[]> {
  const all: FirstCalls[] = [];
  for (const way of ['plain', 'prepared'] as const) {
    const folder = mkdtempSync(join(tmpdir(), 'hashnest-cache-'));
    try {
      for (const cache of ['cold', 'warm'] as const) all.push([cache, await inNewProcess(options, way, folder)]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return all;
}

async function inNewProcess(
  { software }: Options,
  way: 'plain' | 'prepared',
  cacheFolder: string,
): Promise<readonly HostRecord[]> {
  const script = process.argv[1] as string;
  const flags = ['bench', 'host', '--first-calls', way, '--json', '-', ...(software ? ['--software'] : [])];
  const child = spawn(process.execPath, [...process.execArgv, script, ...flags], {
    env: { ...process.env, ...Object.fromEntries(CACHE_VARIABLES.map((name) => [name, cacheFolder])) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let written = '';
  child.stdout.on('data', (chunk) => {
    written += chunk;
  });
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new RunFailure(`a process for first calls ended with code ${code}`);
  return JSON.parse(written);
}

const AGAINST = { host: 'whole calls of a HashMap', GPU: 'the GPU without transfers' };

const describeCrossings = (records: readonly Measured[]): string =>
  crossingsOf(records)
    .map(({ task, against, items }) => {
      const where = items === undefined ? 'at none of the sizes' : `from ${grouped(items)} keys on`;
      return `${task}: a Map loses to ${AGAINST[against]} ${where}`;
    })
    .join('\n');

const recordTable = (records: readonly Measured[]): string =>
  textTable(
    ['call', 'items', 'driver cache', 'median', 'min', 'max', 'unit', 'calls', 'correct'],
    records.map(({ what, items, cache = '', median, min, max, unit, calls, correct }) => {
      const digits = unit === 'ms' ? 4 : 0;
      return [
        what,
        grouped(items),
        cache,
        ...[median, min, max].map((number) => number.toFixed(digits)),
        unit,
        grouped(calls),
        correct ? 'yes' : 'NO',
      ];
    }),
  );
