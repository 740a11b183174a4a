import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { readPng } from '../../bench/pictures/png/read.ts';
import { makeProgram } from '../../cli/program.ts';

// Other processes may have the cores, and every command opens a device.
vi.setConfig({ testTimeout: 180_000 });

const folder = mkdtempSync(join(tmpdir(), 'hashnest-garcia-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** One run of a figure, in this process: its records, and what it says. */
async function reproduce(figure: string, options: string) {
  const json = join(folder, `${figure}.json`);
  const said: string[] = [];
  const write = (text: unknown) => said.push(String(text)) > 0;
  const spies = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, 'write').mockImplementation(write));
  try {
    const args = ['reproduce', figure, ...options.split(' '), '--software', '--json', json];
    await makeProgram([]).parseAsync(args, { from: 'user' });
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  const records: Record<string, unknown>[] = JSON.parse(readFileSync(json, 'utf8'));
  for (const record of records) expect(record).toMatchObject({ figure, wrong: 0, adapter: expect.any(String) });
  return { records, said: said.join('') };
}

const picture = '--side 32 --loads 0.99 --sequences coherent';

describe('figures of García et al.', () => {
  it.each([
    ['garcia-figure-3', '--items 500 --loads 0.8 --sequences random', 2, /^age +random, no evictions +random$/m],
    ['garcia-figure-5', '--sizes 300 --series coherent --repeat 1', 1, /16 M keys at 0\.8: builds 249 M\/s/],
    ['garcia-figure-6', '--side 32 --loads 0.99 --series coherent,cuckoo --pictures fish --repeat 1', 1, /368 M\/s/],
    ['garcia-figure-7', '--side 32 --loads 0.8 --series random --repeat 1', 2, /^random +random +15 +0\.8 /m],
    ['garcia-figure-8', picture, 1, /^coherent +0\.99 +32 /m],
    ['garcia-figure-9', picture, 1, /^sequence +load +groups .* longest less average +wrong$/m],
    ['garcia-figure-10', `${picture} --screen 20 --angles 3 --repeat 1`, 3, /^bitReversed +coherent +3\d\d /m],
    [
      'garcia-figure-12',
      '--side 12 --loads 0.8 --sequences coherent --slices 2 --repeat 1',
      2,
      /^hairy +24 M +0\.99 /m,
    ],
    [
      'garcia-failures',
      '--items 200 --builds 1 --loads 0.99 --sequences coherent',
      8,
      /^stride65536 +coherent +0\.99 +200 /m,
    ],
  ])('%s', async (figure, options, lines, words) => {
    const { records, said } = await reproduce(figure, options);
    expect(records).toHaveLength(lines);
    expect(said).toMatch(words);
  });

  it.each([
    ['garcia-figure-1', `${picture} --repeat 1`, ['picture', 'coordinates', 'coherent-0.99']],
    ['garcia-figure-4', picture, ['picture', 'coherent-0.99']],
  ])('%s writes pictures', async (figure, options, names) => {
    const { records } = await reproduce(figure, `${options} --png ${folder}`);
    expect(records).toHaveLength(1);
    for (const name of names) {
      const file = join(folder, `${figure.slice('garcia-'.length)}-${name}.png`);
      expect(existsSync(file), file).toBe(true);
      expect(readPng(readFileSync(file)).width).toBe(32);
    }
  });

  it.each([
    ['garcia-figure-4', `--png ${join(folder, 'nowhere')}`, 'is no folder that can be written to'],
    ['garcia-figure-6', '--series coherent,hopscotch', "'hopscotch' is no table"],
    ['garcia-figure-8', '--side 8', "'8' is no width of a picture"],
    ['garcia-figure-10', '--orders hilbert', "'hilbert' is no order of pixels"],
    ['garcia-failures', '--data fish,fowl', "'fowl' is no kind of data"],
  ])('%s refuses %s', async (figure, options, words) => {
    await expect(reproduce(figure, options)).rejects.toThrow(words);
  });
});
