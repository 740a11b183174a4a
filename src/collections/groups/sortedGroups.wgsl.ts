/**
 * Groups that come of the sort by which an index is constructed (Alcantara 2011, algorithm 6.4): the values are sorted along
 * with their keys, and where the keys change is where one key's values end and the next one's begin.
 */
import { type BufferView, type Extent, extentCount, type Recorder } from '../../gpu/index.ts';
import { kernel, storage, uniform, wgsl } from '../../wgsl/index.ts';

/** What a sort that constructs an index leaves beside it. */
export interface SortedAlong {
  /** Values that are sorted along with their keys; `grouped` gets them, those of a key together. */
  readonly values?: { readonly from: BufferView; readonly words: number; readonly grouped: GPUBuffer } | undefined;
  /** Gets where the values of every key begin. */
  readonly starts?: GPUBuffer;
  /** Gets the id of every item, in the order of the sort. */
  readonly ids?: GPUBuffer;
}

const starts = storage('starts', 'array<u32>');
const size = storage('size', 'u32');
const boundsOut = storage('bounds', 'array<vec2u>', 'read_write');
const room = uniform('room', 'u32');

const startsToBounds = kernel({
  label: 'groups/startsToBounds',
  threads: 256,
  body: wgsl`
  let keys = min(${size}, ${room});
  if (item >= keys) { return; }
  let next = ${starts}[min(item + 1u, keys - 1u)];
  ${boundsOut}[item] = vec2u(${starts}[item], select(next, ${extentCount}, item + 1u == keys));`,
});

/** Records that `bounds` gets two words an id: where its values begin, and where they end. */
export function recordBounds(
  recorder: Recorder,
  call: {
    readonly starts: GPUBuffer;
    readonly bounds: GPUBuffer;
    /** The word that says how many keys there are, and the most that there can be. */
    readonly size: GPUBuffer;
    readonly maxKeys: number;
    readonly items: Extent;
  },
): void {
  recorder.run(
    startsToBounds,
    [
      [starts, call.starts],
      [size, call.size],
      [boundsOut, call.bounds],
      [room, recorder.gpu.constants(call.maxKeys)],
      [extentCount, call.items.count],
    ],
    call.maxKeys,
  );
}
