import * as d from 'typegpu/data';
import type { AdoptedFace } from '../kit/adoptedFace.ts';

const SIMPLE: Readonly<Record<string, d.AnyWgslData>> = {
  ...{ bool: d.bool, u32: d.u32, i32: d.i32, f32: d.f32 },
  ...{ vec2u: d.vec2u, vec3u: d.vec3u, vec4u: d.vec4u },
  ...{ vec2i: d.vec2i, vec3i: d.vec3i, vec4i: d.vec4i },
  ...{ vec2f: d.vec2f, vec3f: d.vec3f, vec4f: d.vec4f },
};

/** The types in the code of a face, as TypeGPU writes them down. */
export class SchemasOfFace {
  /** The structs that were asked for, by their names in the code. */
  readonly structs = new Map<string, d.AnyWgslStruct>();
  readonly #face: AdoptedFace;

  constructor(face: AdoptedFace) {
    this.#face = face;
  }

  /** What `NAME_find` returns. */
  get hit(): d.AnyWgslStruct {
    return this.of(`${this.#face.name}_Hit`) as d.AnyWgslStruct;
  }

  /** The schema of a type by its name in the code. */
  of(type: string): d.AnyWgslData {
    const [, outer, inner = '', count = ''] = /^(array|atomic)<(.+?)(?:\s*,\s*(\d+)u?)?>$/.exec(type) ?? [];
    if (outer === 'array') return d.arrayOf(this.of(inner), Number(count));
    if (outer === 'atomic') return d.atomic(this.of(inner) as d.U32);
    return SIMPLE[type] ?? this.#struct(type);
  }

  #struct(name: string): d.AnyWgslStruct {
    const members = this.#face.structs.get(name);
    if (!members) throw new Error(`hashnest: TypeGPU has no type ${name}`);
    const schema =
      this.structs.get(name) ??
      d
        .struct(Object.fromEntries(Object.entries(members).map(([member, type]) => [member, this.of(type)])))
        .$name(name);
    this.structs.set(name, schema as d.AnyWgslStruct);
    return schema as d.AnyWgslStruct;
  }
}
