/**
 * A reader for tar archives, just enough to unpack one that is already in memory: regular files, names of up to 255 bytes.
 */

const BLOCK_BYTES = 512;
const SIZE_FIELD = [124, 136] as const;
const CHECKSUM_FIELD = [148, 156] as const;

/**
 * The regular files of an archive, by name. Throws if the archive is cut off or its headers are damaged.
 * @example
 * const icd = readTar(archive).get('vk_swiftshader_icd.json');
 */
export function readTar(archive: Uint8Array): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  let at = 0;
  while (true) {
    const header = archive.subarray(at, at + BLOCK_BYTES);
    if (header.length < BLOCK_BYTES) throw new Error(`tar archive ends without an end mark, at byte ${at}`);
    if (header.every((byte) => byte === 0)) return files;
    if (octal(header, CHECKSUM_FIELD) !== checksum(header)) throw new Error(`damaged tar header at byte ${at}`);

    const sizeBytes = octal(header, SIZE_FIELD);
    const start = at + BLOCK_BYTES;
    if (start + sizeBytes > archive.length) throw new Error(`tar archive is cut off inside ${fileName(header)}`);
    if (isRegularFile(header)) files.set(fileName(header), archive.subarray(start, start + sizeBytes));
    at = start + Math.ceil(sizeBytes / BLOCK_BYTES) * BLOCK_BYTES;
  }
}

// Old archives mark a regular file with a zero byte instead of the digit '0'.
const isRegularFile = (header: Uint8Array): boolean => header[156] === 0x30 || header[156] === 0;

function fileName(header: Uint8Array): string {
  const prefix = text(header, 345, 500);
  const name = text(header, 0, 100);
  // `tar -C folder .` writes './name'.
  return (prefix ? `${prefix}/${name}` : name).replace(/^\.\//, '');
}

// The checksum is taken as if its own field held spaces.
function checksum(header: Uint8Array): number {
  const [start, end] = CHECKSUM_FIELD;
  return header.reduce((sum, byte, i) => sum + (i >= start && i < end ? 0x20 : byte), 0);
}

function octal(header: Uint8Array, [start, end]: readonly [number, number]): number {
  const digits = text(header, start, end).trim();
  return /^[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : Number.NaN;
}

function text(header: Uint8Array, start: number, end: number): string {
  const field = header.subarray(start, end);
  const terminator = field.indexOf(0);
  return new TextDecoder().decode(terminator < 0 ? field : field.subarray(0, terminator));
}
