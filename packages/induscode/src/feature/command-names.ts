// The names of the console's commands, by the feature that brings them. A run without a console lacks these features, but their names stay
// theirs: a name that a file or an addon chose never means something else in the console.

import type { FeatureId } from "./contract.ts";

export const CONSOLE_COMMANDS: ReadonlyMap<FeatureId, readonly string[]> = new Map([
  [
    "builtin:session",
    [
      ...["help", "model", "cost", "new", "fork", "resume", "tree", "rewind", "rename", "clear", "compact"],
      ...["tasks", "addons", "why", "plan", "quit", "exit"],
    ],
  ],
  [
    "builtin:console",
    [
      ...["thinking", "theme", "jobs", "context", "todo", "copy", "keys", "settings", "memory", "trust"],
      ...["agents", "skills", "doctor", "bug"],
    ],
  ],
]);
