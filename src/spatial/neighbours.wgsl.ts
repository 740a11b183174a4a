/** Loops over the neighbours of a point, for kernels here and for callers' shaders. */
import { type Wgsl, wgsl } from '../wgsl/index.ts';
import { blockEnd, type Cells, cellsOf, type GridKind, shape, sorted, sortedGroups, starts } from './cells.wgsl.ts';

/** WGSL to search a grid. */
export interface GridSearch {
  readonly kind: GridKind;
  readonly cells: Cells;
  /** `() -> u32`: how many points there are. */
  readonly size: Wgsl;
  /** `(i: u32) -> Point`: the points in the order of their cells. */
  readonly point: Wgsl;
  /** `(at) -> Neighbours`, or `(at, group: u32) -> Neighbours`: before the first. */
  readonly around: Wgsl;
  /** `(ptr<function, Neighbours>) -> bool`: goes to the next point of the cells that the radius reaches. */
  readonly step: Wgsl;
  /** `(ptr<function, Neighbours>) -> bool`: goes to the next point within the radius. */
  readonly next: Wgsl;
}

const made = new Map<string, GridSearch>();

/** Made once for each kind of grid, because kernels are found by what they are made of. */
export function searchOf(kind: GridKind): GridSearch {
  const name = `${kind.dimensions}${kind.hasGroups}`;
  const search = made.get(name) ?? makeSearch(kind);
  made.set(name, search);
  return search;
}

function makeSearch(kind: GridKind): GridSearch {
  const { dimensions, hasGroups } = kind;
  const cells = cellsOf(kind);
  const { point, cell } = cells;
  const [axes, last] = dimensions === 2 ? ['xy', 'y'] : ['xyz', 'z'];
  const size = wgsl`
fn size() -> u32 {
  return ${starts}[${cells.slotCount}];
}`;
  const Point = wgsl`
struct Point {
  at: ${point},
  index: u32,
  ${hasGroups ? 'group: u32,' : ''}
}`;
  const Neighbours = wgsl`
struct Neighbours {
  // Of the point that was found last: its number, the way to it, and whether it is within the radius.
  index: u32,
  offset: ${point},
  squaredDistance: f32,
  isNear: bool,
  // Where the search is.
  at: ${point},
  ${hasGroups ? 'group: u32,' : ''}
  cell: ${cell},
  low: ${cell},
  high: ${cell},
  position: u32,
  end: u32,
}`;
  const around = wgsl`
fn around(at: ${point}${hasGroups ? ', group: u32' : ''}) -> ${Neighbours} {
  var n: ${Neighbours};
  n.at = at;
  ${hasGroups ? 'n.group = group;' : ''}
  n.low = ${cells.cellAt}(at - ${shape}.reach);
  n.high = ${cells.cellAt}(at + ${shape}.reach);
  n.cell = n.low;
  if (!${cells.isFinite}(at)) { n.cell.${last} = n.high.${last} + 1; }
  return n;
}`;
  // The cells of a row that are in one block; then the rest of the row, the next row, the next plane.
  const nextCells = wgsl`
fn nextCells(n: ptr<function, ${Neighbours}>) {
  let cell = (*n).cell;
  let lastX = min((*n).high.x, ${blockEnd('cell.x')});
  let slot = ${cells.slotOf}(cell, ${hasGroups ? '(*n).group' : '0u'});
  (*n).position = ${starts}[slot];
  (*n).end = ${starts}[slot + u32(lastX - cell.x) + 1u];
  (*n).cell.x = lastX + 1;
  if (lastX < (*n).high.x) { return; }
  (*n).cell.x = (*n).low.x;
  (*n).cell.y += 1;
  ${
    dimensions === 2
      ? ''
      : `if (cell.y < (*n).high.y) { return; }
  (*n).cell.y = (*n).low.y;
  (*n).cell.z += 1;`
  }
}`;
  const step = wgsl`
fn step(n: ptr<function, ${Neighbours}>) -> bool {
  while ((*n).position >= (*n).end) {
    if ((*n).cell.${last} > (*n).high.${last}) { return false; }
    ${nextCells}(n);
  }
  let position = (*n).position;
  let found = ${sorted}[position];
  let offset = bitcast<${point}>(found.${axes}) - (*n).at;
  (*n).position = position + 1u;
  (*n).index = found.w;
  (*n).offset = offset;
  (*n).squaredDistance = dot(offset, offset);
  (*n).isNear = (*n).squaredDistance <= ${shape}.squaredRadius;
  ${hasGroups ? wgsl`if ((*n).isNear) { (*n).isNear = ${sortedGroups}[position] == (*n).group; }` : ''}
  return true;
}`;
  return {
    kind,
    cells,
    size,
    point: wgsl`
fn point(i: u32) -> ${Point} {
  let found = ${sorted}[i];
  return ${Point}(bitcast<${point}>(found.${axes}), found.w${hasGroups ? wgsl`, ${sortedGroups}[i]` : ''});
}`,
    around,
    step,
    next: wgsl`
fn next(n: ptr<function, ${Neighbours}>) -> bool {
  while (${step}(n)) {
    if ((*n).isNear) { return true; }
  }
  return false;
}`,
  };
}
