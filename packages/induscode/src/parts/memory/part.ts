// Memory: what is remembered about the person and a folder across sessions.

import type { PartRow } from "../../cli/subcommand-row.ts";
import { settingOf } from "../../settings/setting-row.ts";
import { MEMORY } from "./memory-setting.ts";

export const memoryPart: PartRow = {
  name: "memory",
  settings: [MEMORY],
  lacks: (settings, { kind }) =>
    kind === "memory" && settingOf(settings, MEMORY) === false ? 'the setting "memory" is false' : undefined,
  commands: async () => [(await import("./memory-command.ts")).memoryCommand],
  features: async (place) =>
    (await import("./kept-memory.ts")).isRemembered(place)
      ? [(await import("./memory-tool.ts")).memoryFeature()]
      : [],
  inSession: async (place) => (await import("./in-session.ts")).joinWithMemory(place),
};
