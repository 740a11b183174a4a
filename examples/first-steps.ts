/** The least program there is: a map of keys to values, and one call that looks up as many keys as you like. */
import { Gpu, HashMap } from 'hashnest';

const gpu = await Gpu.open();
const ages = await HashMap.from(gpu, { keys: ['ada', 'bob'], values: [36, 41] });
console.log(await ages.get(['bob', 'eve'])); // { values: Uint32Array [41, 0], found: Uint8Array [1, 0] }
gpu.destroy();
