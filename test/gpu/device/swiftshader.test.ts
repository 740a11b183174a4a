import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  constants as fsConstants,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { unpackSwiftShader } from '../../../src/gpu/device/swiftshader.ts';
import { END, member } from './writeTar.ts';

const realPackage = fileURLToPath(new URL('../../../node_modules/@sparticuz/chromium', import.meta.url));

const DRIVER = 'libvk_swiftshader.so';
const FOLDER = 'swiftshader-1.2.3';

/** A package with small files in its archive, which is unpacked sooner. */
function writePackage(packageDir: string): void {
  const files = {
    'libvulkan.so.1': 'a loader of Vulkan',
    [DRIVER]: 'a driver for Vulkan',
    'vk_swiftshader_icd.json': '{ "file_format_version": "1.0.0", "ICD": { "library_path": "./driver" } }',
  };
  const archive = [...Object.entries(files).map(([name, content]) => member(name, content)), END];
  mkdirSync(join(packageDir, 'bin'), { recursive: true });
  writeFileSync(join(packageDir, 'package.json'), '{ "version": "1.2.3" }');
  writeFileSync(join(packageDir, 'bin', 'swiftshader.tar.br'), brotliCompressSync(Buffer.concat(archive)));
}

describe.runIf(process.platform === 'linux')('unpackSwiftShader', () => {
  let home: string;
  let packageDir: string;
  /** An empty folder. */
  let dir: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'hashnest-test-'));
    packageDir = join(home, 'package');
    writePackage(packageDir);
    dir = join(home, 'dir');
    mkdirSync(dir);
  });
  afterEach(() => rmSync(home, { recursive: true }));

  it('unpacks the loader, the driver and a file that names the driver by its absolute path', () => {
    const { loaderPath, icdPath } = unpackSwiftShader(realPackage, [join(dir, 'cache')]);
    const { library_path: driverPath } = JSON.parse(readFileSync(icdPath, 'utf8')).ICD;
    for (const path of [loaderPath, driverPath]) {
      expect(readFileSync(path).subarray(1, 4).toString()).toBe('ELF');
      expect(path.startsWith(join(dir, 'cache'))).toBe(true);
    }
  });

  it('leaves no temporary folder behind', () => {
    unpackSwiftShader(packageDir, [join(dir, 'cache')]);
    expect(readdirSync(join(dir, 'cache'))).toEqual([FOLDER]);
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
    expect(readdirSync(dir)).toEqual([FOLDER]);
    expect(readdirSync(dirname(icdPath))).toHaveLength(4);
  });

  it('unpacks again what is empty, cut off, changed, a link, a folder, or open to others, file by file', () => {
    const folder = dirname(unpackSwiftShader(packageDir, [dir]).icdPath);
    const original = new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
    const elsewhere = join(dir, 'elsewhere');
    const damages: Record<string, (file: string, bytes: Buffer) => void> = {
      empty: (file) => writeFileSync(file, ''),
      'cut off': (file, bytes) => writeFileSync(file, bytes.subarray(0, bytes.length - 1)),
      changed: (file, bytes) => writeFileSync(file, bytes.with(bytes.length >> 1, 0)),
      'null as JSON': (file) => writeFileSync(file, 'null'),
      'a link': (file, bytes) => {
        rmSync(file);
        writeFileSync(elsewhere, bytes);
        symlinkSync(elsewhere, file);
      },
      'a folder': (file) => {
        rmSync(file);
        mkdirSync(join(file, 'within'), { recursive: true });
      },
      'open to others': (file) => chmodSync(file, 0o666),
    };
    for (const [name, bytes] of original) {
      for (const [damage, inflict] of Object.entries(damages)) {
        inflict(join(folder, name), bytes);
        unpackSwiftShader(packageDir, [dir]);
        const { mode } = lstatSync(join(folder, name));
        expect(mode, `${name}: ${damage}`).toBe(fsConstants.S_IFREG | 0o600);
        expect(readFileSync(join(folder, name)).equals(bytes), `${name}: ${damage}`).toBe(true);
      }
    }
    expect(readFileSync(elsewhere).equals(original.get('vk_swiftshader_icd.json') as Buffer)).toBe(true);
    expect(readdirSync(folder)).toEqual([...original.keys()]);
  });

  it('replaces a file in one step: who has the old one open goes on reading it', () => {
    const { loaderPath } = unpackSwiftShader(packageDir, [dir]);
    writeFileSync(loaderPath, 'damaged');
    const old = openSync(loaderPath, 'r');
    unpackSwiftShader(packageDir, [dir]);
    expect(readFileSync(old, 'utf8')).toBe('damaged');
    closeSync(old);
  });

  it('unpacks again into a folder that was moved, and from a package that was changed', () => {
    const before = unpackSwiftShader(packageDir, [join(dir, 'before')]);
    renameSync(join(dir, 'before'), join(dir, 'after'));
    const { icdPath } = unpackSwiftShader(packageDir, [join(dir, 'after')]);
    expect(icdPath).not.toBe(before.icdPath);
    expect(JSON.parse(readFileSync(icdPath, 'utf8')).ICD.library_path).toBe(join(dirname(icdPath), DRIVER));

    writeFileSync(join(packageDir, 'bin', 'swiftshader.tar.br'), 'not brotli');
    expect(() => unpackSwiftShader(packageDir, [join(dir, 'after')])).toThrow('could not be unpacked');
  });

  it('removes what killed processes left, and nothing else', () => {
    const folder = dirname(unpackSwiftShader(packageDir, [dir]).icdPath);
    // Nothing runs under the number of a process that has ended.
    const { pid } = spawnSync(process.execPath, ['--version']);
    const killed = join(folder, `${DRIVER}.${pid}-0123abcd.unfinished`);
    const abandoned = join(folder, `${DRIVER}.${process.pid}-0123abcd.unfinished`);
    const atWork = join(folder, `${DRIVER}.${process.pid}-4567abcd.unfinished`);
    const others = join(folder, 'notes.txt');
    for (const file of [killed, abandoned, atWork, others]) writeFileSync(file, 'part');
    utimesSync(abandoned, 0, 0);
    // Version 0.1.0 wrote into folders like this one.
    mkdirSync(join(dir, `${FOLDER}-aB3xYz`, 'within'), { recursive: true });
    mkdirSync(join(dir, `${FOLDER}-pre.1`));
    unpackSwiftShader(packageDir, [dir]);
    expect([killed, abandoned, atWork, others].map((file) => existsSync(file))).toEqual([false, false, true, true]);
    expect(readdirSync(dir)).toEqual([FOLDER, `${FOLDER}-pre.1`]);
  });

  it('leaves a whole driver or none when it is killed while it unpacks', async () => {
    const script = `
      import { unpackSwiftShader } from ${JSON.stringify(new URL('../../../src/gpu/device/swiftshader.ts', import.meta.url).href)};
      import fs from 'node:fs';
      const write = fs.writeFileSync;
      // The process ends with half of the driver written.
      fs.writeFileSync = (file, bytes, options) => {
        if (!String(file).includes('${DRIVER}')) return write(file, bytes, options);
        write(file, bytes.subarray(0, bytes.length >> 1), options);
        process.kill(process.pid, 'SIGKILL');
      };
      unpackSwiftShader(${JSON.stringify(packageDir)}, [${JSON.stringify(dir)}]);
    `;
    const { signal } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script]);
    expect(signal).toBe('SIGKILL');
    const folder = join(dir, FOLDER);
    expect(readdirSync(folder).filter((name) => name.startsWith(DRIVER))).toEqual([
      expect.stringMatching(/\.unfinished$/),
    ]);
    unpackSwiftShader(packageDir, [dir]);
    expect(readdirSync(folder).filter((name) => name.startsWith(DRIVER))).toEqual([DRIVER]);
    expect(readFileSync(join(folder, DRIVER), 'utf8')).toBe('a driver for Vulkan');
  });

  it('takes the next folder where one cannot be written or made', () => {
    writeFileSync(join(dir, 'file'), '');
    const { loaderPath } = unpackSwiftShader(packageDir, [
      join(dir, 'file', 'cache'),
      join(dir, 'absent', 'absent', 'cache'),
      join(dir, 'file'),
      join(dir, 'good'),
    ]);
    expect(loaderPath.startsWith(join(dir, 'good'))).toBe(true);
  });

  describe('loads nothing that others could have put there', () => {
    const refused = 'can be changed by other users';

    it('from a folder that they can write to, or its folder', () => {
      for (const [name, mode] of [
        ['group', 0o770],
        ['others', 0o707],
      ] as const) {
        mkdirSync(join(dir, name));
        chmodSync(join(dir, name), mode);
        expect(() => unpackSwiftShader(packageDir, [join(dir, name)]), name).toThrow(refused);
      }
      const { icdPath } = unpackSwiftShader(packageDir, [join(dir, 'cache')]);
      chmodSync(dirname(icdPath), 0o777);
      expect(() => unpackSwiftShader(packageDir, [join(dir, 'cache')])).toThrow(refused);
    });

    it('where they could put another folder in its place', () => {
      const shared = join(dir, 'shared');
      mkdirSync(shared);
      chmodSync(shared, 0o777);
      expect(() => unpackSwiftShader(packageDir, [join(shared, 'cache')])).toThrow(refused);
      // As /tmp is.
      chmodSync(shared, 0o1777);
      unpackSwiftShader(packageDir, [join(shared, 'cache')]);
    });

    it('from a folder of theirs', () => {
      unpackSwiftShader(packageDir, [dir]);
      const { uid } = statSync(dir);
      const getuid = vi.spyOn(process, 'getuid').mockReturnValue(uid + 1);
      try {
        expect(() => unpackSwiftShader(packageDir, [dir])).toThrow(refused);
      } finally {
        getuid.mockRestore();
      }
    });

    it.runIf(process.getuid?.() === 0)('from a folder or a file that belongs to somebody else', () => {
      const { loaderPath } = unpackSwiftShader(packageDir, [join(dir, 'cache')]);
      for (const theirs of [dirname(loaderPath), join(dir, 'cache')]) {
        chownSync(theirs, 12_345, 12_345);
        expect(() => unpackSwiftShader(packageDir, [join(dir, 'cache')]), theirs).toThrow(refused);
        chownSync(theirs, 0, 0);
      }
      chownSync(loaderPath, 12_345, 12_345);
      unpackSwiftShader(packageDir, [join(dir, 'cache')]);
      expect(statSync(loaderPath).uid).toBe(0);
    });

    it('through a link in the place of the folder, and leaves alone what it points to', () => {
      const target = join(dir, 'target');
      mkdirSync(target, { mode: 0o700 });
      symlinkSync(target, join(dir, 'link'));
      expect(() => unpackSwiftShader(packageDir, [join(dir, 'link')])).toThrow('is a link');
      mkdirSync(join(dir, 'cache'), { mode: 0o700 });
      symlinkSync(target, join(dir, 'cache', FOLDER));
      expect(() => unpackSwiftShader(packageDir, [join(dir, 'cache')])).toThrow('is a link');
      expect(readdirSync(target)).toEqual([]);
    });
  });

  describe('without folders that are named', () => {
    const atHome = () => join(dir, 'home', '.cache', 'hashnest');
    const unpackWith = (environment: Record<string, string>): string => {
      mkdirSync(join(dir, 'home'), { recursive: true });
      vi.stubEnv('HOME', join(dir, 'home'));
      vi.stubEnv('TMPDIR', dir);
      for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
      return dirname(dirname(unpackSwiftShader(packageDir).icdPath));
    };
    afterEach(() => vi.unstubAllEnvs());

    it('takes XDG_CACHE_HOME, or else the home folder', () => {
      expect(unpackWith({ XDG_CACHE_HOME: join(dir, 'xdg') })).toBe(join(dir, 'xdg', 'hashnest'));
      expect(unpackWith({ XDG_CACHE_HOME: '' })).toBe(atHome());
    });

    it('ignores a relative path', () => {
      const before = process.cwd();
      const working = join(home, 'working');
      mkdirSync(working);
      process.chdir(working);
      try {
        expect(unpackWith({ XDG_CACHE_HOME: 'relative-cache' })).toBe(atHome());
        const inTemporary = join(dir, `hashnest-${process.getuid?.()}`);
        expect(unpackWith({ XDG_CACHE_HOME: '', HOME: 'relative-home' })).toBe(inTemporary);
        expect(unpackWith({ XDG_CACHE_HOME: '', HOME: '' })).toBe(inTemporary);
      } finally {
        process.chdir(before);
      }
      expect(readdirSync(working)).toEqual([]);
    });

    it('ignores a path that a list of drivers would take for two', () => {
      expect(unpackWith({ XDG_CACHE_HOME: join(dir, 'a:b') })).toBe(join(dir, `hashnest-${process.getuid?.()}`));
    });
  });

  it('says what is wrong with a package that holds no archive, or a damaged one', () => {
    const archive = join(packageDir, 'bin', 'swiftshader.tar.br');
    rmSync(archive);
    expect(() => unpackSwiftShader(packageDir, [join(dir, 'cache')])).toThrow(/swiftshader\.tar\.br/);
    writeFileSync(archive, 'not brotli');
    expect(() => unpackSwiftShader(packageDir, [join(dir, 'cache')])).toThrow('could not be unpacked');
    writeFileSync(archive, brotliCompressSync(Buffer.concat([member(DRIVER, 'alone'), END])));
    expect(() => unpackSwiftShader(packageDir, [join(dir, 'cache')])).toThrow('holds no libvulkan.so.1');
    expect(readdirSync(join(dir, 'cache'))).toEqual([]);
  });
});
