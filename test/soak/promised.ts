/** What the library promises. Histories leave out what it does not promise yet. */
export const PROMISED = {
  /** Calls wait for a rebuild that is under way, in the order of the calls. */
  rebuildsInOrder: true,
  /** What goes wrong outside is an error of the library's, and leaves no buffers behind. */
  cleanFailures: true,
  /** Arrays are read before a call returns, and may be written again at once. */
  argumentsReadAtOnce: true,
};
