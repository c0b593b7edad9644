// Which session, turn and call wrote a line.

import { type PartRow, subcommand } from "../../cli/subcommand-row.ts";

export const blamePart: PartRow = {
  name: "blame",
  subcommands: [
    subcommand({
      name: "blame",
      summary: "who wrote a line",
      flags: [
        {
          name: "commit",
          kind: "string",
          value: "revision",
          summary: "show what sessions wrote in this commit, file by file",
        },
      ],
      usages: [
        {
          words: "<file>",
          summary:
            "show the session, prompt and call that wrote each line; FILE:LINE and FILE:FROM-TO limit the lines",
          flags: ["json"],
        },
        {
          words: "",
          summary: "show how many lines in a commit come from which session",
          flags: ["commit", "json"],
          needs: ["commit"],
        },
      ],
      fault: "the file cannot be read, or git cannot be asked about the commit",
      load: async () => (await import("./run-blame.ts")).runBlame,
    }),
  ],
};
