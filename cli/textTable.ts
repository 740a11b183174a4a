/** A table as aligned lines: texts to the left, columns of numbers to the right. */
export function textTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const columns = header.map((name, i) => {
    const cells = rows.map((row) => row[i] ?? '');
    const width = Math.max(name.length, ...cells.map((cell) => cell.length));
    const isNumeric = cells.length > 0 && cells.every((cell) => /^[\d.,]*( [kMG]?\/s|%)?$|^-$/.test(cell));
    return (cell: string) => (isNumeric ? cell.padStart(width) : cell.padEnd(width));
  });
  const line = (cells: readonly string[]) =>
    columns
      .map((align, i) => align(cells[i] ?? ''))
      .join('  ')
      .trimEnd();
  const rule = columns.map((align, i) => '-'.repeat(align(header[i] ?? '').length)).join('  ');
  return [line(header), rule, ...rows.map(line)].join('\n');
}

/** `12345678` as `12,345,678`. */
export const grouped = (n: number): string => n.toLocaleString('en-US');

/** `1 table`, `2 tables`. */
export const counted = (n: number, what: string): string => `${grouped(n)} ${what}${n === 1 ? '' : 's'}`;

/** Items a second in at most four digits: `12.3 M/s`. */
export function rate(itemsPerSecond: number): string {
  const [unit, size] = itemsPerSecond >= 1e9 ? ['G', 1e9] : itemsPerSecond >= 1e6 ? ['M', 1e6] : ['k', 1e3];
  return `${(itemsPerSecond / size).toFixed(1)} ${unit}/s`;
}

/** A share of one as `12.3%`. */
export const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;
