import { type Wgsl, wgsl } from '../wgsl/index.ts';

/**
 * How open addressing moves on from an occupied slot: the step after the given attempt (1, 2, …), added to the index as
 * in Listing 3.1 of Alcantara's dissertation (2011). The steps accumulate; the closed forms of its Table 3.1 do not give
 * the statistics of its Table 3.2.
 */
export interface ProbeSequence {
  readonly name: string;
  /** WGSL: `(attempt: u32, secondHash: u32) -> u32`. */
  readonly step: Wgsl;
  /** Bit-identical to `step`. */
  stepTwin(attempt: number, secondHash: number): number;
  /** Whether steps are so long that many searches pass the end of the table, neighbours in different steps. */
  readonly wrapsOften: boolean;
}

/** The prime of the dissertation's jump function, section 3.2. */
const JUMP_PRIME = 41;

export const linear: ProbeSequence = {
  name: 'linear',
  step: wgsl`
fn linearStep(attempt: u32, secondHash: u32) -> u32 {
  return 1u;
}`,
  stepTwin: () => 1,
  wrapsOften: false,
};

export const quadratic: ProbeSequence = {
  name: 'quadratic',
  step: wgsl`
fn quadraticStep(attempt: u32, secondHash: u32) -> u32 {
  return attempt * attempt;
}`,
  stepTwin: (attempt) => attempt * attempt,
  wrapsOften: true,
};

export const doubleHash: ProbeSequence = {
  name: 'doubleHash',
  // jump(k) = 1 + k mod 41, and the listing adds one more.
  step: wgsl`
fn doubleHashStep(attempt: u32, secondHash: u32) -> u32 {
  return attempt * (2u + secondHash % ${JUMP_PRIME}u);
}`,
  stepTwin: (attempt, secondHash) => attempt * (2 + (secondHash % JUMP_PRIME)),
  wrapsOften: true,
};
