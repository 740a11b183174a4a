/** The least program there is. Any iterable of pairs makes a map, and typed arrays make large ones fast. */
import { Gpu, HashMap } from 'hashnest';

const gpu = await Gpu.open();
const ages = await HashMap.from(gpu, Object.entries({ ada: 36, grace: 85 }));
console.log(await ages.getOne('ada')); // 36
gpu.destroy();
