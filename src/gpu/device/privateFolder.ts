/**
 * A folder from which code is loaded: nobody but the user can change what is in it, files appear in it whole or not at all, and
 * what killed processes left there is removed.
 */

/** Files that are being written: their name, the process that writes them, and a number. */
const UNFINISHED = /\.(\d+)-[0-9a-f]{8}\.unfinished$/;

/** Writing takes less than a second. Where processes of several containers write, their numbers say little. */
const SURELY_ABANDONED_MS = 3_600_000;

const WRITABLE_BY_GROUP_OR_OTHERS = 0o022;
const WRITABLE_BY_OTHERS = 0o002;
const STICKY = 0o1000;

/**
 * Makes a folder, or accepts one that only the user can change. Its parent is made too, if only that is missing. Throws
 * where somebody else could put files into it, or another folder or a link into its place.
 */
export function openPrivateFolder(dir: string): void {
  const fs = process.getBuiltinModule('node:fs');
  const path = process.getBuiltinModule('node:path');
  const parent = path.dirname(dir);
  makeFolder(parent);
  const { mode } = fs.statSync(parent);
  if ((mode & WRITABLE_BY_OTHERS) !== 0 && (mode & STICKY) === 0) refuse(dir);
  makeFolder(dir);
  const found = fs.lstatSync(dir);
  if (!found.isDirectory()) throw new Error(`${dir} is a link or a file, not a folder`);
  if (!isOnlyOurs(found)) refuse(dir);
}

/** The bytes of a file, or undefined if it is not there, is a link, or could be changed by others. */
export function readPrivateFile(file: string): Buffer | undefined {
  const fs = process.getBuiltinModule('node:fs');
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
  let descriptor: number;
  try {
    descriptor = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    const found = fs.fstatSync(descriptor);
    return found.isFile() && isOnlyOurs(found) ? fs.readFileSync(descriptor) : undefined;
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Puts a file into place. Whoever reads it meanwhile sees the old one or the new one, never a part. */
export function writePrivateFile(file: string, bytes: Uint8Array): void {
  const fs = process.getBuiltinModule('node:fs');
  const { randomBytes } = process.getBuiltinModule('node:crypto');
  const unfinished = `${file}.${process.pid}-${randomBytes(4).toString('hex')}.unfinished`;
  try {
    // `wx` follows no link, and takes nothing that is there.
    fs.writeFileSync(unfinished, bytes, { flag: 'wx', mode: 0o600 });
    moveIntoPlace(unfinished, file);
  } finally {
    fs.rmSync(unfinished, { force: true });
  }
}

/** Removes what processes were writing when they were killed. */
export function removeUnfinished(dir: string): void {
  const fs = process.getBuiltinModule('node:fs');
  const path = process.getBuiltinModule('node:path');
  for (const name of fs.readdirSync(dir)) {
    const [, writer] = UNFINISHED.exec(name) ?? [];
    if (writer === undefined) continue;
    const file = path.join(dir, name);
    const writtenMs = fs.lstatSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (isRunning(Number(writer)) && Date.now() - writtenMs < SURELY_ABANDONED_MS) continue;
    fs.rmSync(file, { recursive: true, force: true });
  }
}

// Not Node's `recursive`, which would make up a whole home folder, and never returns in file systems such as /proc.
function makeFolder(dir: string): void {
  const fs = process.getBuiltinModule('node:fs');
  try {
    fs.mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    if (!fs.existsSync(dir)) throw error;
  }
}

function moveIntoPlace(from: string, to: string): void {
  const fs = process.getBuiltinModule('node:fs');
  try {
    fs.renameSync(from, to);
  } catch (error) {
    // A file or a link is replaced, a folder is not.
    if (!fs.lstatSync(to, { throwIfNoEntry: false })?.isDirectory()) throw error;
    fs.rmSync(to, { recursive: true, force: true });
    fs.renameSync(from, to);
  }
}

const isOnlyOurs = ({ uid, mode }: { readonly uid: number; readonly mode: number }): boolean =>
  uid === process.getuid?.() && (mode & WRITABLE_BY_GROUP_OR_OTHERS) === 0;

function refuse(dir: string): never {
  throw new Error(`${dir} can be changed by other users`);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process is running all the same.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
