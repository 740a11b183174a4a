/**
 * The constants of WebGPU under their own names, for where they are no globals: Node has none, and workers of some browsers
 * neither.
 * @example
 * import { GPUBufferUsage } from 'hashnest';
 */

/** What a buffer may be used for. */
export const GPUBufferUsage = {
  MAP_READ: 0x1,
  MAP_WRITE: 0x2,
  COPY_SRC: 0x4,
  COPY_DST: 0x8,
  INDEX: 0x10,
  VERTEX: 0x20,
  UNIFORM: 0x40,
  STORAGE: 0x80,
  INDIRECT: 0x100,
  QUERY_RESOLVE: 0x200,
} as const;

/** What a texture may be used for. */
export const GPUTextureUsage = {
  COPY_SRC: 0x1,
  COPY_DST: 0x2,
  TEXTURE_BINDING: 0x4,
  STORAGE_BINDING: 0x8,
  RENDER_ATTACHMENT: 0x10,
} as const;

/** Shader stages that see a binding. */
export const GPUShaderStage = { VERTEX: 0x1, FRAGMENT: 0x2, COMPUTE: 0x4 } as const;

/** What a buffer is mapped for. */
export const GPUMapMode = { READ: 0x1, WRITE: 0x2 } as const;

/** Channels that a pipeline writes. */
export const GPUColorWrite = { RED: 0x1, GREEN: 0x2, BLUE: 0x4, ALPHA: 0x8, ALL: 0xf } as const;
