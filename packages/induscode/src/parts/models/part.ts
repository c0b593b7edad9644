// The models that are known, and the one in use.

import { type PartRow, subcommand } from "../../cli/subcommand-row.ts";

export const modelsPart: PartRow = {
  name: "models",
  subcommands: [
    subcommand({
      name: "models",
      summary: "known models",
      usages: [
        {
          words: "[filter]",
          summary: "list the known models: limits, prices, and which ones you have a key for",
          flags: ["json"],
        },
      ],
      load: async () => (await import("./run-models.ts")).runModels,
    }),
  ],
  commands: async () => (await import("./commands.ts")).MODEL_COMMANDS,
};
