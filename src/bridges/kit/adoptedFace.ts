/** A shader face for languages that declare buffers, and call them what they like. */
import type { Requests, ShaderFace, ShaderFaceOptions } from '../../collections/index.ts';
import { DestroyedError, type Gpu, InvalidInputError, refuse, requireOptions } from '../../gpu/index.ts';
import type { KeyType } from '../../keys/index.ts';

/** What has a shader face: every collection, and what is made of them. */
export interface Shaded {
  readonly gpu: Gpu;
  wgsl(options: ShaderFaceOptions): ShaderFace;
}

/** A buffer of a face. */
export interface FaceBuffer {
  /** What the code calls it. */
  readonly name: string;
  readonly access: 'uniform' | 'read' | 'read_write';
  /** Its WGSL type, in the words of the code. */
  readonly type: string;
}

/** How a face is adopted. */
export interface AdoptedOptions {
  /** Put before every name. Default a name that no other face has. */
  readonly name?: string;
  /** The bytes that the keys of shaders point into, for keys of variable length: four of them in a `u32`. */
  readonly context?: unknown;
  /** A list of a collection that lives, by its `requests(capacity)`, which shaders append to. */
  readonly requests?: Requests;
}

/** The members of a struct, with their WGSL types. */
export type Members = Readonly<Record<string, string>>;

const DECLARATION = /^@group\(\d+\) @binding\(\d+\) var<(?:storage, )?(\w+)> (\w+): (.+);$/;
const STRUCT = /^struct\s+(\w+)\s*\{([^}]*)\}/gm;
const COMMENT = /\/\/[^\n]*/g;
const MEMBER = /(\w+)\s*:\s*(\w+(?:<[^<>]*(?:<[^<>]*>)?[^<>]*>)?)/g;
const IDENTIFIER = /[A-Za-z_]\w*/g;

/** The WGSL of a face in parts, and the buffers that its collection has now. */
export class AdoptedFace {
  readonly gpu: Gpu;
  readonly name: string;
  readonly buffers: readonly FaceBuffer[];
  /** All structs, by their names in the code, each after those that it needs. */
  readonly structs: ReadonlyMap<string, Members>;
  /** Without its declarations of buffers. */
  readonly #code: string;
  readonly #face: ShaderFace;

  constructor(shaded: Shaded, options: AdoptedOptions) {
    requireOptions(options, ['name', 'context', 'requests']);
    const { name = unusedName(), context, requests } = options;
    requireShaded(shaded, context !== undefined);
    this.name = name;
    this.gpu = shaded.gpu;
    this.#face = shaded.wgsl({
      name,
      group: 0,
      ...(context !== undefined && { context: this.contextName }),
      ...(requests !== undefined && { requests }),
    });
    const { code } = this.#face;
    const lines = code.split('\n');
    const declared = lines.map((line) => DECLARATION.exec(line));
    this.buffers = declared.flatMap((parts) => {
      if (!parts) return [];
      const [, access, name, type] = parts as unknown as [string, FaceBuffer['access'], string, string];
      return { name, access, type };
    });
    this.#code = lines.filter((_, i) => !declared[i]).join('\n');
    this.structs = new Map([...code.matchAll(STRUCT)].map(([, name = '', members = '']) => [name, membersOf(members)]));
  }

  /** What the code calls the bytes that the keys of shaders point into. */
  get contextName(): string {
    return `${this.name}_keyBytes`;
  }

  /** The WGSL type of the keys that `NAME_find` takes; undefined where there is no such function. */
  get keyType(): string | undefined {
    return this.parameters('find')?.key;
  }

  /** The parameters of `NAME_FUNCTION`, with their WGSL types; undefined where there is no such function. */
  parameters(called: string): Members | undefined {
    const [, list] = new RegExp(`^fn\\s+${this.name}_${called}\\(([^)]*)\\)`, 'm').exec(this.#code) ?? [];
    return list === undefined ? undefined : membersOf(list);
  }

  /** The code without its declarations of buffers and of some structs; names are replaced by those that are given. */
  codeWith(names: ReadonlyMap<string, string>, declaredElsewhere: (struct: string) => boolean = () => false): string {
    return this.#code
      .replaceAll(STRUCT, (text, name) => (declaredElsewhere(name) ? '' : text))
      .replaceAll(IDENTIFIER, (word) => names.get(word) ?? word);
  }

  /** The buffers that the collection has now, in the order of `buffers`: a rebuild may have replaced them, or be about to. */
  now(): readonly GPUBuffer[] {
    const entries = this.#face.entriesNow();
    if (entries.length === 0) {
      throw new DestroyedError(`${this.name}: the table was destroyed, or a rebuild has changed its format`);
    }
    return entries.map(({ resource }) => (resource as GPUBufferBinding).buffer);
  }
}

/** Throws unless it has a shader face, and its keys have bytes to point into where they need them. */
function requireShaded(shaded: Shaded, hasContext: boolean): void {
  if (typeof shaded?.wgsl !== 'function') refuse('collection', 'a HashMap or something else with wgsl()', shaded);
  const { key } = shaded as { readonly key?: KeyType };
  if (key?.hasContext && !hasContext) {
    throw new InvalidInputError(`shaders with ${key.name} keys need a \`context\`: the buffer of their bytes`);
  }
  if (hasContext && !key?.hasContext) throw new InvalidInputError(`${key?.name ?? 'these'} keys have no context`);
}

let names = 0;
const unusedName = (): string => `table${++names}`;

const membersOf = (text: string): Members =>
  Object.fromEntries([...text.replaceAll(COMMENT, '').matchAll(MEMBER)].map(([, name, type]) => [name, type]));
