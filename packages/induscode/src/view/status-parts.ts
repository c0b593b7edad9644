// The names that a person can choose in the settings. They have a file of their own because the settings need nothing else.

/** The parts of the status line, in the usual order. */
export const STATUS_PARTS = [
  "model",
  "context",
  "limits",
  "quarantine",
  "alerts",
  "queue",
  "jobs",
  "addons",
  "mode",
  "tokens",
  "cost",
  "branch",
] as const;

export type StatusPart = (typeof STATUS_PARTS)[number];
