/** Perfect spatial hashing (Lefebvre and Hoppe 2006), with which Alcantara et al. 2009 compare their tables. */
import { mix } from '../../hashing/index.ts';
import { builtOnHost, type Scheme } from '../contract/scheme.ts';
import { slotValueStore } from '../kit/valueStore.wgsl.ts';
import { buildPerfectSpatial } from './build.ts';
import { perfectSpatialShader } from './find.wgsl.ts';
import { planPerfectSpatial } from './plan.ts';

/** Options of `perfectSpatial`. */
export interface PerfectSpatialOptions {
  /**
   * Entries of the offset table for each item in the first table that is tried, above 0 and at most 8. Default 0.15; more
   * make the build faster, fewer help only data that is very regular.
   */
  readonly offsetsPerItem?: number;
}

/** Two reads for every search, and hardly more slots than items; for `vec2i` and `vec3i` keys, built on the CPU. */
export const perfectSpatial = (options: PerfectSpatialOptions = {}): Scheme<Int32Array> => ({
  name: 'perfectSpatial',
  options: options.offsetsPerItem === undefined ? {} : { offsetsPerItem: options.offsetsPerItem },
  // For keys that cannot be parted by their coordinates.
  family: mix,
  plan: (request) => planPerfectSpatial(options, request),
  encodeBuild: () => {
    throw builtOnHost('perfectSpatial');
  },
  hostBuild: buildPerfectSpatial,
  slotCount: (plan) => plan.capacitySlots,
  shader: perfectSpatialShader,
  valueStore: slotValueStore('slots'),
});
