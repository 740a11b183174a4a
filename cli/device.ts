import { adapterName } from '../bench/benchmark.ts';
import { Gpu } from '../src/index.ts';
import { restBetweenPolls } from './restBetweenPolls.ts';

/** Without this Dawn rounds timestamps to 65 µs, which is longer than many a lookup. */
const EXACT_TIMESTAMPS = ['disable-dawn-features=timestamp_quantization'];

const inUse = new Set<Gpu>();

/** Opens the GPU for as long as `use` takes. An open device would keep the process from ending. */
export async function withGpu<T>(
  options: { readonly software?: boolean | undefined; readonly measures?: boolean },
  use: (gpu: Gpu) => Promise<T>,
): Promise<T> {
  const gpu = await Gpu.open({
    software: options.software ? 'only' : 'fallback',
    dawnToggles: options.measures ? EXACT_TIMESTAMPS : [],
  });
  inUse.add(gpu);
  if (gpu.info.software) restBetweenPolls();
  try {
    return await use(gpu);
  } finally {
    gpu.destroy();
    inUse.delete(gpu);
  }
}

/** Ends the process at once. A device at work would crash it on the way out; one that is destroyed waits for its work. */
export function exitNow(code: number): never {
  for (const gpu of inUse) gpu.destroy();
  process.exit(code);
}

/** Which GPU it is, and whether its timings mean anything. */
export const describeGpu = (gpu: Gpu): string =>
  gpu.info.software
    ? `GPU: ${adapterName(gpu)}: a software GPU, on the CPU; its rates say nothing about GPUs`
    : `GPU: ${adapterName(gpu)}`;
