// What this machine and this folder provide, and a report of what went wrong.

import { PROMPT } from "../../cli/flag-groups.ts";
import { type PartRow, subcommand } from "../../cli/subcommand-row.ts";

export const doctorPart: PartRow = {
  name: "doctor",
  subcommands: [
    subcommand({
      name: "doctor",
      summary: "this machine and this folder",
      flags: [
        {
          name: "count",
          kind: "string",
          value: "folder",
          summary: "count how many of a folder's files for other agents indus would use",
        },
      ],
      usages: [
        {
          words: "",
          summary: "check what this machine and this folder provide, and which files are not used",
          flags: ["json", "count", "model", ...PROMPT],
        },
      ],
      load: async () => (await import("./run-doctor.ts")).runDoctor,
    }),
  ],
  commands: async () => (await import("./commands.ts")).DOCTOR_COMMANDS,
};
