/**
 * SwiftShader, a Vulkan driver that runs on the CPU, taken from the npm package `@sparticuz/chromium` and unpacked once into
 * the user's cache folder. A damaged driver would fail in strange ways or end the process, so every use checks all files by
 * their hashes, which takes about 10 ms; unpacking takes ten times as long.
 */

import { openPrivateFolder, readPrivateFile, removeUnfinished, writePrivateFile } from './privateFolder.ts';
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
/** What was unpacked from where: a `Contents`. It is written last. */
const CONTENTS = 'contents.json';

/** Whoever can change this can change the files as well: it is there against damage. */
interface Contents {
  /** The hash of the archive: a package that was changed is unpacked again. */
  readonly archive: string;
  /** The folder, which is named in the files: one that was moved is unpacked again. */
  readonly dir: string;
  /** The hash of every file. */
  readonly files: Readonly<Record<string, string>>;
}

/** Unpacks SwiftShader from the package in `packageDir`, or finds it unpacked already by an earlier run. */
export function unpackSwiftShader(packageDir: string, cacheDirs: readonly string[] = defaultCacheDirs()): SwiftShader {
  const fs = process.getBuiltinModule('node:fs');
  const path = process.getBuiltinModule('node:path');
  const { version } = JSON.parse(fs.readFileSync(path.join(packageDir, 'package.json'), 'utf8'));
  const archivePath = path.join(packageDir, 'bin', 'swiftshader.tar.br');
  const archive = fs.readFileSync(archivePath);
  const archiveHash = sha256(archive);

  const failures: unknown[] = [];
  for (const cacheDir of cacheDirs) {
    const dir = path.join(cacheDir, `swiftshader-${version}`);
    try {
      // Code will be loaded from there: in a shared temporary folder, someone else could have put it in place.
      openPrivateFolder(cacheDir);
      if (!isComplete(dir, archiveHash)) unpackInto(dir, archivePath, archive, archiveHash);
      openPrivateFolder(dir);
      removeUnfinished(dir);
      removeFoldersOfOldVersions(dir);
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
  // Its specification wants a relative path ignored, and relative to what the others would be nobody can know.
  const { XDG_CACHE_HOME = '' } = process.env;
  const caches = [path.isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : path.join(homeDir(), '.cache')];
  const temporary = path.isAbsolute(os.tmpdir()) ? os.tmpdir() : '/tmp';
  return (
    [
      ...caches.map((cache) => path.join(cache, 'hashnest')),
      path.join(temporary, `hashnest-${process.getuid?.() ?? 'cache'}`),
    ]
      // The variable that names the driver to a Vulkan loader is a list with colons between.
      .filter((dir) => path.isAbsolute(dir) && !dir.includes(':'))
  );
}

/** The home folder, or an empty text. */
function homeDir(): string {
  try {
    return process.getBuiltinModule('node:os').homedir();
  } catch {
    // Thrown where HOME is unset and the user is not listed, as in some containers.
    return '';
  }
}

/** Whether the folder has every file of the archive, whole. */
function isComplete(dir: string, archiveHash: string): boolean {
  const path = process.getBuiltinModule('node:path');
  const contents = readContents(dir);
  return (
    contents?.archive === archiveHash &&
    contents.dir === dir &&
    [LOADER, DRIVER, ICD].every((name) => {
      const bytes = readPrivateFile(path.join(dir, name));
      return bytes !== undefined && sha256(bytes) === contents.files?.[name];
    })
  );
}

function readContents(dir: string): Partial<Contents> | undefined {
  const path = process.getBuiltinModule('node:path');
  try {
    const contents = JSON.parse(readPrivateFile(path.join(dir, CONTENTS))?.toString() ?? 'null');
    return contents ?? undefined;
  } catch {
    return undefined;
  }
}

// Another process may be doing the same. Both write the same bytes, each file in one step.
function unpackInto(dir: string, archivePath: string, archive: Uint8Array, archiveHash: string): void {
  const path = process.getBuiltinModule('node:path');
  const zlib = process.getBuiltinModule('node:zlib');
  const unpacked = readTar(zlib.brotliDecompressSync(archive));
  const files = [LOADER, DRIVER, ICD].map((name) => {
    const bytes = unpacked.get(name);
    if (!bytes) throw new Error(`${archivePath} holds no ${name}`);
    return { name, bytes: name === ICD ? withDriverPath(bytes, path.join(dir, DRIVER)) : bytes };
  });
  openPrivateFolder(dir);
  for (const { name, bytes } of files) writePrivateFile(path.join(dir, name), bytes);
  const contents: Contents = {
    archive: archiveHash,
    dir,
    files: Object.fromEntries(files.map(({ name, bytes }) => [name, sha256(bytes)])),
  };
  writePrivateFile(path.join(dir, CONTENTS), new TextEncoder().encode(JSON.stringify(contents)));
}

/** Version 0.1.0 wrote each time into a new folder beside, which stayed there if it was killed. */
function removeFoldersOfOldVersions(dir: string): void {
  const fs = process.getBuiltinModule('node:fs');
  const path = process.getBuiltinModule('node:path');
  const [parent, name] = [path.dirname(dir), path.basename(dir)];
  const left = fs.readdirSync(parent).filter((entry) => {
    return entry.startsWith(`${name}-`) && /^[A-Za-z0-9]{6}$/.test(entry.slice(name.length + 1));
  });
  for (const entry of left) fs.rmSync(path.join(parent, entry), { recursive: true, force: true });
}

function withDriverPath(icd: Uint8Array, driverPath: string): Uint8Array {
  const description = JSON.parse(new TextDecoder().decode(icd));
  description.ICD.library_path = driverPath;
  return new TextEncoder().encode(JSON.stringify(description));
}

const sha256 = (bytes: Uint8Array): string =>
  process.getBuiltinModule('node:crypto').createHash('sha256').update(bytes).digest('hex');
