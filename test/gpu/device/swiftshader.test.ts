import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unpackSwiftShader } from '../../../src/gpu/device/swiftshader.ts';

const packageDir = fileURLToPath(new URL('../../../node_modules/@sparticuz/chromium', import.meta.url));

describe.runIf(process.platform === 'linux')('unpackSwiftShader', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'hashnest-test-'));
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  it('unpacks the loader, the driver and a file that names the driver by its absolute path', () => {
    const { loaderPath, icdPath } = unpackSwiftShader(packageDir, [join(dir, 'cache')]);
    const { library_path: driverPath } = JSON.parse(readFileSync(icdPath, 'utf8')).ICD;
    for (const path of [loaderPath, driverPath]) {
      expect(readFileSync(path).subarray(1, 4).toString()).toBe('ELF');
      expect(path.startsWith(join(dir, 'cache'))).toBe(true);
    }
  });

  it('leaves no temporary folder behind', () => {
    unpackSwiftShader(packageDir, [join(dir, 'cache')]);
    expect(readdirSync(join(dir, 'cache'))).toEqual(['swiftshader-147.0.0']);
  });

  it('unpacks once and uses the same files from then on', () => {
    const first = unpackSwiftShader(packageDir, [dir]);
    const { ino, mtimeMs } = statSync(first.loaderPath);
    expect(unpackSwiftShader(packageDir, [dir])).toEqual(first);
    expect(statSync(first.loaderPath)).toMatchObject({ ino, mtimeMs });
  });

  it('unpacks again when a file has gone', () => {
    const { loaderPath, icdPath } = unpackSwiftShader(packageDir, [dir]);
    rmSync(loaderPath);
    unpackSwiftShader(packageDir, [dir]);
    expect(statSync(loaderPath).size).toBeGreaterThan(0);
    expect(readdirSync(dir)).toEqual(['swiftshader-147.0.0']);
    expect(readdirSync(dirname(icdPath))).toHaveLength(3);
  });

  it('takes the next folder where one cannot be written or made', () => {
    writeFileSync(join(dir, 'file'), '');
    const { loaderPath } = unpackSwiftShader(packageDir, [
      join(dir, 'file', 'cache'),
      join(dir, 'absent', 'absent', 'cache'),
      join(dir, 'good'),
    ]);
    expect(loaderPath.startsWith(join(dir, 'good'))).toBe(true);
  });

  it('loads nothing from a folder that other users can write to', () => {
    mkdirSync(join(dir, 'shared'));
    chmodSync(join(dir, 'shared'), 0o777);
    expect(() => unpackSwiftShader(packageDir, [join(dir, 'shared')])).toThrow('can be changed by other users');
  });

  it('says what is wrong with a package that holds no archive, or a damaged one', () => {
    const fakePackage = join(dir, 'package');
    mkdirSync(join(fakePackage, 'bin'), { recursive: true });
    writeFileSync(join(fakePackage, 'package.json'), '{ "version": "1.0.0" }');
    expect(() => unpackSwiftShader(fakePackage, [join(dir, 'cache')])).toThrow(/swiftshader\.tar\.br/);
    writeFileSync(join(fakePackage, 'bin', 'swiftshader.tar.br'), 'not brotli');
    expect(() => unpackSwiftShader(fakePackage, [join(dir, 'cache')])).toThrow('could not be unpacked');
    expect(readdirSync(join(dir, 'cache'))).toEqual([]);
  });
});
