/** Columns that are on the GPU already. */
import { type KeyType, u32, utf8 } from '../../src/index.ts';
import { uploadPieces } from '../../src/table/context.ts';
import type { Stage } from './contest.ts';
import type { Keys } from './rows.ts';

export interface KeyBuffers {
  readonly key: KeyType;
  readonly values: GPUBuffer;
  /** The bytes of strings. */
  readonly context?: GPUBuffer;
}

/** Uploads keys as the library lays them out. */
export function uploadKeys({ gpu, keep }: Stage, keys: Keys): KeyBuffers {
  if (ArrayBuffer.isView(keys)) return { key: u32, values: keep(gpu.upload('beside/keys', keys)) };
  const { words, context = [] } = utf8.encode(keys);
  return {
    key: utf8,
    values: keep(gpu.upload('beside/keys', words)),
    context: uploadPieces(gpu, 'beside/bytes', context, keep),
  };
}
