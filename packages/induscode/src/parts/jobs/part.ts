import type { PartRow } from "../../cli/subcommand-row.ts";

/** Commands and delegates in the background. */
export const jobsPart: PartRow = {
  name: "jobs",
  commands: async () => [(await import("./jobs-command.ts")).jobsCommand],
};
