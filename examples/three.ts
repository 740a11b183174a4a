/**
 * A table in a scene of three.js
 *
 * The renderer's own device builds the table, and `tsl` makes it a node: `find` is called in any `Fn`, in compute shaders and in materials. What
 * three.js stores is read and written in place. The kernels compile on other threads: until the table is there, the scene is drawn without it.
 */
import { HashMap } from 'hashnest';
import { bufferOf, gpuOf, tsl } from 'hashnest/three';
import { Fn, instancedArray, instanceIndex, select } from 'three/tsl';
import type { WebGPURenderer } from 'three/webgpu';

/** What some items cost, or −1 where nobody knows. */
export async function pricesOf(renderer: WebGPURenderer, wanted: Uint32Array): Promise<Float32Array> {
  await renderer.init();
  const gpu = gpuOf(renderer);
  using map = await HashMap.from(gpu, { keys: new Uint32Array([7, 9]), values: new Float32Array([0.5, 2]) });
  const prices = tsl(map);

  const keys = instancedArray(wanted, 'uint');
  const answers = instancedArray(wanted.length, 'float');
  const lookUp = Fn(() => {
    const { found, value } = prices.find(keys.element(instanceIndex));
    answers.element(instanceIndex).assign(select(found, value, -1));
  });
  renderer.compute(lookUp().compute(wanted.length));
  return gpu.read(bufferOf(renderer, answers), Float32Array);
}
