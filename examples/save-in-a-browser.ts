/** The first visit builds a table and keeps its bytes in IndexedDB; later ones open it without building. */
import { type Gpu, HashMap, u32, valueTypes } from 'hashnest';

const done = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

async function tables(mode: IDBTransactionMode): Promise<IDBObjectStore> {
  const opening = indexedDB.open('prices', 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore('tables');
  return (await done(opening)).transaction('tables', mode).objectStore('tables');
}

/** The saved prices, or those that `load` gives. */
export async function prices(gpu: Gpu, load: () => Promise<{ keys: Uint32Array; values: Float32Array }>) {
  const bytes: Uint8Array | undefined = await done((await tables('readonly')).get('prices'));
  if (bytes) return HashMap.fromBytes(gpu, bytes, { key: u32, value: valueTypes.f32 });
  const map = await HashMap.from(gpu, await load());
  const saved = await map.toBytes();
  const { transaction } = (await tables('readwrite')).put(saved, 'prices');
  // A page that is left before this happens has saved nothing.
  await new Promise((resolve, reject) => {
    transaction?.addEventListener('complete', resolve);
    transaction?.addEventListener('abort', reject);
  });
  return map;
}
