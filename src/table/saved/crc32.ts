/** Tables for four bytes at a time: `TABLES[n][b]` is the checksum of byte `b` followed by n zeros. */
const TABLES: readonly Uint32Array[] = makeTables();

/** CRC-32 (IEEE 802.3): finds every altered byte. */
export function crc32(bytes: Uint8Array): number {
  const [t0, t1, t2, t3] = TABLES as [Uint32Array, Uint32Array, Uint32Array, Uint32Array];
  const whole = bytes.length - (bytes.length % 4);
  const at = (table: Uint32Array, i: number) => table[i & 0xff] as number;
  let crc = 0xffffffff;
  for (let i = 0; i < whole; i += 4) {
    crc ^=
      (bytes[i] as number) |
      ((bytes[i + 1] as number) << 8) |
      ((bytes[i + 2] as number) << 16) |
      ((bytes[i + 3] as number) << 24);
    crc = at(t3, crc) ^ at(t2, crc >>> 8) ^ at(t1, crc >>> 16) ^ at(t0, crc >>> 24);
  }
  for (let i = whole; i < bytes.length; i++) crc = at(t0, crc ^ (bytes[i] as number)) ^ (crc >>> 8);
  return ~crc >>> 0;
}

function makeTables(): Uint32Array[] {
  const first = Uint32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    return crc >>> 0;
  });
  const tables = [first];
  for (let n = 1; n < 4; n++) {
    const before = tables[n - 1] as Uint32Array;
    tables.push(before.map((crc) => (crc >>> 8) ^ (first[crc & 0xff] as number)));
  }
  return tables;
}
