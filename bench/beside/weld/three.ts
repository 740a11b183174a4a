import type { BufferGeometry } from 'three';
import type { Contestant } from '../contest.ts';
import { optional } from '../packages.ts';
import { timed } from '../times.ts';
import { type Mesh, type Soup, TOLERANCE } from './soup.ts';

/** `mergeVertices`, from a geometry without an index to one with it. */
export const weldByThree: Contestant<Soup, Mesh> = {
  name: 'three.js',
  library: 'three',
  clock: 'wall',
  prepare: async ({ corners }) => {
    const { BufferAttribute, BufferGeometry } = await optional<typeof import('three')>('three');
    const { mergeVertices } = await optional<typeof import('three/addons/utils/BufferGeometryUtils.js')>(
      'three/addons/utils/BufferGeometryUtils.js',
    );
    const soup = new BufferGeometry().setAttribute('position', new BufferAttribute(corners, 3));
    let merged: BufferGeometry = soup;
    const work = () => {
      merged = mergeVertices(soup, TOLERANCE);
    };
    return {
      run: () => timed({ all: work }),
      answer: async () => ({
        indices: merged.index?.array ?? [],
        positions: merged.getAttribute('position').array,
      }),
    };
  },
};
