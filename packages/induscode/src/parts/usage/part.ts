// What sessions used: tokens, cost and time.

import { type PartRow, subcommand } from "../../cli/subcommand-row.ts";
import { USAGE_KEYS } from "./usage-keys.ts";

export const usagePart: PartRow = {
  name: "usage",
  subcommands: [
    subcommand({
      name: "usage",
      summary: "tokens, cost and time",
      flags: [
        {
          name: "by",
          kind: "string",
          value: "what",
          summary: "a row for each",
          choices: USAGE_KEYS,
        },
        { name: "since", kind: "string", value: "age", summary: "no older than this, e.g. 30d" },
      ],
      usages: [
        {
          words: "",
          summary: "sum up the tokens and costs of all sessions",
          flags: ["json", "by", "since"],
        },
      ],
      load: async () => (await import("./run-usage.ts")).runUsage,
    }),
  ],
  commands: async () => (await import("./commands.ts")).USAGE_COMMANDS,
};
