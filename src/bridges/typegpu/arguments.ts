/** What functions of TypeGPU pass to those of a face: tuples are structs of their own there. */
import * as d from 'typegpu/data';
import { UnsupportedError } from '../../gpu/index.ts';
import type { AdoptedFace } from '../kit/adoptedFace.ts';

const isStruct = (schema: unknown): schema is d.AnyWgslStruct => Object(schema).type === 'struct';

/**
 * An expression of a schema's type as one of a type of the face: itself, or a struct of the face made of the members of another. Undefined
 * where the schema has not just the members that the type has.
 */
export function converted(face: AdoptedFace, schema: unknown, type: string, expression: string): string | undefined {
  const members = face.structs.get(type);
  if (!members) return Object(schema).type === type ? expression : undefined;
  if (!isStruct(schema) || Object.keys(schema.propTypes).join() !== Object.keys(members).join()) return undefined;
  const parts = Object.entries(members).map(([name, part]) =>
    converted(face, schema.propTypes[name], part, `${expression}.${name}`),
  );
  return parts.includes(undefined) ? undefined : `${type}(${parts.join(', ')})`;
}

/** A type of the face for messages: a struct by its members. */
export function described(face: AdoptedFace, type: string): string {
  const members = face.structs.get(type);
  if (!members) return type;
  return `struct { ${Object.entries(members)
    .map(([name, part]) => `${name}: ${described(face, part)}`)
    .join(', ')} }`;
}

/** Throws if the elements of an array of structs have gaps, which keys on the host have not. */
export function requireNoGaps(schema: d.AnyWgslData, name: string): void {
  if (isStruct(schema) && d.sizeOf(d.arrayOf(schema, 2)) !== 2 * tightBytes(schema)) {
    throw new UnsupportedError(`${name}: a struct with gaps between its members is no tuple of a buffer; use wgsl()`);
  }
}

const tightBytes = (schema: unknown): number =>
  isStruct(schema)
    ? Object.values(schema.propTypes).reduce<number>((sum, part) => sum + tightBytes(part), 0)
    : d.sizeOf(schema as d.AnyWgslData);
