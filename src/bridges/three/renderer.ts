/** The device of a renderer, and buffers that both sides know. */

import { storage } from 'three/tsl';
import {
  type BufferAttribute,
  StorageBufferAttribute,
  type StorageBufferNode,
  type WebGPURenderer,
} from 'three/webgpu';
import {
  type Gpu,
  InvalidInputError,
  isBuffer,
  refuse,
  requireOneOf,
  UnsupportedError,
  within,
} from '../../gpu/index.ts';
import { kept, WORD_BYTES } from '../../wgsl/index.ts';
import { gpuOfDevice } from '../kit/gpuOfDevice.ts';

/** What three.js keeps for an object on the GPU. */
interface GpuData {
  buffer?: GPUBuffer;
}

/** The part of a renderer's backend that is used here. Its types do not declare it. */
export interface Backend {
  readonly isWebGPUBackend?: true;
  readonly device: GPUDevice | null;
  get(object: object): GpuData;
}

/** The part of a renderer that is used here. */
interface RendererParts {
  readonly backend?: Backend;
  readonly initialized?: boolean;
  /** Creates and updates the buffers of attributes. */
  readonly _attributes: { update(attribute: object, type: number): void };
}

/** How `_attributes` numbers what a buffer is for. */
const [STORAGE, INDIRECT] = [3, 4];

/** Types of storage nodes whose elements lie one behind the other without gaps. */
export type StorageType = 'float' | 'int' | 'uint' | 'vec2' | 'ivec2' | 'uvec2' | 'vec4' | 'ivec4' | 'uvec4';

/** The words of an element. */
const WORDS: Readonly<Record<StorageType, number>> = {
  ...{ float: 1, int: 1, uint: 1 },
  ...{ vec2: 2, ivec2: 2, uvec2: 2 },
  ...{ vec4: 4, ivec4: 4, uvec4: 4 },
};

/**
 * The device of a `WebGPURenderer`, for tables that its scenes use. The renderer has to be initialised; every call gives the same `Gpu`.
 * @example
 * await renderer.init();
 * const map = await HashMap.from(gpuOf(renderer), { keys, values });
 */
export function gpuOf(renderer: WebGPURenderer): Gpu {
  return within('gpuOf', () => gpuOfDevice(backendOf(renderer).device));
}

/**
 * The buffer of a storage attribute, or of a node such as `instancedArray(1000, 'uint')`: what three.js writes there, tables take, and the other
 * way round. It is created if it is not there yet, belongs to three.js, and is destroyed with its attribute.
 * @example
 * const map = await HashMap.from(gpu, { keys: bufferOf(renderer, keys), values: bufferOf(renderer, values), count: 1000 });
 */
export function bufferOf(
  renderer: WebGPURenderer,
  stored: BufferAttribute | Pick<StorageBufferNode<unknown>, 'value'>,
): GPUBuffer {
  return within('bufferOf', () => {
    const backend = backendOf(renderer);
    const attribute = 'isStorageBufferNode' in Object(stored) ? (stored as { value: object }).value : stored;
    const kinds = Object(attribute);
    if (!kinds.isStorageBufferAttribute && !kinds.isStorageInstancedBufferAttribute) {
      refuse(
        'stored',
        'a StorageBufferAttribute or a storage node: other attributes cannot be bound for storage',
        stored,
      );
    }
    const { _attributes } = renderer as unknown as RendererParts;
    _attributes.update(attribute, kinds.isIndirectStorageBufferAttribute ? INDIRECT : STORAGE);
    return backend.get(attribute).buffer as GPUBuffer;
  });
}

/**
 * A buffer of yours as a storage node, which TSL reads and writes without a copy. It stays yours: three.js does not destroy it.
 * @example
 * const answers = storageOf(renderer, gpu.createBuffer('answers', 4 * 1000), 'float');
 */
export function storageOf<const Type extends StorageType>(
  renderer: WebGPURenderer,
  buffer: GPUBuffer,
  type: Type,
): StorageBufferNode<Type> {
  return within('storageOf', () => {
    const backend = backendOf(renderer);
    if (!isBuffer(buffer)) refuse('buffer', 'a GPUBuffer', buffer);
    requireOneOf(type, 'type', Object.keys(WORDS));
    const attribute = lentAttribute(buffer, backend);
    const count = Math.floor(buffer.size / (WORD_BYTES * WORDS[type]));
    return storage(attribute, type, count);
  });
}

const standIn = kept((_: GPUBuffer) => new StorageBufferAttribute(new Uint32Array(0), 1));

/** An attribute that stands for somebody else's buffer. */
export function lentAttribute(buffer: GPUBuffer, backend: Backend): StorageBufferAttribute {
  const attribute = standIn(buffer);
  // Only what says so is noted, and destroyed with the renderer.
  Object.assign(attribute, { isBufferAttribute: false });
  // It is not created where there is one already.
  backend.get(attribute).buffer ??= buffer;
  return attribute;
}

/** The backend of a renderer that is ready, if it is WebGPU. */
function backendOf(renderer: WebGPURenderer): Backend & { readonly device: GPUDevice } {
  const { backend, initialized } = Object(renderer) as RendererParts;
  if (!backend) refuse('renderer', 'a WebGPURenderer', renderer);
  if (!initialized) throw new InvalidInputError('the renderer is not ready: await renderer.init() first');
  if (!backend.isWebGPUBackend || !backend.device) {
    throw new UnsupportedError('the renderer draws with WebGL, because there is no WebGPU here or it was told to');
  }
  return backend as Backend & { readonly device: GPUDevice };
}
