/** The shader face: a table as functions for a caller's own shader. */
import {
  type Bound,
  bindEntries,
  type Gpu,
  InvalidInputError,
  layoutEntries,
  refuse,
  requireOptions,
} from '../gpu/index.ts';
import type { KeyAccess, KeyType } from '../keys/index.ts';
import type { TableView } from '../schemes/contract/index.ts';
import type { Searchable } from '../table/searchable.ts';
import { shaderValue, type ValueType } from '../table/values.ts';
import { type Binding, link, usesName, type Wgsl, wgsl } from '../wgsl/index.ts';

/** A table as WGSL for a shader of your own. */
export interface ShaderFace {
  /** Declares `NAME_find(key) -> NAME_Hit { found: bool, slot: u32, probes: u32, value }` and what it needs. */
  readonly code: string;
  readonly layout: GPUBindGroupLayout;
  readonly bindGroup: GPUBindGroup;
  /** The same as parts, to put several tables into one bind group by `firstBinding`. */
  readonly layoutEntries: GPUBindGroupLayoutEntry[];
  readonly entries: GPUBindGroupEntry[];
  /**
   * Whether `bindGroup` and `entries` still are those of the collection. A rebuild that needs larger buffers makes new ones,
   * and whoever uses the old ones afterwards gets an error from WebGPU. The code stays good as long as the collection lives.
   */
  readonly isCurrent: boolean;
  /** The entries of the buffers that there are now, also while a rebuild runs; none if the code is not good any more. @internal */
  entriesNow(): readonly GPUBindGroupEntry[];
}

/** Where the WGSL of a table is going to stand. */
export interface ShaderFaceOptions {
  /** Put before every name: `'prices'` gives `prices_find`. */
  readonly name: string;
  /** The bind group of the table's buffers. */
  readonly group: number;
  /**
   * For keys that have a context: the name of your own `var<storage, read> NAME: array<u32>`, which holds the bytes that
   * your shader's keys point into.
   */
  readonly context?: string;
  /** The number of the table's first binding, where the group has others too. Default 0. */
  readonly firstBinding?: number;
  /** Shader stages that may use it. Default compute and fragment. */
  readonly visibility?: GPUShaderStageFlags;
}

/** A search, as the functions of a face use it. */
export interface FaceSearch {
  readonly view: TableView;
  /** How the shader's keys are read. */
  readonly needle: KeyAccess;
  /** WGSL: `(key: needle.type) -> SlotHit`. */
  readonly find: Wgsl;
}

/** What a shader may call, and what is to be bound for it. */
export interface FaceFunctions {
  readonly functions: readonly Wgsl[];
  /** The buffers that the collection has now. */
  bound(): Bound;
  /** Whether there is all that they need beside the table. Default always. */
  isAlive?(): boolean;
}

export const FACE_OPTIONS = ['name', 'group', 'context', 'firstBinding', 'visibility'];

/** WGSL has no names that begin with two underscores. */
const IDENTIFIER = /^(?!_$|__)[A-Za-z_]\w*$/;
const COMPUTE_AND_FRAGMENT = 0x4 | 0x2;
const EVERY_STAGE = 0x7;
/** Bindings of a table, with the arrays of its collection and the bytes of its keys: less than this. */
const MOST_BINDINGS = 8;

/** The functions of a table as text that can stand in a caller's shader. */
export function shaderFace(
  table: Searchable,
  needle: KeyAccess,
  face: FaceFunctions,
  options: ShaderFaceOptions,
): ShaderFace {
  const { key } = table.settings;
  const { context } = options;
  if (needle.context && context === undefined) {
    throw new InvalidInputError(`shaders with ${key.name} keys need a \`context\`: the name of their buffer of bytes`);
  }
  if (context !== undefined && usesName(face.functions, context)) {
    throw new InvalidInputError(`the name '${context}' is used inside the search; call your buffer something else`);
  }
  const external = new Map(needle.context && context ? [[needle.context, context]] : []);
  const { format } = table.plan;
  const isSame = () => table.isAlive && table.plan.format === format && face.isAlive?.() !== false;
  return linkedFace(table.gpu, face, options, isSame, external);
}

/** Links functions into text that can stand in a caller's shader; `isSame` tells whether the text still is what it would be. */
export function linkedFace(
  { device }: Gpu,
  { functions, bound }: FaceFunctions,
  { name, group, firstBinding = 0, visibility = COMPUTE_AND_FRAGMENT }: ShaderFaceOptions,
  isSame: () => boolean,
  external: ReadonlyMap<Binding, string> = new Map(),
): ShaderFace {
  const { code, bindings } = link(functions, { prefix: name, group, firstBinding, external });
  const layoutOf = layoutEntries(bindings, visibility, firstBinding);
  const entriesNow = () => (isSame() ? bindEntries(bindings, bound(), firstBinding) : []);
  const entries = entriesNow();
  const layout = device.createBindGroupLayout({ label: `hashnest/${name}`, entries: layoutOf });
  const bindGroup = device.createBindGroup({ label: `hashnest/${name}`, layout, entries });
  return {
    code,
    layout,
    bindGroup,
    layoutEntries: layoutOf,
    entries,
    entriesNow,
    get isCurrent() {
      const now = entriesNow();
      return entries.every((entry, i) => now[i] && bufferOf(entry) === bufferOf(now[i]));
    },
  };
}

const bufferOf = ({ resource }: GPUBindGroupEntry): unknown => (resource as GPUBufferBinding).buffer;
/** Throws unless it is a name that WGSL may have. */
export function requireIdentifier(word: unknown, name: string): void {
  if (typeof word !== 'string' || !IDENTIFIER.test(word)) refuse(name, 'a name that WGSL may have', word);
}

/** Throws for options of a face that cannot be meant. */
export function requireFaceOptions({ limits }: Gpu, options: ShaderFaceOptions): void {
  requireOptions(options, FACE_OPTIONS);
  const { name, group, firstBinding = 0, visibility = COMPUTE_AND_FRAGMENT, context = name } = options;
  requireIdentifier(name, 'name');
  requireIdentifier(context, 'context');
  requireUpTo(group, 'group', 0, limits.maxBindGroups - 1);
  requireUpTo(firstBinding, 'firstBinding', 0, limits.maxBindingsPerBindGroup - MOST_BINDINGS);
  requireUpTo(visibility, 'visibility', 1, EVERY_STAGE);
}

function requireUpTo(value: number, name: string, least: number, most: number): void {
  if (!Number.isInteger(value) || value < least || value > most) {
    refuse(name, `an integer from ${least} to ${most}`, value);
  }
}

/** `find` under its public name, with the value in the caller's type. */
export function findFunction(find: Wgsl, { shader }: KeyType, needle: KeyAccess, type: ValueType | undefined): Wgsl {
  const Hit = wgsl`
struct Hit {
  found: bool,
  slot: u32,
  probes: u32,
  ${type ? `value: ${type.shaderType},` : ''}
}`;
  const value = type ? wgsl`, ${shaderValue(type, 'hit.value')}` : '';
  return wgsl`
fn find(key: ${shader.type}) -> ${Hit} {
  let words = ${needle.safe(shader.toWords('key'))};
  let hit = ${find}(${needle.of('words')});
  return ${Hit}(hit.found, hit.slot, hit.probes${value});
}`;
}
