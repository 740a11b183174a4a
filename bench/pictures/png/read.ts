/** Reading PNG. A file may come from anybody: it is checked as it is read, and never makes more than it says and may be. */
import { crc32, inflateSync } from 'node:zlib';
import type { Picture } from '../canvas.ts';
import { FILTERS, MOST_PIXELS, PngError, PREDICTIONS, SIGNATURE } from './format.ts';

/** Channels of a pixel by the kind of colour, and the bits that a channel may have. */
const COLOURS: ReadonlyMap<number, { readonly channels: number; readonly bits: readonly number[] }> = new Map([
  [0, { channels: 1, bits: [1, 2, 4, 8] }],
  [2, { channels: 3, bits: [8] }],
  [3, { channels: 1, bits: [1, 2, 4, 8] }],
  [4, { channels: 2, bits: [8] }],
  [6, { channels: 4, bits: [8] }],
]);
const PALETTE = 3;

interface Header {
  readonly width: number;
  readonly height: number;
  readonly bits: number;
  readonly colour: number;
  readonly channels: number;
  readonly isInterlaced: boolean;
}

/** Some of the pixels, as one picture of rows: every pixel, or every second, fourth or eighth. */
interface Pass {
  readonly left: number;
  readonly top: number;
  readonly across: number;
  readonly down: number;
}

const WHOLE: readonly Pass[] = [{ left: 0, top: 0, across: 1, down: 1 }];
const INTERLACED: readonly Pass[] = [
  { left: 0, top: 0, across: 8, down: 8 },
  { left: 4, top: 0, across: 8, down: 8 },
  { left: 0, top: 4, across: 4, down: 8 },
  { left: 2, top: 0, across: 4, down: 4 },
  { left: 0, top: 2, across: 2, down: 4 },
  { left: 1, top: 0, across: 2, down: 2 },
  { left: 0, top: 1, across: 1, down: 2 },
];

/** The picture in a PNG file with up to eight bits a channel. Throws a `PngError` for anything else. */
export function readPng(file: Uint8Array): Picture {
  const { header, palette, transparent, data } = contentsOf(file);
  const { width, height } = header;
  const passes = (header.isInterlaced ? INTERLACED : WHOLE)
    .map((pass) => ({ ...pass, ...sizeOf(header, pass) }))
    .filter(({ columns, rows }) => columns > 0 && rows > 0);
  const bytes = inflated(
    data,
    passes.reduce((sum, { rows, rowBytes }) => sum + rows * (rowBytes + 1), 0),
  );
  const pixels = new Uint32Array(width * height);
  const colourOf = colours(header, palette, transparent);
  const pixelBytes = Math.max(1, (header.bits * header.channels) / 8);
  let at = 0;
  for (const { left, top, across, down, columns, rows, rowBytes } of passes) {
    for (let row = 0; row < rows; row++, at += rowBytes + 1) {
      unfilter(bytes, at, rowBytes, pixelBytes, row === 0);
      const to = (top + row * down) * width + left;
      for (let column = 0; column < columns; column++) {
        pixels[to + column * across] = colourOf(bytes, at + 1, column);
      }
    }
  }
  return { width, height, pixels };
}

function sizeOf({ width, height, bits, channels }: Header, { left, top, across, down }: Pass) {
  const columns = Math.ceil((width - left) / across);
  return { columns, rows: Math.ceil((height - top) / down), rowBytes: Math.ceil((columns * bits * channels) / 8) };
}

/** What the chunks hold, each after its checksum was compared. */
function contentsOf(file: Uint8Array) {
  if (SIGNATURE.some((byte, i) => file[i] !== byte)) throw new PngError('this is not a PNG file');
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  let header: Header | undefined;
  let palette: Uint8Array | undefined;
  let transparent: Uint8Array | undefined;
  const data: Uint8Array[] = [];
  for (let at = SIGNATURE.length; ; ) {
    if (at + 12 > file.length) throw new PngError('the file is cut off: there is no end');
    const length = view.getUint32(at);
    const end = at + 8 + length;
    if (end + 4 > file.length) throw new PngError('the file is cut off in the middle of a chunk');
    const name = String.fromCharCode(...file.subarray(at + 4, at + 8));
    if (crc32(file.subarray(at + 4, end)) !== view.getUint32(end)) {
      throw new PngError(`the file is damaged: the checksum of a chunk ${JSON.stringify(name)} does not match`);
    }
    const content = file.subarray(at + 8, end);
    if (header === undefined && name !== 'IHDR') throw new PngError('the file does not begin with a header');
    if (name === 'IHDR') {
      if (header !== undefined) throw new PngError('the file has two headers');
      header = headerOf(content);
    } else if (name === 'PLTE') palette = content;
    else if (name === 'tRNS') transparent = content;
    else if (name === 'IDAT') data.push(content);
    else if (name === 'IEND') return { header: header as Header, palette, transparent, data };
    // A capital letter first: the picture cannot be understood without it.
    else if (/^[A-Z]/.test(name)) throw new PngError(`the file has a chunk ${name}, which is not known here`);
    at = end + 4;
  }
}

function headerOf(content: Uint8Array): Header {
  if (content.length !== 13) throw new PngError(`the header has ${content.length} bytes instead of 13`);
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength);
  const [width, height] = [view.getUint32(0), view.getUint32(4)];
  if (width === 0 || height === 0) throw new PngError(`the picture has ${width} × ${height} pixels`);
  if (width * height > MOST_PIXELS) {
    throw new PngError(`the picture has ${width} × ${height} pixels; no more than ${MOST_PIXELS} are read`);
  }
  const [bits, colour, compression, filtering, interlace] = content.subarray(8) as unknown as [
    number,
    number,
    number,
    number,
    number,
  ];
  const known = COLOURS.get(colour);
  if (!known?.bits.includes(bits)) throw new PngError(`pixels of kind ${colour} with ${bits} bits are not read here`);
  if (compression !== 0 || filtering !== 0 || interlace > 1) {
    throw new PngError('the pixels are compressed, filtered or interlaced in a way that is not known');
  }
  return { width, height, bits, colour, channels: known.channels, isInterlaced: interlace === 1 };
}

/** As many bytes as there have to be; no more are ever made. */
function inflated(data: readonly Uint8Array[], wanted: number): Uint8Array {
  let bytes: Uint8Array;
  try {
    bytes = inflateSync(Buffer.concat(data), { maxOutputLength: wanted });
  } catch (cause) {
    throw new PngError(`the pixels cannot be unpacked: ${(cause as Error).message}`, { cause });
  }
  if (bytes.length !== wanted) throw new PngError(`there are ${bytes.length} bytes of pixels instead of ${wanted}`);
  return bytes;
}

/** Turns a row into what it was before it was filtered. The row above has been already. */
function unfilter(bytes: Uint8Array, at: number, rowBytes: number, pixelBytes: number, isFirst: boolean): void {
  const filter = FILTERS[bytes[at] as number];
  if (filter === undefined) throw new PngError(`a row has the filter ${bytes[at]}, which is not known`);
  if (filter === 'none') return;
  const predict = PREDICTIONS[filter];
  const start = at + 1;
  const above = isFirst ? undefined : start - (rowBytes + 1);
  for (let i = 0; i < rowBytes; i++) {
    const left = i < pixelBytes ? 0 : (bytes[start + i - pixelBytes] as number);
    const over = above === undefined ? 0 : (bytes[above + i] as number);
    const corner = above === undefined || i < pixelBytes ? 0 : (bytes[above + i - pixelBytes] as number);
    bytes[start + i] = (bytes[start + i] as number) + predict(left, over, corner);
  }
}

type ColourAt = (bytes: Uint8Array, row: number, column: number) => number;

const OPAQUE = 255;
const packed = (red: number, green: number, blue: number, alpha: number): number =>
  (red | (green << 8) | (blue << 16) | (alpha << 24)) >>> 0;

/** How a pixel of a row becomes red, green, blue and alpha. */
function colours(
  { colour, bits, channels }: Header,
  palette: Uint8Array | undefined,
  transparent: Uint8Array | undefined,
): ColourAt {
  const byteAt = (bytes: Uint8Array, row: number, column: number, channel: number): number =>
    bytes[row + column * channels + channel] as number;
  if (colour === 6) {
    return (bytes, row, i) =>
      packed(byteAt(bytes, row, i, 0), byteAt(bytes, row, i, 1), byteAt(bytes, row, i, 2), byteAt(bytes, row, i, 3));
  }
  if (colour === 4) {
    return (bytes, row, i) => {
      const grey = byteAt(bytes, row, i, 0);
      return packed(grey, grey, grey, byteAt(bytes, row, i, 1));
    };
  }
  if (colour === 2) {
    const [red, green, blue] = keyed(transparent, 3);
    return (bytes, row, i) => {
      const [r, g, b] = [byteAt(bytes, row, i, 0), byteAt(bytes, row, i, 1), byteAt(bytes, row, i, 2)];
      return packed(r, g, b, r === red && g === green && b === blue ? 0 : OPAQUE);
    };
  }
  const sample = (bytes: Uint8Array, row: number, i: number): number => {
    const bit = i * bits;
    return ((bytes[row + (bit >> 3)] as number) >> (8 - bits - (bit & 7))) & (2 ** bits - 1);
  };
  if (colour === PALETTE) {
    const entries = paletteOf(palette, transparent);
    return (bytes, row, i) => {
      const entry = entries[sample(bytes, row, i)];
      if (entry === undefined) throw new PngError('a pixel has a colour that the palette does not have');
      return entry;
    };
  }
  const [none] = keyed(transparent, 1);
  const step = 255 / (2 ** bits - 1);
  return (bytes, row, i) => {
    const value = sample(bytes, row, i);
    return packed(value * step, value * step, value * step, value === none ? 0 : OPAQUE);
  };
}

/** The one colour that is transparent, in 16 bits a channel. */
function keyed(transparent: Uint8Array | undefined, channels: number): number[] {
  if (transparent === undefined) return [];
  if (transparent.length !== 2 * channels) throw new PngError('the transparent colour has too few or too many bytes');
  return Array.from(
    { length: channels },
    (_, i) => 256 * (transparent[2 * i] as number) + (transparent[2 * i + 1] as number),
  );
}

function paletteOf(palette: Uint8Array | undefined, transparent: Uint8Array | undefined): Uint32Array {
  if (palette === undefined) throw new PngError('the file has no palette');
  if (palette.length % 3 !== 0 || palette.length > 3 * 256)
    throw new PngError('the palette is not one of whole colours');
  return Uint32Array.from({ length: palette.length / 3 }, (_, i) => {
    const [red, green, blue] = palette.subarray(3 * i, 3 * i + 3) as unknown as [number, number, number];
    return packed(red, green, blue, transparent?.[i] ?? OPAQUE);
  });
}
