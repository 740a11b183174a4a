import { InvalidInputError, UnsupportedError } from '../../gpu/index.ts';
import { mix } from '../../hashing/index.ts';
import type { KeyType } from '../../keys/index.ts';
import { WORD_BYTES } from '../../wgsl/index.ts';
import type { PlanRequest, TablePlan } from '../contract/index.ts';
import { slotsBuffer, slotValueStore } from '../kit/slot.wgsl.ts';
import { perfectSpatialBuild } from './build.ts';
import { areSoundOffsets, perfectSpatialReader } from './find.wgsl.ts';
import { cells, type Dimensions, type Geometry, isLegalOffsetSide, longestSide, sideFor } from './geometry.ts';
import type { PerfectSpatialOptions } from './index.ts';

/** Where the search for the size of the offset table begins: less has not been enough for any but the most regular data. */
const FIRST_OFFSETS_PER_ITEM = 0.15;

/** Each growth step adds at least a tenth to the offsets, and every few steps slots are added too. */
const OFFSET_GROWTH = 1.1;
const GROWTHS_PER_SLOT_SIDE = 6;
const MOST_GROWTHS = 24;

const MOST_OFFSETS_PER_ITEM = 8;

export function planPerfectSpatial(options: PerfectSpatialOptions, request: PlanRequest): TablePlan {
  const { items, key, growth } = request;
  const { offsetsPerItem = FIRST_OFFSETS_PER_ITEM } = options;
  if (!(typeof offsetsPerItem === 'number' && offsetsPerItem > 0 && offsetsPerItem <= MOST_OFFSETS_PER_ITEM)) {
    throw new InvalidInputError(
      `perfectSpatial: offsetsPerItem must be above 0 and at most ${MOST_OFFSETS_PER_ITEM}, not ${offsetsPerItem}`,
    );
  }
  const dimensions = dimensionsOf(key);
  const { slotSide, offsetSide } = chooseSides(items, dimensions, offsetsPerItem, growth);
  if (slotSide > longestSide(dimensions)) {
    throw new InvalidInputError(
      `perfectSpatial: ${items} items are more than the ${cells(longestSide(dimensions), dimensions)} slots that it can address`,
    );
  }
  const capacitySlots = cells(slotSide, dimensions);
  return {
    request,
    // For keys that cannot be parted by their coordinates.
    family: mix,
    format: 'perfectSpatial/1',
    capacitySlots,
    slotCount: capacitySlots,
    buffers: [
      slotsBuffer('slots', request, capacitySlots),
      { name: 'offsets', bytes: cells(offsetSide, dimensions) * WORD_BYTES, type: 'array<u32>' },
    ],
    scratch: [],
    fields: { slotSide, offsetSide },
    larger: growth < MOST_GROWTHS ? () => planPerfectSpatial(options, { ...request, growth: growth + 1 }) : undefined,
    build: perfectSpatialBuild(request, { dimensions, slotSide, offsetSide }),
    reader: (view) => perfectSpatialReader(request, dimensions, view),
    soundness: {
      numbers: { count: cells(offsetSide, dimensions), isSound: (view) => areSoundOffsets(dimensions, view) },
    },
    valueStore: () => slotValueStore('slots', request),
  };
}

function dimensionsOf({ name, coordinates }: KeyType): Dimensions {
  if (coordinates === 2 || coordinates === 3) return coordinates;
  throw new UnsupportedError(
    `perfectSpatial takes keys of two or three coordinates, such as vec2i and vec3i, not ${name}: its hash function is made for points of a grid; use another scheme`,
  );
}

/** Just enough slots, and a small offset table first: a growth step takes the next one that is legal. */
function chooseSides(
  items: number,
  dimensions: Dimensions,
  offsetsPerItem: number,
  growth: number,
): Omit<Geometry, 'dimensions'> {
  const slotSide = sideFor(items, dimensions) + Math.floor(growth / GROWTHS_PER_SLOT_SIDE);
  const nextLegal = (side: number) => {
    let legal = side;
    while (!isLegalOffsetSide(legal, slotSide)) legal++;
    return legal;
  };
  let offsetSide = nextLegal(sideFor(items * offsetsPerItem, dimensions));
  for (let step = 0; step < growth; step++) {
    offsetSide = nextLegal(Math.max(offsetSide + 1, Math.ceil(offsetSide * OFFSET_GROWTH ** (1 / dimensions))));
  }
  return { slotSide, offsetSide };
}
