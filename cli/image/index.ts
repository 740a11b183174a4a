import type { Command } from 'commander';
import { addMake } from './make.ts';
import { addPack } from './pack.ts';
import { addSlice } from './slice.ts';
import { addUnpack } from './unpack.ts';

export function addImage(program: Command): void {
  const image = program
    .command('image')
    .description('keep the pixels of a picture that are not background in a table, and get it back');
  addPack(image);
  addUnpack(image);
  addMake(image);
  addSlice(image);
}
