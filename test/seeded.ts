/**
 * What tests draw by chance is the same in every run, whichever of them are run: seeds of tables, and what fast-check tries.
 * `HASHNEST_TEST_SEED` draws other numbers.
 */
import fc from 'fast-check';
import { beforeEach } from 'vitest';
import { randomWords } from '../src/hashing/index.ts';

const seed = Number(process.env.HASHNEST_TEST_SEED ?? 1) >>> 0;

/** A word that differs for names that differ, as a rule. */
const numberOf = (name: string): number =>
  [...name].reduce((sum, character) => (Math.imul(sum, 31) + (character.codePointAt(0) as number)) >>> 0, seed);

fc.configureGlobal({ seed });

beforeEach(({ task }) => {
  const words = randomWords(numberOf(task.name));
  crypto.getRandomValues = <Drawn extends ArrayBufferView | null>(drawn: Drawn): Drawn => {
    const { buffer, byteOffset, byteLength } = drawn as NonNullable<Drawn>;
    const bytes = new Uint8Array(buffer, byteOffset, byteLength);
    for (let i = 0; i < bytes.length; i++) bytes[i] = words();
    return drawn;
  };
});
