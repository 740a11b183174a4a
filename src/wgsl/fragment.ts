/**
 * WGSL as values. A fragment is a piece of WGSL text with the fragments it uses interpolated into it, so that
 * asking for one function brings along everything that function needs. The linker (`link.ts`) turns fragments into text.
 */

/** What may stand in a `wgsl` template: other fragments, bindings, or plain text and numbers. */
export type WgslPart = Wgsl | Binding | string | number;

/**
 * A piece of WGSL: either one module-scope declaration (`fn`, `struct`, `const`, `alias`, `var`), which the linker hoists
 * and names, or an inline snippet (an expression, a type, statements), which is expanded where it stands.
 */
export class Wgsl {
  /** The name that the declaration asks for; `undefined` for an inline snippet. */
  readonly declares: string | undefined;
  /** Where in the first text that name stands. */
  readonly declaredAt: number;

  constructor(
    readonly texts: readonly string[],
    readonly parts: readonly WgslPart[],
  ) {
    const [matched = '', name = ''] = DECLARATION.exec(texts[0] ?? '') ?? [];
    this.declares = name || undefined;
    this.declaredAt = matched.length - name.length;
  }
}

/** How a shader sees a buffer. */
export type BindingAccess = 'uniform' | 'read' | 'read_write';

/** A buffer variable at module scope; the linker gives it its group and binding numbers. */
export class Binding {
  constructor(
    readonly name: string,
    readonly access: BindingAccess,
    readonly type: WgslPart,
    /** Whether it begins elsewhere in the same buffer every time: then one bind group is enough. */
    readonly moves = false,
  ) {}
}

/**
 * Writes a fragment of WGSL.
 * @example
 * const square = wgsl`fn square(x: u32) -> u32 { return x * x; }`;
 * const cube = wgsl`fn cube(x: u32) -> u32 { return x * ${square}(x); }`;
 */
export function wgsl(texts: TemplateStringsArray, ...parts: WgslPart[]): Wgsl {
  return new Wgsl(texts, parts);
}

/** Joins fragments with a separator into one inline snippet. */
export function join(parts: readonly WgslPart[], separator: string): Wgsl {
  const between = parts.slice(1).map(() => separator);
  return new Wgsl(parts.length === 0 ? [''] : ['', ...between, ''], parts);
}

/** A uniform buffer of the given type. */
export const uniform = (name: string, type: WgslPart): Binding => new Binding(name, 'uniform', type);

/** A uniform that is one of many in a buffer, each at a multiple of 256 bytes. */
export const movingUniform = (name: string, type: WgslPart): Binding => new Binding(name, 'uniform', type, true);

/** A storage buffer of the given type, read-only unless said otherwise. */
export const storage = (name: string, type: WgslPart, access: 'read' | 'read_write' = 'read'): Binding =>
  new Binding(name, access, type);

// Attributes and comments may stand before the keyword; anything else makes the text an inline snippet.
const DECLARATION =
  /^(?:\s|\/\/[^\n]*\n|\/\*[\s\S]*?\*\/|@\w+(?:\([^)]*\))?)*(?:(?:fn|struct|const|alias|override)\b|var\s*<\s*(?:workgroup|private)\s*>)\s*([A-Za-z_]\w*)/;
