/** Checks of what callers pass, who may write plain JavaScript: a message names the argument and what was given. */
import { InvalidInputError } from './errors.ts';
import type { Gpu } from './gpu.ts';
import type { Target } from './recorder.ts';

/** The kind of a typed array, whoever made it, such as `'Uint32Array'`; of nothing else, not even of a proxy for one. */
export const arrayKind = (value: unknown): string | undefined =>
  Reflect.get(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag, value);

/** What was given, as short as a console would put it. */
function given(value: unknown): string {
  const kind = arrayKind(value) ?? (Array.isArray(value) && 'Array');
  if (kind) return `${kind}(${(value as ArrayLike<unknown>).length})`;
  if (typeof value === 'string') return `'${value.slice(0, 40)}'`;
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'function') return 'a function';
  return typeof value === 'object' && value ? Object.prototype.toString.call(value).slice(8, -1) : String(value);
}

/** Refuses an argument. */
export function refuse(name: string, wanted: string, value: unknown): never {
  throw new InvalidInputError(`${name} must be ${wanted}, not ${given(value)}`);
}

/** Throws unless it is a whole number, not negative. */
export function requireWhole(value: unknown, name: string): void {
  if (!Number.isSafeInteger(value) || (value as number) < 0) refuse(name, 'a whole number', value);
}

/** Throws unless it is a seed, or none. */
export function requireSeed(seed: unknown): void {
  if (seed !== undefined && !(Number.isInteger(seed) && (seed as number) >= 0 && (seed as number) < 2 ** 32)) {
    refuse('seed', 'a 32-bit unsigned integer', seed);
  }
}

/** Throws unless it is one of a few words. */
export function requireOneOf(value: unknown, name: string, words: readonly string[]): void {
  if (!words.includes(value as string)) refuse(name, `one of ${words.join(', ')}`, value);
}

/** Throws for an array that has lost its memory, which would pass for an empty one. */
export function requireAttached(array: unknown, name: string): void {
  if ((array as Uint8Array).length > 0) return;
  try {
    Uint8Array.prototype.at.call(array, 0);
  } catch {
    throw new InvalidInputError(`${name}: an array has lost its memory; it was transferred, or its buffer has shrunk`);
  }
}

/** Throws unless it is a `Uint32Array`. */
export function requireWords(array: unknown, name: string): void {
  if (arrayKind(array) !== 'Uint32Array') refuse(name, 'a Uint32Array', array);
  requireAttached(array, name);
}

export const isBuffer = (value: unknown): value is GPUBuffer => 'mapState' in Object(value);

/** Throws unless it is a `Gpu`: not the device of one, and not the promise of one. */
export function requireGpu(gpu: Gpu): void {
  if (typeof gpu?.assertAlive !== 'function') refuse('gpu', 'a Gpu, by await Gpu.open() or Gpu.from(device)', gpu);
}

/** Throws unless commands can be recorded into it. */
export function requireTarget(target: Target): void {
  const object = Object(target);
  if (!('beginComputePass' in object || 'dispatchWorkgroups' in object)) {
    refuse('target', 'a GPUCommandEncoder or a GPUComputePassEncoder', target);
  }
}

/** Throws for options that nobody knows: misspelt ones would silently be ignored. */
export function requireOptions(options: unknown, names: readonly string[], name = 'options'): void {
  requireNames(options, name, names, () => `there are ${names.join(', ') || 'none'}`);
}

/** Throws for data with a member that is misspelt. Others are the caller's own: one object may go to several calls. */
export function requireMembers(data: unknown, name: string, names: readonly string[]): void {
  requireNames(data, name, names, () => undefined);
}

/** Throws for a member of no known name if something can be said about it: what was meant, or something else. */
function requireNames(
  value: unknown,
  name: string,
  names: readonly string[],
  otherwise: () => string | undefined,
): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || ArrayBuffer.isView(value)) {
    refuse(name, `an object { ${names.join(', ')} }`, value);
  }
  const members = Object.keys(value).filter((member) => (value as Record<string, unknown>)[member] !== undefined);
  const absent = names.filter((known) => !members.includes(known));
  for (const member of members) {
    if (names.includes(member)) continue;
    const meant = absent.find((known) => isNear(member.toLowerCase(), known.toLowerCase()));
    const advice = meant ? `did you mean ${meant}?` : otherwise();
    if (advice) throw new InvalidInputError(`${name} have no ${member}; ${advice}`);
  }
}

/** Whether one name begins with the other, or has nearly the same letters. */
function isNear(wrong: string, right: string): boolean {
  const left = (a: string, b: string) => [...a].reduce((rest, letter) => rest.replace(letter, ''), b).length;
  return (
    right.startsWith(wrong) || wrong.startsWith(right) || 3 * (left(wrong, right) + left(right, wrong)) <= wrong.length
  );
}
