/** The shader face for functions of TypeGPU. */
import tgpu, {
  type TgpuBindGroup,
  type TgpuBindGroupLayout,
  type TgpuFn,
  type TgpuLayoutEntry,
  type TgpuRoot,
} from 'typegpu';
import * as d from 'typegpu/data';
import type { Requests } from '../../collections/index.ts';
import { InvalidInputError, refuse, requireMembers, UnsupportedError, within } from '../../gpu/index.ts';
import { AdoptedFace, type FaceBuffer, type Shaded } from '../kit/adoptedFace.ts';
import { converted, described, requireNoGaps } from './arguments.ts';
import { buffersOf, elementOf, type StoredArray } from './buffers.ts';
import { requireRoot } from './root.ts';
import { SchemasOfFace } from './schemas.ts';

/** What `find` gives back: for maps `{ value: d.f32 }` or the like, for others what their `find` in WGSL has. */
export type HitMembers = Readonly<Record<string, d.AnyWgslData>>;

/** What a search finds. */
export type TypedHit<Members> = d.WgslStruct<{ found: d.Bool; slot: d.U32; probes: d.U32 } & Members>;

/** Typed buffers for calls of the collection. */
export interface TypedBuffers<Key extends d.AnyWgslData, Members> {
  readonly keys?: StoredArray<Key>;
  readonly queries?: StoredArray<Key>;
  readonly values?: Members extends { readonly value: infer Value extends d.AnyWgslData } ? StoredArray<Value> : never;
  readonly ids?: StoredArray<d.U32>;
  readonly found?: StoredArray<d.U32>;
}

/** How a table is used in functions. */
export interface TypedOptions {
  /** Put before every name. Default a name that no other table has. */
  readonly name?: string;
  /** For strings and other keys of variable length, which are `d.vec2u(offset, length)`: the bytes that they point into, four in a word. */
  readonly context?: StoredArray<d.U32>;
  /** A list of `requests(capacity)` of a collection that lives: `request` appends to it. */
  readonly requests?: Requests;
}

/** A collection for functions of TypeGPU. It follows its collection through rebuilds. */
export class TypedTable<Key extends d.AnyWgslData, Members extends HitMembers> {
  /** Searches the table: a function that others call, with the bind group in their pipeline. */
  readonly find: TgpuFn<(key: Key) => TypedHit<Members>>;
  /**
   * With `requests`: asks for a key to be taken in by the next batch, in maps with its value, and tells whether there was room. Others
   * call `request(key, value)`, and `request(key)` where it is a set or an index.
   */
  readonly request: TgpuFn | undefined;
  readonly layout: TgpuBindGroupLayout;
  readonly #face: AdoptedFace;
  readonly #root: TgpuRoot;
  readonly #types: { readonly key: Key } & Members;
  readonly #context: StoredArray<d.U32> | undefined;
  #bound: { readonly buffers: readonly GPUBuffer[]; readonly group: TgpuBindGroup } | undefined;

  /** @internal */
  constructor(
    root: TgpuRoot,
    face: AdoptedFace,
    types: { readonly key: Key } & Members,
    context: StoredArray<d.U32> | undefined,
  ) {
    const { name, contextName } = face;
    this.#root = root;
    this.#face = face;
    this.#types = types;
    this.#context = context;
    const schemas = new SchemasOfFace(face);
    const Hit = hitOf(schemas, types);
    const bytes: FaceBuffer = { name: contextName, access: 'read', type: 'array<u32>' };
    const all = context ? [...face.buffers, bytes] : face.buffers;
    this.layout = tgpu.bindGroupLayout(
      Object.fromEntries(all.map((buffer) => [buffer.name, entryOf(buffer, schemas)])),
    );
    this.layout.$name(name);
    // TypeGPU declares buffers, and the structs in them: the code calls them by what it finds here.
    const buffers = new Map(all.map((buffer) => [buffer.name, `${name}_layout.$.${buffer.name}`]));
    const code = face.codeWith(buffers, (struct) => schemas.structs.has(struct));
    const declared = tgpu['~unstable']
      .declare(code)
      .$uses({ [`${name}_layout`]: this.layout, ...Object.fromEntries(schemas.structs) });
    const key = converted(face, types.key, face.keyType as string, 'key');
    const search = `(key: ${nameOf(types.key)}) -> Hit { declared; return ${name}_find(${key}); }`;
    this.find = tgpu.fn([types.key], Hit)(search).$uses({ declared }).$name(`${name}_search`) as never;
    this.request = requestOf(face, types, { declared });
  }

  /** The buffers that the collection has now: `pipeline.with(table.bindGroup)`, taken anew after a rebuild. */
  get bindGroup(): TgpuBindGroup {
    const buffers = this.#face.now();
    if (!this.#bound || buffers.some((buffer, i) => buffer !== this.#bound?.buffers[i])) {
      const entries: Record<string, unknown> = Object.fromEntries(
        this.#face.buffers.map(({ name }, i) => [name, buffers[i]]),
      );
      if (this.#context) entries[this.#face.contextName] = this.#context.buffer;
      this.#bound = { buffers, group: this.#root.createBindGroup(this.layout, entries as never) };
    }
    return this.#bound.group;
  }

  /**
   * Buffers of the right types for calls of the collection, with the number of elements that all of them have.
   * @example
   * map.encodeGet(encoder, prices.buffers({ queries, values }));
   */
  buffers<const Buffers extends TypedBuffers<Key, Members>>(
    buffers: Buffers,
  ): { readonly [Name in keyof Buffers]: GPUBuffer } & { readonly count: number } {
    return within('TypedTable.buffers', () => {
      requireMembers(buffers, 'buffers', ['keys', 'queries', 'values', 'ids', 'found']);
      const given = buffers as unknown as Readonly<Record<string, StoredArray>>;
      const { key, value } = this.#types as { readonly key: Key; readonly value?: d.AnyWgslData };
      const wanted = { keys: key.type, queries: key.type, values: value?.type, ids: 'u32', found: 'u32' };
      for (const [name, stored] of Object.entries(given)) {
        const type = wanted[name as keyof typeof wanted];
        if (type !== elementOf(stored, name)) refuse(name, `an array of ${type}`, elementOf(stored, name));
        if (type === 'struct' && stored.dataType.elementType !== key)
          refuse(name, 'an array of the struct of keys', type);
        requireNoGaps(stored.dataType.elementType, name);
      }
      return buffersOf(given) as never;
    });
  }
}

/**
 * A collection for functions of TypeGPU. The types of its keys and of what it finds are named, and compared with those that it has.
 * @example
 * const prices = typed(root, map, { key: d.u32, value: d.f32 });
 * const cost = tgpu.fn([d.u32], d.f32)`(item) { return find(item).value; }`.$uses({ find: prices.find });
 */
export function typed<Key extends d.AnyWgslData, Members extends HitMembers>(
  root: TgpuRoot,
  collection: Shaded,
  types: { readonly key: Key } & Members,
  options: TypedOptions = {},
): TypedTable<Key, Omit<Members, 'key'>> {
  return within('typed', () => {
    requireRoot(root);
    requireMembers(types, 'types', ['key']);
    const face = new AdoptedFace(collection, options);
    const { context } = options;
    if (context !== undefined) requireBytes(context);
    if (root.device !== face.gpu.device) {
      throw new InvalidInputError('the collection is on another device than the root; make it with gpuOf(root)');
    }
    if (face.keyType === undefined) throw new UnsupportedError('it has no find; use wgsl() and a shader of your own');
    if (converted(face, types.key, face.keyType, 'key') === undefined)
      refuse('key', `of the type ${described(face, face.keyType)}`, types.key?.type);
    return new TypedTable<Key, Omit<Members, 'key'>>(root, face, types as never, context);
  });
}

/** Throws unless it is an array of words. */
function requireBytes(context: StoredArray): void {
  const element = elementOf(context, 'context');
  if (element !== 'u32') refuse('context', 'an array of u32', element);
}

/** The struct that `find` returns, if it has the members that are named. */
function hitOf(schemas: SchemasOfFace, { key, ...members }: { readonly key: unknown } & HitMembers): d.AnyWgslStruct {
  const Hit = schemas.hit;
  for (const [name, schema] of Object.entries(members)) {
    const has = Hit.propTypes[name] as d.AnyWgslData | undefined;
    if (!has)
      throw new InvalidInputError(`what it finds has no ${name}; there are ${Object.keys(Hit.propTypes).join(', ')}`);
    if (schema?.type !== has.type) refuse(name, `of the type ${has.type}`, schema?.type);
  }
  return Hit;
}

/** The function that asks for a key, where there is a list to append to. */
function requestOf(
  face: AdoptedFace,
  types: { readonly key: d.AnyWgslData } & HitMembers,
  uses: Record<string, unknown>,
): TgpuFn | undefined {
  const parameters = face.parameters('request');
  if (!parameters) return undefined;
  const names = Object.keys(parameters);
  const schemas = names.map((name) => types[name]);
  const values = names.map((name) => converted(face, types[name], parameters[name] as string, name));
  const wrong = names[values.indexOf(undefined)];
  if (wrong) refuse(wrong, `of the type ${parameters[wrong]}, which requests have`, types[wrong]?.type);
  const list = names.map((name) => `${name}: ${nameOf(types[name] as d.AnyWgslData)}`).join(', ');
  const code = `(${list}) -> bool { declared; return ${face.name}_request(${values.join(', ')}); }`;
  const made = tgpu
    .fn(
      schemas as d.AnyWgslData[],
      d.bool,
    )(code)
    .$uses(uses)
    .$name(`${face.name}_ask`);
  return made as unknown as TgpuFn;
}

/** What the head of a function calls a type: TypeGPU finds out how structs are called. */
const nameOf = ({ type }: d.AnyWgslData): string => (type === 'struct' ? 'Key' : type);

/** How TypeGPU declares a buffer. */
function entryOf({ access, type }: FaceBuffer, schemas: SchemasOfFace): TgpuLayoutEntry {
  if (access === 'uniform') return { uniform: schemas.of(type) };
  const element = /^array<(.+)>$/.exec(type)?.[1];
  const storage = element === undefined ? schemas.of(type) : (count: number) => d.arrayOf(schemas.of(element), count);
  return { storage, access: access === 'read' ? 'readonly' : 'mutable' };
}
