import { join, type Wgsl } from './fragment.ts';

/**
 * The same lines once for every index from 0 to `times` − 1. Written out, because drivers do not unroll every loop
 * themselves, and only constant indices keep an array in registers and many loads in flight: twice as fast on an H200.
 */
export const unrolled = (times: number, lines: (index: number) => Wgsl): Wgsl =>
  join(
    Array.from({ length: times }, (_, index) => lines(index)),
    '\n  ',
  );
