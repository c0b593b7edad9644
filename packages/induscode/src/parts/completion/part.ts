import { type PartRow, subcommand } from "../../cli/subcommand-row.ts";

/** Completion of the command line in a shell. */
export const completionPart: PartRow = {
  name: "completion",
  subcommands: [
    subcommand({
      name: "completion",
      summary: "completion for your shell",
      usages: [{ words: "<shell>", summary: "print a script that completes indus in bash, zsh or fish" }],
      load: async () => (await import("./run-completion.ts")).runCompletion,
    }),
  ],
};
