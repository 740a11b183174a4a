/** Tables in scenes of three.js: what `test/browser/bridges.test.ts` has this page try, with a real renderer. */
import { type CreateDeviceProps, luma } from '@luma.gl/core';
import { webgpuAdapter } from '@luma.gl/webgpu';
import {
  Fn,
  float,
  If,
  instancedArray,
  instanceIndex,
  positionGeometry,
  select,
  uint,
  vec3,
  vec4,
  wgslFn,
} from 'three/tsl';
import {
  BufferAttribute,
  Mesh,
  MeshBasicNodeMaterial,
  type Node,
  OrthographicCamera,
  PlaneGeometry,
  RenderTarget,
  Scene,
  StorageBufferAttribute,
  WebGPURenderer,
} from 'three/webgpu';
import { pricesOf as pricesInLuma } from '../../../examples/longer/luma.ts';
import { pricesOf } from '../../../examples/three.ts';
import {
  Aggregate,
  chaining,
  DynamicMap,
  DynamicSet,
  eytzinger,
  Gpu,
  HashMap,
  HashSet,
  KeyIndex,
  MultiMap,
  robinHood,
  u32,
  utf8,
  valueTypes,
  vec3i,
  vec4i,
} from '../../../src/index.ts';
import { SpatialGrid } from '../../../src/spatial.ts';
import { bufferOf, gpuOf, storageOf, tsl } from '../../../src/three.ts';
import type { BRIDGE_CASES, BridgeGlobals } from './bridgesProtocol.ts';

const renderer = new WebGPURenderer();
const opening = renderer.init();

/** Keys that are asked for, by their positions: two that are there, and one that is not. */
const ASKED = new Uint32Array([7, 8, 0xffffffff]);
const FEW = { keys: new Uint32Array([7, 9, 0xffffffff]), values: new Float32Array([0.5, 2, 80]) };

/** What a function of a key gives for some keys, by a compute shader. */
async function computed(value: (key: Node<'uint'>) => Node<'float'>, asked = ASKED): Promise<number[]> {
  const keys = instancedArray(asked, 'uint');
  const answers = instancedArray(asked.length, 'float');
  const main = Fn(() => {
    answers.element(instanceIndex).assign(value(keys.element(instanceIndex)));
  });
  renderer.compute(main().compute(asked.length));
  return [...(await gpuOf(renderer).read(bufferOf(renderer, answers), Float32Array))];
}

function equal(got: unknown, expected: unknown): void {
  const [a, b] = [got, expected].map((value) => JSON.stringify(value));
  if (a !== b) throw new Error(`got ${a?.slice(0, 300)}, expected ${b?.slice(0, 300)}`);
}

/** What something throws, with its code. */
async function thrown(call: () => unknown): Promise<string> {
  try {
    await call();
  } catch (error) {
    return `${(error as { code?: string }).code}: ${(error as Error).message}`;
  }
  return 'nothing was thrown';
}

async function throws(call: () => unknown, ...parts: string[]): Promise<void> {
  const said = await thrown(call);
  for (const part of parts) if (!said.includes(part)) throw new Error(`'${said}' does not say '${part}'`);
}

/** Draws a square that fills the picture, again and again: the colour of one of its pixels. */
function pictureOf(material: MeshBasicNodeMaterial): () => Promise<number[]> {
  const camera = new OrthographicCamera(-1, 1, 1, -1, 0, 2);
  camera.position.z = 1;
  const scene = new Scene().add(new Mesh(new PlaneGeometry(2, 2), material));
  const target = new RenderTarget(4, 4);
  return async () => {
    renderer.setRenderTarget(target);
    await renderer.compileAsync(scene, camera);
    renderer.render(scene, camera);
    renderer.setRenderTarget(null);
    return [...((await renderer.readRenderTargetPixelsAsync(target, 1, 1, 1, 1)) as Uint8Array).subarray(0, 3)];
  };
}

const cases: Record<(typeof BRIDGE_CASES)[number], () => Promise<void>> = {
  async 'runs the example'() {
    equal([...(await pricesOf(renderer, new Uint32Array([9, 8, 7, 0])))], [2, -1, 0.5, -1]);
  },

  async 'runs the example of luma.gl'() {
    const options = { type: 'webgpu', adapters: [webgpuAdapter], createCanvasContext: false };
    const device = await luma.createDevice(options as CreateDeviceProps);
    equal([...(await pricesInLuma(device, new Uint32Array([9, 8, 7, 0])))], [2, -1, 0.5, -1]);
    device.destroy();
  },

  async 'finds what a Map finds, in a compute shader'() {
    const keys = Uint32Array.from({ length: 3000 }, (_, i) => Math.imul(i, 2654435761) >>> (i % 3));
    const values = Float32Array.from(keys, (_, i) => i / 2);
    const map = await HashMap.from(gpuOf(renderer), { keys, values });
    const oracle = new Map([...keys].map((key, i) => [key, values[i] as number]));
    const asked = Uint32Array.from({ length: 5000 }, (_, i) => (i < 3000 ? (keys[i] as number) : i));
    const prices = tsl(map);
    const got = await computed((key) => {
      const { found, value } = prices.find(key);
      return select(found, value, -1);
    }, asked);
    equal(
      got,
      [...asked].map((key) => oracle.get(key) ?? -1),
    );
    map.destroy();
  },

  async 'compiles nothing while the page waits'() {
    const { device } = gpuOf(renderer);
    const { createComputePipeline } = device;
    let waited = 0;
    device.createComputePipeline = (descriptor) => {
      waited++;
      return createComputePipeline.call(device, descriptor);
    };
    try {
      // Neither kernels of these keys nor of this scheme were compiled before.
      const gpu = gpuOf(renderer);
      const types = { key: vec3i, value: valueTypes.u32, scheme: chaining() };
      await HashMap.prepare(gpu, { ...types, items: 100 });
      const keys = gpu.upload(
        'keys',
        new Int32Array(300).map((_, i) => i),
      );
      const input = { keys, values: gpu.upload('values', new Uint32Array(100)), count: 100 };
      const encoder = device.createCommandEncoder();
      const recorded = HashMap.encodeBuild(gpu, encoder, input, types);
      device.queue.submit([encoder.finish()]);
      equal((await recorded.settle()).size, 100);
      // And these were not prepared.
      const whole = await HashMap.from(gpu, { ...input, count: 75 }, { ...types, key: vec4i });
      equal(whole.size, 75);
    } finally {
      device.createComputePipeline = createComputePipeline;
    }
    equal(waited, 0);
  },

  async 'follows a map that is rebuilt in larger buffers, and a dynamic one'() {
    const gpu = gpuOf(renderer);
    const map = await HashMap.from(gpu, FEW);
    const living = await DynamicMap.create(gpu, { key: u32, value: valueTypes.f32 });
    const [prices, stock] = [tsl(map), tsl(living)];
    const keys = instancedArray(ASKED, 'uint');
    const answers = instancedArray(ASKED.length, 'float');
    const main = Fn(() => {
      const key = keys.element(instanceIndex);
      answers.element(instanceIndex).assign(prices.find(key).value.add(stock.find(key).value.mul(1000)));
    })().compute(ASKED.length);
    const frame = async () => {
      renderer.compute(main);
      return [...(await gpu.read(bufferOf(renderer, answers), Float32Array))];
    };
    equal(await frame(), [0.5, 0, 80]);
    const bytes = map.tableBytes;
    const count = 4000;
    const many = { keys: Uint32Array.from({ length: count }, (_, i) => i), values: new Float32Array(count).fill(3) };
    let isDone = false;
    const rebuilding = map.rebuild(many).then(() => {
      isDone = true;
    });
    // What was there, or nothing, or what will be.
    const states = [
      [0.5, 0, 80],
      [0, 0, 0],
      [3, 3, 0],
    ].map(String);
    while (!isDone) equal(states.includes(String(await frame())), true);
    await rebuilding;
    equal(map.tableBytes > bytes, true);
    equal(await frame(), [3, 3, 0]);
    await living.insert(many.keys, many.values);
    equal(await frame(), [3003, 3003, 0]);
    const buffers = { keys: gpu.upload('keys', FEW.keys), values: gpu.upload('values', FEW.values), count: 3 };
    await gpu.run((encoder) => map.encodeRebuild(encoder, buffers));
    equal(await frame(), [3000.5, 3000, 80]);
    map.destroy();
    await throws(frame, 'destroyed');
  },

  async 'searches in the vertices and fragments of a material'() {
    const map = await HashMap.from(gpuOf(renderer), { keys: [7, 9], values: new Float32Array([1, 0.25]) } as never, {
      key: u32,
      value: valueTypes.f32,
    });
    const prices = tsl(map);
    const material = new MeshBasicNodeMaterial();
    material.colorNode = vec3(prices.find(uint(7)).value, prices.find(8).value, 0);
    const draw = pictureOf(material);
    equal(await draw(), [255, 0, 0]);
    // In larger buffers the same mesh finds something else.
    const count = 4000;
    const keys = Uint32Array.from({ length: count }, (_, i) => i);
    await map.rebuild({ keys, values: new Float32Array(count).map((_, i) => (i === 8 ? 1 : 0)) });
    equal(await draw(), [0, 255, 0]);
    // Moved away by what is found.
    const moved = new MeshBasicNodeMaterial();
    moved.positionNode = positionGeometry.add(vec3(prices.find(8).value.mul(9), 0, 0));
    const drawMoved = pictureOf(moved);
    equal(await drawMoved(), [0, 0, 0]);
    moved.positionNode = positionGeometry.add(vec3(prices.find(7).value.mul(9), 0, 0));
    moved.needsUpdate = true;
    equal(await drawMoved(), [255, 255, 255]);
  },

  async 'searches tables of other keys, values and schemes'() {
    const gpu = gpuOf(renderer);
    const { keys } = FEW;
    const wide = await HashMap.from(
      gpu,
      { keys, values: Int32Array.from({ length: 12 }, (_, i) => -i) },
      { value: valueTypes.vec4i, scheme: robinHood() },
    );
    equal(await computed((key) => vec4(tsl(wide).find(key).value).w), [-3, 0, -11]);
    const points = await HashSet.from(
      gpu,
      { keys: new Int32Array([1, -2, 3, 4, 5, 6]) },
      { key: vec3i, scheme: eytzinger() },
    );
    const found = tsl(points);
    equal(await computed((key) => found.find(vec3(key.toInt().sub(6), -2, 3).toIVec3()).found.toFloat()), [1, 0, 0]);
    const index = tsl(await KeyIndex.from(gpu, { keys: new Uint32Array([9, 7, 9, 8]) }));
    const indexed = await computed((key) => select(index.find(key).found, index.find(key).value.toFloat(), -1));
    equal(
      indexed.map((id) => id >= 0),
      [true, true, false],
    );
    const sums = tsl(
      await Aggregate.from(
        gpu,
        { keys: new Uint32Array([7, 7]), values: new Float32Array([1, 2]) },
        { combine: 'sum' },
      ),
    );
    equal(await computed((key) => sums.find(key).value as unknown as Node<'float'>), [3, 0, 0]);
  },

  async 'is included in functions of WGSL'() {
    const gpu = gpuOf(renderer);
    const votes = await MultiMap.from(gpu, { keys: new Uint32Array([7, 8, 7]), values: new Float32Array([1, 2, 3]) });
    const total = wgslFn<[Node]>(
      `fn total(key: u32) -> f32 {
        let hit = votes_find(key);
        var sum = 0.0;
        for (var i = 0u; i < hit.count; i++) { sum += votes_value(hit.start + i); }
        return sum;
      }`,
      [tsl(votes, { name: 'votes' })],
    );
    equal(await computed((key) => total(key) as Node<'float'>), [4, 2, 0]);
    const grid = await SpatialGrid.from(
      gpu,
      { points: new Float32Array([7, 0, 7.5, 0, 9, 9]) },
      { radius: 1, dimensions: 2 },
    );
    const near = tsl(grid, { name: 'near' });
    const crowd = wgslFn<[Node]>(
      `fn crowd(key: u32) -> f32 {
        var count = 0.0;
        for (var n = near_around(vec2f(f32(key), 0.0)); near_next(&n);) { count += 1.0; }
        return count;
      }`,
      [near],
    );
    equal(await computed((key) => crowd(key) as Node<'float'>), [2, 2, 0]);
    await throws(() => near.find(7), 'unsupported', 'it has no find');
  },

  async 'searches for strings, by the bytes that they point into'() {
    const gpu = gpuOf(renderer);
    const names = ['ada', '', 'Zoë', '𝄞 clef', 'a'.repeat(300)];
    const map = await HashMap.from(gpu, { keys: names, values: new Float32Array([1, 2, 3, 4, 5]) });
    const asked = [...names, 'ad', 'adaa', 'zoë', ' '];
    const { words, context = [] } = utf8.encode(asked);
    const bytes = storageOf(renderer, gpu.upload('bytes', context[0] as Uint8Array), 'uint');
    const keys = instancedArray(words, 'uvec2');
    const answers = instancedArray(asked.length, 'float');
    const people = tsl(map, { context: bytes });
    const main = Fn(() => {
      const { found, value } = people.find(keys.element(instanceIndex));
      answers.element(instanceIndex).assign(select(found, value, -1));
    });
    renderer.compute(main().compute(asked.length));
    equal([...(await gpu.read(bufferOf(renderer, answers), Float32Array))], [1, 2, 3, 4, 5, -1, -1, -1, -1]);
    await throws(() => tsl(map), 'invalid-input', 'shaders with utf8 keys need a `context`');
    await throws(() => tsl(map, { context: answers }), 'invalid-input', "context must be a storage node of 'uint'");
    await throws(() => tsl(map, { context: words as never }), 'invalid-input', 'context must be');
    const prices = await HashMap.from(gpu, FEW);
    await throws(() => tsl(prices, { context: bytes }), 'invalid-input', 'u32 keys have no context');
  },

  async 'asks for keys that are not there'() {
    const gpu = gpuOf(renderer);
    const prices = await DynamicMap.create(gpu, { key: u32, value: valueTypes.f32 });
    const seen = await DynamicSet.create(gpu, { key: u32 });
    await prices.insert(new Uint32Array([7]), new Float32Array([0.5]));
    const [ofPrices, ofSeen] = [await prices.requests(100), await seen.requests(100)];
    const [priceNode, seenNode] = [tsl(prices, { requests: ofPrices }), tsl(seen, { requests: ofSeen })];
    const asked = Uint32Array.from({ length: 30 }, (_, i) => i);
    const took = await computed((key) => {
      const { found, value } = priceNode.find(key);
      const room = float(0).toVar();
      If(found.not(), () => {
        room.assign(select(priceNode.request(key, float(key).mul(2)), 1, 0));
      });
      return select(found, value, room);
    }, asked);
    equal(
      took,
      [...asked].map((key) => (key === 7 ? 0.5 : 1)),
    );
    // Nobody uses what it gives: it is called all the same.
    await computed((key) => {
      seenNode.request(key);
      return float(key);
    }, asked);
    await gpu.run((encoder) => {
      prices.encodeInsertRequests(encoder, ofPrices);
      seen.encodeInsertRequests(encoder, ofSeen);
    });
    await Promise.all([prices.settle(), seen.settle()]);
    equal([prices.size, seen.size], [30, 30]);
    equal(
      [...(await prices.get(asked)).values],
      [...asked].map((key) => (key === 7 ? 0.5 : 2 * key)),
    );
    await throws(() => tsl(seen).request(uint(3)), 'invalid-input', 'TableNode.request: ', '{ requests }');
    for (const value of [undefined, null]) {
      await throws(() => priceNode.request(uint(3), value as never), 'invalid-input', 'take key and value');
    }
    await throws(() => seenNode.request(uint(3), float(1)), 'invalid-input', 'take key');
    await throws(() => seenNode.request(undefined as never), 'invalid-input', 'take key');
  },

  async 'builds tables from storage attributes, and writes into them'() {
    const gpu = gpuOf(renderer);
    const keys = new StorageBufferAttribute(FEW.keys.slice(), 1);
    const values = instancedArray(FEW.values, 'float');
    const input = { keys: bufferOf(renderer, keys), values: bufferOf(renderer, values), count: 3 };
    const map = await HashMap.from(gpu, input, { key: u32, value: valueTypes.f32 });
    equal([...(await map.get(ASKED)).values], [0.5, 0, 80]);
    equal(bufferOf(renderer, keys) === input.keys, true);
    // A change on the host is seen, as by a shader.
    keys.array[0] = 8;
    keys.needsUpdate = true;
    await map.rebuild({ ...input, keys: bufferOf(renderer, keys) });
    equal([...(await map.get(ASKED)).values], [0, 0.5, 80]);
    const answers = instancedArray(3, 'float');
    const queries = gpu.upload('queries', ASKED);
    const io = { queries, values: bufferOf(renderer, answers), count: 3 };
    await gpu.run((encoder) => map.encodeGet(encoder, io));
    const doubled = Fn(() => {
      const answer = answers.element(instanceIndex);
      answer.assign(answer.mul(2));
    });
    renderer.compute(doubled().compute(3));
    equal([...(await gpu.read(bufferOf(renderer, answers), Float32Array))], [0, 1, 160]);
  },

  async 'lends buffers to storage nodes'() {
    const gpu = gpuOf(renderer);
    const buffer = gpu.upload('lent', new Float32Array([1, 2, 3, 4]));
    const pairs = storageOf(renderer, buffer, 'vec2');
    equal(pairs.bufferCount, 2);
    const swap = Fn(() => {
      const pair = pairs.element(instanceIndex);
      pair.assign(pair.yx.mul(10));
    });
    renderer.compute(swap().compute(2));
    equal([...(await gpu.read(buffer, Float32Array))], [20, 10, 40, 30]);
  },

  async 'searches two tables in one shader'() {
    const gpu = gpuOf(renderer);
    const prices = tsl(await HashMap.from(gpu, FEW), { name: 'prices' });
    const stock = tsl(await HashMap.from(gpu, { keys: ASKED, values: new Uint32Array([1, 2, 3]) }), { name: 'stock' });
    equal(await computed((key) => prices.find(key).value.mul(stock.find(key).value.toFloat())), [0.5, 0, 240]);
  },

  async 'refuses renderers that are not ready, or draw with WebGL'() {
    await throws(() => gpuOf(new WebGPURenderer()), 'invalid-input', 'gpuOf: ', 'await renderer.init()');
    const webgl = new WebGPURenderer({ forceWebGL: true });
    await webgl.init();
    await throws(() => gpuOf(webgl), 'unsupported', 'WebGL');
    webgl.dispose();
    for (const wrong of [undefined, {}, gpuOf(renderer), gpuOf(renderer).device]) {
      await throws(() => gpuOf(wrong as never), 'invalid-input', 'renderer must be a WebGPURenderer');
    }
    const [first, second] = [1, 2].map(() => gpuOf(renderer));
    equal(first === second, true);
  },

  async 'refuses devices of the compatibility mode'() {
    const adapter = await navigator.gpu.requestAdapter({ featureLevel: 'compatibility' } as object);
    const device = await (adapter as GPUAdapter).requestDevice();
    const small = new WebGPURenderer({ device });
    await small.init();
    await throws(() => gpuOf(small), 'unsupported', 'compatibility mode', 'core-features-and-limits');
    small.dispose();
    device.destroy();
  },

  async 'refuses what it cannot take'() {
    const gpu = gpuOf(renderer);
    const map = await HashMap.from(gpu, FEW);
    await throws(() => tsl(map, { nmae: 'prices' } as never), 'invalid-input', 'tsl: ', 'did you mean name?');
    await throws(() => tsl(map, { name: 'no name' }), 'invalid-input', 'name must be');
    await throws(() => tsl(gpu as never), 'invalid-input', 'collection must be');
    await throws(
      () => bufferOf(renderer, new BufferAttribute(new Float32Array(3), 3)),
      'invalid-input',
      'stored must be',
    );
    await throws(() => bufferOf(renderer, undefined as never), 'invalid-input', 'stored must be');
    await throws(() => storageOf(renderer, FEW.keys as never, 'uint'), 'invalid-input', 'buffer must be');
    await throws(
      () => storageOf(renderer, gpu.createBuffer('x', 16), 'vec3' as never),
      'invalid-input',
      'type must be',
    );
    const other = await Gpu.open();
    const foreign = tsl(await HashMap.from(other, FEW));
    await throws(() => computed((key) => foreign.find(key).value), 'invalid-input', 'another device');
    other.destroy();
    // A shader that could not be written does no harm to others.
    const prices = tsl(map);
    equal(await computed((key) => prices.find(key).value), [0.5, 0, 80]);
  },

  async 'leaves tables alone when a renderer is disposed'() {
    const gpu = await Gpu.open();
    const own = new WebGPURenderer({ device: gpu.device });
    await own.init();
    const map = await HashMap.from(gpu, FEW);
    const prices = tsl(map);
    const answers = instancedArray(3, 'float');
    const main = Fn(() => {
      answers.element(instanceIndex).assign(prices.find(7).value);
    });
    own.compute(main().compute(3));
    equal([...(await gpu.read(bufferOf(own, answers), Float32Array))], [0.5, 0.5, 0.5]);
    own.dispose();
    await new Promise((resolve) => setTimeout(resolve, 10));
    equal([...(await map.get(ASKED)).values], [0.5, 0, 80]);
    gpu.destroy();
  },

  async 'tells that the device is lost'() {
    const own = new WebGPURenderer();
    await own.init();
    const gpu = gpuOf(own);
    const map = await HashMap.from(gpu, FEW);
    gpu.device.destroy();
    await gpu.lost;
    await throws(() => map.get(ASKED), 'device-lost');
    await throws(() => HashMap.from(gpuOf(own), FEW), 'device-lost');
  },
};

(globalThis as unknown as BridgeGlobals).__try = async (name) => {
  await opening;
  return cases[name as keyof typeof cases]().then(
    () => undefined,
    (error) => (error as Error).stack ?? String(error),
  );
};
