/** A table is written as it lies on the GPU, and opens without being built again, on this GPU or another. */
import { readFile, writeFile } from 'node:fs/promises';
import { type Gpu, HashMap, u32, valueTypes } from 'hashnest';

/** A price from a map that went through a file. */
export async function priceFromFile(gpu: Gpu, path: string): Promise<number | undefined> {
  const items = { keys: new Uint32Array([7, 9]), values: new Float32Array([0.5, 2]) };
  using built = await HashMap.from(gpu, items);
  await writeFile(path, await built.toBytes());

  // The types are checked against those of the file; a file that is cut off or changed is a FormatError.
  using opened = await HashMap.fromBytes(gpu, await readFile(path), { key: u32, value: valueTypes.f32 });
  return await opened.getOne(9); // 2
}
