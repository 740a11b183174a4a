export {
  Binding,
  type BindingAccess,
  join,
  movingUniform,
  storage,
  uniform,
  Wgsl,
  type WgslPart,
  wgsl,
} from './fragment.ts';
export { kept, once } from './kept.ts';
export { type Kernel, kernel } from './kernel.ts';
export { type Linked, type LinkOptions, link, usesName } from './link.ts';
export { unrolled } from './unrolled.ts';
export { WORD_BYTES } from './word.ts';
