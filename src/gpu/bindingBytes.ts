/** How small and how large a buffer may be that is bound. */

/** No element of an array has more: a buffer for none of them must still hold one to be bound. */
export const ELEMENT_BYTES = 96;

/** The most bytes that a buffer may have and be bound as a whole. */
export const mostBytes = ({ maxBufferSize, maxStorageBufferBindingSize }: GPUSupportedLimits): number =>
  Math.min(maxBufferSize, maxStorageBufferBindingSize);
