/** A small kit that draws rows of cells, and the looks of a search from cell to cell, as SVG in the colours of the page. */
import { escapeHtml } from '../markdown.ts';

/** An array in memory, or one line of a grid. */
interface Row {
  /** What stands above it; lines of one grid have one for all. */
  readonly label?: string;
  /** Parted by spaces: `.` is empty, `|` a gap, all else the text of a cell. */
  readonly cells: string;
}

/** One look: at a cell, or at several that are read together. Cells are counted without gaps. */
export interface Step {
  readonly row: number;
  readonly cell: number;
  /** How many are read, from that one on. Default 1. */
  readonly cells?: number;
  /** The cell in which the key is found. */
  readonly found?: number;
  /** What is seen there, in words. */
  readonly says: string;
}

/** A drawing of rows, with the looks of a search or without. */
export interface Drawing {
  readonly rows: readonly Row[];
  readonly steps?: readonly Step[];
}

const CELL = { height: 30, most: 46, gap: 10 };
/** Of the text above a row, in pixels. */
const [LINE, LETTER] = [18, 6.6];
/** Above a row that is looked at, for the numbers of the looks and the way between them. */
const AIR = 28;
const BADGE = 9;

/** Where something is drawn; all is as high as a cell. */
interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

/** What is looked at; inside a grid there is no room above it. */
interface Look extends Area {
  readonly isInGrid: boolean;
}

interface Box extends Area {
  readonly text: string;
}

/** Draws for a page that is so many pixels wide. */
export function draw({ rows, steps = [] }: Drawing, width: number, label: string): string {
  let y = 0;
  const labels: string[] = [];
  const boxes = rows.map((row, number) => {
    if (row.label !== undefined) {
      y += number === 0 ? 0 : 14;
      for (const line of linesOf(row.label, width)) {
        labels.push(`<text class="label" x="1" y="${y + 14}">${escapeHtml(line)}</text>`);
        y += LINE;
      }
      y += 4;
      if (steps.some((step) => step.row === number)) y += AIR;
    }
    const line = boxesOf(row.cells, width, y);
    y += CELL.height;
    return line;
  });
  const state = new Map<Box, string>();
  const looks = steps.map(({ row, cell, cells = 1, found }) => {
    const read = boxes[row]?.slice(cell, cell + cells) ?? [];
    const [first, last] = [read[0], read[cells - 1]];
    if (!first || !last) throw new Error(`${label}: a step looks at cells that are not there`);
    for (const box of read) state.set(box, 'seen');
    if (found !== undefined) state.set(boxes[row]?.[found] as Box, 'found');
    return { x: first.x, y: first.y, width: last.x + last.width - first.x, isInGrid: rows[row]?.label === undefined };
  });
  const cells = boxes.flat().map((box) => cell(box, state.get(box)));
  const ways = looks.slice(1).map((look, i) => way(looks[i] as Look, look));
  const badges = looks.map((look, i) => badge(look, i + 1));
  return `<svg class="diagram" viewBox="0 0 ${width} ${y + 2}" width="${width}" height="${y + 2}" role="img" aria-label="${escapeHtml(label)}">
${[...labels, ...cells, ...ways, ...badges].join('\n')}
</svg>`;
}

function boxesOf(cells: string, width: number, y: number): Box[] {
  const parts = cells.split(' ');
  const gaps = parts.filter((part) => part === '|').length;
  const size = Math.min(CELL.most, (width - 2 - gaps * CELL.gap) / (parts.length - gaps));
  let x = 1;
  return parts.flatMap((text) => {
    if (text === '|') {
      x += CELL.gap;
      return [];
    }
    const box = { x, y, width: size, text };
    x += size;
    return [box];
  });
}

function cell({ x, y, width, text }: Box, state = ''): string {
  const classes = `${text === '.' ? 'empty' : 'taken'} ${state}`.trim();
  const rect = `<rect class="${classes}" x="${x + 1}" y="${y}" width="${width - 2}" height="${CELL.height}" rx="4"/>`;
  const size = Math.min(13, Math.max(9.5, width * 0.6));
  const at = `x="${x + width / 2}" y="${y + CELL.height / 2 + 4.5}" style="font-size:${size}px"`;
  return text === '.' ? rect : `${rect}<text class="${classes}" ${at}>${escapeHtml(text)}</text>`;
}

/** Where the number of a look stands: above it, or at its corner. */
const centre = ({ x, y, width, isInGrid }: Look): [x: number, y: number] =>
  isInGrid ? [x + width - 3, y + 3] : [x + width / 2, y - BADGE - 3];

const badge = (look: Look, number: number): string => {
  const [x, y] = centre(look);
  return `<circle class="badge" cx="${x}" cy="${y}" r="${BADGE}"/><text class="badge" x="${x}" y="${y + 4}">${number}</text>`;
};

/** From one look to the next: an arc over the row, or a line down to another. */
function way(from: Look, to: Look): string {
  const [[x1, y1], [x2, y2]] = [centre(from), centre(to)];
  if (y1 !== y2) {
    const start = from.isInGrid ? y1 + BADGE : from.y + CELL.height;
    const middle = (start + y2) / 2;
    return `<path class="way" d="M${x1} ${start} C${x1} ${middle} ${x2} ${middle} ${x2} ${y2 - BADGE}"/>`;
  }
  const lift = Math.min(14, 5 + Math.abs(x2 - x1) / 14);
  const side = Math.sign(x2 - x1) * BADGE * 0.7;
  return `<path class="way" d="M${x1 + side} ${y1 - BADGE * 0.7} Q${(x1 + x2) / 2} ${y1 - BADGE - lift} ${x2 - side} ${y2 - BADGE * 0.7}"/>`;
}

/** A label in as many lines as it needs, by what letters take on average. */
function linesOf(label: string, width: number): string[] {
  const lines = [''];
  for (const word of label.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (longer.length * LETTER > width) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}
