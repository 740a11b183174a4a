/**
 * The encoder face, every frame: a kernel decides which agents are alive, a map from cell to agent is rebuilt from just
 * those, and every living agent looks up its neighbour. One encoder and one submission a frame. How many agents live is
 * known only to the GPU, and nothing is read back until the last frame is over.
 */
import { type Gpu, HashMap, kernel, record, storage, u32, uniform, wgsl } from 'hashnest';

const AGENTS = 1000;

const frame = uniform('frame', 'u32');
const cells = storage('cells', 'array<u32>', 'read_write');
const agents = storage('agents', 'array<u32>', 'read_write');
const neighbours = storage('neighbours', 'array<u32>', 'read_write');
const alive = storage('alive', 'atomic<u32>', 'read_write');

/** Agents 0, 3, 6, … sleep in frame 0, agents 1, 4, 7, … in frame 1, and so on. The others wander between two cells. */
const move = kernel({
  label: 'example/move',
  threads: 64,
  body: wgsl`
  if (item >= ${AGENTS}u || item % 3u == ${frame} % 3u) { return; }
  let cell = 2u * item + (item + ${frame}) / 2u % 2u;
  let place = atomicAdd(&${alive}, 1u);
  ${cells}[place] = cell;
  ${agents}[place] = item;
  ${neighbours}[place] = cell + 1u;`,
});

const found = storage('found', 'array<u32>');
const aliveCount = storage('aliveCount', 'u32');
const meetings = storage('meetings', 'array<atomic<u32>>', 'read_write');

const countMeetings = kernel({
  label: 'example/countMeetings',
  threads: 64,
  body: wgsl`
  if (item < ${aliveCount} && ${found}[item] == 1u) { atomicAdd(&${meetings}[${frame}], 1u); }`,
});

/** How many agents had a neighbour in the next cell, frame by frame. */
export async function meetingsPerFrame(gpu: Gpu, frames: number): Promise<Uint32Array> {
  const words = (name: string, count: number) => gpu.createBuffer(`example/${name}`, 4 * count);
  const [keys, values, queries, isFound, whoIsNext] = ['cells', 'agents', 'neighbours', 'found', 'next'].map((name) =>
    words(name, AGENTS),
  ) as [GPUBuffer, GPUBuffer, GPUBuffer, GPUBuffer, GPUBuffer];
  const count = { buffer: words('alive', 1) };
  const totals = words('meetings', frames);

  let map: HashMap<Uint32Array> | undefined;
  for (let i = 0; i < frames; i++) {
    const encoder = gpu.device.createCommandEncoder();
    encoder.clearBuffer(count.buffer);
    record(gpu, encoder, 'example/move', (recorder) =>
      recorder.run(
        move,
        [
          [frame, gpu.constants(i)],
          [cells, keys],
          [agents, values],
          [neighbours, queries],
          [alive, count.buffer],
        ],
        AGENTS,
      ),
    );
    // The first frame plans for as many items as the buffers hold; the others build into the same memory.
    if (map) map.encodeRebuild(encoder, { keys, values, count });
    else map = HashMap.encodeBuild(gpu, encoder, { keys, values, count }, { key: u32, duplicates: 'unique' });
    map.encodeGet(encoder, { queries, values: whoIsNext, found: isFound, count });
    record(gpu, encoder, 'example/count', (recorder) =>
      recorder.run(
        countMeetings,
        [
          [frame, gpu.constants(i)],
          [found, isFound],
          [aliveCount, count.buffer],
          [meetings, totals],
        ],
        AGENTS,
      ),
    );
    gpu.device.queue.submit([encoder.finish()]);
  }

  // Nobody has looked at the result of the last build yet: this throws if it failed.
  await map?.settle();
  const [bytes] = await gpu.run(() => {}, [{ buffer: totals, bytes: 4 * frames }]);
  map?.destroy();
  for (const buffer of [keys, values, queries, isFound, whoIsNext, count.buffer, totals]) buffer.destroy();
  return new Uint32Array(bytes as ArrayBuffer);
}
