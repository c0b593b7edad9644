// The addons and features of a folder.

import { FEATURES } from "../../cli/flag-groups.ts";
import { type PartRow, subcommand } from "../../cli/subcommand-row.ts";

export const addonsPart: PartRow = {
  name: "addons",
  subcommands: [
    subcommand({
      name: "addons",
      summary: "features and addons of this folder",
      flags: [{ name: "timing", kind: "boolean", summary: "how long addons took" }],
      usages: [
        {
          words: "",
          summary: "list the addons and what each contributes, or why not",
          flags: ["json", "timing", ...FEATURES],
        },
        { words: "explain <event>", summary: "who handles an event, in order", flags: FEATURES },
        { words: "restart <id>", summary: "release an addon from quarantine", writes: ["quarantine"] },
        {
          words: "accept <path>",
          summary: "accept a file that appeared while an addon or a command could write",
          writes: ["heldNames"],
        },
        { words: "revoke <id>", summary: "revoke the trust in an addon", writes: ["trust"] },
      ],
      fault: "no addon or file has that name or path",
      load: async () => (await import("./run-addons.ts")).runAddons,
    }),
  ],
  commands: async () => (await import("./commands.ts")).ADDONS_COMMANDS,
};
