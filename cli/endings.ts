/** How the command ends when it is told to, or when nobody can read what it has to say. */
import { constants } from 'node:os';
import { exitNow } from './device.ts';
import { oneLine } from './output.ts';

/** What a shell adds to the number of a signal. */
const BY_SIGNAL = 128;
const SHOW_CURSOR = '\x1b[?25h';

/** Ends by a signal with the exit code that shells expect, and by an output that cannot be written with one line and code 1. */
export function handleEndings(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      // Whoever draws progress hides the cursor.
      if (process.stderr.isTTY) process.stderr.write(SHOW_CURSOR);
      exitNow(BY_SIGNAL + constants.signals[signal]);
    });
  }
  // A full disk, or a reader that has seen enough: `hashnest bench --json - | head`.
  process.stdout.once('error', (error) => {
    process.stderr.write(`error: standard output cannot be written: ${oneLine(error)}\n`);
    exitNow(1);
  });
  process.stderr.once('error', () => exitNow(1));
}
