/** Perfect spatial hashing (Lefebvre and Hoppe 2006), with which Alcantara et al. 2009 compare their tables. */
import type { Scheme } from '../contract/index.ts';
import { requireSchemeOptions } from '../kit/options.ts';
import { planPerfectSpatial } from './plan.ts';

/** Options of `perfectSpatial`. */
export interface PerfectSpatialOptions {
  /**
   * Entries of the offset table for each item in the first table that is tried, above 0 and at most 8. Default 0.15; more
   * make the build faster, fewer help only data that is very regular.
   */
  readonly offsetsPerItem?: number;
}

/** Two reads for every search, and hardly more slots than items; for keys of two or three coordinates, built on the CPU. */
export function perfectSpatial(options: PerfectSpatialOptions = {}): Scheme<Int32Array> {
  requireSchemeOptions('perfectSpatial', options, ['offsetsPerItem']);
  return {
    name: 'perfectSpatial',
    options: options.offsetsPerItem === undefined ? {} : { offsetsPerItem: options.offsetsPerItem },
    plan: (request) => planPerfectSpatial(options, request),
    withOptions: (saved) => perfectSpatial(saved),
  };
}
