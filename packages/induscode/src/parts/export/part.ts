// A session for others to read.

import { OUTPUT } from "../../cli/flag-row.ts";
import { type PartRow, subcommand } from "../../cli/subcommand-row.ts";

export const exportPart: PartRow = {
  name: "export",
  subcommands: [
    subcommand({
      name: "export",
      summary: "a session for others to read",
      flags: [
        OUTPUT,
        {
          name: "format",
          kind: "string",
          value: "format",
          summary: "default: by the file's extension",
          choices: ["html", "markdown", "json"],
        },
      ],
      usages: [
        {
          words: "[id]",
          summary: "export a session to a file",
          flags: ["output", "format"],
        },
      ],
      fault: "the session was not found",
      load: async () => (await import("./run-export.ts")).runExport,
    }),
  ],
  commands: async () => (await import("./commands.ts")).EXPORT_COMMANDS,
};
