import { type Binding, join, storage, type WgslPart, wgsl } from '../wgsl/index.ts';

/** Words of the widest key of a fixed size: what the hash families take. */
export const MOST_WORDS = 16;

/** Three words without the padding of `vec3u`. */
const Words3 = wgsl`struct Words3 { x: u32, y: u32, z: u32 }`;

/** Names of the first four words of a key or value. */
const NAMES = ['x', 'y', 'z', 'w'] as const;

/** The WGSL type of that many words as they lie in a buffer: an array of it has no gaps. */
export function wordsType(words: number): WgslPart {
  return [undefined, 'u32', 'vec2u', Words3, 'vec4u'][words] ?? `array<u32, ${words}>`;
}

/** A buffer of keys or values of so many words each; of none, it stands for whatever is bound. */
export const wordsArray = (name: string, words: number, access: 'read' | 'read_write' = 'read'): Binding =>
  storage(name, wgsl`array<${wordsType(Math.max(1, words))}>`, access);

/** Word `i` of an expression of `wordsType(words)`. */
export function wordAt(words: number, expression: WgslPart, i: number): WgslPart {
  if (words === 1) return expression;
  return words <= 4 ? wgsl`${expression}.${NAMES[i] as string}` : wgsl`${expression}[${i}]`;
}

/** All words of an expression of `wordsType(words)`. */
export function wordsOf(words: number, expression: WgslPart): WgslPart[] {
  return Array.from({ length: words }, (_, i) => wordAt(words, expression, i));
}

/** An expression of `wordsType(parts.length)`. */
export function fromWords(parts: readonly WgslPart[]): WgslPart {
  return parts.length === 1 ? (parts[0] as WgslPart) : wgsl`${wordsType(parts.length)}(${join(parts, ', ')})`;
}

/** True where every word is all ones: the mark of an empty slot. */
export function allOnes(words: number, expression: WgslPart): WgslPart {
  return wgsl`((${join(wordsOf(words, expression), ' & ')}) == 0xffffffffu)`;
}
