/** The shader face in TSL, the shading language of three.js. */
import {
  CodeNode,
  FunctionNode,
  type Node,
  type NodeBuilder,
  type Renderer,
  StorageBufferAttribute,
  StorageBufferNode,
} from 'three/webgpu';
import type { Requests } from '../../collections/index.ts';
import { InvalidInputError, refuse, UnsupportedError, within } from '../../gpu/index.ts';
import { once } from '../../wgsl/index.ts';
import { AdoptedFace, type FaceBuffer, type Shaded } from '../kit/adoptedFace.ts';
import { type Backend, lentAttribute } from './renderer.ts';

/** How TSL calls the types of WGSL. */
const TYPES = new Map([
  ['bool', 'bool'],
  ['u32', 'uint'],
  ['i32', 'int'],
  ['f32', 'float'],
  ...[2, 3, 4].flatMap((size) => [
    [`vec${size}u`, `uvec${size}`] as const,
    [`vec${size}i`, `ivec${size}`] as const,
    [`vec${size}f`, `vec${size}`] as const,
  ]),
]);

/** The node of a value that is one number; of vectors, it is what `vec4(value)` and the like make of it. */
export type TslValue<Collection> = Collection extends {
  readonly value: { readonly array: new (length: number) => infer V };
}
  ? V extends Float32Array
    ? Node<'float'>
    : V extends Int32Array
      ? Node<'int'>
      : Node<'uint'>
  : Node<'uint'>;

/** What a search in TSL finds, as nodes. */
export type TslHit<Collection> = {
  readonly found: Node<'bool'>;
  readonly slot: Node<'uint'>;
  readonly probes: Node<'uint'>;
  /** The value of a map, the id of an index; of other collections, what their `find` in WGSL has. */
  readonly value: TslValue<Collection>;
} & Readonly<Record<string, Node>>;

/** How a face is used in TSL. */
export interface TslOptions {
  /** Put before every name: `'prices'` gives `prices_find` to the `wgslFn` that include it. Default a name that no other face has. */
  readonly name?: string;
  /**
   * For strings and other keys of variable length, which are `uvec2(offset, length)`: the bytes that they point into, four in each `uint` of
   * a storage node.
   */
  readonly context?: StorageBufferNode<string>;
  /** A list of `requests(capacity)` of a collection that lives: `request` appends to it. */
  readonly requests?: Requests;
}

/**
 * A table in TSL: `find(key)` searches it, and it is an include for a `wgslFn` of your own, which calls `NAME_find` and all else that the
 * collection declares in WGSL. It follows its collection through rebuilds.
 */
export class TableNode<Collection extends Shaded = Shaded> extends CodeNode {
  readonly #face: AdoptedFace;
  readonly #buffers: readonly BufferOfFace[];
  readonly #context: StorageBufferNode<string> | undefined;
  /** Searches the table, where the shader calls it. */
  readonly find: (key: Node | number) => TslHit<Collection>;
  /**
   * With `requests`: asks for a key to be taken in by the next batch, in maps with its value, where the shader calls it. Whether there was
   * room for it.
   */
  readonly request: (key: Node | number, value?: Node | number) => Node<'bool'>;

  /** @internal */
  constructor(face: AdoptedFace, context: StorageBufferNode<string> | undefined) {
    super('', [], 'wgsl');
    this.#face = face;
    this.#context = context;
    this.#buffers = face.buffers.map((buffer, i) => new BufferOfFace(buffer, () => face.now()[i] as GPUBuffer));
    const search = once(() => within('TableNode.find', () => new SearchNode(this, face)));
    this.find = (key) => search().hit(key) as TslHit<Collection>;
    const ask = once(() => requestNode(this, face));
    this.request = (key, value) =>
      within('TableNode.request', () => {
        const asking = ask();
        return called(asking, nodesOfRequest(face, { key, value })) as Node<'bool'>;
      });
  }

  /** Called by three.js when it writes a shader. */
  override generate(builder: NodeBuilder): string {
    const { device } = builder.renderer.backend as unknown as Backend;
    if (device !== this.#face.gpu.device) {
      throw new InvalidInputError(
        `${this.#face.name}: the table is on another device than the renderer; make it with gpuOf(renderer)`,
      );
    }
    const names = new Map(this.#buffers.map((buffer) => [buffer.name, buffer.build(builder)]));
    if (this.#context) names.set(this.#face.contextName, this.#context.build(builder) as string);
    this.code = this.#face.codeWith(names);
    return super.generate(builder) as string;
  }
}

/**
 * A collection as a node of three.js's shading language.
 * @example
 * const prices = tsl(map);
 * const hit = prices.find(keys.element(instanceIndex)); // hit.found, hit.value
 */
export function tsl<Collection extends Shaded>(
  collection: Collection,
  options: TslOptions = {},
): TableNode<Collection> {
  return within('tsl', () => {
    const face = new AdoptedFace(collection, options);
    const { context } = options;
    if (context !== undefined) requireBytes(context);
    return new TableNode<Collection>(face, context);
  });
}

/** Throws unless shaders see it as an array of words. */
function requireBytes(context: StorageBufferNode<string>): void {
  const { isStorageBufferNode, bufferType } = Object(context) as { isStorageBufferNode?: boolean; bufferType?: string };
  if (!isStorageBufferNode || bufferType !== 'uint') refuse('context', "a storage node of 'uint'", context);
}

/** A buffer of a table as a storage node. three.js declares all buffers as arrays; one that is a struct is the only element. */
class BufferOfFace {
  readonly name: string;
  readonly #now: () => GPUBuffer;
  readonly #node: StorageBufferNode<string>;
  readonly #isArray: boolean;

  constructor({ name, access, type }: FaceBuffer, now: () => GPUBuffer) {
    this.name = name;
    this.#now = now;
    const element = /^array<(.+)>$/.exec(type)?.[1];
    this.#isArray = element !== undefined;
    const none = new StorageBufferAttribute(new Uint32Array(0), 1);
    this.#node = new StorageBufferNode(none, element ?? type, 1);
    this.#node.setAccess(access === 'read_write' ? 'readWrite' : 'readOnly');
    // A rebuild may have replaced the buffer since the last frame. three.js then makes another bind group.
    this.#node.onRenderUpdate(({ renderer }) => this.#lent(renderer as Renderer));
  }

  /** How the shader that is written calls it. */
  build(builder: NodeBuilder): string {
    this.#node.value = this.#lent(builder.renderer);
    return `${this.#node.build(builder)}${this.#isArray ? '' : '[0]'}`;
  }

  #lent({ backend }: Renderer): StorageBufferAttribute {
    return lentAttribute(this.#now(), backend as unknown as Backend);
  }
}

/** A function whose result is a struct that only its own code declares. */
class SearchNode extends FunctionNode<{ key: Node | number }> {
  readonly #members: ReadonlyMap<string, string>;

  constructor(table: TableNode, { name, keyType = '', structs }: AdoptedFace) {
    if (!TYPES.has(keyType)) {
      const why = keyType ? 'TSL has no type for its keys' : 'it has no find';
      throw new UnsupportedError(`${name}: ${why}; include it in a wgslFn, which calls what it has`);
    }
    super(`fn ${name}_lookUp(key: ${keyType}) -> ${name}_Hit { return ${name}_find(key); }`, [table] as never, 'wgsl');
    const members = Object.entries(structs.get(`${name}_Hit`) ?? {});
    this.#members = new Map(members.map(([member, type]) => [member, TYPES.get(type) as string]));
  }

  override getMemberType(_: NodeBuilder, name: string): string {
    return this.#members.get(name) ?? 'void';
  }

  /** The members of what is found, where the shader calls this. */
  hit(key: Node | number): Readonly<Record<string, Node>> {
    const found = called(this, { key });
    return Object.fromEntries([...this.#members.keys()].map((member) => [member, found.get(member)]));
  }
}

/** Calls a function where the shader is, once, whether or not anybody uses what it gives. */
const called = (node: object, parameters: object): Node<string> =>
  (node as { call(parameters: object): Node<string> }).call(parameters).toVar();

/** The nodes that are there, if those are what requests have: three.js would take 0 for one that is missing, and forget one too many. */
function nodesOfRequest(face: AdoptedFace, nodes: Readonly<Record<string, unknown>>): object {
  const given = Object.entries(nodes).filter(([, node]) => node !== undefined && node !== null);
  const taken = Object.keys(face.parameters('request') ?? {}).join(' and ');
  if (given.map(([name]) => name).join(' and ') !== taken) {
    throw new InvalidInputError(`requests of ${face.name} take ${taken}`);
  }
  return Object.fromEntries(given);
}

/** The function that asks for a key. */
function requestNode(table: TableNode, face: AdoptedFace): FunctionNode<never> {
  const { name } = face;
  const parameters = Object.entries(face.parameters('request') ?? {});
  if (parameters.length === 0) throw new InvalidInputError(`${name} has no list: tsl(collection, { requests })`);
  const list = parameters.map(([parameter, type]) => `${parameter}: ${type}`).join(', ');
  const given = parameters.map(([parameter]) => parameter).join(', ');
  return new FunctionNode(
    `fn ${name}_ask(${list}) -> bool { return ${name}_request(${given}); }`,
    [table] as never,
    'wgsl',
  );
}
