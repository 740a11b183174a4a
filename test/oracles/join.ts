/** Plain loops that answer like the library. */
import { type How, NO_ROW } from '../../src/relational/join.wgsl.ts';

/** A cell of a column: `null` where there is no value. */
import type { Cell } from './columns.ts';

/** The key of a row as a text that no other key has; nothing if a value is missing. */
const keyOf = (columns: readonly (readonly Cell[])[], row: number): string | undefined => {
  const cells = columns.map((column) => column[row] as Cell);
  if (cells.includes(null)) return undefined;
  return JSON.stringify(cells.map((cell) => `${typeof cell} ${Object.is(cell, -0) ? '-0' : cell}`));
};

/** Joins as two nested loops would, in the order that is promised. */
export function joinLike(left: readonly (readonly Cell[])[], right: readonly (readonly Cell[])[], how: How) {
  const leftKeys = Array.from(left[0] ?? [], (_, row) => keyOf(left, row));
  const rightKeys = Array.from(right[0] ?? [], (_, row) => keyOf(right, row));
  const byKey = new Map<string, number[]>();
  rightKeys.forEach((key, row) => {
    if (key !== undefined) byKey.set(key, [...(byKey.get(key) ?? []), row]);
  });
  const pairs: [number, number][] = [];
  const matched = new Set<string>();
  leftKeys.forEach((key, row) => {
    const partners = key === undefined ? [] : (byKey.get(key) ?? []);
    if (key !== undefined && partners.length > 0) matched.add(key);
    if (how === 'semi' || how === 'anti') {
      if (partners.length > 0 === (how === 'semi')) pairs.push([row, NO_ROW]);
    } else if (partners.length > 0) {
      for (const partner of partners) pairs.push([row, partner]);
    } else if (how === 'left' || how === 'full') pairs.push([row, NO_ROW]);
  });
  if (how === 'right' || how === 'full') {
    rightKeys.forEach((key, row) => {
      if (key === undefined || !matched.has(key)) pairs.push([NO_ROW, row]);
    });
  }
  const isList = how === 'semi' || how === 'anti';
  return {
    left: Uint32Array.from(pairs, ([row]) => row),
    right: Uint32Array.from(isList ? [] : pairs, ([, row]) => row),
  };
}
