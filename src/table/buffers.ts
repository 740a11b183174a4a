import { ELEMENT_BYTES, type Gpu, USAGE } from '../gpu/index.ts';
import { HeaderLayout, type PlannedTable } from '../schemes/contract/index.ts';

const HEADER_USAGE = USAGE.STORAGE | USAGE.UNIFORM | USAGE.COPY_SRC | USAGE.COPY_DST;

/** The buffers that a plan asks for, without the bytes that keys point into. */
export class PlannedBuffers {
  readonly header: GPUBuffer;
  readonly #named = new Map<string, GPUBuffer>();

  /** Makes them at once; the caller watches whether there is memory for them. */
  constructor(gpu: Gpu, { name }: { readonly name: string }, { fields, buffers }: PlannedTable) {
    this.header = gpu.createBuffer(`${name}/header`, HeaderLayout.of(fields).bytes, HEADER_USAGE);
    filled(this, () => {
      for (const { name: part, bytes } of buffers) {
        this.#named.set(part, gpu.createBuffer(`${name}/${part}`, Math.max(ELEMENT_BYTES, bytes)));
      }
    });
  }

  get(name: string): GPUBuffer {
    const buffer = this.#named.get(name);
    if (!buffer) throw new Error(`hashnest: the plan has no buffer '${name}'`);
    return buffer;
  }

  destroy(): void {
    for (const buffer of [this.header, ...this.#named.values()]) buffer.destroy();
  }
}

/** The buffers of a plan, or a typed error if there is no memory for them. */
export async function allocate(
  gpu: Gpu,
  scheme: { readonly name: string },
  plan: PlannedTable,
): Promise<PlannedBuffers> {
  const { result, failure } = gpu.watched(() => new PlannedBuffers(gpu, scheme, plan));
  return keptUnless(gpu.guard(failure), result);
}

/** The made thing, after it was filled; if that fails it is destroyed. */
export function filled<Made extends { destroy(): void }>(made: Made, fill: (made: Made) => void): Made {
  try {
    fill(made);
    return made;
  } catch (error) {
    made.destroy();
    throw error;
  }
}

/** The made thing, unless something went wrong meanwhile: then it is destroyed, and the error thrown. */
export async function keptUnless<Made extends { destroy(): void }>(
  failure: Promise<Error | undefined>,
  made: Made,
): Promise<Made> {
  try {
    const error = await failure;
    if (error) throw error;
    return made;
  } catch (error) {
    made.destroy();
    throw error;
  }
}
