/** A grid in a caller's shader. */
import { linkedFace, requireIdentifier, type ShaderFace, type ShaderFaceOptions } from '../collections/face.wgsl.ts';
import { refuse, requireOptions } from '../gpu/arguments.ts';
import type { Bound, Gpu } from '../gpu/index.ts';
import { type GridSearch, visitLoops } from './neighbours.wgsl.ts';

/** A loop over the neighbours of a point. All members are WGSL. */
export interface EachNeighbour {
  /** Whose neighbours: an expression of `vec2f` or `vec3f`. */
  readonly at: string;
  /** The statements for each. They see `n.index`, its number in the input, `n.offset`, the way to it, and `n.squaredDistance`. */
  readonly body: string;
  /** Its group, a `u32`, where the grid has groups. */
  readonly group?: string;
  /** What a neighbour is called instead of `n`, where loops are inside each other. */
  readonly as?: string;
}

/** The functions of a grid, to stand in your own shader. */
export interface GridFace extends ShaderFace {
  /**
   * Statements that visit every point within the radius once, for the body of a function of yours. `continue` goes to the next one;
   * `break` does not end it all.
   * @example
   * const loop = near.each({ at: 'own.at', body: 'away -= n.offset * (1.0 - n.squaredDistance);' });
   */
  each(loop: EachNeighbour): string;
}

export function gridFace(
  gpu: Gpu,
  { kind, parts, around, next, step, point, size }: GridSearch,
  options: ShaderFaceOptions,
  { bound, isAlive }: { readonly bound: () => Bound; readonly isAlive: () => boolean },
): GridFace {
  const { name } = options;
  const { reached, run, neighbour } = parts;
  const functions = [around, next, step, point, size, reached, run, neighbour];
  const names = { reached: `${name}_reached`, run: `${name}_run`, neighbour: `${name}_neighbour` };
  const each = (loop: EachNeighbour): string => {
    requireOptions(loop, ['at', 'body', 'group', 'as']);
    const { at, body, group, as = 'n' } = loop;
    for (const [member, text] of Object.entries({ at, body, ...(kind.hasGroups && { group }) })) {
      if (typeof text !== 'string') refuse(member, 'a string of WGSL', text);
    }
    if (!kind.hasGroups && group !== undefined) refuse('group', 'left out: the grid has no groups', group);
    requireIdentifier(as, 'as');
    return visitLoops<string>(String.raw, kind, names, { at, group, as, body });
  };
  return Object.assign(linkedFace(gpu, { functions, bound }, options, isAlive), { each });
}
