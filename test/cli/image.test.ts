import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { makePicture, WHITE } from '../../bench/pictures/index.ts';
import { readPng } from '../../bench/pictures/png/read.ts';
import { writePng } from '../../bench/pictures/png/write.ts';
import { makeVolume } from '../../bench/pictures/volumes.ts';
import { pack, unpack } from '../forging/forge.ts';
import { runCli } from './runCli.ts';

// Other processes may have the cores; a process of its own also has to start.
vi.setConfig({ testTimeout: 180_000 });

const folder = mkdtempSync(join(tmpdir(), 'hashnest-image-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string): string => join(folder, name);

describe('image make', () => {
  it('writes the picture that its seed stands for', async () => {
    const made = file('made.png');
    const { code, stdout, stderr } = await runCli(
      'image',
      'make',
      '--kind',
      'shapes',
      '--size',
      '90x70',
      '--seed',
      '5',
      made,
    );
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(readPng(readFileSync(made))).toEqual({
      width: 90,
      height: 70,
      pixels: makePicture({ kind: 'shapes', width: 90, height: 70, seed: 5 }).pixels,
    });
    expect(stdout).toMatch(/made\.png: 90 × 70 pixels, 1,925 of them not white \(30\.6%\)/);
  });

  it('has as many pixels as it is told, and tells so as JSON', async () => {
    const args = ['--kind', 'random', '--size', '40', '--filled', '123', '--json', '-', file('random.png')];
    const { stdout } = await runCli('image', 'make', ...args);
    expect(JSON.parse(stdout)).toMatchObject({ width: 40, height: 40, filled: 123 });
    const { pixels } = readPng(readFileSync(file('random.png')));
    expect(pixels.filter((word) => word !== WHITE)).toHaveLength(123);
  });
});

describe('image pack and image unpack', () => {
  it.each([
    ['as they are by themselves', []],
    ['with another scheme and load', ['--scheme', 'linearProbing', '--load', '0.9']],
    ['with a background that no pixel has', ['--background', '#01020304']],
  ])('give back the same pixels, %s', async (_, options) => {
    const picture = makePicture({ kind: 'flower', width: 120, height: 77 });
    const [from, packed, to] = [file('from.png'), file('packed'), file('to.png')];
    writeFileSync(from, writePng(picture));
    const packing = await runCli('image', 'pack', from, packed, '--software', ...options);
    expect(packing.stderr).toBe('');
    expect(packing.code).toBe(0);
    const unpacking = await runCli('image', 'unpack', packed, to, '--software');
    expect(unpacking.stderr).toBe('');
    expect(unpacking.code).toBe(0);
    const { width, height, pixels } = picture;
    expect(readPng(readFileSync(to))).toEqual({ width, height, pixels });
  });

  it('tell sizes and times', async () => {
    const [from, packed] = [file('sizes.png'), file('sizes')];
    const picture = makePicture({ kind: 'lines', width: 100, height: 100 });
    writeFileSync(from, writePng(picture));
    const args = ['--software', '--scheme', 'linearProbing', '--load', '0.9', '--json', file('sizes.json')];
    const { stdout } = await runCli('image', 'pack', from, packed, ...args);
    expect(stdout).toMatch(/100 × 100 pixels, 1,310 of them not #ffffffff \(13\.1%\)/);
    expect(stdout).toMatch(/table: linearProbing at load 0\.900, 12 kB; all pixels take 40 kB/);
    expect(stdout).toMatch(/read [\d,]+ ms, built [\d,]+ ms, picture rebuilt and compared [\d,]+ ms/);
    const told = JSON.parse(readFileSync(file('sizes.json'), 'utf8'));
    expect(told).toMatchObject({ width: 100, height: 100, size: 1310, background: [255, 255, 255, 255] });
    expect(told.bytes).toBe(readFileSync(packed).length);
  });

  it('say in one line what is wrong with a file', async () => {
    const [text, picture, packed] = [file('text.txt'), file('small.png'), file('small')];
    writeFileSync(text, 'this is no picture');
    writeFileSync(picture, writePng({ width: 2, height: 2, pixels: Uint32Array.of(1, 2, 3, 4) }));
    expect((await runCli('image', 'pack', picture, packed, '--software')).code).toBe(0);
    const { description, ...rest } = unpack(readFileSync(packed));
    const forged = file('forged');
    writeFileSync(forged, pack({ ...rest, description: { ...description, width: 65_535, height: 65_535 } }));
    const wrong: [string[], RegExp][] = [
      [['pack', file('nothing.png'), file('out')], /nothing\.png' cannot be read: ENOENT/],
      [['pack', text, file('out')], /text\.txt' cannot be read: this is not a PNG file/],
      [['unpack', text, file('out.png')], /text\.txt' cannot be opened: these bytes are not a saved Hashnest table/],
      [['unpack', picture, file('out.png')], /small\.png' cannot be opened: these bytes are not/],
      [['unpack', forged, file('out.png')], /forged' has 65535 × 65535 pixels; no more than 268435456/],
    ];
    for (const [args, message] of wrong) {
      const { code, stderr } = await runCli('image', ...args, '--software');
      expect(stderr).toMatch(message);
      expect(stderr.trimEnd().split('\n')).toHaveLength(1);
      expect(code).toBe(1);
    }
  });
});

describe('image slice', () => {
  it('draws voxels of the volume, and white around them', async () => {
    const side = 32;
    const args = ['--kind', 'armadillo', '--side', `${side}`, '--seed', '2', '--software', file('slice.png')];
    const { code, stdout } = await runCli('image', 'slice', ...args);
    expect(code).toBe(0);
    const { places, colours } = makeVolume({ kind: 'armadillo', side, seed: 2 });
    expect(stdout).toContain(`${places.length.toLocaleString('en-US')} voxels of 32³`);
    const { pixels } = readPng(readFileSync(file('slice.png')));
    const drawn = [...new Set(pixels)].filter((word) => word !== WHITE);
    expect(drawn.length).toBeGreaterThan(50);
    const known = new Set(colours);
    expect(drawn.filter((word) => !known.has(word))).toEqual([]);
  });
});
