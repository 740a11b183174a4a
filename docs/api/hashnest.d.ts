// All that users can import. Made by `npm run api`.

declare module 'hashnest' {
  interface Abortable {
    readonly signal?: Signal;
  }

  type AccumulatorArray<T extends AccumulatorType> = T extends 'f32' | `vec${2 | 4}f`
    ? Float32Array
    : T extends 'i32' | `vec${2 | 4}i`
      ? Int32Array
      : Uint32Array;

  type AccumulatorType = 'u32' | 'i32' | 'f32' | `vec${2 | 4}${'u' | 'i' | 'f'}`;

  interface ActivateBuffers extends Omit<KeyBatchBuffers, 'found'> {
    readonly fresh?: GPUBuffer;
    readonly ids: GPUBuffer;
    readonly left?: GPUBuffer;
  }

  interface AddBuffers extends KeyBatchBuffers {
    readonly left?: GPUBuffer;
  }

  class Aggregate<K, R extends Results = Uint32Array> extends BareAggregate<K, R> {}

  type AggregateBufferOptions<K> =
    | AggregateOptions<K, ValueArray>
    | AggregateColumnOptions<K>
    | AggregateColumnOptions<K, ValueArray>;

  interface AggregateBuffers {
    readonly context?: GPUBuffer;
    readonly count: Count;
    readonly keys: GPUBuffer;
    readonly values?: GPUBuffer | Readonly<Record<string, GPUBuffer>>;
  }

  interface AggregateColumnOptions<
    K,
    V extends ValueArray | ValueColumns = ValueColumns,
    C = Combiners<V>,
    Named = unknown,
  > extends KeyIndexOptions<K, Named> {
    readonly combine: C;
    readonly value?: [V] extends [ValueArray]
      ? ValueType<V>
      : {
          readonly [N in keyof V]?: ValueType;
        };
  }

  interface AggregateInput<K, V extends ValueArray | ValueColumns, Named = unknown> {
    readonly context?: GPUBuffer;
    readonly count?: number;
    readonly keys: GivenKeys<K, Named>;
    readonly values?: V | GPUBuffer;
  }

  interface AggregateOptions<K, V extends ValueArray, C = CombinerName | CustomCombiner, Named = unknown>
    extends KeyIndexOptions<K, Named> {
    readonly combine: C;
    readonly value?: ValueType<V>;
  }

  interface ArrayType<Numbers> {
    new (bytes: ArrayBuffer): Numbers;
    readonly BYTES_PER_ELEMENT: number;
  }

  interface ArrowColumn {
    readonly data: readonly {
      readonly length: number;
      readonly nullCount: number;
      readonly values: Uint8Array;
      readonly valueOffsets: Int32Array | BigInt64Array;
    }[];
  }

  class Binding {
    constructor(name: string, access: BindingAccess, type: WgslPart, moves?: boolean);
    readonly access: BindingAccess;
    readonly moves: boolean;
    readonly name: string;
    readonly type: WgslPart;
  }

  interface BitRange {
    readonly bits?: number;
    readonly firstBit?: number;
  }

  type Bound = readonly (readonly [Binding, BufferView])[];

  interface Bounds {
    readonly highest: number;
    readonly lowest: number;
  }

  type BucketCapacity = 512 | 1024 | 2048;

  interface BucketCuckooOptions {
    readonly loadFactor?: number | 'bySize' | 'densest';
  }

  type BufferView =
    | GPUBuffer
    | {
        readonly buffer: GPUBuffer;
        readonly offset?: number;
        readonly size?: number;
      };

  type BuffersOf<R extends Results> = R extends ValueArray
    ? GPUBuffer
    : {
        readonly [N in keyof R]: GPUBuffer;
      };

  class BuildError extends HashnestError {
    constructor(message: string, itemsLeft: number, attempts: number);
    readonly attempts: number;
    readonly code = 'build-failed';
    readonly itemsLeft: number;
  }

  interface BuildReport {
    readonly attempts: number;
    readonly copies: number;
    readonly growths: number;
    readonly longestProbe: number;
    readonly milliseconds: number;
    readonly restarts: number;
    readonly rounds: number;
    readonly seed: number | undefined;
    readonly stashed: number;
  }

  interface ByteSlices {
    readonly bytes: Uint8Array;
    readonly offsets: Uint32Array | Int32Array | BigInt64Array;
  }

  interface BytesKeyOptions<Host> {
    readonly accepts: (keys: unknown) => keys is Host;
    readonly decode: (keys: readonly Uint8Array[]) => Host;
    readonly encode: (keys: Host) => Iterable<Uint8Array>;
    readonly fold?: Wgsl;
    readonly foldTwin?: (bytes: number) => number;
    readonly name: string;
    readonly takes?: string;
  }

  interface ChainingOptions {
    readonly buckets?: number;
    readonly bucketsPerItem?: number;
    readonly hash?: HashFamily;
  }

  abstract class Collection<K> extends Searched<K> {
    protected constructor(made: never);
    get capacitySlots(): number;
    get keyCapacity(): number;
    get loadFactor(): number;
    get report(): BuildReport;
    get scheme(): Scheme;
    settle(): Promise<this>;
    get status(): GpuCount;
  }

  interface CollectionOptions<K, Named = unknown> {
    readonly duplicates?: Duplicates;
    readonly key?: KeyType<K> & Named;
    readonly scheme?: Scheme<NoInfer<K>>;
    readonly seed?: number;
  }

  type ColumnCombiner<Name extends string = string> =
    | CombinerName
    | CustomCombiner
    | {
        readonly of: Name;
        readonly combine: CombinerName | CustomCombiner;
      };

  type CombinerName = 'count' | 'sum' | 'sum64' | 'mean' | 'min' | 'max';

  type Combiners<V> = Readonly<Record<string, ColumnCombiner<V extends ValueArray ? never : Extract<keyof V, string>>>>;

  interface CompactOptions {
    readonly count: number | GpuCount;
    readonly flags: GPUBuffer;
    readonly output: GPUBuffer;
    readonly total: GpuCount;
    readonly values: GPUBuffer;
    readonly workspace?: Workspace;
  }

  type Construction = 'table' | 'sort';

  type Coordinates = 2 | 3 | 4;

  type Count = number | GpuCount;

  interface CountBuffers {
    readonly context?: GPUBuffer | undefined;
    readonly count: number | GpuCount;
    readonly counts: GPUBuffer;
    readonly queries: GPUBuffer;
    readonly starts?: GPUBuffer;
  }

  interface CuckooOptions {
    readonly capacitySlots?: number;
    readonly chainLimit?: number;
    readonly functions?: FunctionCount;
    readonly hash?: HashFamily;
    readonly loadFactor?: number;
    readonly stashSlots?: number;
  }

  interface CustomCombiner<T extends AccumulatorType = AccumulatorType> {
    readonly accumulator: T;
    readonly combine: Wgsl;
    readonly identity: number | readonly number[];
    readonly lift?: Wgsl;
  }

  class DestroyedError extends HashnestError {
    readonly code = 'destroyed';
  }

  class DeviceLostError extends HashnestError {
    readonly code = 'device-lost';
  }

  class DuplicateKeyError extends HashnestError {
    constructor(message: string, index: number);
    readonly code = 'duplicate-key';
    readonly index: number;
  }

  type Duplicates = 'first' | 'last' | 'any' | 'error' | 'unique';

  interface DyCuckooOptions {
    readonly subtables?: number;
  }

  abstract class DynamicCollection<K> extends Searched<K> {
    get capacitySlots(): number;
    clear(): Promise<void>;
    compact(): Promise<void>;
    delete(keys: Keys<K>, options?: Abortable): Promise<Uint8Array<ArrayBuffer>>;
    encodeDelete(target: Target, buffers: KeyBatchBuffers): void;
    get filledFactor(): number;
    get left(): GpuCount;
    get report(): DynamicReport;
    requests(capacity: number): Promise<Requests>;
    reserve(keys: number, bytes?: number): Promise<void>;
    get scheme(): DynamicScheme;
    settle(): Promise<{
      readonly left: number;
    }>;
    shrink(): Promise<void>;
    wgsl(options: DynamicFaceOptions): ShaderFace;
  }

  interface DynamicFaceOptions extends ShaderFaceOptions {
    readonly requests?: Requests;
  }

  class DynamicIndex<K> extends DynamicCollection<K> {
    [Symbol.asyncIterator](): AsyncGenerator<[OneOf<K>, number], void, undefined>;
    activate(
      keys: Keys<K>,
      options?: Abortable,
    ): Promise<{
      ids: Uint32Array<ArrayBuffer>;
      fresh: Uint8Array<ArrayBuffer>;
    }>;
    activeIds(options?: Abortable): Promise<Uint32Array<ArrayBuffer>>;
    clear(): Promise<void>;
    static create<Key extends KeyType>(gpu: Gpu, options: DynamicOptions<Key>): Promise<DynamicIndex<KeysOfType<Key>>>;
    delete(keys: Keys<K>, options?: Abortable): Promise<Uint8Array<ArrayBuffer>>;
    destroy(): void;
    encodeActivate(target: Target, buffers: ActivateBuffers): void;
    encodeActivateRequests(target: Target, requests: Requests, buffers: Omit<ActivateBuffers, 'keys' | 'count'>): void;
    encodeDelete(target: Target, buffers: KeyBatchBuffers): void;
    encodeEntries(target: Target, buffers: IdEntryBuffers): void;
    encodeIds(target: Target, buffers: IdBuffers): void;
    encodeRelease(target: Target, buffers: KeyBatchBuffers): void;
    entries(options?: Abortable): Promise<{
      keys: Fresh<K>;
      ids: Uint32Array<ArrayBuffer>;
    }>;
    static fromBytes<Key extends KeyType>(
      gpu: Gpu,
      bytes: Uint8Array,
      options?: Partial<DynamicOptions<Key>> & Abortable,
    ): Promise<DynamicIndex<KeysOfType<Key>>>;
    getOne(key: OneKey<K>): Promise<number | undefined>;
    get idLimit(): number;
    get idLimitOnGpu(): GpuCount;
    ids(keys: Keys<K>, options?: IdOptions & Followed): Promise<Uint32Array<ArrayBuffer>>;
    static prepare<Key extends KeyType>(gpu: Gpu, options: DynamicOptions<Key> & PrepareOptions): Promise<void>;
    release(keys: Keys<K>, options?: Abortable): Promise<Uint8Array<ArrayBuffer>>;
    settle(): Promise<{
      readonly left: number;
    }>;
    get tableBytes(): number;
    toBytes(options?: Abortable): Promise<Uint8Array<ArrayBuffer>>;
  }

  class DynamicMap<K, V extends ValueArray = Uint32Array> extends DynamicCollection<K> {
    [Symbol.asyncIterator](): AsyncGenerator<[OneOf<K>, OneOf<V>], void, undefined>;
    static create<Key extends KeyType, Value extends ValueType = ValueType<Uint32Array>>(
      gpu: Gpu,
      options: DynamicMapOptions<Key, Value>,
    ): Promise<DynamicMap<KeysOfType<Key>, ValuesOfType<Value>>>;
    encodeEntries(target: Target, buffers: EntryBuffers): void;
    encodeGet(target: Target, buffers: GetBuffers<V>): void;
    encodeInsert(target: Target, buffers: InsertBuffers, options?: InsertOptions): void;
    encodeInsertRequests(target: Target, requests: Requests, options?: RequestOptions & InsertOptions): void;
    entries(options?: Abortable): Promise<{
      keys: Fresh<K>;
      values: Fresh<V>;
    }>;
    static fromBytes<Key extends KeyType, Value extends ValueType>(
      gpu: Gpu,
      bytes: Uint8Array,
      options?: Partial<DynamicMapOptions<Key, Value>> & Abortable,
    ): Promise<DynamicMap<KeysOfType<Key>, ValuesOfType<Value>>>;
    get(
      keys: Keys<K>,
      options?: GetOptions<V> & Followed,
    ): Promise<{
      values: Fresh<V>;
      found: Uint8Array<ArrayBuffer>;
    }>;
    getOne(key: OneKey<K>): Promise<OneOf<V> | undefined>;
    getOrInsert(
      keys: Keys<K>,
      values: Values<V>,
      options?: Abortable,
    ): Promise<{
      values: Fresh<V>;
      fresh: Uint8Array<ArrayBuffer>;
    }>;
    insert(keys: Keys<K>, values: Values<V>, options?: InsertOptions & Abortable): Promise<Uint8Array<ArrayBuffer>>;
    static prepare<Key extends KeyType, Value extends ValueType = ValueType<Uint32Array>>(
      gpu: Gpu,
      options: DynamicMapOptions<Key, Value> & PrepareOptions,
    ): Promise<void>;
    toBytes(options?: Abortable): Promise<Uint8Array<ArrayBuffer>>;
    readonly value: ValueType<V>;
    values(options?: Abortable): Promise<Fresh<V>>;
  }

  interface DynamicMapOptions<Key extends KeyType = KeyType, Value extends ValueType = ValueType>
    extends DynamicOptions<Key> {
    readonly value?: Value;
  }

  interface DynamicOptions<Key extends KeyType = KeyType> extends Partial<Bounds> {
    readonly key: Key;
    readonly reserve?: number;
    readonly scheme?: DynamicScheme;
    readonly seed?: number;
  }

  interface DynamicReport {
    readonly growths: number;
    readonly reseeds: number;
    readonly shrinks: number;
  }

  interface DynamicScheme {
    readonly closestBounds?: number;
    readonly mostFilled: number;
    readonly name: string;
    readonly options: Readonly<Record<string, string | number>>;
    plan(request: DynamicRequest): DynamicPlan;
  }

  class DynamicSet<K> extends DynamicCollection<K> {
    [Symbol.asyncIterator](): AsyncGenerator<OneOf<K>, void, undefined>;
    static create<Key extends KeyType>(gpu: Gpu, options: DynamicOptions<Key>): Promise<DynamicSet<KeysOfType<Key>>>;
    encodeInsert(target: Target, buffers: AddBuffers): void;
    encodeInsertRequests(target: Target, requests: Requests, options?: RequestOptions): void;
    static fromBytes<Key extends KeyType>(
      gpu: Gpu,
      bytes: Uint8Array,
      options?: Partial<DynamicOptions<Key>> & Abortable,
    ): Promise<DynamicSet<KeysOfType<Key>>>;
    insert(keys: Keys<K>, options?: Abortable): Promise<Uint8Array<ArrayBuffer>>;
    static prepare<Key extends KeyType>(gpu: Gpu, options: DynamicOptions<Key> & PrepareOptions): Promise<void>;
    toBytes(options?: Abortable): Promise<Uint8Array<ArrayBuffer>>;
  }

  interface EncodedKeys {
    readonly context?: readonly Uint8Array[];
    readonly count: number;
    readonly words: Uint32Array;
  }

  interface EntryBuffers extends KeyListBuffers {
    readonly values: GPUBuffer;
  }

  type EntryList<Key, Value> =
    | Iterable<readonly [Key, Value]>
    | {
        readonly keys: readonly Key[];
        readonly values: readonly Value[];
      };

  type ErrorCode =
    | 'invalid-input'
    | 'unsupported'
    | 'too-large'
    | 'build-failed'
    | 'duplicate-key'
    | 'bad-format'
    | 'destroyed'
    | 'no-gpu'
    | 'device-lost'
    | 'out-of-memory'
    | 'gpu-fault'
    | 'load-failed';

  interface ExclusiveScanOptions {
    readonly count: number | GpuCount;
    readonly input: GPUBuffer;
    readonly output: GPUBuffer;
    readonly total?: GpuCount;
    readonly workspace?: Workspace;
  }

  type Existing = 'replace' | 'keep' | 'sum' | 'min' | 'max' | ValueCombiner;

  interface FillOptions {
    readonly count: number | GpuCount;
    readonly offsetItems?: number;
    readonly output: GPUBuffer;
    readonly value: number;
  }

  interface FixedKeyType<Host = unknown> extends KeyType<Host> {
    readonly hasContext: false;
    readonly isFixed: true;
  }

  interface Followed extends Abortable {
    readonly onProgress?: (done: number, total: number) => void;
  }

  class FormatError extends HashnestError {
    readonly code = 'bad-format';
  }

  type Fresh<T, Buffer extends ArrayBufferLike = ArrayBuffer> = T extends Uint32Array
    ? Uint32Array<Buffer>
    : T extends Int32Array
      ? Int32Array<Buffer>
      : T extends Float32Array
        ? Float32Array<Buffer>
        : T extends BigUint64Array
          ? BigUint64Array<Buffer>
          : T extends BigInt64Array
            ? BigInt64Array<Buffer>
            : T extends Uint8Array
              ? Uint8Array<Buffer>
              : T extends readonly ArrayBufferView[]
                ? {
                    [I in keyof T]: Fresh<T[I], Buffer>;
                  }
                : T;

  type FreshResults<R extends Results> = R extends ValueArray
    ? Fresh<R>
    : {
        [N in keyof R]: R[N] extends ValueArray ? Fresh<R[N]> : never;
      };

  type FunctionCount = (typeof FUNCTION_COUNTS)[number];

  const GPUBufferUsage: {
    readonly MAP_READ: 1;
    readonly MAP_WRITE: 2;
    readonly COPY_SRC: 4;
    readonly COPY_DST: 8;
    readonly INDEX: 16;
    readonly VERTEX: 32;
    readonly UNIFORM: 64;
    readonly STORAGE: 128;
    readonly INDIRECT: 256;
    readonly QUERY_RESOLVE: 512;
  };

  const GPUColorWrite: {
    readonly RED: 1;
    readonly GREEN: 2;
    readonly BLUE: 4;
    readonly ALPHA: 8;
    readonly ALL: 15;
  };

  const GPUMapMode: {
    readonly READ: 1;
    readonly WRITE: 2;
  };

  const GPUShaderStage: {
    readonly VERTEX: 1;
    readonly FRAGMENT: 2;
    readonly COMPUTE: 4;
  };

  const GPUTextureUsage: {
    readonly COPY_SRC: 1;
    readonly COPY_DST: 2;
    readonly TEXTURE_BINDING: 4;
    readonly STORAGE_BINDING: 8;
    readonly RENDER_ATTACHMENT: 16;
  };

  interface GatherRowsOptions {
    readonly count: number | GpuCount;
    readonly indices: GPUBuffer;
    readonly output: GPUBuffer;
    readonly rowWords: number;
    readonly rows: GPUBuffer;
  }

  interface GetBuffers<V extends ValueArray> extends LookupBuffers, Pick<GetOptions<V>, 'missing'> {
    readonly count: number | GpuCount;
    readonly values: GPUBuffer;
  }

  interface GetOptions<V extends ValueArray> {
    readonly into?: IntoArrays<V>;
    readonly missing?: ValueOf<V>;
  }

  type GivenKeys<K, Named = unknown> = [Named] extends [never]
    ?
        | NoInfer<K>
        | (PreparedKeys<K> & {
            readonly type: Named;
          })
    :
        | K
        | (PreparedKeys<K> & {
            readonly type: Named;
          })
        | GPUBuffer;

  class Gpu {
    private constructor();
    [Symbol.dispose](): void;
    constants(...words: readonly number[]): GPUBuffer;
    createBuffer(label: string, bytes: number, usage?: GPUBufferUsageFlags): GPUBuffer;
    destroy(): void;
    readonly device: GPUDevice;
    static from(device: GPUDevice): Gpu;
    readonly info: GpuInfo;
    get limits(): GPUSupportedLimits;
    get lost(): Promise<GPUDeviceLostInfo>;
    static open(options?: OpenOptions): Promise<Gpu>;
    read<Numbers>(buffer: GPUBuffer, type: ArrayType<Numbers>, options?: ReadOptions): Promise<Numbers>;
    run(record: (encoder: GPUCommandEncoder) => void, reads?: readonly Readback[]): Promise<ArrayBuffer[]>;
    trim(): void;
    upload(label: string, data: ArrayBufferView): GPUBuffer;
    write(buffer: GPUBuffer, data: ArrayBufferView, offset?: number): void;
  }

  interface GpuCount {
    readonly buffer: GPUBuffer;
    readonly offset?: number;
  }

  class GpuFaultError extends HashnestError {
    readonly code = 'gpu-fault';
  }

  interface GpuInfo {
    readonly architecture: string;
    readonly description: string;
    readonly device: string;
    readonly software: boolean;
    readonly vendor: string;
  }

  interface HasOptions {
    readonly into?: Uint8Array<ArrayBuffer>;
  }

  type HashConstants = readonly [number, number, number, number];

  interface HashFamily {
    readonly derive: Wgsl;
    deriveTwin(constants: HashConstants, index: number): HashConstants;
    draw(random: () => number, attempt?: number): HashConstants;
    hash(words: number): Wgsl;
    hashTwin(words: readonly number[], constants: HashConstants): [number, number];
    readonly independentWords: 1 | 2;
    readonly maxWords: number;
    readonly name: string;
    readonly reduce: Wgsl;
    readonly reduceKeepsOrder: boolean;
    reduceTwin(hash: number, range: number): number;
    readonly stream?: HashStream;
    unhash?(words: number): Wgsl;
  }

  class HashMap<K, V extends ValueArray = Uint32Array> extends BareHashMap<K, V> {}

  class HashSet<K> extends BareHashSet<K> {}

  interface HashStream {
    readonly absorb: Wgsl;
    readonly begin: Wgsl;
    readonly end: Wgsl;
    twin(length: number, words: Iterable<number>, constants: HashConstants): [number, number];
  }

  abstract class HashnestError extends Error {
    constructor(
      message: string,
      options?: {
        cause?: unknown;
      },
    );
    abstract readonly code: ErrorCode;
  }

  interface HistogramOptions {
    readonly bins: number;
    readonly count: number | GpuCount;
    readonly output: GPUBuffer;
    readonly values: GPUBuffer;
  }

  interface IdBuffers {
    readonly context?: GPUBuffer | undefined;
    readonly count: number | GpuCount;
    readonly ids: GPUBuffer;
    readonly missing?: number;
    readonly queries: GPUBuffer;
  }

  interface IdEntryBuffers extends KeyListBuffers {
    readonly ids: GPUBuffer;
  }

  interface IdOptions {
    readonly into?: Uint32Array<ArrayBuffer>;
    readonly missing?: number;
  }

  interface InsertBuffers extends KeyBatchBuffers {
    readonly left?: GPUBuffer;
    readonly values: GPUBuffer;
  }

  interface InsertOptions {
    readonly onExisting?: Existing;
    readonly unique?: boolean;
  }

  interface IntoArrays<V extends ValueArray> {
    readonly found?: Uint8Array<ArrayBuffer>;
    readonly values?: Fresh<V>;
  }

  type IntoResults<R extends Results> = R extends ValueArray
    ? IntoArrays<R>
    : {
        readonly values?: Partial<FreshResults<R>>;
        readonly found?: Uint8Array<ArrayBuffer>;
      };

  class InvalidInputError extends HashnestError {
    constructor(
      message: string,
      options?: {
        cause?: unknown;
      },
    );
    readonly code = 'invalid-input';
  }

  interface Kernel {
    readonly entry: Wgsl;
    readonly itemsPerGroup: number;
    readonly label: string;
    readonly subgroups?: boolean;
    readonly threads: number;
  }

  type KeyArray = Uint32Array | Int32Array | Float32Array | BigUint64Array | BigInt64Array | readonly string[];

  interface KeyBatchBuffers {
    readonly context?: GPUBuffer;
    readonly count: Count;
    readonly found?: GPUBuffer;
    readonly keys: GPUBuffer;
  }

  class KeyIndex<K> extends BareKeyIndex<K> {}

  interface KeyIndexOptions<K, Named = unknown> extends Omit<CollectionOptions<K, Named>, 'duplicates'> {
    readonly construction?: Construction;
    readonly keepItems?: boolean;
  }

  type KeyList<Key> =
    | Iterable<Key>
    | {
        readonly keys: readonly Key[];
      };

  interface KeyListBuffers {
    readonly count: GpuCount;
    readonly keys: GPUBuffer;
  }

  interface KeyType<Host = unknown> {
    accepts(keys: unknown): keys is Host;
    access(side: KeySide): KeyAccess;
    collect?(keys: readonly unknown[], name: string): Host;
    readonly coordinates?: 2 | 3 | 4;
    decode(words: Uint32Array, context?: Uint8Array): Host;
    encode(keys: Host): EncodedKeys;
    equals(a: KeyAccess, b: KeyAccess): Wgsl;
    readonly hasContext: boolean;
    hash(access: KeyAccess, family: HashFamily): Wgsl;
    hashTwin?(keys: EncodedKeys, item: number, family: HashFamily, constants: HashConstants): [number, number];
    readonly isNumber?: true;
    readonly isWord: boolean;
    readonly name: string;
    readonly order?: KeyOrder;
    readonly shader: ShaderKey;
    readonly takes?: string;
    readonly words: number;
  }

  type Keys<K> = K | Widened<K> | PreparedKeys<K> | PlainArray<K>;

  interface KeysOfBuffers {
    readonly count: number | GpuCount;
    readonly ids: GPUBuffer;
    readonly keys: GPUBuffer;
  }

  type KeysOfType<Key extends KeyType> = Key extends KeyType<infer K> ? K : never;

  interface LinkOptions {
    readonly external?: ReadonlyMap<Binding, string>;
    readonly firstBinding?: number;
    readonly group?: number;
    readonly prefix?: string;
  }

  interface Linked {
    readonly bindings: readonly Binding[];
    readonly code: string;
    nameOf(part: Wgsl | Binding): string;
  }

  class LoadError extends HashnestError {
    readonly code = 'load-failed';
  }

  interface LookupBuffers {
    readonly context?: GPUBuffer | undefined;
    readonly count: number | GpuCount;
    readonly found?: GPUBuffer;
    readonly queries: GPUBuffer;
    readonly values?: GPUBuffer;
  }

  interface MapBuffers {
    readonly context?: GPUBuffer;
    readonly count: Count;
    readonly keys: GPUBuffer;
    readonly values: GPUBuffer;
  }

  interface MapInput<K, V extends ValueArray, Named = unknown> {
    readonly context?: GPUBuffer;
    readonly count?: number;
    readonly keys: GivenKeys<K, Named>;
    readonly values: V | GPUBuffer;
  }

  interface MapOptions<K, V extends ValueArray, Named = unknown> extends CollectionOptions<K, Named> {
    readonly value?: ValueType<V>;
  }

  class MultiMap<K, V extends ValueArray = Uint32Array> extends BareMultiMap<K, V> {}

  interface MultiMapOptions<K, V extends ValueArray, Named = unknown> extends KeyIndexOptions<K, Named> {
    readonly order?: ValueOrder;
    readonly value?: ValueType<V>;
  }

  interface NewItems<K, V extends ValueArray> extends Omit<MapInput<Keys<K>, V>, 'values'> {
    readonly values: Values<V> | GPUBuffer;
  }

  class NoGpuError extends HashnestError {
    readonly code = 'no-gpu';
  }

  abstract class OnIndex<K> extends Collection<K> {
    destroy(): void;
    encodeKeys(target: Target, buffers: KeyListBuffers): void;
    readonly index: KeyIndex<K>;
    keys(options?: Abortable): Promise<Fresh<K>>;
    get tableBytes(): number;
  }

  type OneKey<K> = K extends readonly string[]
    ? string
    : K extends BigUint64Array | BigInt64Array
      ? bigint
      : K extends Uint32Array
        ? number
        : K extends Int32Array | Float32Array
          ? number | readonly number[]
          : K;

  type OneOf<Many> = Many extends readonly string[]
    ? string
    : Many extends BigUint64Array | BigInt64Array
      ? bigint
      : Many extends Uint32Array | Int32Array | Float32Array
        ? number
        : unknown;

  type OneResult<R extends Results> = R extends ValueArray
    ? OneOf<R>
    : {
        [N in keyof R]: OneOf<R[N]>;
      };

  interface OpenAddressingOptions {
    readonly capacitySlots?: number;
    readonly hash?: HashFamily;
    readonly loadFactor?: number;
  }

  interface OpenOptions {
    readonly dawnToggles?: readonly string[];
    readonly limits?: 'adapter' | 'default';
    readonly powerPreference?: GPUPowerPreference;
    readonly requiredFeatures?: readonly GPUFeatureName[];
    readonly requiredLimits?: Readonly<Record<string, number>>;
    readonly software?: 'fallback' | 'only' | 'never';
  }

  class OutOfMemoryError extends HashnestError {
    readonly code = 'out-of-memory';
  }

  interface PerfectOptions {
    readonly hash?: HashFamily;
  }

  interface PerfectSpatialOptions {
    readonly offsetsPerItem?: number;
  }

  interface PlaceOrder {
    readonly name: string;
    of<N extends Coordinates>(coordinates: N): Places<N>;
    readonly options: Readonly<Record<string, number>>;
    wide(coordinates: Coordinates): WidePlaces;
    withOptions(options: Readonly<Record<string, unknown>>): PlaceOrder;
  }

  interface Places<N extends Coordinates = Coordinates> {
    readonly coordinates: N;
    place(...point: Point<N>): number;
    places(points: Uint32Array | Int32Array): Uint32Array<ArrayBuffer>;
    point(place: number): Point<N>;
    points(places: Uint32Array): Uint32Array<ArrayBuffer>;
    readonly sizes: readonly number[];
    readonly wgsl: {
      readonly place: Wgsl;
      readonly point: Wgsl;
    };
  }

  type PlainArray<K> = K extends Uint32Array | Int32Array | Float32Array
    ? readonly number[] | readonly (readonly number[])[]
    : K extends BigUint64Array | BigInt64Array
      ? readonly bigint[]
      : never;

  type PlainKey = number | bigint | string | readonly number[];

  type PlainKeys<Key extends PlainKey> = [Key] extends [string]
    ? readonly string[]
    : [Key] extends [bigint]
      ? BigUint64Array
      : Uint32Array;

  type PlainValue = number | bigint | readonly number[];

  type PlainValues<Value extends PlainValue> = [Value] extends [bigint] ? BigUint64Array : Uint32Array;

  type Point<N extends Coordinates> = N extends 2
    ? [x: number, y: number]
    : N extends 3
      ? [x: number, y: number, z: number]
      : [x: number, y: number, z: number, w: number];

  interface PrepareOptions {
    readonly items: number;
  }

  interface PreparedKeys<Host = unknown> extends EncodedKeys {
    readonly type: KeyType<Host>;
  }

  interface ProbeStats {
    readonly average: number;
    readonly searches: number;
    readonly within: {
      readonly [percent in 50 | 80 | 90 | 99 | 100]: number;
    };
  }

  interface Program {
    readonly bindings: readonly Binding[];
    compiled(): Promise<void>;
    readonly isCompiled: boolean;
    readonly layout: GPUBindGroupLayout;
    readonly pipeline: GPUComputePipeline;
  }

  interface ReadOptions {
    readonly length?: number;
    readonly offset?: number;
  }

  interface Readback {
    readonly buffer: GPUBuffer;
    readonly bytes: number;
    readonly offset?: number;
  }

  class Recorder {
    constructor(gpu: Gpu, pass: GPUComputePassEncoder, gate?: Gate | undefined);
    behind(gate: Gate): Recorder;
    extent(items: number | Extent): Extent;
    readonly gate?: Gate | undefined;
    readonly gpu: Gpu;
    readonly pass: GPUComputePassEncoder;
    run(kernel: Kernel, bound: Bound, items: number | Extent): void;
    runOnce(kernel: Kernel, bound: Bound): void;
  }

  interface RequestOptions {
    readonly context?: GPUBuffer;
    readonly found?: GPUBuffer;
    readonly left?: GPUBuffer;
  }

  class Requests {
    private constructor();
    [Symbol.dispose](): void;
    get capacity(): number;
    readonly count: GPUBuffer;
    destroy(): void;
    readonly gpu: Gpu;
    get isAlive(): boolean;
    readonly key: KeyType;
    readonly keys: GPUBuffer;
    readonly value: ValueType | undefined;
    readonly values: GPUBuffer | undefined;
  }

  type ResultArray<C, V> = C extends 'count'
    ? Uint32Array
    : C extends 'mean'
      ? Float32Array
      : C extends 'sum64'
        ? V extends Int32Array | BigInt64Array
          ? BigInt64Array
          : BigUint64Array
        : C extends CustomCombiner<infer T>
          ? AccumulatorArray<T>
          : V extends ValueArray
            ? V
            : Uint32Array;

  type ResultArrays<C, V> = {
    readonly [N in keyof C]: C[N] extends {
      readonly of: infer Of;
      readonly combine: infer How;
    }
      ? Of extends keyof V
        ? ResultArray<How, V[Of]>
        : never
      : ResultArray<C[N], V>;
  };

  interface ResultBuffers<R extends Results = ValueArray> {
    readonly context?: GPUBuffer | undefined;
    readonly count: number | GpuCount;
    readonly found?: GPUBuffer;
    readonly missing?: number;
    readonly queries: GPUBuffer;
    readonly values: BuffersOf<R>;
  }

  interface ResultEntryBuffers<R extends Results = ValueArray> extends Omit<EntryBuffers, 'values'> {
    readonly values: BuffersOf<R>;
  }

  interface ResultOptions<R extends Results> {
    readonly into?: IntoResults<R>;
    readonly missing?: number;
  }

  type Results = ValueArray | Readonly<Record<string, ValueArray>>;

  interface RetrieveBuffers {
    readonly capacity?: number;
    readonly context?: GPUBuffer | undefined;
    readonly count: number | GpuCount;
    readonly offsets: GPUBuffer;
    readonly queries: GPUBuffer;
    readonly total: GpuCount;
    readonly values: GPUBuffer;
  }

  interface Retrieved<V> {
    readonly offsets: Uint32Array<ArrayBuffer>;
    readonly values: V;
  }

  interface RobinHoodOptions {
    readonly evict?: boolean;
    readonly loadFactor?: number;
    readonly order?: PlaceOrder;
    readonly reject?: boolean;
    readonly sequence?: SequenceName;
  }

  type RowArray =
    | Int8Array
    | Uint8Array
    | Uint8ClampedArray
    | Int16Array
    | Uint16Array
    | Int32Array
    | Uint32Array
    | Float32Array
    | Float64Array
    | BigInt64Array
    | BigUint64Array;

  interface SavedMapOptions<Key extends KeyType = KeyType, Value extends ValueType = ValueType>
    extends SavedOptions<Key> {
    readonly value?: Value;
  }

  interface SavedOptions<Key extends KeyType = KeyType> extends Abortable {
    readonly key?: Key;
    readonly scheme?: Scheme<never>;
  }

  interface Scheme<Host = unknown> {
    readonly carries?: (keys: Host) => void;
    readonly name: string;
    readonly options: Readonly<Record<string, string | number | boolean>>;
    plan(request: PlanRequest): TablePlan;
    withOptions(options: Readonly<Record<string, unknown>>): Scheme<Host>;
  }

  type SchemeName = keyof typeof schemes;

  abstract class Searched<K> {
    protected constructor(made: never);
    [Symbol.dispose](): void;
    get context(): GPUBuffer | undefined;
    destroy(): void;
    encodeHas(
      target: Target,
      buffers: {
        readonly queries: GPUBuffer;
        readonly found: GPUBuffer;
        readonly count: number | GpuCount;
        readonly context?: GPUBuffer;
      },
    ): void;
    encodeKeys(target: Target, buffers: KeyListBuffers): void;
    get gpu(): Gpu;
    has(keys: Keys<K>, options?: HasOptions & Followed): Promise<Uint8Array<ArrayBuffer>>;
    get key(): KeyType<K>;
    get keyCapacity(): number;
    keys(options?: Abortable): Promise<Fresh<K>>;
    get size(): number;
    stats(
      options?: {
        readonly absent?: Keys<K>;
      } & Abortable,
    ): Promise<{
      present: ProbeStats;
      absent: ProbeStats;
    }>;
    get tableBytes(): number;
    wgsl(options: ShaderFaceOptions): ShaderFace;
  }

  type SequenceName = 'coherent' | 'random' | 'stride';

  interface SetBuffers {
    readonly context?: GPUBuffer;
    readonly count: Count;
    readonly keys: GPUBuffer;
  }

  interface SetInput<K, Named = unknown> {
    readonly context?: GPUBuffer;
    readonly count?: number;
    readonly keys: GivenKeys<K, Named>;
  }

  interface ShaderFace {
    readonly bindGroup: GPUBindGroup;
    readonly code: string;
    readonly entries: GPUBindGroupEntry[];
    readonly isCurrent: boolean;
    readonly layout: GPUBindGroupLayout;
    readonly layoutEntries: GPUBindGroupLayoutEntry[];
  }

  interface ShaderFaceOptions {
    readonly context?: string;
    readonly firstBinding?: number;
    readonly group: number;
    readonly name: string;
    readonly visibility?: GPUShaderStageFlags;
  }

  interface ShaderKey {
    fromWords(stored: WgslPart): WgslPart;
    toWords(key: WgslPart): WgslPart;
    readonly type: WgslPart;
  }

  interface Signal {
    readonly aborted: boolean;
    addEventListener(type: 'abort', listener: () => void): void;
    readonly reason: unknown;
    removeEventListener(type: 'abort', listener: () => void): void;
    throwIfAborted(): void;
  }

  interface SortOptions extends BitRange {
    readonly count: number | GpuCount;
    readonly keys: GPUBuffer;
    readonly values?: GPUBuffer;
    readonly workspace?: Workspace;
  }

  interface Sorted {
    readonly keys: Uint32Array<ArrayBuffer>;
    readonly values?: Uint32Array<ArrayBuffer>;
  }

  type StringKeyOptions = Pick<BytesKeyOptions<readonly string[]>, 'name' | 'fold' | 'foldTwin'>;

  type Target = GPUCommandEncoder | GPUComputePassEncoder;

  type Told<Named> = [Named] extends [never] ? KeyArray : unknown;

  class TooLargeError extends HashnestError {
    constructor(message: string, largestItems: number);
    readonly code = 'too-large';
    readonly largestItems: number;
  }

  interface TwoLevelCuckooOptions {
    readonly bucketCapacity?: BucketCapacity;
    readonly hash?: HashFamily;
  }

  class UnsupportedError extends HashnestError {
    constructor(
      message: string,
      options?: {
        cause?: unknown;
      },
    );
    readonly code = 'unsupported';
  }

  type ValueArray = Uint32Array | Int32Array | Float32Array | BigUint64Array | BigInt64Array;

  type ValueColumns = Readonly<Record<string, ValueArray | GPUBuffer | readonly number[] | readonly bigint[]>>;

  interface ValueCombiner {
    readonly combine: Wgsl;
    readonly identity: number;
  }

  type ValueOf<V extends ValueArray = ValueArray> = V extends BigUint64Array | BigInt64Array
    ? number | bigint
    : number | readonly number[];

  type ValueOrder = 'input' | 'any';

  interface ValueType<V extends ValueArray = ValueArray> {
    readonly array: {
      readonly name: string;
      readonly BYTES_PER_ELEMENT: number;
      new (length: number): V;
      new (buffer: ArrayBufferLike, byteOffset?: number, length?: number): V;
    };
    readonly components: 1 | 2 | 3 | 4;
    readonly name: 'u32' | 'i32' | 'f32' | 'u64' | 'i64' | VectorName;
    readonly shaderType: 'u32' | 'i32' | 'f32' | VectorName;
    readonly words: 1 | 2 | 3 | 4;
  }

  type ValueWords = 0 | 1 | 2 | 3 | 4;

  type Values<V> = V | Widened<V> | PlainArray<V>;

  type ValuesOfType<Value extends ValueType> = Value extends ValueType<infer V> ? V : never;

  type VectorName = `vec${2 | 3 | 4}${'u' | 'i' | 'f'}`;

  class Wgsl {
    constructor(texts: readonly string[], parts: readonly WgslPart[]);
    readonly declaredAt: number;
    readonly declares: string | undefined;
    readonly parts: readonly WgslPart[];
    readonly texts: readonly string[];
  }

  type WgslPart = Wgsl | Binding | string | number;

  interface WidePlaces {
    readonly place: Wgsl;
    twin(key: readonly number[]): number[];
    readonly words: number;
  }

  type Widened<T> = T extends readonly string[] ? readonly string[] : Fresh<T, ArrayBufferLike>;

  interface WordsKeyOptions<Host> {
    readonly accepts: (keys: unknown) => keys is Host;
    readonly collect?: (keys: readonly unknown[], name: string) => Host;
    readonly coordinates?: 2 | 3 | 4;
    readonly decode: (words: Uint32Array) => Host;
    readonly encode: (keys: Host) => Uint32Array;
    readonly fold?: (key: WgslPart) => readonly WgslPart[];
    readonly isNumber?: true;
    readonly name: string;
    readonly order?: (key: WgslPart) => readonly WgslPart[];
    readonly shader?: ShaderKey;
    readonly takes?: string;
    readonly unorder?: (lead: WgslPart) => WgslPart;
    readonly words: number;
  }

  class Workspace {
    constructor(gpu: Gpu);
    [Symbol.dispose](): void;
    get bytes(): number;
    destroy(): void;
    readonly gpu: Gpu;
    release(): void;
    scratch(name: string, bytes: number): GPUBuffer;
    trim(): void;
  }

  const arrowKeys: <Host>(type: KeyType<Host>, column: ArrowColumn) => PreparedKeys<Host>;

  function bitReversed(bits: number): PlaceOrder;

  function bucketCuckoo(options?: BucketCuckooOptions): Scheme;

  function byCell(type: FixedKeyType<Float32Array>, size: number): FixedKeyType<Float32Array>;

  const bytes: KeyType<readonly Uint8Array[]>;

  function bytesKey<Host>(options: BytesKeyOptions<Host>): KeyType<Host>;

  function chaining(options?: ChainingOptions): Scheme;

  function compact(gpu: Gpu, values: Uint32Array, flags: Uint32Array): Promise<Uint32Array<ArrayBuffer>>;

  function cuckoo(options?: CuckooOptions): Scheme;

  const doubleHashing: (options?: OpenAddressingOptions) => Scheme;

  function dyCuckoo(options?: DyCuckooOptions): DynamicScheme;

  function encodeCompact(gpu: Gpu, target: Target, options: CompactOptions): void;

  function encodeExclusiveScan(gpu: Gpu, target: Target, options: ExclusiveScanOptions): void;

  function encodeFill(gpu: Gpu, target: Target, options: FillOptions): void;

  function encodeGatherRows(gpu: Gpu, target: Target, options: GatherRowsOptions): void;

  function encodeHistogram(gpu: Gpu, target: Target, options: HistogramOptions): void;

  function encodeSort(gpu: Gpu, target: Target, options: SortOptions): void;

  function exclusiveScan(
    gpu: Gpu,
    input: Uint32Array,
  ): Promise<{
    output: Uint32Array<ArrayBuffer>;
    total: number;
  }>;

  function eytzinger(options?: Readonly<Record<string, never>>): Scheme;

  const f32: FixedKeyType<Float32Array>;

  function fill(gpu: Gpu, length: number, value: number): Promise<Uint32Array<ArrayBuffer>>;

  function gatherRows<Rows extends RowArray | GPUBuffer>(
    gpu: Gpu,
    options: {
      readonly rows: Rows;
      readonly rowWords: number;
      readonly indices: Uint32Array;
    },
  ): Promise<Rows extends RowArray ? Rows : Uint32Array<ArrayBuffer>>;

  function histogram(gpu: Gpu, values: Uint32Array, bins: number): Promise<Uint32Array<ArrayBuffer>>;

  const i32: FixedKeyType<Int32Array>;

  const i64: FixedKeyType<BigInt64Array>;

  function kernel(options: {
    readonly label: string;
    readonly threads: number;
    readonly itemsPerGroup?: number;
    readonly subgroups?: boolean;
    readonly body: Wgsl;
  }): Kernel;

  const linearProbing: (options?: OpenAddressingOptions) => Scheme;

  function link(roots: readonly Wgsl[], options?: LinkOptions): Linked;

  const mix: HashFamily;

  const morton: PlaceOrder;

  function perfect(options?: PerfectOptions): Scheme;

  function perfectSpatial(options?: PerfectSpatialOptions): Scheme<Int32Array>;

  const polynomial32: HashFamily;

  const polynomial64: HashFamily;

  function programOf(gpu: Gpu, kernel: Kernel): Program;

  const quadraticProbing: (options?: OpenAddressingOptions) => Scheme;

  function record<T>(gpu: Gpu, target: Target, label: string, commands: (recorder: Recorder) => T): T;

  const regionCuckoo: () => DynamicScheme;

  function robinHood(options?: RobinHoodOptions): Scheme;

  function rowMajor(width: number, height?: number, depth?: number): PlaceOrder;

  const schemes: {
    readonly linearProbing: (options?: OpenAddressingOptions) => Scheme;
    readonly quadraticProbing: (options?: OpenAddressingOptions) => Scheme;
    readonly doubleHashing: (options?: OpenAddressingOptions) => Scheme;
    readonly sortedArray: typeof sortedArray;
    readonly eytzinger: typeof eytzinger;
    readonly chaining: typeof chaining;
    readonly twoLevelCuckoo: typeof twoLevelCuckoo;
    readonly cuckoo: typeof cuckoo;
    readonly bucketCuckoo: typeof bucketCuckoo;
    readonly perfect: typeof perfect;
    readonly robinHood: typeof robinHood;
    readonly perfectSpatial: (options?: PerfectSpatialOptions) => Scheme;
  };

  const sliceKeys: <Host>(type: KeyType<Host>, slices: ByteSlices) => PreparedKeys<Host>;

  function sort(
    gpu: Gpu,
    keys: Uint32Array,
    options?: BitRange & {
      readonly values?: Uint32Array;
    },
  ): Promise<Sorted>;

  function sortedArray(options?: Readonly<Record<string, never>>): Scheme;

  const storage: (name: string, type: WgslPart, access?: 'read' | 'read_write') => Binding;

  function stringKey(options: StringKeyOptions): KeyType<readonly string[]>;

  function tuple<Hosts extends readonly unknown[]>(
    ...parts: {
      readonly [I in keyof Hosts]: FixedKeyType<Hosts[I]>;
    }
  ): FixedKeyType<Readonly<Hosts>>;

  function twoLevelCuckoo(options?: TwoLevelCuckooOptions): Scheme;

  const u32: FixedKeyType<Uint32Array>;

  const u64: FixedKeyType<BigUint64Array>;

  const uniform: (name: string, type: WgslPart) => Binding;

  const universal: HashFamily;

  const utf8: KeyType<readonly string[]>;

  const valueTypes: {
    readonly u32: ValueType<Uint32Array<ArrayBuffer>>;
    readonly i32: ValueType<Int32Array<ArrayBuffer>>;
    readonly f32: ValueType<Float32Array<ArrayBuffer>>;
    readonly u64: ValueType<BigUint64Array<ArrayBuffer>>;
    readonly i64: ValueType<BigInt64Array<ArrayBuffer>>;
    readonly vec2u: ValueType<Uint32Array<ArrayBuffer>>;
    readonly vec3u: ValueType<Uint32Array<ArrayBuffer>>;
    readonly vec4u: ValueType<Uint32Array<ArrayBuffer>>;
    readonly vec2i: ValueType<Int32Array<ArrayBuffer>>;
    readonly vec3i: ValueType<Int32Array<ArrayBuffer>>;
    readonly vec4i: ValueType<Int32Array<ArrayBuffer>>;
    readonly vec2f: ValueType<Float32Array<ArrayBuffer>>;
    readonly vec3f: ValueType<Float32Array<ArrayBuffer>>;
    readonly vec4f: ValueType<Float32Array<ArrayBuffer>>;
  };

  const vec2f: FixedKeyType<Float32Array>;

  const vec2i: FixedKeyType<Int32Array>;

  const vec3f: FixedKeyType<Float32Array>;

  const vec3i: FixedKeyType<Int32Array>;

  const vec4f: FixedKeyType<Float32Array>;

  const vec4i: FixedKeyType<Int32Array>;

  function wgsl(texts: TemplateStringsArray, ...parts: WgslPart[]): Wgsl;

  function wordsKey<Host>(options: WordsKeyOptions<Host>): FixedKeyType<Host>;

  const xorPrime: HashFamily;
}

declare module 'hashnest/apps' {
  type CellMap = HashMap<Uint32Array, Uint32Array>;

  type Colours = Uint8Array | Uint8ClampedArray | Uint32Array;

  interface DabBuffers {
    readonly colours: GPUBuffer;
    readonly count: number | GpuCount;
    readonly points: GPUBuffer;
  }

  interface Dabs {
    readonly colours: Colours;
    readonly points: Points;
  }

  interface DrawBuffers {
    readonly output: GPUBuffer | GPUTexture;
  }

  interface ImageBuffers {
    readonly height: number;
    readonly most?: number;
    readonly pixels: GPUBuffer;
    readonly width: number;
  }

  type ImageInput = {
    readonly width: number;
    readonly height: number;
  } & (
    | {
        readonly pixels: Colours | GPUBuffer;
      }
    | {
        readonly points: Points;
        readonly colours: Colours;
      }
  );

  interface PaintInput {
    readonly height: number;
    readonly most?: number;
    readonly width: number;
  }

  type Points = Int32Array | Uint32Array;

  interface PrepareImageOptions extends SparseOptions {
    readonly height: number;
    readonly most?: number;
    readonly width: number;
  }

  interface PrepareVolumeOptions extends PrepareImageOptions {
    readonly depth: number;
  }

  type Rgba = readonly [red: number, green: number, blue: number, alpha: number];

  interface SavedSparseOptions extends Abortable {
    readonly scheme?: Scheme<never>;
  }

  interface Slice {
    readonly height: number;
    readonly origin: Vector;
    readonly u: Vector;
    readonly v: Vector;
    readonly width: number;
  }

  abstract class SparseGrid {
    protected constructor(made: never);
    [Symbol.dispose](): void;
    get background(): Rgba;
    destroy(): void;
    encodeUnpack(target: Target, buffers: DrawBuffers): void;
    get(points: Points, options?: Followed): Promise<Uint8ClampedArray<ArrayBuffer>>;
    get gpu(): Gpu;
    get height(): number;
    get map(): CellMap;
    settle(): Promise<this>;
    get size(): number;
    get tableBytes(): number;
    wgsl(options: ShaderFaceOptions): ShaderFace;
    get width(): number;
  }

  class SparseImage extends SparseGrid {
    static encodeBuild(gpu: Gpu, target: Target, input: ImageBuffers, options?: SparseOptions): SparseImage;
    encodeRebuild(
      target: Target,
      input: {
        readonly pixels: GPUBuffer;
      },
    ): void;
    static from(gpu: Gpu, input: ImageInput, options?: SparseOptions & Abortable): Promise<SparseImage>;
    static fromBytes(gpu: Gpu, bytes: Uint8Array, options?: SavedSparseOptions): Promise<SparseImage>;
    pixels(options?: Abortable): Promise<Uint8ClampedArray<ArrayBuffer>>;
    static prepare(gpu: Gpu, options: PrepareImageOptions): Promise<void>;
    toBytes(options?: Abortable): Promise<Uint8Array<ArrayBuffer>>;
  }

  interface SparseOptions {
    readonly background?: Rgba;
    readonly scheme?: Scheme<Uint32Array>;
    readonly seed?: number;
  }

  class SparsePaint extends SparseGrid {
    static create(gpu: Gpu, input: PaintInput, options?: SparseOptions): Promise<SparsePaint>;
    destroy(): void;
    encodePaint(target: Target, dabs: DabBuffers): void;
    get most(): number;
    paint(dabs: Dabs): Promise<this>;
    pixels(options?: Abortable): Promise<Uint8ClampedArray<ArrayBuffer>>;
    static prepare(gpu: Gpu, options: PrepareImageOptions): Promise<void>;
    settle(): Promise<this>;
  }

  class SparseVolume extends SparseGrid {
    get depth(): number;
    static encodeBuild(gpu: Gpu, target: Target, input: VolumeBuffers, options?: SparseOptions): SparseVolume;
    encodeRebuild(
      target: Target,
      input: {
        readonly voxels: GPUBuffer;
      },
    ): void;
    encodeSlice(target: Target, slice: Slice & DrawBuffers): void;
    static from(gpu: Gpu, input: VolumeInput, options?: SparseOptions & Abortable): Promise<SparseVolume>;
    static fromBytes(gpu: Gpu, bytes: Uint8Array, options?: SavedSparseOptions): Promise<SparseVolume>;
    static prepare(gpu: Gpu, options: PrepareVolumeOptions): Promise<void>;
    slice(slice: Slice, options?: Abortable): Promise<Uint8ClampedArray<ArrayBuffer>>;
    toBytes(options?: Abortable): Promise<Uint8Array<ArrayBuffer>>;
    voxels(options?: Abortable): Promise<Uint8ClampedArray<ArrayBuffer>>;
  }

  type Vector = readonly [x: number, y: number, z: number];

  interface VolumeBuffers {
    readonly depth: number;
    readonly height: number;
    readonly most?: number;
    readonly voxels: GPUBuffer;
    readonly width: number;
  }

  type VolumeInput = {
    readonly width: number;
    readonly height: number;
    readonly depth: number;
  } & (
    | {
        readonly voxels: Colours | GPUBuffer;
      }
    | {
        readonly points: Points;
        readonly colours: Colours;
      }
  );
}

declare module 'hashnest/arrow' {
  type EntryType<T extends DataType> = T extends Dictionary<infer V> ? V : T;

  type TableCombiner = 'count' | 'sum' | 'mean' | 'min' | 'max';

  interface TableDistinctOptions extends RowOptions, Abortable {
    readonly by?: string | readonly string[];
  }

  interface TableGroupOptions extends RowOptions, Abortable {
    readonly by: string | readonly string[];
    readonly combine: Readonly<
      Record<
        string,
        | 'count'
        | {
            readonly of: string;
            readonly combine: TableCombiner;
          }
      >
    >;
  }

  interface TableJoinOptions extends RowOptions, Abortable {
    readonly how?: How;
    readonly on: string | readonly string[] | Readonly<Record<string, string>>;
    readonly suffix?: string;
  }

  interface TableTopOptions extends TopOptions {
    readonly by: string;
  }

  function column(vector: Vector | null): ColumnOf;

  function dictionaryEncode<T extends DataType>(
    gpu: Gpu,
    vector: Vector<T> | null,
    options?: RowOptions & Abortable,
  ): Promise<Vector<Dictionary<EntryType<T>, Int32>>>;

  function distinct<T extends TypeMap>(gpu: Gpu, table: Table<T>, options?: TableDistinctOptions): Promise<Table<T>>;

  function groupBy(gpu: Gpu, table: Table, options: TableGroupOptions): Promise<Table>;

  function join(gpu: Gpu, left: Table, right: Table, options: TableJoinOptions): Promise<Table>;

  function take<T extends TypeMap>(table: Table<T>, rows: Uint32Array): Table<T>;

  function topK<T extends TypeMap>(gpu: Gpu, table: Table<T>, k: number, options: TableTopOptions): Promise<Table<T>>;
}

declare module 'hashnest/bare' {
  class Aggregate<K, R extends Results = Uint32Array> extends OnIndex<K> {
    [Symbol.asyncIterator](): AsyncGenerator<[OneOf<K>, OneResult<R>], void, undefined>;
    static encodeBuild<K, R extends Results = Uint32Array>(
      gpu: Gpu,
      target: Target,
      input: AggregateBuffers,
      options: AggregateBufferOptions<K> & {
        readonly key: KeyType<K>;
      },
    ): Aggregate<K, R>;
    encodeEntries(target: Target, buffers: ResultEntryBuffers<R>): void;
    encodeGet(target: Target, buffers: ResultBuffers<R>): void;
    encodeRebuild(target: Target, input: AggregateBuffers): void;
    entries(options?: Abortable): Promise<{
      keys: Fresh<K>;
      values: FreshResults<R>;
    }>;
    static from<Key extends PlainKey, K = PlainKeys<Key>>(
      gpu: Gpu,
      keys: KeyList<Key>,
      options: AggregateOptions<K, never, 'count'> & Abortable,
    ): Promise<Aggregate<K, Uint32Array>>;
    static from<
      Key extends PlainKey,
      Value extends PlainValue,
      const C extends CombinerName | CustomCombiner,
      K = PlainKeys<Key>,
      V extends ValueArray = PlainValues<Value>,
    >(
      gpu: Gpu,
      entries: EntryList<Key, Value>,
      options: AggregateOptions<K, V, C> & Abortable,
    ): Promise<Aggregate<K, ResultArray<C, V>>>;
    static from<
      Key extends PlainKey,
      Value extends PlainValue,
      const C extends Combiners<V>,
      K = PlainKeys<Key>,
      V extends ValueArray = PlainValues<Value>,
    >(
      gpu: Gpu,
      entries: EntryList<Key, Value>,
      options: AggregateColumnOptions<K, V, C> & Abortable,
    ): Promise<Aggregate<K, ResultArrays<C, V>>>;
    static from<
      K extends Told<Named>,
      const C extends CombinerName | CustomCombiner,
      V extends ValueArray = Uint32Array,
      Named = never,
    >(
      gpu: Gpu,
      input: AggregateInput<K, V, Named>,
      options: AggregateOptions<K, V, C, Named> & Abortable,
    ): Promise<Aggregate<K, ResultArray<C, V>>>;
    static from<
      K extends Told<Named>,
      const C extends Combiners<V>,
      V extends ValueArray | ValueColumns = Uint32Array,
      Named = never,
    >(
      gpu: Gpu,
      input: AggregateInput<K, V, Named>,
      options: AggregateColumnOptions<K, V, C, Named> & Abortable,
    ): Promise<Aggregate<K, ResultArrays<C, V>>>;
    get(
      keys: Keys<K>,
      options?: ResultOptions<R> & Followed,
    ): Promise<{
      values: FreshResults<R>;
      found: Uint8Array<ArrayBuffer>;
    }>;
    getOne(key: OneKey<K>): Promise<OneResult<R> | undefined>;
    static prepare<K = Uint32Array>(gpu: Gpu, options: AggregateBufferOptions<K> & PrepareOptions): Promise<void>;
    rebuild(input: AggregateInput<Keys<K>, ValueArray | ValueColumns>, options?: Abortable): Promise<this>;
  }

  class HashMap<K, V extends ValueArray = Uint32Array> extends Collection<K> {
    [Symbol.asyncIterator](): AsyncGenerator<[OneOf<K>, OneOf<V>], void, undefined>;
    static encodeBuild<K, V extends ValueArray = Uint32Array>(
      gpu: Gpu,
      target: Target,
      input: MapBuffers,
      options: MapOptions<K, V> & {
        readonly key: KeyType<K>;
      },
    ): HashMap<K, V>;
    encodeEntries(target: Target, buffers: EntryBuffers): void;
    encodeGet(
      target: Target,
      buffers: LookupBuffers & {
        readonly values: GPUBuffer;
        readonly missing?: ValueOf<V>;
        readonly count: number | GpuCount;
      },
    ): void;
    encodeRebuild(target: Target, input: MapBuffers): void;
    entries(options?: Abortable): Promise<{
      keys: Fresh<K>;
      values: Fresh<V>;
    }>;
    static from<
      Key extends PlainKey,
      Value extends PlainValue,
      K = PlainKeys<Key>,
      V extends ValueArray = PlainValues<Value>,
    >(gpu: Gpu, entries: EntryList<Key, Value>, options?: MapOptions<K, V> & Abortable): Promise<HashMap<K, V>>;
    static from<K extends Told<Named>, V extends ValueArray = Uint32Array, Named = never>(
      gpu: Gpu,
      input: MapInput<K, never, Named>,
      options?: MapOptions<K, V, Named> & Abortable,
    ): Promise<HashMap<K, V>>;
    static from<K extends Told<Named>, V extends ValueArray, Named = never>(
      gpu: Gpu,
      input: MapInput<K, V, Named>,
      options?: MapOptions<K, V, Named> & Abortable,
    ): Promise<HashMap<K, V>>;
    static fromBytes<Key extends KeyType, Value extends ValueType>(
      gpu: Gpu,
      bytes: Uint8Array,
      options?: SavedMapOptions<Key, Value>,
    ): Promise<HashMap<KeysOfType<Key>, ValuesOfType<Value>>>;
    get(
      keys: Keys<K>,
      options?: GetOptions<V> & Followed,
    ): Promise<{
      values: Fresh<V>;
      found: Uint8Array<ArrayBuffer>;
    }>;
    getOne(key: OneKey<K>): Promise<OneOf<V> | undefined>;
    static prepare<K = Uint32Array, V extends ValueArray = Uint32Array>(
      gpu: Gpu,
      options: MapOptions<K, V> & PrepareOptions,
    ): Promise<void>;
    rebuild(input: NewItems<K, V>, options?: Abortable): Promise<this>;
    toBytes(options?: Abortable): Promise<Uint8Array<ArrayBuffer>>;
    readonly value: ValueType<V>;
    values(options?: Abortable): Promise<Fresh<V>>;
  }

  class HashSet<K> extends Collection<K> {
    [Symbol.asyncIterator](): AsyncGenerator<OneOf<K>, void, undefined>;
    static encodeBuild<K>(
      gpu: Gpu,
      target: Target,
      input: SetBuffers,
      options: CollectionOptions<K> & {
        readonly key: KeyType<K>;
      },
    ): HashSet<K>;
    encodeRebuild(target: Target, input: SetBuffers): void;
    static from<Key extends PlainKey, K = PlainKeys<Key>>(
      gpu: Gpu,
      keys: KeyList<Key>,
      options?: CollectionOptions<K> & Abortable,
    ): Promise<HashSet<K>>;
    static from<K extends Told<Named>, Named = never>(
      gpu: Gpu,
      input: SetInput<K, Named>,
      options?: CollectionOptions<K, Named> & Abortable,
    ): Promise<HashSet<K>>;
    static fromBytes<Key extends KeyType>(
      gpu: Gpu,
      bytes: Uint8Array,
      options?: SavedOptions<Key>,
    ): Promise<HashSet<KeysOfType<Key>>>;
    static prepare<K = Uint32Array>(gpu: Gpu, options: CollectionOptions<K> & PrepareOptions): Promise<void>;
    rebuild(input: SetInput<Keys<K>>, options?: Abortable): Promise<this>;
    toBytes(options?: Abortable): Promise<Uint8Array<ArrayBuffer>>;
  }

  class KeyIndex<K> extends Collection<K> {
    [Symbol.asyncIterator](): AsyncGenerator<[OneOf<K>, number], void, undefined>;
    readonly construction: Construction;
    destroy(): void;
    static encodeBuild<K>(
      gpu: Gpu,
      target: Target,
      input: SetBuffers,
      options: KeyIndexOptions<K> & {
        readonly key: KeyType<K>;
      },
    ): KeyIndex<K>;
    encodeEntries(target: Target, buffers: IdEntryBuffers): void;
    encodeIds(
      target: Target,
      buffers: Omit<LookupBuffers, 'values'> & {
        readonly ids: GPUBuffer;
        readonly missing?: number;
      },
    ): void;
    encodeKeys(target: Target, buffers: KeyListBuffers): void;
    encodeKeysOf(target: Target, buffers: KeysOfBuffers): void;
    encodeRebuild(target: Target, input: SetBuffers): void;
    entries(options?: Abortable): Promise<{
      keys: Fresh<K>;
      ids: Uint32Array<ArrayBuffer>;
    }>;
    firstItems(options?: Abortable): Promise<Uint32Array<ArrayBuffer>>;
    static from<Key extends PlainKey, K = PlainKeys<Key>>(
      gpu: Gpu,
      keys: KeyList<Key>,
      options?: KeyIndexOptions<K> & Abortable,
    ): Promise<KeyIndex<K>>;
    static from<K extends Told<Named>, Named = never>(
      gpu: Gpu,
      input: SetInput<K, Named>,
      options?: KeyIndexOptions<K, Named> & Abortable,
    ): Promise<KeyIndex<K>>;
    static fromBytes<Key extends KeyType>(
      gpu: Gpu,
      bytes: Uint8Array,
      options?: SavedOptions<Key>,
    ): Promise<KeyIndex<KeysOfType<Key>>>;
    getOne(key: OneKey<K>): Promise<number | undefined>;
    ids(keys: Keys<K>, options?: IdOptions & Followed): Promise<Uint32Array<ArrayBuffer>>;
    idsOfItems(options?: Abortable): Promise<Uint32Array<ArrayBuffer>>;
    get itemsOnGpu(): {
      readonly ids: GPUBuffer;
      readonly firsts: GPUBuffer;
    };
    keys(options?: Abortable): Promise<Fresh<K>>;
    keysOf(ids: Uint32Array, options?: Abortable): Promise<Fresh<K>>;
    static prepare<K = Uint32Array>(gpu: Gpu, options: KeyIndexOptions<K> & PrepareOptions): Promise<void>;
    rebuild(input: SetInput<Keys<K>>, options?: Abortable): Promise<this>;
    get sizeOnGpu(): GpuCount;
    get tableBytes(): number;
    toBytes(options?: Abortable): Promise<Uint8Array<ArrayBuffer>>;
  }

  class MultiMap<K, V extends ValueArray = Uint32Array> extends OnIndex<K> {
    [Symbol.asyncIterator](): AsyncGenerator<[OneOf<K>, Fresh<V>], void, undefined>;
    count(keys: Keys<K>, options?: Followed): Promise<Uint32Array<ArrayBuffer>>;
    destroy(): void;
    static encodeBuild<K, V extends ValueArray = Uint32Array>(
      gpu: Gpu,
      target: Target,
      input: MapBuffers,
      options: MultiMapOptions<K, V> & {
        readonly key: KeyType<K>;
      },
    ): MultiMap<K, V>;
    encodeCount(target: Target, buffers: CountBuffers): void;
    encodeEntries(target: Target, buffers: EntryBuffers): void;
    encodeRebuild(target: Target, input: MapBuffers): void;
    encodeRetrieve(target: Target, buffers: RetrieveBuffers): void;
    entries(options?: Abortable): Promise<{
      keys: Fresh<K>;
      values: Fresh<V>;
      offsets: Uint32Array<ArrayBuffer>;
    }>;
    static from<
      Key extends PlainKey,
      Value extends PlainValue,
      K = PlainKeys<Key>,
      V extends ValueArray = PlainValues<Value>,
    >(gpu: Gpu, entries: EntryList<Key, Value>, options?: MultiMapOptions<K, V> & Abortable): Promise<MultiMap<K, V>>;
    static from<K extends Told<Named>, V extends ValueArray = Uint32Array, Named = never>(
      gpu: Gpu,
      input: MapInput<K, never, Named>,
      options?: MultiMapOptions<K, V, Named> & Abortable,
    ): Promise<MultiMap<K, V>>;
    static from<K extends Told<Named>, V extends ValueArray, Named = never>(
      gpu: Gpu,
      input: MapInput<K, V, Named>,
      options?: MultiMapOptions<K, V, Named> & Abortable,
    ): Promise<MultiMap<K, V>>;
    static fromBytes<Key extends KeyType, Value extends ValueType>(
      gpu: Gpu,
      bytes: Uint8Array,
      options?: SavedMapOptions<Key, Value>,
    ): Promise<MultiMap<KeysOfType<Key>, ValuesOfType<Value>>>;
    get(keys: Keys<K>, options?: Followed): Promise<Fresh<V>[]>;
    getOne(key: OneKey<K>): Promise<Fresh<V>>;
    readonly order: ValueOrder;
    static prepare<K = Uint32Array, V extends ValueArray = Uint32Array>(
      gpu: Gpu,
      options: MultiMapOptions<K, V> & PrepareOptions,
    ): Promise<void>;
    rebuild(input: NewItems<K, V>, options?: Abortable): Promise<this>;
    retrieve(keys: Keys<K>, options?: Followed): Promise<Retrieved<Fresh<V>>>;
    toBytes(options?: Abortable): Promise<Uint8Array<ArrayBuffer>>;
    readonly value: ValueType<V>;
    get valueCapacity(): number;
    get valueCount(): number;
  }
}

declare module 'hashnest/relational' {
  interface BufferColumn {
    readonly context?: GPUBuffer;
    readonly key: KeyType;
    readonly valid?: GPUBuffer;
    readonly values: GPUBuffer;
  }

  interface BufferColumns {
    readonly columns: BufferColumn | readonly BufferColumn[];
    readonly count: Count;
  }

  type Cells = readonly (string | null)[] | readonly (number | null)[] | readonly (bigint | null)[];

  type Column = KeyArray | Cells | ColumnOf;

  interface ColumnOf<V = unknown> {
    readonly context?: GPUBuffer;
    readonly count?: number;
    readonly key?: KeyType<V>;
    readonly valid?: Uint8Array | GPUBuffer;
    readonly values: V | PreparedKeys<V> | readonly PreparedKeys<V>[] | GPUBuffer;
  }

  type Columns = Column | readonly Column[];

  type FreshColumn<C> = C extends ArrayBufferView
    ? Fresh<C>
    : C extends Cells
      ? null extends C[number]
        ?
            | OfCells<C>
            | {
                readonly values: OfCells<C>;
                readonly valid: Uint8Array<ArrayBuffer>;
              }
        : OfCells<C>
      : C extends ColumnOf<infer V>
        ?
            | Fresh<V>
            | {
                readonly values: Fresh<V>;
                readonly valid: Uint8Array<ArrayBuffer>;
              }
        : never;

  type FreshColumns<C> = C extends readonly Column[]
    ? {
        readonly [I in keyof C]: FreshColumn<C[I]>;
      }
    : FreshColumn<C>;

  interface GroupOptions<V, C> extends RowOptions, Abortable {
    readonly combine: C;
    readonly value?: [V] extends [ValueArray]
      ? ValueType<V>
      : {
          readonly [N in keyof V]?: ValueType;
        };
    readonly values?: V;
  }

  interface Groups<C, R> {
    readonly keys: FreshColumns<C>;
    readonly rows: Uint32Array<ArrayBuffer>;
    readonly size: number;
    readonly values: R;
  }

  type How = 'inner' | 'left' | 'right' | 'full' | 'semi' | 'anti';

  interface JoinBuffers extends BufferColumns {
    readonly capacity?: number;
    readonly how?: How;
    readonly leftRows: GPUBuffer;
    readonly rightRows?: GPUBuffer;
    readonly total: GpuCount;
  }

  interface JoinOptions extends RowOptions, Abortable {
    readonly how?: How;
  }

  class JoinTable {
    private constructor();
    [Symbol.dispose](): void;
    destroy(): void;
    static encodeBuild(gpu: Gpu, target: Target, input: BufferColumns, options?: RowOptions): JoinTable;
    encodeJoin(target: Target, buffers: JoinBuffers): void;
    encodeRebuild(target: Target, input: BufferColumns): void;
    static from(gpu: Gpu, columns: Columns, options?: RowOptions & Abortable): Promise<JoinTable>;
    readonly gpu: Gpu;
    join(
      columns: Columns,
      options?: {
        readonly how?: How;
      } & Abortable,
    ): Promise<JoinedRows>;
    static prepare(gpu: Gpu, options: PrepareJoinOptions): Promise<void>;
    settle(): Promise<this>;
  }

  interface JoinedRows {
    readonly left: Uint32Array<ArrayBuffer>;
    readonly right: Uint32Array<ArrayBuffer>;
  }

  const NO_ROW = 4294967295;

  type OfCells<C extends Cells> = Fresh<PlainKeys<NonNullable<C[number]>>>;

  interface PrepareJoinOptions extends RowOptions, PrepareOptions {
    readonly how?: How;
    readonly key: KeyType | readonly KeyType[];
    readonly nulls?: boolean;
  }

  interface RowOptions {
    readonly scheme?: Scheme;
    readonly seed?: number;
  }

  interface TopOptions extends Abortable {
    readonly order?: 'greatest' | 'least';
  }

  function countBy<const K extends Columns>(
    gpu: Gpu,
    by: K,
    options?: RowOptions & Abortable,
  ): Promise<
    Omit<Groups<K, never>, 'values'> & {
      readonly counts: Uint32Array<ArrayBuffer>;
    }
  >;

  function distinct(gpu: Gpu, columns: Columns, options?: RowOptions & Abortable): Promise<Uint32Array<ArrayBuffer>>;

  function groupBy<
    const K extends Columns,
    const C extends Combiners<V>,
    V extends ValueArray | ValueColumns = Uint32Array,
  >(gpu: Gpu, by: K, options: GroupOptions<V, C>): Promise<Groups<K, FreshResults<ResultArrays<C, V>>>>;

  function join(gpu: Gpu, left: Columns, right: Columns, options?: JoinOptions): Promise<JoinedRows>;

  function topK(gpu: Gpu, column: Column, k: number, options?: TopOptions): Promise<Uint32Array<ArrayBuffer>>;
}

declare module 'hashnest/scheme' {
  export {
    Binding,
    Bound,
    BufferView,
    BytesKeyOptions,
    Coordinates,
    Duplicates,
    DynamicScheme,
    EncodedKeys,
    FixedKeyType,
    GpuCount,
    HashConstants,
    HashFamily,
    HashStream,
    InvalidInputError,
    Kernel,
    KeyType,
    LinkOptions,
    Linked,
    PlaceOrder,
    Places,
    Point,
    PreparedKeys,
    Recorder,
    Scheme,
    ShaderKey,
    Target,
    UnsupportedError,
    ValueWords,
    Wgsl,
    WgslPart,
    WidePlaces,
    WordsKeyOptions,
    Workspace,
    bytesKey,
    kernel,
    link,
    mix,
    polynomial32,
    polynomial64,
    record,
    storage,
    uniform,
    universal,
    wgsl,
    wordsKey,
    xorPrime,
  } from 'hashnest';

  interface Batch extends KeyBuffers {
    readonly contextStart?: number;
    readonly counters: GPUBuffer;
    readonly items: Extent;
    readonly workspace: Workspace;
  }

  type BindingAccess = 'uniform' | 'read' | 'read_write';

  interface BufferSpec {
    readonly bytes: number;
    readonly name: string;
  }

  interface BuildInput extends KeyBuffers {
    readonly attempt: number;
    readonly effort: 'quick' | 'thorough' | 'both';
    readonly items: Extent;
    readonly values: BufferView | undefined;
    readonly workspace: Workspace;
  }

  interface BuildView {
    bind(table: TableBuffers, input: BuildInput): Bound;
    readonly header: Binding;
    readonly keys: KeysView;
    valueAt(i: WgslPart): WgslPart;
  }

  const COUNTERS: readonly ['keys', 'left', 'absent', 'batch', 'leftBefore'];

  interface CapacityOptions {
    readonly capacitySlots?: number | undefined;
    readonly loadFactor?: number | undefined;
  }

  interface CapacityRules {
    readonly advice?: (load: number) => string;
    readonly defaultLoad: number;
    readonly growthFactor: number;
    readonly maxLoad?: number;
    readonly mostGrowths: number;
    readonly scheme: string;
  }

  interface CompactCall {
    readonly flags: BufferView;
    readonly items: number | Extent;
    readonly output: BufferView;
    readonly total: GpuCount;
    readonly values: BufferView;
    readonly workspace: Workspace;
  }

  interface DistinctItems {
    readonly count: Wgsl;
    readonly itemAt: Wgsl;
    record(recorder: Recorder, input: BuildInput, build: Bound): Bound;
  }

  interface DynamicPlan extends PlannedTable {
    moveFrom?(other: DynamicPlan, limits: GPUSupportedLimits): readonly RecordMove[];
    recordClear(recorder: Recorder, table: TableBuffers): void;
    recordCountAbsent?(recorder: Recorder, table: TableBuffers, batch: Batch): void;
    recordDelete(recorder: Recorder, table: TableBuffers, batch: Batch): void;
    recordInsert(recorder: Recorder, table: TableBuffers, batch: InsertBatch): void;
    readonly request: DynamicRequest;
    resized(slots: number, format?: string): DynamicPlan;
    scratchFor(items: number): readonly BufferSpec[];
    valueStore?(): ValueStore;
  }

  interface DynamicRequest extends TableRequest {
    readonly slots: number;
  }

  interface ExclusiveScanCall extends Omit<ScanCall, 'bound'> {
    readonly input: BufferView;
    readonly output: BufferView;
  }

  interface Extent {
    readonly count: GPUBuffer;
    readonly max: number;
    readonly onGpu: boolean;
  }

  const FAILED: number;

  interface FillCall {
    readonly items: number | Extent;
    readonly offsetItems?: number;
    readonly output: BufferView;
    readonly value: number;
  }

  class Gate {
    constructor(gpu: Gpu);
    readonly args: GPUBuffer;
    readonly count: GPUBuffer;
    destroy(): void;
    extent(max: number): Extent;
    open(recorder: Recorder, count: GpuCount, max: number): void;
    rowOffset(items: number | Extent, itemsPerGroup: number): number;
    readonly rows: GPUBuffer;
    seal(): void;
  }

  interface GpuBuild {
    readonly encodedAttempts?: number;
    readonly goesByHeader?: boolean;
    hasQuickWay?(limits: GPUSupportedLimits): boolean;
    readonly on: 'gpu';
    record(recorder: Recorder, table: TableBuffers, input: BuildInput): void;
  }

  interface GroupCounter {
    readonly count: Wgsl;
    readonly flush: Wgsl;
  }

  class HeaderLayout {
    private constructor();
    assign(header: Binding, values: WgslPart): Wgsl;
    readonly bytes: number;
    forBuilding(): Binding;
    forReading(): Binding;
    static of(fields: Readonly<Record<string, number>>): HeaderLayout;
    readonly own: readonly string[];
    read(bytes: ArrayBuffer): HeaderValues;
    get struct(): Wgsl;
    write(
      values: {
        readonly [Name in CommonField]?: number;
      } & {
        hash: HashConstants;
        own: HeaderValues['own'];
      },
    ): Uint32Array<ArrayBuffer>;
  }

  type HeaderValues = {
    readonly [Name in CommonField]: number;
  } & {
    readonly hash: readonly number[];
    readonly own: Readonly<Record<string, number>>;
    readonly size: number;
  };

  interface HistogramCall {
    readonly bins: number;
    readonly items: number | Extent;
    readonly output: BufferView;
    readonly values: BufferView;
  }

  interface HostBuild {
    readonly on: 'host';
    run(items: HostItems, random: () => number): HostOutcome;
  }

  interface HostItems {
    readonly keys: Uint32Array;
    readonly values: Uint32Array | undefined;
  }

  type HostOutcome =
    | {
        readonly status: 0;
        readonly hash: HashConstants;
        readonly copies: number;
        readonly longest: number;
        readonly buffers: ReadonlyMap<string, Uint32Array>;
      }
    | {
        readonly status: typeof STATUS.retry;
        readonly failed: number;
      }
    | {
        readonly status: typeof STATUS.duplicate;
        readonly example: number;
      };

  interface InsertBatch extends Batch {
    readonly isEmpty?: boolean;
    readonly left?: GPUBuffer | undefined;
    readonly onExisting: OnExisting;
    readonly unique: boolean;
    readonly values: BufferView | undefined;
  }

  interface KeyAccess {
    bytesIn?(words: WgslPart): WgslPart;
    readonly context?: Binding;
    of(stored: WgslPart): WgslPart;
    safe(words: WgslPart): WgslPart;
    readonly side: KeySide;
    readonly type: WgslPart;
  }

  interface KeyBuffers {
    readonly context?: GPUBuffer | undefined;
    readonly keys: BufferView;
  }

  interface KeyOrder {
    readonly isLead?: boolean;
    lead(access: KeyAccess): Wgsl;
    less(a: KeyAccess, b: KeyAccess): Wgsl;
    readonly unlead?: Wgsl;
    words?(access: KeyAccess): readonly Wgsl[];
  }

  type KeySide = 'table' | 'input' | 'needle';

  interface KeysView {
    readonly access: KeyAccess;
    at(i: WgslPart): WgslPart;
    bind(buffers: KeyBuffers): Bound;
    stored(i: WgslPart): WgslPart;
    readonly words: Binding;
  }

  interface Move {
    readonly counters: GPUBuffer;
    readonly from: TableBuffers;
    readonly keys: number;
    readonly to: TableBuffers;
    readonly workspace: Workspace;
  }

  const NO_SLOT = 4294967295;

  type OnExisting = 'replace' | 'keep' | WordCombiner;

  interface PlanRequest extends TableRequest {
    readonly duplicates: Duplicates;
    readonly growth: number;
    readonly items: number;
  }

  interface PlannedTable {
    readonly buffers: readonly TableBuffer[];
    readonly capacitySlots: number;
    readonly family: HashFamily;
    readonly fields: Readonly<Record<string, number>>;
    readonly format: string;
    reader(view: TableView): TableReader;
    readonly request: TableRequest;
    readonly slotCount: number;
  }

  interface ProbeSequence {
    readonly name: string;
    readonly step: Wgsl;
    stepTwin(attempt: number, secondHash: number): number;
    readonly wrapsOften: boolean;
  }

  type RecordMove = (recorder: Recorder, move: Move) => void;

  const STATUS: {
    readonly retry: 1;
    readonly duplicate: 2;
    readonly overflow: 4;
    readonly unfinished: 8;
  };

  interface ScratchBuffer {
    readonly bytes: number;
    readonly name: string;
  }

  type SlotShape = Pick<PlanRequest, 'key' | 'valueWords'>;

  interface SortCall extends BitRange {
    readonly items: number | Extent;
    readonly keys: BufferView;
    readonly keysFrom?: BufferView | undefined;
    readonly values?: BufferView | undefined;
    readonly valuesFrom?: BufferView | undefined;
    readonly workspace: Workspace;
  }

  interface Soundness {
    hash?(constants: readonly number[]): boolean;
    readonly hashed?: {
      readonly buffer: string;
      readonly slotWords: number;
    };
    readonly longest?: number;
    readonly numbers?: {
      readonly count: number;
      isSound(view: TableView): Wgsl;
    };
  }

  interface TableBuffer extends BufferSpec {
    readonly type: WgslPart;
  }

  interface TableBuffers {
    readonly context: GPUBuffer | undefined;
    get(name: string): GPUBuffer;
    readonly header: GPUBuffer;
  }

  interface TablePlan extends PlannedTable {
    readonly build: GpuBuild | HostBuild;
    readonly larger?: (() => TablePlan) | undefined;
    readonly mostItems?: number | undefined;
    readonly request: PlanRequest;
    readonly scratch: readonly BufferSpec[];
    readonly soundness?: Soundness | undefined;
    readonly tighter?: (() => TablePlan) | undefined;
    valueStore?(): ValueStore;
  }

  interface TableReader {
    readonly entry: Wgsl;
    find(needle: KeyAccess): Wgsl;
  }

  interface TableRequest {
    readonly format?: string | undefined;
    readonly key: KeyType;
    readonly valueWords: ValueWords;
  }

  class TableView {
    constructor(plan: PlannedTable);
    bind(table: TableBuffers): Bound;
    buffer(name: string): Binding;
    readonly header: Binding;
    readonly key: KeyAccess;
  }

  type Token = 'key' | 'rank';

  interface ValueStore {
    bind(table: TableBuffers): Bound;
    readonly store: Wgsl;
  }

  interface WordCombiner {
    readonly combine: Wgsl;
    readonly identity: number;
  }

  function allOnes(words: number, expression: WgslPart): WgslPart;

  function bindContext(key: KeyType, { context }: KeyAccess, buffer: GPUBuffer | undefined): Bound;

  function buildView({ key, valueWords }: TableRequest, fields: PlannedTable['fields']): BuildView;

  function chooseCapacity(
    rules: CapacityRules,
    options: CapacityOptions,
    { items, duplicates, growth }: PlanRequest,
  ): {
    readonly capacitySlots: number;
    readonly canGrow: boolean;
  };

  const compactScratch: (maxItems: number) => readonly ScratchBuffer[];

  const copiesCompete: (duplicates: Duplicates) => boolean;

  const counters: Binding;

  function distinctItems(build: BuildView, request: PlanRequest): DistinctItems;

  const distinctScratch: (items: number) => readonly BufferSpec[];

  const doubleHash: ProbeSequence;

  const entryOf: (keyWords: number, words: ValueWords, present: WgslPart, key: WgslPart, storedValue: WgslPart) => Wgsl;

  const entryType: (keyWords: number, words: ValueWords) => Wgsl;

  function entryWithExtraSlot(shape: SlotShape, { header }: TableView, slots: Binding, isPresent?: WgslPart): Wgsl;

  const extentCount: Binding;

  const forbidsCopies: (duplicates: Duplicates) => boolean;

  function fromWords(parts: readonly WgslPart[]): WgslPart;

  const gateArgs: Binding;

  const gateRows: Binding;

  function groupCounter(header: Binding, field?: 'copies' | 'failed' | 'restarts'): GroupCounter;

  const headerOffset: (field: CommonField) => number;

  const hit: (words: ValueWords, slot: WgslPart, probes: WgslPart, storedValue: WgslPart) => Wgsl;

  const hitType: (words: ValueWords) => Wgsl;

  const isGoingWell: (header: Binding) => Wgsl;

  function join(parts: readonly WgslPart[], separator: string): Wgsl;

  function kept<Parts extends readonly unknown[], Made>(make: (...parts: Parts) => Made): (...parts: Parts) => Made;

  const keyIn: (shape: SlotShape, slot: WgslPart) => WgslPart;

  function keysView(key: KeyType, side: KeySide, name?: string): KeysView;

  const linear: ProbeSequence;

  function longestCounter(header: Binding): {
    note(probes: WgslPart): Wgsl;
    readonly flush: Wgsl;
  };

  const markedWords: (keyWords: number, isExtra: WgslPart) => WgslPart[];

  const miss: (words: ValueWords, probes: WgslPart) => Wgsl;

  const multiplyHigh: Wgsl;

  function multiplyHighTwin(a: number, b: number): number;

  function once<Made>(make: () => Made): () => Made;

  const quadratic: ProbeSequence;

  function randomWords(seed: number): () => number;

  const rankOf: (duplicates: Duplicates) => Wgsl;

  function recordCompact(recorder: Recorder, call: CompactCall): void;

  function recordCopy(
    recorder: Recorder,
    call: {
      readonly from: BufferView;
      readonly to: BufferView;
      readonly items: number | Extent;
    },
  ): void;

  function recordExclusiveScan(recorder: Recorder, { input, output, ...call }: ExclusiveScanCall): void;

  function recordFill(recorder: Recorder, { output, value, items, offsetItems }: FillCall): void;

  function recordHistogram(recorder: Recorder, { values: input, output, bins, items }: HistogramCall): void;

  function recordSort(recorder: Recorder, call: SortCall): void;

  const rehash: Wgsl;

  function rehashTwin([x, y]: readonly [number, number], constants: HashConstants, index: number): number;

  const remainderOf: (words: number) => Wgsl;

  function remainderTwin(number: readonly number[], divisor: number): number;

  const reportDuplicate: (header: Binding) => Wgsl;

  function requireAddressable(scheme: string, slots: number): number;

  const scanScratch: (maxEntries: number) => readonly ScratchBuffer[];

  const searchExtraSlot: (shape: SlotShape, { header, key }: TableView, slots: Binding) => Wgsl;

  const sizeIn: (header: Binding) => Wgsl;

  function slotEntry(shape: SlotShape, slots: Binding, isPresent: WgslPart, special?: WgslPart): Wgsl;

  const slotOf: ({ key, valueWords }: SlotShape, storedKey: WgslPart, storedValue: WgslPart) => WgslPart;

  function slotValueStore(name: string, shape: SlotShape): ValueStore;

  const slotWords: ({ key, valueWords }: SlotShape) => number;

  const slotsBuffer: (name: string, shape: SlotShape, slots: number) => TableBuffer;

  const slotsType: (shape: SlotShape) => WgslPart;

  function sortScratch(
    maxItems: number,
    {
      withValues,
      bits,
    }?: {
      readonly withValues?: boolean;
      readonly bits?: number;
    },
  ): readonly ScratchBuffer[];

  const tokenOf: ({ isWord }: KeyType) => Token;

  const tryClaim: (header: Binding, slots: Binding, empty?: number) => Wgsl;

  const unrolled: (times: number, lines: (index: number) => Wgsl) => Wgsl;

  const valueIn: (shape: SlotShape, slot: WgslPart) => WgslPart;

  function wordAt(words: number, expression: WgslPart, i: number): WgslPart;

  const wordsArray: (name: string, words: number, access?: 'read' | 'read_write') => Binding;

  function wordsOf(words: number, expression: WgslPart): WgslPart[];

  function wordsType(words: number): WgslPart;

  const writeGrids: Wgsl;
}

declare module 'hashnest/spatial' {
  type Attribute =
    | AttributeArray
    | {
        readonly values: Float32Array;
        readonly tolerance: number;
      };

  type AttributeArray =
    | Int8Array
    | Uint8Array
    | Uint8ClampedArray
    | Int16Array
    | Uint16Array
    | Int32Array
    | Uint32Array
    | Float32Array;

  interface EachNeighbour {
    readonly as?: string;
    readonly at: string;
    readonly body: string;
    readonly group?: string;
  }

  interface GridBuffers {
    readonly count: Count;
    readonly groups?: GPUBuffer;
    readonly points: GPUBuffer;
    readonly strideWords?: number;
  }

  interface GridFace extends ShaderFace {
    each(loop: EachNeighbour): string;
  }

  interface GridInput {
    readonly count?: number;
    readonly groups?: Uint32Array | GPUBuffer;
    readonly points: Float32Array | GPUBuffer;
    readonly strideWords?: number;
  }

  interface GridOptions {
    readonly capacity?: number;
    readonly dimensions?: 2 | 3;
    readonly radius: number;
  }

  interface PrepareGridOptions extends GridOptions, PrepareOptions {
    readonly groups?: boolean;
  }

  class SpatialGrid {
    private constructor();
    [Symbol.dispose](): void;
    get capacity(): number;
    destroy(): void;
    get dimensions(): 2 | 3;
    static encodeBuild(gpu: Gpu, target: Target, input: GridBuffers, options: GridOptions): SpatialGrid;
    encodeRebuild(target: Target, input: GridBuffers): void;
    static from(gpu: Gpu, input: GridInput, options: GridOptions & Abortable): Promise<SpatialGrid>;
    get given(): GpuCount;
    readonly gpu: Gpu;
    get gridBytes(): number;
    get hasGroups(): boolean;
    neighbours(
      points: Float32Array,
      options?: {
        readonly groups?: Uint32Array;
      } & Abortable,
    ): Promise<Retrieved<Uint32Array<ArrayBuffer>>>;
    pairs(options?: Abortable): Promise<Uint32Array<ArrayBuffer>>;
    static prepare(gpu: Gpu, options: PrepareGridOptions): Promise<void>;
    readonly radius: number;
    rebuild(input: GridInput, options?: Abortable): Promise<this>;
    settle(): Promise<this>;
    get size(): number;
    wgsl(options: ShaderFaceOptions): GridFace;
  }

  interface WeldOptions<Attributes extends Readonly<Record<string, Attribute>> = Record<never, never>> {
    readonly attributes?: Attributes;
    readonly tolerance?: number;
  }

  interface Welded<Attributes extends Readonly<Record<string, Attribute>> = Record<never, never>> {
    readonly attributes: {
      readonly [Name in keyof Attributes]: Attributes[Name] extends AttributeArray ? Attributes[Name] : Float32Array;
    };
    readonly indices: Uint32Array<ArrayBuffer>;
    readonly positions: Float32Array<ArrayBuffer>;
    readonly vertices: Uint32Array<ArrayBuffer>;
  }

  function weld<const Attributes extends Readonly<Record<string, Attribute>> = Record<never, never>>(
    gpu: Gpu,
    positions: Float32Array,
    options?: WeldOptions<Attributes> & Abortable,
  ): Promise<Welded<Attributes>>;
}

declare module 'hashnest/three' {
  interface Shaded {
    readonly gpu: Gpu;
    wgsl(options: ShaderFaceOptions): ShaderFace;
  }

  type StorageType = 'float' | 'int' | 'uint' | 'vec2' | 'ivec2' | 'uvec2' | 'vec4' | 'ivec4' | 'uvec4';

  class TableNode<Collection extends Shaded = Shaded> extends CodeNode {
    readonly find: (key: Node | number) => TslHit<Collection>;
    generate(builder: NodeBuilder): string;
    readonly request: (key: Node | number, value?: Node | number) => Node<'bool'>;
  }

  type TslHit<Collection> = {
    readonly found: Node<'bool'>;
    readonly slot: Node<'uint'>;
    readonly probes: Node<'uint'>;
    readonly value: TslValue<Collection>;
  } & Readonly<Record<string, Node>>;

  interface TslOptions {
    readonly context?: StorageBufferNode<string>;
    readonly name?: string;
    readonly requests?: Requests;
  }

  type TslValue<Collection> = Collection extends {
    readonly value: {
      readonly array: new (length: number) => infer V;
    };
  }
    ? V extends Float32Array
      ? Node<'float'>
      : V extends Int32Array
        ? Node<'int'>
        : Node<'uint'>
    : Node<'uint'>;

  interface WeldGeometryOptions {
    readonly ignore?: readonly string[];
    readonly tolerance?: number;
    readonly tolerances?: Readonly<Record<string, number>>;
  }

  function bufferOf(
    renderer: WebGPURenderer,
    stored: BufferAttribute | Pick<StorageBufferNode<unknown>, 'value'>,
  ): GPUBuffer;

  function gpuOf(renderer: WebGPURenderer): Gpu;

  function storageOf<const Type extends StorageType>(
    renderer: WebGPURenderer,
    buffer: GPUBuffer,
    type: Type,
  ): StorageBufferNode<Type>;

  function tsl<Collection extends Shaded>(collection: Collection, options?: TslOptions): TableNode<Collection>;

  function weldGeometry<Geometry extends BufferGeometry>(
    gpu: Gpu,
    geometry: Geometry,
    options?: WeldGeometryOptions & Abortable,
  ): Promise<Geometry>;
}

declare module 'hashnest/typegpu' {
  export { Shaded } from 'hashnest/three';

  type HitMembers = Readonly<Record<string, d.AnyWgslData>>;

  interface ItemBuffers {
    readonly count: number;
    readonly keys: GPUBuffer;
    readonly values: GPUBuffer;
  }

  interface ItemTypes<Key, Value> {
    readonly key: KeyType<KeysIn<Key>>;
    readonly value: ValueType<ValuesIn<Value>>;
  }

  type KeysIn<Element> = Element extends d.Vec2u ? BigUint64Array : ValuesIn<Element>;

  type StoredArray<Element extends d.AnyWgslData = d.AnyWgslData> = TgpuBuffer<d.WgslArray<Element>> & StorageFlag;

  interface TypedBuffers<Key extends d.AnyWgslData, Members> {
    readonly found?: StoredArray<d.U32>;
    readonly ids?: StoredArray<d.U32>;
    readonly keys?: StoredArray<Key>;
    readonly queries?: StoredArray<Key>;
    readonly values?: Members extends {
      readonly value: infer Value extends d.AnyWgslData;
    }
      ? StoredArray<Value>
      : never;
  }

  type TypedHit<Members> = d.WgslStruct<
    {
      found: d.Bool;
      slot: d.U32;
      probes: d.U32;
    } & Members
  >;

  interface TypedOptions {
    readonly context?: StoredArray<d.U32>;
    readonly name?: string;
    readonly requests?: Requests;
  }

  class TypedTable<Key extends d.AnyWgslData, Members extends HitMembers> {
    get bindGroup(): TgpuBindGroup;
    buffers<const Buffers extends TypedBuffers<Key, Members>>(
      buffers: Buffers,
    ): {
      readonly [Name in keyof Buffers]: GPUBuffer;
    } & {
      readonly count: number;
    };
    readonly find: TgpuFn<(key: Key) => TypedHit<Members>>;
    readonly layout: TgpuBindGroupLayout;
    readonly request: TgpuFn | undefined;
  }

  type ValuesIn<Element> = Element extends d.U32 | d.Vec2u | d.Vec4u
    ? Uint32Array
    : Element extends d.I32 | d.Vec2i | d.Vec4i
      ? Int32Array
      : Float32Array;

  function gpuOf(root: TgpuRoot): Gpu;

  function itemsOf<Key extends d.AnyWgslData, Value extends d.AnyWgslData>(items: {
    readonly keys: StoredArray<Key>;
    readonly values: StoredArray<Value>;
  }): [items: ItemBuffers, types: ItemTypes<Key, Value>];
  function itemsOf<Key extends d.AnyWgslData>(items: {
    readonly keys: StoredArray<Key>;
  }): [items: Omit<ItemBuffers, 'values'>, types: Pick<ItemTypes<Key, unknown>, 'key'>];

  function typed<Key extends d.AnyWgslData, Members extends HitMembers>(
    root: TgpuRoot,
    collection: Shaded,
    types: {
      readonly key: Key;
    } & Members,
    options?: TypedOptions,
  ): TypedTable<Key, Omit<Members, 'key'>>;
}

declare module '(not exported)' {
  const COMMON: {
    readonly capacity: {};
    readonly count: {};
    readonly attempts: {};
    readonly build: {};
    readonly status: {
      readonly isCounter: true;
    };
    readonly copies: {
      readonly isCounter: true;
    };
    readonly longest: {
      readonly isCounter: true;
    };
    readonly failed: {
      readonly isCounter: true;
    };
    readonly example: {
      readonly isCounter: true;
      readonly initial: 4294967295;
    };
    readonly witness: {
      readonly isCounter: true;
      readonly initial: 4294967295;
    };
    readonly stashed: {
      readonly isCounter: true;
    };
    readonly restarts: {
      readonly isCounter: true;
    };
    readonly rounds: {
      readonly isCounter: true;
    };
  };

  type CommonField = keyof typeof COMMON;

  const FUNCTION_COUNTS: readonly [2, 3, 4, 5];

  interface ScanCall {
    readonly block?: {
      readonly entries: number;
      readonly items: number;
    };
    readonly bound: Bound;
    readonly items: number | Extent;
    readonly total?: GpuCount | undefined;
    readonly workspace: Workspace;
  }
}
