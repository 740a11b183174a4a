import type { Table, Vector } from 'apache-arrow';
import {
  type Abortable,
  type Gpu,
  InvalidInputError,
  refuse,
  requireGpu,
  requireOptions,
  within,
} from '../../gpu/index.ts';
import { join as joinRows } from '../../relational/join.ts';
import { type How, NO_ROW } from '../../relational/join.wgsl.ts';
import { isList } from '../../relational/joinBuffers.ts';
import type { RowOptions } from '../../relational/rowKeys.ts';
import { columnOf } from './column.ts';
import { arrowKey } from './keys.ts';
import { childOf, type NamedVector, requireTable } from './tables.ts';
import { type Taken, tableOf, taken } from './take.ts';

/** Options of a join of tables. */
export interface TableJoinOptions extends RowOptions, Abortable {
  /**
   * The columns that are compared: one name or several that both tables have, or the names on the left with those on the right:
   * `{ customer: 'name' }`.
   */
  readonly on: string | readonly string[] | Readonly<Record<string, string>>;
  /** Which rows are wanted; see `join` of `hashnest/relational`. Default `'inner'`. */
  readonly how?: How;
  /** What is put behind the name of a column on the right that the left has too. Without it, such a name is an error. */
  readonly suffix?: string;
}

/** A column on the left and the one on the right that it is compared with. */
interface KeyPair {
  readonly left: NamedVector;
  readonly right: NamedVector;
}

/**
 * Joins two tables by columns that are equal, many-to-many. The new table has all columns of the left one, and those of the right that are
 * not compared; `'semi'` and `'anti'` have those of the left alone. Where a row has no partner there are nulls, but the compared columns have the value
 * of the side that has one. Nulls are equal to nothing.
 * @example
 * const priced = await join(gpu, orders, products, { on: { product: 'id' }, how: 'left' });
 */
export function join(gpu: Gpu, left: Table, right: Table, options: TableJoinOptions): Promise<Table> {
  return within('join', async () => {
    requireGpu(gpu);
    requireTable(left, 'left');
    requireTable(right, 'right');
    requireOptions(options, ['on', 'how', 'suffix', 'scheme', 'seed', 'signal']);
    const { on, how = 'inner', suffix, ...rest } = options;
    const keys = pairsOf(left, right, on);
    if (how === 'right' || how === 'full') for (const pair of keys) requireSameType(pair, how);
    const others = isList(how) ? [] : othersOf(left, right, keys, suffix);
    const rows = await joinRows(
      gpu,
      keys.map(({ left: { vector, field } }) => columnOf(vector, `left.${field.name}`)),
      keys.map(({ right: { vector, field } }) => columnOf(vector, `right.${field.name}`)),
      { ...rest, how },
    );
    const columns = left.schema.fields.map((field, i): Taken => {
      const vector = left.getChildAt(i) as Vector;
      const pair = keys.find((key) => key.left.field === field);
      // Rows of the right side alone have their key from there.
      if (!pair || isList(how) || !rows.left.includes(NO_ROW)) return taken(field, vector, rows.left);
      const both = rows.left.map((row, k) => (row === NO_ROW ? left.numRows + (rows.right[k] as number) : row));
      return taken(field, vector.concat(pair.right.vector), both);
    });
    const more = others.map(({ field, vector, name }) => taken(field, vector, rows.right, name));
    return tableOf([...columns, ...more], rows.left.length, left.schema.metadata);
  });
}

/** The columns that are compared. */
function pairsOf(left: Table, right: Table, on: TableJoinOptions['on']): readonly KeyPair[] {
  const isNames = typeof on === 'string' || Array.isArray(on);
  if (!isNames && (typeof on !== 'object' || on === null)) refuse('on', 'the names of columns', on);
  const names = isNames ? [on].flat().map((name) => [name, name] as const) : Object.entries(on);
  if (names.length === 0) throw new InvalidInputError('on names no column');
  const twice = names.findIndex(([name], i) => names.some(([other], k) => k < i && other === name));
  if (twice >= 0) throw new InvalidInputError(`on names ${String(names[twice]?.[0])} twice`);
  return names.map(([leftName, rightName]) => {
    const pair = { left: childOf(left, leftName, 'on, left'), right: childOf(right, rightName, 'on, right') };
    const [a, b] = [kindOf(pair.left), kindOf(pair.right)];
    if (a !== b) throw new InvalidInputError(`on: ${describe(pair)}; cast one of them`);
    return pair;
  });
}

const kindOf = ({ field, vector }: NamedVector): string => arrowKey(vector.type, field.name).kind;

const describe = ({ left, right }: KeyPair): string =>
  `${left.field.name} is ${left.vector.type} on the left, and ${right.field.name} is ${right.vector.type} on the right`;

function requireSameType(pair: KeyPair, how: How): void {
  if (String(pair.left.vector.type) === String(pair.right.vector.type)) return;
  throw new InvalidInputError(`on: ${describe(pair)}; how: '${how}' puts both into one column, so cast one of them`);
}

/** The columns of the right side that are not compared, by the names that they get. */
function othersOf(left: Table, right: Table, keys: readonly KeyPair[], suffix: string | undefined) {
  if (suffix !== undefined && typeof suffix !== 'string') refuse('suffix', 'a string', suffix);
  const names = new Set(left.schema.fields.map(({ name }) => name));
  return right.schema.fields.flatMap((field, i) => {
    if (keys.some((key) => key.right.field === field)) return [];
    const name = names.has(field.name) ? field.name + (suffix ?? '') : field.name;
    if (names.has(name)) {
      throw new InvalidInputError(`both tables have a column ${name}: rename one, or give the right one a \`suffix\``);
    }
    names.add(name);
    return { field, name, vector: right.getChildAt(i) as Vector };
  });
}
