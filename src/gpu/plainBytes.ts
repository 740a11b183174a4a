/** The bytes of data, copied where WebGPU does not take their memory: if it is shared, or may change its size. */
export function plainBytes({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
  const isPlain = buffer instanceof ArrayBuffer && !(buffer as { resizable?: boolean }).resizable;
  return isPlain ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes);
}
