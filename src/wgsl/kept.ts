/**
 * Makes something once for every object that it is made from, and for every variant of it, and keeps it as long as the
 * object lives. Kernels are found by identity: a table that is searched every frame has to ask for the same one every frame.
 * @example
 * const copyKernel = kept((key: KeyType) => kernel({ … }));
 */
export function kept<From extends object, Made, Variant = undefined>(
  make: (from: From, variant: Variant) => Made,
): undefined extends Variant ? (from: From, variant?: Variant) => Made : (from: From, variant: Variant) => Made {
  const all = new WeakMap<From, Map<Variant, Made>>();
  return (from: From, variant?: Variant) => {
    const variants = all.get(from) ?? new Map<Variant, Made>();
    all.set(from, variants);
    const made = variants.get(variant as Variant) ?? make(from, variant as Variant);
    variants.set(variant as Variant, made);
    return made;
  };
}

/** Makes something when it is first asked for. */
export function once<Made>(make: () => Made): () => Made {
  let made: { readonly value: Made } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
