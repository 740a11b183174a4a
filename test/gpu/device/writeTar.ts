export const BLOCK_BYTES = 512;

/** What an archive ends with. */
export const END = Buffer.alloc(2 * BLOCK_BYTES);

/** One archive member: a header with a right checksum, then the content, filled up to whole blocks. `change` comes before the checksum. */
export function member(
  name: string,
  content: string,
  type = '0',
  folder = '',
  change: (header: Buffer) => void = () => {},
): Buffer {
  const bytes = Buffer.from(content);
  const header = Buffer.alloc(BLOCK_BYTES);
  header.write(name, 0);
  header.write('0000644\0', 100);
  header.write(`${bytes.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write('        ', 148);
  header.write(type, 156);
  header.write('ustar\0', 257);
  header.write(folder, 345);
  change(header);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(7, '0')}\0`, 148);
  const padding = Buffer.alloc(-bytes.length & (BLOCK_BYTES - 1));
  return Buffer.concat([header, bytes, padding]);
}
