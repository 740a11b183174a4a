/** Plots as static SVG, in the colours of the page: one for wide screens and one for narrow ones. */
import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import { NEEDS, type Need, sizeName } from '../bench/choosing.ts';
import {
  batchRates,
  cudaRates,
  dueTimes,
  gridRates,
  mapRates,
  paperTimes,
  type Rate,
  ratesBesideMap,
  type Time,
} from './results.ts';

const { document } = parseHTML('<!doctype html><html><body></body></html>');

type Width = 'wide' | 'narrow';
const PIXELS: Record<Width, number> = { wide: 820, narrow: 328 };

/** Names of CSS variables; the default scheme has the first colour wherever it is drawn. */
const OURS = 'var(--series-ours)';
const OTHERS = 'var(--series-other)';
const CUDA = 'var(--series-cuda)';
const isDefault = (name: string): boolean => name === 'bucketCuckoo';

/** A figure with a plot for each width, of which the stylesheet shows one. */
function figure(caption: string, label: string, draw: (width: Width) => Plot.PlotOptions): string {
  const drawings = (['wide', 'narrow'] as const).map((width) => {
    const svg = Plot.plot({
      document,
      width: PIXELS[width],
      style: {
        background: 'none',
        fontFamily: 'inherit',
        fontSize: width === 'wide' ? '13px' : '12px',
        overflow: 'visible',
      },
      ...draw(width),
    } as Plot.PlotOptions);
    svg.setAttribute('role', 'img');
    svg.setAttribute('aria-label', label);
    return `<div class="${width}">${svg.outerHTML}</div>`;
  });
  return `<figure class="plot">${drawings.join('\n')}<figcaption>${caption}</figcaption></figure>\n`;
}

/** Rates of all schemes and of CUDA libraries for 10⁸ pairs. */
export function ratesAtOneSize(caption: string): string {
  const shown = ['build', 'hit', 'miss'] as const;
  const ours = shown.flatMap(mapRates).filter(({ items }) => items === 1e8);
  // Its row in bold repeats one of ours.
  const theirs = cudaRates().filter(({ name }) => !name.includes('**'));
  const all = [...ours, ...theirs];
  const order = namesBy(all, ({ rate, need }) => (need === 'hit' ? rate : 0));
  const theirNames = new Set(theirs.map(({ name }) => name));
  const colour = ({ name }: Rate): string => (isDefault(name) ? OURS : theirNames.has(name) ? CUDA : OTHERS);
  const most = Math.max(...all.map(({ rate }) => rate));
  return figure(caption, 'Bars: rates of building and searching for each scheme and each CUDA library', (width) => {
    const names = shown.map((need) => NEEDS[need]);
    const panel = ({ need }: Rate): string => NEEDS[need];
    const facet = width === 'wide' ? { fx: panel } : { fy: panel };
    const panels = { domain: names, label: null };
    return {
      height: width === 'wide' ? 30 + 24 * order.length : 3 * (34 + 22 * order.length),
      marginLeft: width === 'wide' ? 292 : 176,
      marginRight: width === 'wide' ? 30 : 34,
      marginTop: width === 'wide' ? 30 : 10,
      marginBottom: 10,
      x: { axis: null, domain: [0, most * 1.25] },
      y: { domain: order, label: null, tickSize: 0, padding: 0.25 },
      ...(width === 'wide' ? { fx: { ...panels, padding: 0.08 } } : { fy: { ...panels, axis: null, padding: 0.06 } }),
      marks: [
        Plot.barX(all, { ...facet, x: 'rate', y: 'name', fill: colour, rx2: 2 }),
        Plot.text(all, {
          ...facet,
          x: 'rate',
          y: 'name',
          text: ({ rate }: Rate) => rate.toFixed(1),
          dx: 4,
          textAnchor: 'start',
          fontVariant: 'tabular-nums',
        }),
        Plot.axisY({
          tickSize: 0,
          label: null,
          lineWidth: width === 'wide' ? 30 : 14,
          tickFormat: (name: string) => shortName(name, width),
        }),
        ...(width === 'wide'
          ? [Plot.axisFx({ anchor: 'top', tickSize: 0, label: null, fontWeight: 600 })]
          : [
              Plot.text(names, {
                fy: (d: string) => d,
                text: (d: string) => d,
                frameAnchor: 'top-left',
                dy: -14,
                dx: -172,
                fontWeight: 600,
                textAnchor: 'start',
              }),
            ]),
      ],
    };
  });
}

const shortName = (name: string, width: Width): string =>
  width === 'wide' ? name : name.replace(/^(\w+).*?(best|shipped|one-slot|bucketed).*$/, '$1, $2');

/** Of a plot of lines, in pixels, and the least distance of two names in it. */
const [HEIGHT, TOP, BOTTOM, LINE] = [340, 24, 38, 14];

/** A point of a line, which has a name. */
interface Point {
  readonly name: string;
  readonly x: number;
  readonly y: number;
}

/** An axis of numbers of items. */
const overItems = (label: string, points: readonly Point[]): Plot.ScaleOptions => ({
  type: 'log',
  label,
  ticks: [1e3, 1e4, 1e5, 1e6, 1e7, 1e8].filter((tick) => points.some(({ x }) => x <= tick)),
  tickFormat: sizeName,
  labelArrow: 'none',
});

/** Rates of operations over something, a line for each name. */
function ratesOver(points: readonly Point[], x: Plot.ScaleOptions, label: string, caption: string): string {
  const most = Math.max(...points.map(({ y }) => y));
  const end = Math.max(...points.map(({ x }) => x));
  const names = [...new Set(points.map(({ name }) => name))].filter((name) => !isDefault(name)).sort();
  const colour = ({ name }: Point): string => (isDefault(name) ? OURS : `var(--line-${names.indexOf(name) + 1})`);
  const strokeOf = ({ name }: Point): number => (isDefault(name) ? 2.5 : 1.25);
  return figure(caption, label, (width) => ({
    height: HEIGHT,
    marginTop: TOP,
    marginLeft: 36,
    marginRight: width === 'wide' ? 150 : 118,
    marginBottom: BOTTOM,
    x,
    y: { label: 'G/s', grid: true, domain: [0, most], labelArrow: 'none' },
    marks: [
      Plot.ruleY([0], { strokeOpacity: 0.4 }),
      ...[
        ...names,
        ...points
          .map(({ name }) => name)
          .filter(isDefault)
          .slice(0, 1),
      ].flatMap((name) => {
        const line = points.filter((point) => point.name === name).sort((a, b) => a.x - b.x);
        const [first] = line as [Point];
        return [
          Plot.line(line, { x: 'x', y: 'y', stroke: colour(first), strokeWidth: strokeOf(first) }),
          Plot.dot(line, { x: 'x', y: 'y', fill: colour(first), r: strokeOf(first) + 0.75 }),
        ];
      }),
      ...labels(
        lastOf(points).map((point) => ({ ...point, x: end })),
        (HEIGHT - TOP - BOTTOM) / most,
        colour,
      ),
    ],
  }));
}

/** The last point of each line. */
const lastOf = (points: readonly Point[]): Point[] => {
  const sorted = [...points].sort((a, b) => a.x - b.x);
  return [...new Map(sorted.map((point) => [point.name, point])).values()];
};

/** Names at the ends of lines, moved apart where they would lie on each other. */
function labels(last: readonly Point[], pixelsPerUnit: number, colour: (point: Point) => string): Plot.Markish[] {
  const sorted = [...last].sort((a, b) => b.y - a.y);
  const wanted = sorted.map(({ y }) => -y * pixelsPerUnit);
  // Downwards from the highest, and then upwards again from the axis.
  const at = [...wanted];
  for (let i = 1; i < at.length; i++) at[i] = Math.max(at[i] as number, (at[i - 1] as number) + LINE);
  for (let i = at.length - 1; i >= 0; i--) at[i] = Math.min(at[i] as number, (at[i + 1] ?? LINE) - LINE);
  return sorted.map((point, i) =>
    Plot.text([point], {
      x: 'x',
      y: 'y',
      text: 'name',
      fill: colour(point),
      textAnchor: 'start',
      dx: 9,
      dy: (at[i] as number) - (wanted[i] as number),
      fontWeight: isDefault(point.name) ? 650 : 400,
    }),
  );
}

/** How rates change with the number of items, at the usual load. */
export function ratesOverSizes(need: Need, caption: string): string {
  const points = mapRates(need).map(({ name, items, rate }) => ({ name, x: items, y: rate }));
  return ratesOver(
    points,
    overItems('items', points),
    `Lines: rate of ${NEEDS[need]} over the number of items`,
    caption,
  );
}

/** How rates of a table that lives change with the size of its batches. */
export function ratesOfBatches(caption: string): string {
  const points = batchRates().map(({ name, batch, rate }) => ({ name, x: batch, y: rate }));
  return ratesOver(points, overItems('items of a batch', points), 'Lines: rate of batches over their size', caption);
}

/** How rates of the largest tables change with their load. */
export function ratesOverLoads(need: Need, caption: (items: string) => string): string {
  const rates = gridRates(need);
  const largest = Math.max(...rates.map(({ items }) => items));
  const points = rates
    .filter(({ items }) => items === largest)
    .map(({ name, load, rate }) => ({ name, x: load, y: rate }));
  const x = { label: 'load of plain slots of the same bytes', labelArrow: 'none' } as const;
  return ratesOver(points, x, `Lines: rate of ${NEEDS[need]} over the load`, caption(sizeName(largest)));
}

/** Keys found in a second by a `Map` and by a table on the GPU. */
export function searchesBesideMap(caption: string): string {
  const rates = ratesBesideMap();
  const names = [...new Set(rates.map(({ name }) => name))];
  const colour = ({ name }: { name: string }): string => `var(--line-${names.indexOf(name) + 1})`;
  const last = new Map(rates.map((rate) => [rate.name, rate]));
  return figure(caption, 'Lines: keys found in a second over the number of keys', (width) => ({
    height: HEIGHT,
    marginTop: TOP,
    marginLeft: 48,
    marginRight: width === 'wide' ? 170 : 130,
    marginBottom: BOTTOM,
    x: { type: 'log', label: 'keys', tickFormat: sizeName, ticks: 7, labelArrow: 'none' },
    y: { type: 'log', label: 'keys a second', grid: true, tickFormat: sizeName, ticks: 5, labelArrow: 'none' },
    marks: [
      ...names.flatMap((name) => {
        const line = rates.filter((rate) => rate.name === name);
        return [
          Plot.line(line, { x: 'items', y: 'rate', stroke: colour({ name }), strokeWidth: 2 }),
          Plot.dot(line, { x: 'items', y: 'rate', fill: colour({ name }), r: 2.5 }),
        ];
      }),
      Plot.text([...last.values()], { x: 'items', y: 'rate', text: 'name', fill: colour, textAnchor: 'start', dx: 9 }),
    ],
  }));
}

/** Times for 10⁷ wide keys beside those of a paper. */
export function dueTable(caption: string): string {
  const theirs = paperTimes();
  const all: Time[] = [...dueTimes(), ...theirs];
  const order = namesBy(all, ({ ms }) => -ms);
  const theirNames = new Set(theirs.map(({ name }) => name));
  const colour = ({ name, operation }: Time): string =>
    operation === 'get' ? 'var(--series-second)' : isDefault(name) ? OURS : theirNames.has(name) ? CUDA : OTHERS;
  return figure(
    caption,
    'Bars: milliseconds of building and of searching for each scheme and each table of the paper',
    (width) => {
      const facet = width === 'wide' ? { fx: 'key' } : { fy: 'key' };
      return {
        height: width === 'wide' ? 30 + 26 * order.length : 2 * (40 + 24 * order.length),
        marginLeft: width === 'wide' ? 220 : 140,
        marginRight: 44,
        marginTop: width === 'wide' ? 30 : 16,
        marginBottom: 10,
        x: { axis: null },
        y: { domain: order, label: null, tickSize: 0, padding: 0.25 },
        ...(width === 'wide'
          ? { fx: { label: null, domain: ['u64', 'strings'] } }
          : { fy: { label: null, axis: null, domain: ['u64', 'strings'], padding: 0.08 } }),
        marks: [
          Plot.barX(all, { ...facet, x: 'ms', y: 'name', fill: colour, order: 'operation' }),
          Plot.text(totals(all), {
            ...facet,
            x: 'ms',
            y: 'name',
            text: ({ ms }: Time) => ms.toFixed(1),
            dx: 4,
            textAnchor: 'start',
            fontVariant: 'tabular-nums',
          }),
          Plot.axisY({ tickSize: 0, label: null, lineWidth: width === 'wide' ? 30 : 11 }),
          ...(width === 'wide'
            ? [Plot.axisFx({ anchor: 'top', tickSize: 0, label: null, fontWeight: 600 })]
            : [
                Plot.text(['u64', 'strings'], {
                  fy: (d: string) => d,
                  text: (d: string) => d,
                  frameAnchor: 'top-left',
                  dy: -14,
                  dx: -136,
                  fontWeight: 600,
                  textAnchor: 'start',
                }),
              ]),
        ],
      };
    },
  );
}

const totals = (times: readonly Time[]): Time[] =>
  times
    .filter(({ operation }) => operation === 'build')
    .map((build) => {
      const get = times.find(
        ({ name, key, operation }) => operation === 'get' && name === build.name && key === build.key,
      );
      return { ...build, ms: build.ms + (get?.ms ?? 0) };
    });

/** The names of rows in the order of a sum over them, the greatest first. */
function namesBy<Row extends { readonly name: string }>(rows: readonly Row[], weight: (row: Row) => number): string[] {
  const sums = new Map<string, number>();
  for (const row of rows) sums.set(row.name, (sums.get(row.name) ?? 0) + weight(row));
  return [...sums].sort((a, b) => b[1] - a[1]).map(([name]) => name);
}
