/** What is asked of a saved index before it is opened, alone or under another collection. */
import { FormatError } from '../../gpu/index.ts';
import type { Opened, OpenRequest } from '../../table/saved/open.ts';
import { WORD_BYTES } from '../../wgsl/index.ts';
import { type Construction, policyOf, requireConstruction } from './build.ts';
import { checkIds, KEYS_BY_ID } from './checkIds.wgsl.ts';

/** The list of keys beside the table. Whether it has the keys of the table, by their ids, is found out on the GPU. */
export const savedIndex: NonNullable<OpenRequest['beside']> = {
  buffers: [KEYS_BY_ID],
  entries: checkIds,
  check({ key, duplicates, items, size, count, extras, details }: Opened): void {
    if (extras.get(KEYS_BY_ID)?.length !== size * key.words * WORD_BYTES) {
      throw new FormatError('the saved list of keys does not go with its table');
    }
    const construction = details.construction as Construction;
    try {
      requireConstruction(key, construction);
    } catch (cause) {
      throw new FormatError(`the saved index has the construction '${construction}'`, { cause });
    }
    // A table of sorted keys is planned for the distinct ones; all others for all items.
    if (duplicates !== policyOf(construction) || (construction === 'table' && count > items)) {
      throw new FormatError('the saved index was not built as it says');
    }
  },
};
