// Delegates: agents with a session of their own each, which are given work.

import { type PartRow, subcommand } from "../../cli/subcommand-row.ts";

export const delegatesPart: PartRow = {
  name: "delegates",
  subcommands: [
    subcommand({
      name: "agents",
      summary: "delegates of this folder",
      usages: [
        {
          words: "",
          summary: "list the delegates that can be given work, and what each may use",
          flags: ["json"],
        },
      ],
      fault: "a file in an agents folder does not describe a delegate",
      load: async () => (await import("./run-agents.ts")).runAgents,
    }),
  ],
  commands: async () => (await import("./commands.ts")).DELEGATES_COMMANDS,
  features: async ({ delegates: roles = [], isTape: oneByOne }) => [
    (await import("./feature.ts")).delegatesFeature({ roles, oneByOne }),
  ],
  inSession: async (place) => (await import("./in-session.ts")).joinWithDelegates(place),
};
