/** What the diagrams of the schemes show: for each page of `docs/schemes/`, its layout and a search in it. */
import type { Drawing, Step } from './draw.ts';

/** A drawing, and what to see in it. */
export interface Drawn extends Drawing {
  readonly says: string;
}

/** The diagrams of one page. */
export interface SchemeDiagrams {
  readonly layout: Drawn;
  /** A search, in the rows of the layout unless it has its own; several where a page has several schemes. */
  readonly lookups: readonly (Omit<Drawn, 'rows'> & Partial<Drawn>)[];
}

/** A search along a probe sequence: how far each look is from the one before. */
function probing(name: string, cells: string, home: number, steps: readonly number[], says: string): Drawn {
  const slots = cells.split(' ');
  let cell = home;
  const looks = [0, ...steps].map((step, i): Step => {
    cell += step;
    const where = i === 0 ? 'the slot that the hash names' : step === 1 ? 'the next slot' : `${step} slots further`;
    return slots[cell] === 'k'
      ? { row: 0, cell, found: cell, says: `${where}: the key` }
      : { row: 0, cell, says: `${where}: <i>${slots[cell]}</i> is there` };
  });
  return { rows: [{ label: name, cells }], steps: looks, says };
}

/** A bisection as `sortedArray` makes it: for the first key that is not less than the needle. */
function bisection(keys: readonly string[], needle: string): Step[] {
  const steps: Step[] = [];
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const held = keys[middle] as string;
    if (held === needle) steps.push({ row: 0, cell: middle, found: middle, says: `<i>${held}</i> is the key` });
    else
      steps.push({
        row: 0,
        cell: middle,
        says: `<i>${held}</i> is ${held < needle ? 'less: right of it' : 'greater: left of it'}`,
      });
    if (held < needle) low = middle + 1;
    else high = middle;
  }
  return steps;
}

/** A descent as `eytzinger` makes it, from node 1 to the lowest level. */
function descent(nodes: readonly string[], needle: string): Step[] {
  const steps: Step[] = [];
  let node = 1;
  while (node < nodes.length) {
    const held = nodes[node] as string;
    const isLess = held < needle;
    const says = `node ${node}: <i>${held}</i> is ${isLess ? 'less: to node 2n + 1' : 'greater: to node 2n'}`;
    if (held === needle) steps.push({ row: 0, cell: node, found: node, says: `node ${node}: the key` });
    else steps.push({ row: 0, cell: node, says });
    node = 2 * node + Number(isLess);
  }
  return steps;
}

const sorted = [...'abdfgjkmpqtx'];
const tree = ['.', ...'hdlbfjnacegikmo'];

export const DIAGRAMS: Readonly<Record<string, SchemeDiagrams>> = {
  openAddressing: {
    layout: {
      rows: [{ label: 'slots, and the extra slot', cells: 'd . a k g m . b . f c . | .' }],
      says: 'One array of slots, each with the words of a key and of its value. An empty slot is all ones; the extra slot is for the one key that looks like that.',
    },
    lookups: [
      probing(
        'linearProbing',
        'd . a m k g . b . f c .',
        2,
        [1, 1],
        'A search for <i>k</i>. It would also end at an empty slot, and after as many probes as the longest insertion took.',
      ),
      probing('quadraticProbing', 'd . a m g b . k . f c .', 2, [1, 4], 'The steps are squares: 1, 4, 9, …'),
      probing(
        'doubleHashing',
        'd . a m g k . b . f c .',
        2,
        [3],
        'The steps are 1, 2, 3, … times a number that follows from the key, here 3.',
      ),
    ],
  },
  cuckoo: {
    layout: {
      rows: [
        { label: 'slots, and the extra slot', cells: 'c . f a . m h . k d . b | .' },
        { label: 'stash', cells: '. . g . .' },
      ],
      says: 'One array of slots. Every key is in one of the slots that its four functions name, or, rarely, in the stash.',
    },
    lookups: [
      {
        rows: [
          { label: 'slots', cells: 'c . f a . m h . k d . b' },
          { label: 'stash, looked at only if anything is in it', cells: '. . g . .' },
        ],
        steps: [
          { row: 0, cell: 3, says: 'h₁(<i>k</i>): <i>a</i> is there' },
          { row: 0, cell: 6, says: 'h₂(<i>k</i>): <i>h</i> is there' },
          {
            row: 0,
            cell: 8,
            found: 8,
            says: 'h₃(<i>k</i>): the key. There is a fourth function, and an empty slot would have ended the search',
          },
        ],
        says: 'A search for <i>k</i>: no more slots than there are functions.',
      },
    ],
  },
  bucketCuckoo: {
    layout: {
      rows: [
        {
          label: 'one region: buckets of 32 bytes with two to six tags, what else is kept beside them, class bits',
          cells: 'a f . . | b . . . | c g h e | d . . . | m k . .',
        },
        { label: 'overflow', cells: '. . . .' },
      ],
      says: 'A slot keeps only what the number of the bucket does not tell of the key: the tag. A key is in its home bucket or in its other one; what finds room in neither is in the overflow.',
    },
    lookups: [
      {
        steps: [
          {
            row: 0,
            cell: 8,
            cells: 4,
            says: 'the home of <i>k</i>, all of it in one read: no tag of <i>k</i>, but its class bit is set, so it may be elsewhere',
          },
          {
            row: 0,
            cell: 16,
            cells: 4,
            found: 17,
            says: 'the other bucket, in one read: the tag is there, with the value beside it',
          },
        ],
        says: 'A search for a key that is away from home. Most are at home, and most absent keys end there too, because their class bit is not set.',
      },
    ],
  },
  twoLevelCuckoo: {
    layout: {
      rows: [
        { label: 'seeds: one for each bucket', cells: 's₀ s₁' },
        {
          label: 'slots: the first subtables of all buckets, the second ones, the third ones',
          cells: 'a . f | . b c | . d e | m k h | j . . | l . n',
        },
      ],
      says: 'A first function sends items to buckets of a few hundred. Each bucket is a cuckoo table of three subtables with functions of its own, which follow from its seed.',
    },
    lookups: [
      {
        steps: [
          { row: 0, cell: 1, says: 'the key belongs to bucket 1: its seed is read' },
          { row: 1, cell: 4, says: 'first subtable of bucket 1: <i>b</i> is there' },
          { row: 1, cell: 10, found: 10, says: 'second subtable of bucket 1: the key' },
        ],
        says: 'A search for <i>k</i>: the seed, and at most three slots.',
      },
    ],
  },
  chaining: {
    layout: {
      rows: [
        { label: 'starts: where each bucket ends, and the next begins', cells: '3 3 5 9 12' },
        { label: 'contents: the items, bucket by bucket', cells: 'c h a | f b | m k d g | e j l' },
      ],
      says: 'A sort brings the items of a bucket together. There are no empty slots, no pointers, and no build that could fail. Bucket 1 has no items here.',
    },
    lookups: [
      {
        steps: [
          { row: 0, cell: 2, says: 'bucket 3 begins where bucket 2 ends: at 5' },
          { row: 0, cell: 3, says: 'and ends at 9' },
          { row: 1, cell: 5, says: '<i>m</i> is the first of its items' },
          { row: 1, cell: 6, found: 6, says: 'the next one is the key' },
        ],
        says: 'A search for <i>k</i>, whose bucket is 3. Only looks at items count as probes.',
      },
    ],
  },
  sortedArray: {
    layout: {
      rows: [
        { label: 'leads: the first 32 bits of every key, in order', cells: sorted.join(' ') },
        { label: 'rest: what else there is of the key, and the value', cells: sorted.map(() => '…').join(' ') },
      ],
      says: 'Keys in order, without an empty slot. Only where leads are equal is the rest of a key looked at.',
    },
    lookups: [
      {
        rows: [{ label: 'leads', cells: sorted.join(' ') }],
        steps: bisection(sorted, 'g'),
        says: 'A search for <i>g</i> bisects: one look for each bit of the number of keys.',
      },
    ],
  },
  eytzinger: {
    layout: {
      rows: [
        {
          label: 'leads: slot 0 is unused, then the root, its two children, their four, …',
          cells: `${tree[0]} | ${tree[1]} | ${tree.slice(2, 4).join(' ')} | ${tree.slice(4, 8).join(' ')} | ${tree.slice(8).join(' ')}`,
        },
      ],
      says: 'The keys of a sorted array, level by level as in a search tree. The children of node n are 2n and 2n + 1, so the first levels, which every search reads, share a few cache lines.',
    },
    lookups: [
      {
        steps: descent(tree, 'k'),
        says: 'A search for <i>k</i> takes one look a level, without a branch; from the bits of its way follows where the first key was that is not less.',
      },
    ],
  },
  perfect: {
    layout: {
      rows: [
        { label: 'subarrays: first slot, number of items, number of its function', cells: '0,2,f₀ 4,1,– 5,0,– 5,2,f₁' },
        { label: 'slots: two items have four, one has one', cells: 'a d b d | c | d a a e' },
      ],
      says: 'Subarrays of c items have c² slots, and a function by which no two of their items meet. Slots without an item of their own repeat a key that belongs elsewhere; here <i>d</i> in the first subarray and <i>a</i> in the last.',
    },
    lookups: [
      {
        steps: [
          { row: 0, cell: 3, says: 'the hash of <i>e</i> names subarray 3: slots from 5 on, function 1' },
          { row: 1, cell: 8, found: 8, says: 'f₁(<i>e</i>) = 3: the key' },
        ],
        says: 'A search for <i>e</i>: two reads for any key, however full the table is. The hash of an absent key may name an empty subarray; then it is one read.',
      },
    ],
  },
  perfectSpatial: {
    layout: {
      rows: [
        { label: 'offsets Φ, 3 × 3', cells: '0,1 2,0 1,1' },
        { cells: '0,0 3,2 0,2' },
        { cells: '1,0 0,3 2,2' },
        { label: 'slots, 4 × 4', cells: 'a b c d' },
        { cells: 'e f g h' },
        { cells: 'i j k l' },
        { cells: 'm n o p' },
      ],
      says: 'Two grids: one of offsets, and one of slots that hardly has an empty one. Both are found by remainders of the coordinates.',
    },
    lookups: [
      {
        steps: [
          { row: 1, cell: 1, says: 'the point (7, 4) modulo 3 is (1, 1): the offset there is (3, 2)' },
          {
            row: 5,
            cell: 2,
            found: 2,
            says: '(7, 4) modulo 4 is (3, 0); with the offset (6, 2), modulo 4 again (2, 2): the slot of the point',
          },
        ],
        says: 'A search for the point (7, 4), x to the right and y down: one offset and one slot, whether the point is there or not.',
      },
    ],
  },
  robinHood: {
    layout: {
      rows: [
        { label: 'slots: the key', cells: 'c a . f k b m d . e g' },
        { label: 'age: the probe at which it found its slot', cells: '1 2 . 1 3 1 2 1 . 2 1' },
        { label: 'the greatest age of the keys that begin there', cells: '3 . . 2 . 1 2 1 . . 1' },
      ],
      says: 'Older keys evict younger ones, so that ages stay low and even. Key, age and greatest age share a word: slot and age together tell the remainder of the key.',
    },
    lookups: [
      {
        rows: [
          { label: 'slots', cells: 'c a . f k b m d . e g' },
          { label: 'age', cells: '1 2 . 1 3 1 2 1 . 2 1' },
        ],
        steps: [
          {
            row: 0,
            cell: 0,
            says: 'first probe of <i>k</i>: <i>c</i> of age 1. Keys that begin here are up to 3 old, so it goes on',
          },
          { row: 0, cell: 6, says: 'second probe: <i>m</i> of age 2, as old as <i>k</i> would be here' },
          {
            row: 0,
            cell: 4,
            found: 4,
            says: 'third probe: the key. A younger one there would have told that <i>k</i> is absent',
          },
        ],
        says: 'A search for <i>k</i>. Each age shifts the whole table by an offset, so keys side by side are looked for side by side.',
      },
    ],
  },
  regionCuckoo: {
    layout: {
      rows: [
        { label: 'region 0', cells: 'a f . . | b . . . | c g h e | d . . .' },
        { label: 'region 1', cells: 'm . . . | i j . . | . . . . | k l . .' },
      ],
      says: 'Buckets as in bucketCuckoo. Both buckets of a key are in one region, and in a large batch one workgroup makes all changes in a region, so that nobody has to wait for another.',
    },
    lookups: [
      {
        steps: [
          {
            row: 0,
            cell: 8,
            cells: 4,
            says: 'the home of <i>f</i>, all of it in one read: it is not there, but its class bit is set',
          },
          { row: 0, cell: 0, cells: 4, found: 1, says: 'the other bucket, of the same region: the tag is there' },
        ],
        says: 'A search for a key that is away from home.',
      },
    ],
  },
  dyCuckoo: {
    layout: {
      rows: [
        { label: 'subtable 0, doubled last', cells: 'a . b c | . d . . | e . . . | f g . .' },
        { label: 'subtable 1', cells: 'h i . . | j . . .' },
        { label: 'subtable 2', cells: '. k . . | l m . .' },
        { label: 'subtable 3', cells: 'n . . . | o p q .' },
      ],
      says: 'A hash of the key names two of the four subtables, and each has a bucket for it. A table that grows doubles its smallest subtable alone.',
    },
    lookups: [
      {
        steps: [
          {
            row: 0,
            cell: 4,
            cells: 4,
            says: '<i>k</i> belongs to subtables 0 and 2: its bucket in the first has no tag of it',
          },
          { row: 2, cell: 0, cells: 4, found: 1, says: 'its bucket in the second: the tag is there' },
        ],
        says: 'A search for <i>k</i>: two buckets at most, however many subtables there are.',
      },
    ],
  },
};
