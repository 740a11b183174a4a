/** What the collections of the demonstration are built from and asked, on the host and on the GPU. */

import { type Gpu, type ValueArray, type ValueType, valueTypes } from '../src/index.ts';
import { uploadPieces } from '../src/table/context.ts';
import { type Answers, type DemoCollection, ORACLES } from './demoAnswers.ts';
import { type DemoData, demoValues, type KeyList } from './demoData.ts';

/** One collection: its items, and what it is to answer. */
export interface DemoSubject {
  readonly collection: DemoCollection;
  readonly data: DemoData;
  readonly value: ValueType;
  readonly values: ValueArray;
  readonly expected: { readonly present: Answers; readonly absent: Answers };
  readonly buffers: DemoBuffers;
}

/** The same in GPU buffers, for measuring. */
interface DemoBuffers extends KeyBuffers {
  readonly values: GPUBuffer;
  readonly answers: { readonly values: GPUBuffer; readonly found: GPUBuffer };
}

/** What all collections of the same items share. */
interface KeyBuffers {
  readonly items: Uploaded;
  readonly present: Uploaded;
  readonly absent: Uploaded;
}

interface Uploaded {
  readonly keys: GPUBuffer;
  readonly count: number;
  /** The bytes that strings are in. */
  readonly context?: GPUBuffer;
}

/** Collections over the same items. */
export async function demoSubjects(
  gpu: Gpu,
  data: DemoData,
  collections: readonly { readonly collection: DemoCollection; readonly value?: ValueType }[],
): Promise<DemoSubject[]> {
  const count = data.items.plain.length;
  const keys = await gpu.checked(() => ({
    items: upload(gpu, data, data.items),
    present: upload(gpu, data, data.present),
    absent: upload(gpu, data, data.absent),
  }));
  const subjects: DemoSubject[] = [];
  for (const { collection, value = valueTypes.u32 } of collections) {
    const values = demoValues(value, count);
    const expect = ORACLES[collection](data, values);
    subjects.push({
      collection,
      data,
      value,
      values,
      expected: { present: expect(data.present), absent: expect(data.absent) },
      buffers: await gpu.checked(() => ({
        ...keys,
        values: gpu.upload('demo/values', values),
        answers: {
          values: gpu.createBuffer('demo/answers', values.byteLength),
          found: gpu.createBuffer('demo/found', count * 4),
        },
      })),
    });
  }
  return subjects;
}

function upload(gpu: Gpu, { key }: DemoData, { keys }: KeyList): Uploaded {
  const { words, count, context } = key.type.encode(keys);
  return {
    keys: gpu.upload('demo/keys', words),
    count,
    ...(context && { context: uploadPieces(gpu, 'demo/context', context) }),
  };
}
