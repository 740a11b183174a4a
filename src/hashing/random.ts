/** A source of uniform 32-bit words, the same for the same seed. */
export function randomWords(seed: number): () => number {
  let state = seed >>> 0;
  let counter = 0;
  return () => {
    // A counter beside the state, so that no seed has a short cycle.
    counter = (counter + 0x9e3779b9) >>> 0;
    let x = (state ^ counter) >>> 0;
    x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
    x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
    x = (x ^ (x >>> 15)) >>> 0;
    state = (Math.imul(state, 0x915f77f5) + x) >>> 0;
    return x;
  };
}

/** Words that are drawn from the system at once. */
const DRAWN_AT_ONCE = 64;

/** A source of uniform 32-bit words that nobody can guess, however many of them they have seen. */
export function secretWords(): () => number {
  const drawn = new Uint32Array(DRAWN_AT_ONCE);
  let next = DRAWN_AT_ONCE;
  return () => {
    if (next === DRAWN_AT_ONCE) {
      crypto.getRandomValues(drawn);
      next = 0;
    }
    return drawn[next++] as number;
  };
}

/** A seed that nobody can guess. */
export function drawSeed(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0] as number;
}
