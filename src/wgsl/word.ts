/** Bytes of a word: 32 bits, in which all buffers are counted. */
export const WORD_BYTES = 4;
