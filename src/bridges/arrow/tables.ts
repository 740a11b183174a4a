/** Tables as callers pass them, and their columns by name. */
import { type Field, Table, type Vector } from 'apache-arrow';
import { InvalidInputError } from '../../gpu/index.ts';

/** Throws unless it is a table of Arrow. */
export function requireTable(table: unknown, name: string): void {
  if (Table.isTable(table)) return;
  throw new InvalidInputError(`${name} must be a Table of Apache Arrow, not ${table === null ? 'null' : typeof table}`);
}

/** A column of a table with its name. */
export interface NamedVector {
  readonly field: Field;
  readonly vector: Vector;
}

/** A column by its name; throws if there is none, or if several have that name. */
export function childOf(table: Table, name: unknown, where: string): NamedVector {
  const { fields } = table.schema;
  const named = fields.filter((field) => field.name === name);
  const [field] = named;
  if (!field || typeof name !== 'string') {
    const names = fields.map((one) => one.name).join(', ') || 'none';
    throw new InvalidInputError(`${where}: there is no column ${String(name)}; there are ${names}`);
  }
  if (named.length > 1) throw new InvalidInputError(`${where}: ${named.length} columns are called ${name}`);
  return { field, vector: table.getChildAt(fields.indexOf(field)) as Vector };
}

/** Columns by one name or several; at least one, and none twice. */
export function childrenOf(table: Table, names: unknown, where: string): readonly NamedVector[] {
  const list: readonly unknown[] = Array.isArray(names) ? names : [names];
  if (list.length === 0) throw new InvalidInputError(`${where} names no column`);
  const twice = list.find((name, i) => list.indexOf(name) !== i);
  if (twice !== undefined) throw new InvalidInputError(`${where} names ${String(twice)} twice`);
  return list.map((name) => childOf(table, name, where));
}
