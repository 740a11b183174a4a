/** The shader face of pictures and volumes. */
import { requireFaceOptions, type ShaderFace, type ShaderFaceOptions, shaderFace } from '../collections/face.wgsl.ts';
import { u32 } from '../keys/index.ts';
import type { Reading } from '../table/reading.wgsl.ts';
import type { Searchable } from '../table/searchable.ts';
import { type Wgsl, wgsl } from '../wgsl/index.ts';
import { bindGrid, cellAt, nearestCell } from './cells.wgsl.ts';
import type { Grid } from './grid.ts';

/** What a shader may call, by whole coordinates and by a point. */
function cellFunctions(reading: Reading, dimensions: 2 | 3): Wgsl[] {
  const cell = cellAt(reading);
  const whole = (type: 'vec2i' | 'vec2f') =>
    dimensions === 3 ? 'at' : type === 'vec2i' ? 'vec3i(at, 0)' : 'vec3f(at, 0.0)';
  const [integers, floats] = [`vec${dimensions}i`, `vec${dimensions}f`];
  return [
    wgsl`fn has(at: ${integers}) -> bool { return ${cell}(${whole('vec2i')}).found; }`,
    wgsl`fn word(at: ${integers}) -> u32 { return ${cell}(${whole('vec2i')}).word; }`,
    wgsl`fn colour(at: ${integers}) -> vec4f { return unpack4x8unorm(${cell}(${whole('vec2i')}).word); }`,
    wgsl`fn nearest(at: ${floats}) -> vec4f { return unpack4x8unorm(${cell}(${nearestCell}(${whole('vec2f')})).word); }`,
  ];
}

/** Links them into text that can stand in a caller's shader. */
export function gridFace(table: Searchable, grid: Grid, options: ShaderFaceOptions): ShaderFace {
  table.assertBuilt();
  requireFaceOptions(table.gpu, options);
  // The shader will outlive rebuilds.
  table.keepFormat();
  const shape = bindGrid(table.gpu, grid);
  return shaderFace(
    table,
    u32.access('needle'),
    { functions: cellFunctions(table.reading, grid.dimensions), bound: () => [...table.bound, ...shape] },
    options,
  );
}
