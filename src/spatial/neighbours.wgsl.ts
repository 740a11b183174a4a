/** Loops over the neighbours of a point, for kernels here and for callers' shaders. */
import { kept, type Wgsl, wgsl } from '../wgsl/index.ts';
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
  /** What loops over cells are made of. */
  readonly parts: LoopParts;
}

/** What loops over cells are made of, as functions or as their names. */
export interface LoopParts<Part = Wgsl> {
  /** `(at) -> Reach`: the cells that the radius reaches. */
  readonly reached: Part;
  /** `(cell, lastX: i32) -> Run`, with the group behind it where there are groups: the points of cells that lie side by side. */
  readonly run: Part;
  /** `(i: u32, at) -> Neighbour`, likewise: the point at a position. */
  readonly neighbour: Part;
}

/** What is done with every neighbour. */
export interface Visit<Part> {
  /** Whose neighbours: an expression. */
  readonly at: Part;
  /** An expression, where there are groups. */
  readonly group?: Part | undefined;
  /** What a neighbour is called in the body. */
  readonly as: string;
  /** Statements. */
  readonly body: Part;
}

/**
 * Loops over the cells that the radius reaches, and over the points in them. Threads side by side go from cell to cell together, which
 * those that look for their next neighbour each do not. Made of functions by the tag `wgsl`, or of names by `String.raw`.
 */
export function visitLoops<Part>(
  text: (strings: TemplateStringsArray, ...parts: (Part | string)[]) => Part,
  { dimensions }: GridKind,
  { reached, run, neighbour }: LoopParts<Part>,
  { at, group, as, body }: Visit<Part>,
): Part {
  const [cell, inPlanes] =
    dimensions === 2
      ? ['vec2i(gridX, gridY)', '']
      : ['vec3i(gridX, gridY, gridZ)', 'for (var gridZ = gridReach.low.z; gridZ <= gridReach.high.z; gridZ++)'];
  const ofGroup = group === undefined ? '' : ', gridGroup';
  return text`{
    let gridAt = ${at};
    ${group === undefined ? '' : text`let gridGroup: u32 = ${group};`}
    let gridReach = ${reached}(gridAt);
    ${inPlanes} {
      for (var gridY = gridReach.low.y; gridY <= gridReach.high.y; gridY++) {
        for (var gridX = gridReach.low.x; gridX <= gridReach.high.x;) {
          let gridRun = ${run}(${cell}, gridReach.high.x${ofGroup});
          gridX = gridRun.nextX;
          for (var gridI = gridRun.first; gridI < gridRun.end; gridI++) {
            let ${as} = ${neighbour}(gridI, gridAt${ofGroup});
            if (!${as}.isNear) { continue; }
            ${body}
          }
        }
      }
    }
  }`;
}

/** The search of a kind of grid: kernels are found by it. */
export const searchOf = ({ dimensions, hasGroups }: GridKind): GridSearch => madeSearch(dimensions, hasGroups);

const madeSearch = kept((dimensions: GridKind['dimensions'], hasGroups: boolean): GridSearch => {
  const kind = { dimensions, hasGroups };
  const cells = cellsOf(kind);
  const parts = { reached: reachedBy(cells), run: runOf(kind, cells), neighbour: neighbourOf(kind, cells) };
  return {
    kind,
    cells,
    size: wgsl`
fn size() -> u32 {
  return ${starts}[${cells.slotCount}];
}`,
    point: pointOf(kind, cells),
    ...stepsThrough(kind, cells, parts),
    parts,
  };
});

/** The coordinates of a point among the words of one. */
const axesOf = ({ dimensions }: GridKind): string => (dimensions === 2 ? 'xy' : 'xyz');

/** What functions take behind other parameters where there are groups. */
const groupParameter = ({ hasGroups }: GridKind): string => (hasGroups ? ', group: u32' : '');

function pointOf(kind: GridKind, { point }: Cells): Wgsl {
  const { hasGroups } = kind;
  const Point = wgsl`
struct Point {
  at: ${point},
  index: u32,
  ${hasGroups ? 'group: u32,' : ''}
}`;
  return wgsl`
fn point(i: u32) -> ${Point} {
  let found = ${sorted}[i];
  return ${Point}(bitcast<${point}>(found.${axesOf(kind)}), found.w${hasGroups ? wgsl`, ${sortedGroups}[i]` : ''});
}`;
}

function reachedBy(cells: Cells): Wgsl {
  const { point, cell } = cells;
  const Reach = wgsl`
struct Reach {
  low: ${cell},
  high: ${cell},
}`;
  // None for who is nowhere.
  return wgsl`
fn reached(at: ${point}) -> ${Reach} {
  var reach = ${Reach}(${cells.cellAt}(at - ${shape}.reach), ${cells.cellAt}(at + ${shape}.reach));
  if (!${cells.isFinite}(at)) { reach = ${Reach}(${cell}(1), ${cell}(0)); }
  return reach;
}`;
}

function runOf(kind: GridKind, cells: Cells): Wgsl {
  const { cell } = cells;
  const Run = wgsl`
struct Run {
  first: u32,
  end: u32,
  nextX: i32, // the cell behind them
}`;
  // The cells of a row that are in one block.
  return wgsl`
fn run(cell: ${cell}, lastX: i32${groupParameter(kind)}) -> ${Run} {
  let last = min(lastX, ${blockEnd('cell.x')});
  let slot = ${cells.slotOf}(cell, ${kind.hasGroups ? 'group' : '0u'});
  return ${Run}(${starts}[slot], ${starts}[slot + u32(last - cell.x) + 1u], last + 1);
}`;
}

function neighbourOf(kind: GridKind, { point }: Cells): Wgsl {
  const Neighbour = wgsl`
struct Neighbour {
  index: u32,
  offset: ${point},
  squaredDistance: f32,
  isNear: bool,
}`;
  return wgsl`
fn neighbour(i: u32, at: ${point}${groupParameter(kind)}) -> ${Neighbour} {
  let found = ${sorted}[i];
  let offset = bitcast<${point}>(found.${axesOf(kind)}) - at;
  let squaredDistance = dot(offset, offset);
  var isNear = squaredDistance <= ${shape}.squaredRadius;
  ${kind.hasGroups ? wgsl`if (isNear) { isNear = ${sortedGroups}[i] == group; }` : ''}
  return ${Neighbour}(found.w, offset, squaredDistance, isNear);
}`;
}

/** A search that goes on where it was, from one point to the next. */
function stepsThrough(
  kind: GridKind,
  { point, cell }: Cells,
  { reached, run, neighbour }: LoopParts,
): Pick<GridSearch, 'around' | 'step' | 'next'> {
  const { dimensions, hasGroups } = kind;
  const last = dimensions === 2 ? 'y' : 'z';
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
fn around(at: ${point}${groupParameter(kind)}) -> ${Neighbours} {
  var n: ${Neighbours};
  n.at = at;
  ${hasGroups ? 'n.group = group;' : ''}
  let reach = ${reached}(at);
  n.low = reach.low;
  n.high = reach.high;
  n.cell = reach.low;
  return n;
}`;
  // The rest of the row, the next row, the next plane.
  const nextCells = wgsl`
fn nextCells(n: ptr<function, ${Neighbours}>) {
  let cell = (*n).cell;
  let cells = ${run}(cell, (*n).high.x${hasGroups ? ', (*n).group' : ''});
  (*n).position = cells.first;
  (*n).end = cells.end;
  (*n).cell.x = cells.nextX;
  if (cells.nextX <= (*n).high.x) { return; }
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
  let found = ${neighbour}((*n).position, (*n).at${hasGroups ? ', (*n).group' : ''});
  (*n).position += 1u;
  (*n).index = found.index;
  (*n).offset = found.offset;
  (*n).squaredDistance = found.squaredDistance;
  (*n).isNear = found.isNear;
  return true;
}`;
  const next = wgsl`
fn next(n: ptr<function, ${Neighbours}>) -> bool {
  while (${step}(n)) {
    if ((*n).isNear) { return true; }
  }
  return false;
}`;
  return { around, step, next };
}
