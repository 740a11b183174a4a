/**
 * SwiftShader, a Vulkan driver that runs on the CPU, taken from the npm package `@sparticuz/chromium` and unpacked once into
 * the user's cache folder.
 */

import { readTar } from './tar.ts';

/** Absolute paths of what is needed to use SwiftShader. */
export interface SwiftShader {
  /** The Vulkan loader, for machines that have none. */
  readonly loaderPath: string;
  /** The file that tells a Vulkan loader where the driver is. */
  readonly icdPath: string;
}

const LOADER = 'libvulkan.so.1';
const DRIVER = 'libvk_swiftshader.so';
const ICD = 'vk_swiftshader_icd.json';

/** Unpacks SwiftShader from the package in `packageDir`, or finds it unpacked already by an earlier run. */
export function unpackSwiftShader(packageDir: string, cacheDirs: readonly string[] = defaultCacheDirs()): SwiftShader {
  const fs = process.getBuiltinModule('node:fs');
  const path = process.getBuiltinModule('node:path');
  const { version } = JSON.parse(fs.readFileSync(path.join(packageDir, 'package.json'), 'utf8'));

  const failures: unknown[] = [];
  for (const cacheDir of cacheDirs) {
    const dir = path.join(cacheDir, `swiftshader-${version}`);
    try {
      makeDir(path.dirname(cacheDir));
      makeDir(cacheDir);
      // Code will be loaded from there: in a shared temporary folder, someone else could have put it in place.
      assertOwnedByUser(cacheDir);
      if (!isComplete(dir)) unpackInto(dir, path.join(packageDir, 'bin', 'swiftshader.tar.br'));
      assertOwnedByUser(dir);
      return { loaderPath: path.join(dir, LOADER), icdPath: path.join(dir, ICD) };
    } catch (error) {
      failures.push(error);
    }
  }
  throw new AggregateError(failures, `SwiftShader could not be unpacked: ${failures.join('; ')}`);
}

/** Folders that may be written to, the best first: the home folder may be absent or read-only. */
function defaultCacheDirs(): string[] {
  const os = process.getBuiltinModule('node:os');
  const path = process.getBuiltinModule('node:path');
  const dirs = [path.join(os.tmpdir(), `hashnest-${process.getuid?.() ?? 'cache'}`)];
  const { XDG_CACHE_HOME } = process.env;
  if (XDG_CACHE_HOME) return [path.join(XDG_CACHE_HOME, 'hashnest'), ...dirs];
  try {
    return [path.join(os.homedir(), '.cache', 'hashnest'), ...dirs];
  } catch {
    // Thrown where HOME is unset and the user is not listed, as in some containers.
    return dirs;
  }
}

// Not Node's `recursive`, which would make up a whole home folder, and never returns in file systems such as /proc.
function makeDir(dir: string): void {
  const fs = process.getBuiltinModule('node:fs');
  try {
    fs.mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    if (!fs.existsSync(dir)) throw error;
  }
}

function isComplete(dir: string): boolean {
  const fs = process.getBuiltinModule('node:fs');
  const path = process.getBuiltinModule('node:path');
  return [LOADER, DRIVER, ICD].every((name) => fs.existsSync(path.join(dir, name)));
}

function unpackInto(dir: string, archivePath: string): void {
  const fs = process.getBuiltinModule('node:fs');
  const path = process.getBuiltinModule('node:path');
  const zlib = process.getBuiltinModule('node:zlib');

  // Another process may be doing the same: each writes a folder of its own, and the first to rename wins.
  const ownDir = fs.mkdtempSync(`${dir}-`);
  try {
    const files = readTar(zlib.brotliDecompressSync(fs.readFileSync(archivePath)));
    for (const name of [LOADER, DRIVER, ICD]) {
      const bytes = files.get(name);
      if (!bytes) throw new Error(`${archivePath} holds no ${name}`);
      fs.writeFileSync(path.join(ownDir, name), name === ICD ? withDriverPath(bytes, path.join(dir, DRIVER)) : bytes);
    }
    moveIntoPlace(ownDir, dir);
  } finally {
    fs.rmSync(ownDir, { recursive: true, force: true });
  }
}

function moveIntoPlace(from: string, to: string): void {
  const fs = process.getBuiltinModule('node:fs');
  try {
    fs.renameSync(from, to);
  } catch (error) {
    if (isComplete(to)) return;
    // An earlier folder that has lost files, to a cleaner of temporary files perhaps.
    fs.rmSync(to, { recursive: true, force: true });
    try {
      fs.renameSync(from, to);
    } catch {
      if (!isComplete(to)) throw error;
    }
  }
}

function withDriverPath(icd: Uint8Array, driverPath: string): string {
  const description = JSON.parse(new TextDecoder().decode(icd));
  description.ICD.library_path = driverPath;
  return JSON.stringify(description);
}

function assertOwnedByUser(dir: string): void {
  const { uid, mode } = process.getBuiltinModule('node:fs').statSync(dir);
  const writableByOthers = (mode & 0o022) !== 0;
  if (uid !== process.getuid?.() || writableByOthers) throw new Error(`${dir} can be changed by other users`);
}
