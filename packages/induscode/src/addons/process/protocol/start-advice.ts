/** What a message about a server that starts too slowly ends with, in the host's words and in those of its runner. */
export const START_ADVICE =
  "which start-seconds in [run] sets (for one that was added: remove it, and add it with --start-seconds N)";
