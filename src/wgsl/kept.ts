/**
 * Makes something once for the parts that it is made from, and keeps it as long as the objects among them live. Kernels are
 * found by identity: a table that is searched every frame has to ask for the same one every frame.
 * @example
 * const copyKernel = kept((key: KeyType, withValues: boolean) => kernel({ … }));
 */
export function kept<Parts extends readonly unknown[], Made>(
  make: (...parts: Parts) => Made,
): (...parts: Parts) => Made {
  const root: Shelf<Made> = {};
  return (...parts) => {
    let shelf = root;
    for (const part of parts) shelf = behind(shelf, part);
    shelf.made ??= { value: make(...parts) };
    return shelf.made.value;
  };
}

/** What was made for some parts, and what was for these and one more: an object, or a number, a word and the like. */
interface Shelf<Made> {
  made?: { readonly value: Made };
  objects?: WeakMap<object, Shelf<Made>>;
  others?: Map<unknown, Shelf<Made>>;
}

function behind<Made>(shelf: Shelf<Made>, part: unknown): Shelf<Made> {
  const isObject = Object(part) === part;
  if (isObject) shelf.objects ??= new WeakMap();
  else shelf.others ??= new Map();
  const all = (isObject ? shelf.objects : shelf.others) as Map<unknown, Shelf<Made>>;
  const next = all.get(part) ?? {};
  all.set(part, next);
  return next;
}

/** Makes something when it is first asked for. */
export function once<Made>(make: () => Made): () => Made {
  let made: { readonly value: Made } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
