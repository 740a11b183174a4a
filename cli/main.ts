#!/usr/bin/env node
import { fullList } from '../test/conformance/index.ts';
import { handleEndings } from './endings.ts';
import { makeProgram, runProgram } from './program.ts';

handleEndings();
await runProgram(makeProgram(fullList));
