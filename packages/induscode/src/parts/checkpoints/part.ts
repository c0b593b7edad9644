// Checkpoints: the files as they were before each line of a person's, and the way back to there.

import type { PartRow } from "../../cli/subcommand-row.ts";
import { CHECKPOINTS } from "./checkpoints-setting.ts";
import { rewindUsage } from "./rewind-usage.ts";

export const checkpointsPart: PartRow = {
  name: "checkpoints",
  settings: [CHECKPOINTS],
  usages: [rewindUsage],
  commands: async () => {
    const { rewindCommand, undoCommand } = await import("./rewind-command.ts");
    return [rewindCommand, undoCommand];
  },
  inSession: async () => (await import("./in-session.ts")).joinWithCheckpoints,
};
