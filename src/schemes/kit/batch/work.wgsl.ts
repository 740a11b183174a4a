/** Words that a batch keeps for its items while it runs: sections of one buffer, because a kernel may have eight. */
import type { Bound, Recorder, Workspace } from '../../../gpu/index.ts';
import { recordFill } from '../../../primitives/index.ts';
import { storage, uniform, type Wgsl, type WgslPart, WORD_BYTES, wgsl } from '../../../wgsl/index.ts';
import type { BufferSpec } from '../../contract/index.ts';

/** Threads of every kernel that goes over the items of a batch. */
export const THREADS = 256;

/** No slot, and no item. */
export const NONE = '0xffffffffu';

/** Set in the word of an item that has no slot. */
export const ABSENT = '0x80000000u';

/** Words before those of the items: items that wait for room, those that wait once more, those that are left; and whether copies have met. */
const HEAD_WORDS = 4;

/** Sections by name, and the words that each has for an item. */
type Sections<Name extends string> = Readonly<Record<Name, number>>;

/** What every batch needs: whether another copy speaks, seats of those who speak, and values folded there; a slot, the seat that its key meets at, and an item that waits for room. */
const ZEROED = { silent: 1, seats: 4, folded: 4 } as const;
const PLAIN = { slot: 1, meeting: 1, waiting: 1 } as const;

/** The sections that every scheme has. */
export type CommonSection = keyof typeof ZEROED | keyof typeof PLAIN;

/** The words of a batch as kernels see them. */
export interface Work<Section extends string = CommonSection> {
  /** A word of a section. A section with two words for an item has words up to twice the items. */
  of(section: Section, index: WgslPart): Wgsl;
  /** How many words a section has. */
  sizeOf(section: Section): Wgsl;
  /** How many items there may be. */
  readonly room: WgslPart;
  /** How many items wait for room; of those, how many wait once more; and how many are left without. */
  readonly waitingCount: Wgsl;
  readonly againCount: Wgsl;
  readonly leftCount: Wgsl;
  readonly hasCopies: Wgsl;
  spec(items: number): BufferSpec;
  /** The buffer; its first word is how many items wait. */
  get(workspace: Workspace, items: number): GPUBuffer;
  bind(recorder: Recorder, workspace: Workspace, items: number): Bound;
  /** Records that the sections up to this one begin with 0, of those that have to. */
  recordClear(recorder: Recorder, workspace: Workspace, items: number, last: Section): void;
}

/** The words of a batch whose sections are those of every scheme, further ones that begin with 0, and further ones that begin with anything. */
export const itemWork = <Zeroed extends string = never, Plain extends string = never>(
  owner: string,
  zeroed: Sections<Zeroed> = {} as Sections<Zeroed>,
  plain: Sections<Plain> = {} as Sections<Plain>,
): Work<CommonSection | Zeroed | Plain> => workOf(owner, { ...zeroed, ...ZEROED }, { ...PLAIN, ...plain });

/** @param zeroed sections that begin with 0 @param plain sections that begin with anything */
export function workOf<Zeroed extends string, Plain extends string>(
  owner: string,
  zeroed: Sections<Zeroed>,
  plain: Sections<Plain>,
): Work<Zeroed | Plain> {
  const buffer = storage('work', 'array<atomic<u32>>', 'read_write');
  const room = uniform('workRoom', 'u32');
  const all: Sections<string> = { ...zeroed, ...plain };
  const startOf = (section: string): number => {
    const names = Object.keys(all);
    return names.slice(0, names.indexOf(section)).reduce((sum, name) => sum + (all[name] as number), 0);
  };
  const allWords = Object.values(all).reduce((a, b) => a + b, 0);
  const spec = (items: number): BufferSpec => ({
    name: `${owner}/work`,
    bytes: (HEAD_WORDS + items * allWords) * WORD_BYTES,
  });
  const get = (workspace: Workspace, items: number): GPUBuffer => {
    const { name, bytes } = spec(items);
    return workspace.scratch(name, bytes);
  };
  return {
    room,
    of: (section, index) => wgsl`${buffer}[${HEAD_WORDS}u + ${startOf(section)}u * ${room} + ${index}]`,
    sizeOf: (section) => wgsl`(${all[section] as number}u * ${room})`,
    waitingCount: wgsl`${buffer}[0]`,
    againCount: wgsl`${buffer}[1]`,
    leftCount: wgsl`${buffer}[2]`,
    hasCopies: wgsl`${buffer}[3]`,
    spec,
    get,
    bind: ({ gpu }, workspace, items) => [
      [buffer, get(workspace, items)],
      [room, gpu.constants(items)],
    ],
    recordClear: (recorder, workspace, items, last) =>
      recordFill(recorder, {
        output: get(workspace, items),
        value: 0,
        items: HEAD_WORDS + items * (startOf(last) + (all[last] as number)),
      }),
  };
}

/** The threads of a workgroup append to a list together, by one atomic. `mine` is a variable of each. */
export function appending(count: Wgsl) {
  const here = wgsl`var<workgroup> appended: atomic<u32>;`;
  const first = wgsl`var<workgroup> firstAppended: u32;`;
  return {
    /** A statement: this thread will append. */
    note: wgsl`mine = atomicAdd(&${here}, 1u);`,
    /** Statements of all threads that find out where they append. */
    reserve: wgsl`
  workgroupBarrier();
  if (thread == 0u && atomicLoad(&${here}) > 0u) { ${first} = atomicAdd(&${count}, atomicLoad(&${here})); }
  workgroupBarrier();`,
    /** Where this thread may write behind them. */
    at: wgsl`${first} + mine`,
  };
}
