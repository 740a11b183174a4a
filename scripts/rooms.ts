/** The rules on which files may import which, what they are called, how long they are, and how much a function takes. */
import { posix } from 'node:path';
import { type Import, readSource } from './readSource.ts';

/**
 * The rooms, from the ground up. A room imports from the floors below, not from rooms beside or above it. A file is in the first
 * room that its path begins with. `*` is any name, and every name makes a room of its own.
 */
const FLOORS = [
  ['src/wgsl/'],
  ['src/gpu/'],
  ['src/hashing/'],
  ['src/keys/'],
  ['src/primitives/'],
  ['src/schemes/contract/'],
  ['src/schemes/kit/'],
  ['src/schemes/*/'],
  ['src/schemes/'],
  ['src/table/'],
  ['src/dynamic/'],
  ['src/collections/'],
  ['src/apps/', 'src/relational/', 'src/spatial/'],
  ['src/bridges/kit/'],
  ['src/bridges/*/'],
  ['src/*.ts'],
  ['package.json'],
  ['bench/', 'examples/', 'scripts/', 'test/oracles/', 'test/forging/'],
  ['test/conformance/'],
  ['test/soak/'],
  ['cli/', 'site/'],
  ['test/'],
];

/** Rooms that import nothing from others by its path: examples know the library by its name, as users do. */
const OUTSIDE = ['examples/'];

/** There are no run-time dependencies, and the library does not import itself by name. */
const WITHOUT_PACKAGES = 'src/';

/** Rooms for users of another package, which they bring: an entry point of its own, that nobody else imports. */
const BRIDGES: Readonly<Record<string, string>> = {
  'src/bridges/arrow/': 'apache-arrow',
  'src/bridges/three/': 'three',
  'src/bridges/typegpu/': 'typegpu',
};

/** Parts of the library that are loaded when they are first needed (src/gpu/later.ts). */
const LATER = '.later.ts';

/** Loaded when it is wanted, by a condition of package.json. */
const FOR_NODE = './node.ts';

const MAX_LINES = 350;

/** What takes more takes an object of named parts. */
const MAX_PARAMETERS = 5;

type Rule = 'imports' | 'wgsl' | 'lines' | 'parameters';

/** A path, or how paths begin, and the rule that is not kept there. */
interface Exception {
  readonly at: string;
  readonly rule: Rule;
}

const EXCEPTIONS: readonly Exception[] = [];

/** What is wrong with files, given by path and text: a line for each fault. */
export function faultsOf(files: ReadonlyMap<string, string>, exceptions = EXCEPTIONS): string[] {
  const needed = new Set<Exception>();
  const lines = [...files].flatMap(([path, text]) =>
    faultsOfFile(path, text).flatMap(({ rule, what }) => {
      const exception = exceptions.find(({ at, rule: excused }) => path.startsWith(at) && rule === excused);
      if (exception) needed.add(exception);
      return exception ? [] : `${path} ${what}`;
    }),
  );
  const unneeded = exceptions.filter((exception) => !needed.has(exception));
  return [...lines, ...unneeded.map(({ at, rule }) => `${at} needs no exception from the rule '${rule}'`)];
}

function faultsOfFile(path: string, text: string): { rule: Rule; what: string }[] {
  const { imports, declaresWgsl, functions } = readSource(path, text);
  const faults: { rule: Rule; what: string }[] = imports.flatMap(({ specifier, how }) => {
    const why = importFault(path, specifier) ?? laterFault(path, { specifier, how });
    return why === undefined ? [] : { rule: 'imports', what: `imports '${specifier}': ${why}` };
  });
  if (!path.startsWith('src/')) return faults;
  if (declaresWgsl && !path.endsWith('.wgsl.ts')) {
    faults.push({ rule: 'wgsl', what: 'declares WGSL: its name has to end in .wgsl.ts' });
  }
  const lines = text.split('\n').length - 1;
  if (lines > MAX_LINES) {
    faults.push({ rule: 'lines', what: `has ${lines} lines: no more than ${MAX_LINES} are allowed` });
  }
  for (const { name, parameters } of functions.filter((one) => one.parameters > MAX_PARAMETERS)) {
    const what = `${name} takes ${parameters} parameters: no more than ${MAX_PARAMETERS} are allowed`;
    faults.push({ rule: 'parameters', what });
  }
  return faults;
}

/** Why a file may not import something; undefined if it may. */
function importFault(path: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) {
    if (/^(node:|#)/.test(specifier) || !path.startsWith(WITHOUT_PACKAGES)) return undefined;
    const allowed = BRIDGES[roomOf(path)?.name ?? ''];
    if (allowed === undefined) return `${WITHOUT_PACKAGES} imports no packages`;
    return specifier.split('/')[0] === allowed ? undefined : `this bridge imports ${allowed} alone`;
  }
  const target = posix.join(posix.dirname(path), specifier);
  const from = roomOf(path);
  const to = roomOf(target);
  if (!from || !to) return `${from ? target : path} is in no room`;
  if (from.name === to.name) return undefined;
  const entryPoint = `src/${posix.basename(to.name)}.ts`;
  if (to.name in BRIDGES && from.name.startsWith('src/') && from.name !== entryPoint) {
    return `only ${entryPoint} imports it`;
  }
  if (OUTSIDE.includes(from.name)) return `${from.name} imports the library by its name only`;
  if (from.floor > to.floor) return undefined;
  return `${from.name} is ${from.floor < to.floor ? 'below' : 'beside'} ${to.name}`;
}

/** Why a file of the library may not import something so; undefined if it may. */
function laterFault(path: string, { specifier, how }: Import): string | undefined {
  if (!path.startsWith('src/') || how === 'types') return undefined;
  if (specifier.endsWith(LATER)) return how === 'later' ? undefined : `it is loaded by new Later(() => import('…'))`;
  return how === 'first' || specifier === FOR_NODE ? undefined : `only files that end in ${LATER} are loaded later`;
}

function roomOf(path: string): { name: string; floor: number } | undefined {
  for (const [floor, patterns] of FLOORS.entries()) {
    for (const pattern of patterns) {
      const [name] = new RegExp(`^${pattern.replaceAll('.', '\\.').replace('*', '[^/]+')}`).exec(path) ?? [];
      if (name !== undefined) return { name, floor };
    }
  }
  return undefined;
}
