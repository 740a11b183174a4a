import type { Option } from 'commander';
import { type DynamicScheme, dyCuckoo, regionCuckoo } from '../src/index.ts';
import { option } from './command.ts';

const SCHEMES = { regionCuckoo, dyCuckoo } as const;

export type DynamicSchemeName = keyof typeof SCHEMES;

const NAMES = Object.keys(SCHEMES) as DynamicSchemeName[];

export const makeDynamicScheme = (name: DynamicSchemeName): DynamicScheme => SCHEMES[name]();

function parseNames(text: string): DynamicSchemeName[] {
  const names = text.split(',') as DynamicSchemeName[];
  const wrong = names.find((name) => !NAMES.includes(name));
  if (wrong !== undefined) throw new Error(`no such scheme: ${wrong}; there are ${NAMES.join(', ')}`);
  return names;
}

export const dynamicSchemesOption = (): Option =>
  option('--schemes <list>', `of ${NAMES.join(', ')}`, parseNames).default(['regionCuckoo'], 'regionCuckoo');
