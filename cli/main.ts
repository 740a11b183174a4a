#!/usr/bin/env node
import { fullList } from '../test/conformance/index.ts';
import { makeProgram, runProgram } from './program.ts';

// Whoever reads our output may stop at any time: `hashnest bench --json - | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(1);
});

await runProgram(makeProgram(fullList));
