/** Makes collections while frames are drawn: what `test/browser/frames.test.ts` has this page do. */
import { DynamicMap, Gpu, HashMap, MultiMap, u32 } from '../../../src/index.ts';
import { SpatialGrid } from '../../../src/spatial.ts';
import type { Drawn, FIRSTS, FrameGlobals } from './framesProtocol.ts';

const keys = Uint32Array.from({ length: 20_000 }, (_, i) => i * 7);
const values = keys.map((key) => key + 1);
const areValues = (found: Uint32Array) => found.every((value, i) => value === values[i]);
/** On a line, one apart. */
const points = Float32Array.from({ length: 3000 }, (_, i) => (i % 3 === 0 ? i / 3 : 0));

const MAKE: Readonly<Record<(typeof FIRSTS)[number], (gpu: Gpu) => Promise<boolean>>> = {
  HashMap: async (gpu) => {
    const map = await HashMap.from(gpu, { keys, values });
    return areValues((await map.get(keys)).values);
  },
  MultiMap: async (gpu) => {
    const map = await MultiMap.from(gpu, { keys, values });
    return areValues((await map.retrieve(keys)).values);
  },
  DynamicMap: async (gpu) => {
    const map = await DynamicMap.create(gpu, { key: u32 });
    await map.insert(keys, values);
    return areValues((await map.get(keys)).values);
  },
  SpatialGrid: async (gpu) => {
    const grid = await SpatialGrid.from(gpu, { points }, { radius: 1.5 });
    return (await grid.pairs()).length === 2 * (points.length / 3 - 1);
  },
};

const nextFrame = () => new Promise((resume) => requestAnimationFrame(resume));

async function make(name: keyof typeof MAKE): Promise<Drawn> {
  using gpu = await Gpu.open();
  const { device } = gpu;
  const { createComputePipeline, createComputePipelineAsync } = device;
  let [blocking, beside, frames] = [0, 0, 0];
  device.createComputePipeline = (descriptor) => {
    blocking++;
    return createComputePipeline.call(device, descriptor);
  };
  // As slow as can be seen, also where the driver knows the pipeline already: whoever waits for it lets a frame be drawn.
  device.createComputePipelineAsync = async (descriptor) => {
    beside++;
    const pipeline = await createComputePipelineAsync.call(device, descriptor);
    await nextFrame();
    return pipeline;
  };
  let isUnderWay = true;
  const draw = () => {
    if (!isUnderWay) return;
    frames++;
    requestAnimationFrame(draw);
  };
  requestAnimationFrame(draw);
  const isRight = await MAKE[name](gpu);
  isUnderWay = false;
  return { blocking, beside, frames, isRight };
}

Object.assign(globalThis, { __make: make } satisfies FrameGlobals);
