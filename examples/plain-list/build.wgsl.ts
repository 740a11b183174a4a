import {
  buildView,
  forbidsCopies,
  type GpuBuild,
  kernel,
  once,
  type PlanRequest,
  reportDuplicate,
  slotOf,
  slotsType,
  storage,
  wgsl,
} from 'hashnest/scheme';

/** Records one attempt. It allocates, submits and reads back nothing; how it went is left in the header. */
export function plainListBuild(request: PlanRequest): GpuBuild {
  // Written once for each plan: a table that is rebuilt every frame asks for its kernels every frame.
  const kernels = once(() => buildKernels(request));
  return {
    on: 'gpu',
    record: (recorder, table, input) => {
      const { view, slots, place } = kernels();
      recorder.run(place, [...view.bind(table, input), [slots, table.get('slots')]], input.items);
    },
  };
}

function buildKernels(request: PlanRequest) {
  const { key, valueWords, duplicates } = request;
  const view = buildView(request, {});
  const { header, keys } = view;
  const slots = storage('slots', slotsType(request), 'read_write');
  const isSame = wgsl`${key.equals(keys.access, keys.access)}(${keys.at('other')}, ${keys.at('item')})`;
  // An item is a copy if its key also stands nearer to the end from which copies are kept.
  const [first, end] = duplicates === 'last' ? ['item + 1u', wgsl`${header}.count`] : ['0u', 'item'];
  const onCopy = forbidsCopies(duplicates)
    ? wgsl`${reportDuplicate(header)}(item);`
    : wgsl`atomicAdd(&${header}.copies, 1u);`;
  const place = kernel({
    label: 'plainList/place',
    threads: 256,
    body: wgsl`
  if (item >= ${header}.count) { return; }
  let key = ${keys.stored('item')};
  ${valueWords > 0 ? wgsl`let value = ${view.valueAt('item')};` : ''}
  ${slots}[item] = ${slotOf(request, 'key', 'value')};
  for (var other = ${first}; other < ${end}; other++) {
    if (${isSame}) { ${onCopy} break; }
  }`,
  });
  return { view, slots, place };
}
