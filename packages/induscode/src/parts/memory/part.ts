// Memory: what is remembered about the person and a folder across sessions.

import type { PartRow } from "../../cli/subcommand-row.ts";

export const memoryPart: PartRow = {
  name: "memory",
  commands: async () => [(await import("./memory-command.ts")).memoryCommand],
  features: async (place) =>
    (await import("./kept-memory.ts")).isRemembered(place)
      ? [(await import("./memory-tool.ts")).memoryFeature()]
      : [],
  inSession: async (place) => (await import("./in-session.ts")).joinWithMemory(place),
};
