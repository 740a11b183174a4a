/** A user's own shader around tables. */
import type { Gpu } from '../../src/gpu/index.ts';
import { TestBuffers } from './buffers.ts';
import type { KeyKind, Keys } from './keyKinds.ts';

/** A shader that answers every query. */
export interface UserShader {
  readonly kind: KeyKind;
  readonly queries: Keys;
  /** The tables' bind groups; they begin at group 1. */
  readonly tables: readonly { readonly layout: GPUBindGroupLayout; readonly bindGroup: GPUBindGroup }[];
  /** Declarations, among them those of the tables. */
  readonly code: string;
  /** Statements before the answer. They see `item`, the number of the query, and `key`. */
  readonly statements?: string;
  /** An expression of type `vec4u`. */
  readonly answer: string;
  /** Names of the user's own buffers. */
  readonly names?: { readonly queries: string; readonly answers: string };
}

const CONTEXT = 'text';

const hasContext = ({ type }: KeyKind): boolean => type.access('needle').context !== undefined;

/** What a table has to know of the user's shader to search for keys of this kind. */
export const faceOptions = (kind: KeyKind): { readonly context?: string } =>
  hasContext(kind) ? { context: CONTEXT } : {};

/** The four words that the shader answers for every query. */
export async function runShader(gpu: Gpu, shader: UserShader): Promise<Uint32Array> {
  const { device } = gpu;
  const { kind, queries, tables } = shader;
  using buffers = new TestBuffers(gpu);
  const output = buffers.words(4 * queries.length);
  const { queries: queryBuffer, context } = buffers.queries(kind, queries);
  const own = [queryBuffer, output, ...(context ? [context] : [])];
  const ownLayout = device.createBindGroupLayout({
    entries: own.map((buffer, binding) => ({
      binding,
      visibility: 4,
      buffer: { type: buffer === output ? 'storage' : 'read-only-storage' },
    })),
  });
  const ownGroup = device.createBindGroup({
    layout: ownLayout,
    entries: own.map((buffer, binding) => ({ binding, resource: { buffer } })),
  });
  const [bytes] = await gpu.run(
    (encoder) => {
      const layouts = [ownLayout, ...tables.map(({ layout }) => layout)];
      const pipeline = device.createComputePipeline({
        layout: device.createPipelineLayout({ bindGroupLayouts: layouts }),
        compute: { module: device.createShaderModule({ code: codeOf(shader) }), entryPoint: 'main' },
      });
      const pass = encoder.beginComputePass();
      pass.setPipeline(pipeline);
      for (const [i, group] of [ownGroup, ...tables.map(({ bindGroup }) => bindGroup)].entries()) {
        pass.setBindGroup(i, group);
      }
      pass.dispatchWorkgroups(Math.ceil(queries.length / 64));
      pass.end();
    },
    [{ buffer: output, bytes: 16 * queries.length }],
  );
  return new Uint32Array(bytes as ArrayBuffer);
}

function codeOf({ kind, code, statements = '', answer, names }: UserShader): string {
  const { queries, answers } = names ?? { queries: 'queries', answers: 'answers' };
  const { words } = kind.type;
  // An array of three-word vectors would have gaps between them.
  const key = kind.inShader(Array.from({ length: words }, (_, i) => `${queries}[${words}u * item + ${i}u]`));
  return `
@group(0) @binding(0) var<storage, read> ${queries}: array<u32>;
@group(0) @binding(1) var<storage, read_write> ${answers}: array<vec4u>;
${hasContext(kind) ? `@group(0) @binding(2) var<storage, read> ${CONTEXT}: array<u32>;` : ''}
${code}
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
  let item = id.x;
  if (item >= arrayLength(&${answers})) { return; }
  let key = ${key};
  ${statements}
  ${answers}[item] = ${answer};
}`;
}
