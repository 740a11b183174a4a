/** Tables of a subject, with their types inferred from the arrays where a user's would be. */
import {
  type CollectionOptions,
  HashMap,
  HashSet,
  type MapInput,
  type SetInput,
  type ValueArray,
  valueTypes,
} from '../../src/collections/index.ts';
import type { Gpu } from '../../src/gpu/index.ts';
import type { KeyType } from '../../src/keys/index.ts';
import type { Scheme } from '../../src/schemes/index.ts';
import { type Keys, keyOption } from './keyKinds.ts';
import type { SizeOptions, Subject } from './subjects.ts';

/** Items of a map. */
export interface Items {
  readonly keys: Keys;
  readonly values: Uint32Array;
}

/** Options of the collection, and those of the scheme beside them. */
export type TableOptions = Pick<CollectionOptions<unknown>, 'duplicates' | 'seed'> & SizeOptions;

/** What makes a collection of this subject on the encoder face, where the key type must be named. */
export const optionsOf = ({ kind, make }: Subject): { readonly key: KeyType; readonly scheme: Scheme } => ({
  key: kind.type,
  scheme: make(),
});

const hostOptions = ({ kind, make }: Subject, { duplicates, seed, ...options }: TableOptions) => ({
  ...keyOption(kind),
  scheme: make(options),
  ...(duplicates !== undefined && { duplicates }),
  ...(seed !== undefined && { seed }),
});

/** `HashMap.from`, for keys whose type only the run time knows. */
export const mapFrom = <V extends ValueArray>(
  gpu: Gpu,
  input: { readonly keys: unknown; readonly values: V | GPUBuffer },
  options: object,
): Promise<HashMap<unknown, V>> =>
  HashMap.from(gpu, input as MapInput<Uint32Array, V>, options) as unknown as Promise<HashMap<unknown, V>>;

/** `HashSet.from`, likewise. */
export const setFrom = (gpu: Gpu, input: { readonly keys: unknown }, options: object): Promise<HashSet<unknown>> =>
  HashSet.from(gpu, input as SetInput<Uint32Array>, options) as unknown as Promise<HashSet<unknown>>;

export const buildMap = (
  gpu: Gpu,
  subject: Subject,
  { keys, values }: Items,
  options: TableOptions = {},
): Promise<HashMap<unknown, Uint32Array>> =>
  mapFrom(gpu, { keys: subject.kind.host(keys), values }, hostOptions(subject, options));

export const buildSet = (
  gpu: Gpu,
  subject: Subject,
  keys: Keys,
  options: TableOptions = {},
): Promise<HashSet<unknown>> => setFrom(gpu, { keys: subject.kind.host(keys) }, hostOptions(subject, options));

/** What a caller knows of a saved map of a subject. */
export const namesOf = ({ kind, make }: Subject) => ({ key: kind.type, value: valueTypes.u32, scheme: make() });
