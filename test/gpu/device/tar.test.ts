import { describe, expect, it } from 'vitest';
import { readTar } from '../../../src/gpu/device/tar.ts';
import { BLOCK_BYTES, END, member } from './writeTar.ts';

const long = 'x'.repeat(1000);
const archive = Buffer.concat([member('./first', 'one'), member('folder/', '', '5'), member('second', long), END]);

describe('readTar', () => {
  it('gives every regular file with its content', () => {
    const files = readTar(archive);
    expect([...files].map(([name, bytes]) => [name, Buffer.from(bytes).toString()])).toEqual([
      ['first', 'one'],
      ['second', long],
    ]);
  });

  it('joins a name from its two fields, however long', () => {
    const [folder, name] = ['f'.repeat(155), 'n'.repeat(100)];
    expect([...readTar(Buffer.concat([member(name, 'x', '0', folder), END])).keys()]).toEqual([`${folder}/${name}`]);
  });

  it('reads an empty file and an archive of nothing', () => {
    expect(readTar(Buffer.concat([member('empty', ''), END])).get('empty')).toHaveLength(0);
    expect(readTar(END).size).toBe(0);
  });

  it('reads fields that are full, with others right behind them', () => {
    const [folder, name] = ['f'.repeat(155), 'n'.repeat(100)];
    const full = member(name, 'three', '0', folder, (header) => {
      header.write('000000000005', 124);
      header.write('7'.repeat(12), 136);
      header.fill('z', 500);
    });
    const files = readTar(Buffer.concat([full, END]));
    expect([...files.keys()]).toEqual([`${folder}/${name}`]);
    expect(Buffer.from(files.get(`${folder}/${name}`) as Uint8Array).toString()).toBe('three');
  });

  it('takes the mark of a regular file of old archives', () => {
    expect([...readTar(Buffer.concat([member('old', 'x', '\0'), END])).keys()]).toEqual(['old']);
  });

  it.each([124, 134])('rejects a size whose byte %i is no digit', (at) => {
    const odd = member('odd', 'x', '0', '', (header) => header.write('x', at));
    expect(() => readTar(Buffer.concat([odd, END]))).toThrow(/tar/);
  });

  it('rejects an archive that is cut off, wherever the cut is', () => {
    for (let bytes = 0; bytes < archive.length - END.length + BLOCK_BYTES; bytes += 100) {
      expect(() => readTar(archive.subarray(0, bytes)), `${bytes} bytes`).toThrow(/tar archive/);
    }
  });

  it('rejects a header in which one byte is wrong', () => {
    for (const at of [0, 100, 124, 130, 156, 257]) {
      const damaged = Buffer.from(archive);
      damaged.writeUInt8(damaged.readUInt8(at) ^ 1, at);
      expect(() => readTar(damaged), `byte ${at}`).toThrow('damaged tar header at byte 0');
    }
  });

  it('rejects bytes that are no archive at all', () => {
    expect(() => readTar(Buffer.alloc(4096, 0xff))).toThrow('damaged tar header');
  });
});
