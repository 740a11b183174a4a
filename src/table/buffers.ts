import { ELEMENT_BYTES, type Gpu, USAGE } from '../gpu/index.ts';
import { HEADER_BYTES } from '../schemes/contract/header.wgsl.ts';
import type { Scheme, TableBuffers, TablePlan } from '../schemes/contract/scheme.ts';

const HEADER_USAGE = USAGE.STORAGE | USAGE.UNIFORM | USAGE.COPY_SRC | USAGE.COPY_DST;

const bufferSpecs = (scheme: Scheme, plan: TablePlan) => [
  { label: `${scheme.name}/header`, bytes: HEADER_BYTES, usage: HEADER_USAGE },
  ...plan.table.map(({ name, bytes }) => ({ label: `${scheme.name}/${name}`, bytes: Math.max(ELEMENT_BYTES, bytes) })),
];

const named = (plan: TablePlan, [header, ...rest]: readonly GPUBuffer[]): TableBuffers => ({
  header: header as GPUBuffer,
  named: new Map(plan.table.map(({ name }, i) => [name, rest[i] as GPUBuffer])),
});

/** The buffers of a plan, or a typed error if there is no memory for them. */
export const allocate = async (gpu: Gpu, scheme: Scheme, plan: TablePlan): Promise<TableBuffers> =>
  named(plan, await gpu.allocate(bufferSpecs(scheme, plan)));

/** The same at once; the caller watches whether there was memory for them. */
export const createBuffers = (gpu: Gpu, scheme: Scheme, plan: TablePlan): TableBuffers =>
  named(
    plan,
    bufferSpecs(scheme, plan).map(({ label, bytes, ...rest }) =>
      gpu.createBuffer(label, bytes, 'usage' in rest ? rest.usage : undefined),
    ),
  );

export function destroyBuffers({ header, named }: TableBuffers): void {
  for (const buffer of [header, ...named.values()]) buffer.destroy();
}
