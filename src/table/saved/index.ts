/** The door to saved tables: what is behind it is loaded by the first call that saves or opens one. */
import { abortable, type Gpu, Later } from '../../gpu/index.ts';
import { givenBytes } from './givenBytes.ts';
import type { OpenedTable, OpenRequest } from './open.ts';

/** What tables are saved and opened by. */
export const saved = new Later(() => import('./savedTables.later.ts'));

/** Checks saved bytes and opens the table in them. */
export function openSaved(gpu: Gpu, given: Uint8Array, request: OpenRequest): Promise<OpenedTable> {
  const bytes = givenBytes(given);
  const own = saved.isLoaded ? bytes : bytes.slice();
  const opening = saved.use((part) => part.openSaved(gpu, own, request));
  return abortable(request.signal, opening, ({ table }) => table.destroy());
}
