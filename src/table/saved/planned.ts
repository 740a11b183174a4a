/** The plan that a saved table was built by, made again from its description. */
import { FormatError, type Gpu, HashnestError } from '../../gpu/index.ts';
import {
  bytes as byteStrings,
  f32,
  i32,
  i64,
  type KeyType,
  u32,
  u64,
  utf8,
  vec2f,
  vec2i,
  vec3f,
  vec3i,
  vec4f,
  vec4i,
} from '../../keys/index.ts';
import { HeaderLayout, type Scheme, type TablePlan, type ValueWords } from '../../schemes/contract/index.ts';
import { planOf, requireTableFit } from '../plan.ts';
import { type ValueType, valueTypes } from '../values.ts';
import type { Description } from './format.ts';
import type { OpenRequest } from './open.ts';

/** Key types that saved tables may name; others are given by the caller. */
const KEYS = [u32, i32, f32, u64, i64, vec2i, vec3i, vec4i, vec2f, vec3f, vec4f, byteStrings, utf8];

/** No scheme grows as often. A plan may take a step for each, so this is looked at first. */
const MOST_GROWTHS = 64;

/** What a saved table is. */
export interface Planned {
  readonly key: KeyType;
  readonly value: ValueType | undefined;
  readonly scheme: Scheme;
  readonly plan: TablePlan;
}

/** The plan, if the body has the bytes of just such a table: nothing larger than the file is ever made. */
export function plannedAs(gpu: Gpu, description: Description, bodyBytes: number, request: OpenRequest): Planned {
  const { kind, duplicates, items, growth, format, extras } = description;
  const key = keyTypeNamed(description.key, request.key);
  const value = valueTypeOf(description, request);
  const scheme = schemeOf(description, request.scheme);
  // All but maps and sets keep ids in their table.
  const valueWords: ValueWords = kind === 'map' ? (value as ValueType).words : kind === 'set' ? 0 : 1;
  if (growth > MOST_GROWTHS)
    throw new FormatError(`the saved table has grown ${growth} times, more often than any does`);
  const grown = (times: number) =>
    possible(() => planOf(scheme, { items, key, valueWords, duplicates, growth: times, format }));
  const plan = grown(growth);
  if (growth > 0 && !grown(growth - 1).larger) {
    throw new FormatError(`the saved table has grown ${growth} times, more often than ${scheme.name} does`);
  }
  const planned = { format: plan.format, buffers: plan.buffers.map(({ name, bytes }) => ({ name, bytes })) };
  const saved = { format: description.format, buffers: description.buffers };
  if (JSON.stringify(saved) !== JSON.stringify(planned)) {
    throw new FormatError('the saved buffers are not those of a table of this scheme and size');
  }
  const total = [...plan.buffers, ...extras].reduce(
    (sum, { bytes }) => sum + bytes,
    HeaderLayout.of(plan.fields).bytes,
  );
  if (total !== bodyBytes) throw new FormatError(`the saved buffers have ${bodyBytes} bytes instead of ${total}`);
  return { key, value, scheme, plan: requireTableFit(scheme, plan, gpu.limits) };
}

/** The type of the values, where the collection has any. */
function valueTypeOf({ kind, value: name }: Description, request: OpenRequest): ValueType | undefined {
  const hasValues = kind === 'map' || kind === 'multiMap';
  if (hasValues !== (name !== null)) throw new FormatError(`a ${kind} ${hasValues ? 'has values' : 'has no values'}`);
  return name === null ? undefined : valueTypeNamed(name, request.value);
}

/** The key type of that name: the given one, or one of the library's. */
export const keyTypeNamed = (name: string, given: KeyType | undefined): KeyType =>
  named(given ? [given] : (KEYS as KeyType[]), name, 'key type');

/** The value type of that name; no other than the given one. */
export const valueTypeNamed = (name: string, given: ValueType | undefined): ValueType =>
  named(given ? [given] : Object.values(valueTypes), name, 'value type');

/** The given scheme with the saved options. */
function schemeOf({ scheme: name, options }: Description, given: Scheme): Scheme {
  if (given.name !== name) {
    throw new FormatError(
      `the table was built by '${name}', not by '${given.name}': name it by the option { scheme: ${name}() }`,
    );
  }
  const madeWith = JSON.stringify(options);
  if (JSON.stringify(given.options) === madeWith) return given;
  const scheme = possible(() => given.withOptions(options));
  if (JSON.stringify(scheme.options) !== madeWith) {
    throw new FormatError(`the table was built by ${name} with ${madeWith}, which the given scheme cannot be`);
  }
  return scheme;
}

function named<T extends { readonly name: string }>(known: readonly T[], name: string, what: string): T {
  const found = known.find((type) => type.name === name);
  if (!found) throw new FormatError(`the saved table has the ${what} '${name}', which this call does not know`);
  return found;
}

/** Something as the bytes describe it. If there is no such thing, the bytes are wrong, unless the device is too small. */
export function possible<T>(make: () => T): T {
  try {
    return make();
  } catch (cause) {
    if (cause instanceof HashnestError && cause.code === 'too-large') throw cause;
    throw new FormatError('the saved table describes a plan that cannot be', { cause });
  }
}
