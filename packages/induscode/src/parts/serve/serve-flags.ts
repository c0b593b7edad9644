import type { FlagRow } from "../../cli/flag-row.ts";

export const SERVE_FLAGS = [
  { name: "socket", kind: "boolean", summary: "listen at a socket that only you can open" },
  {
    name: "idle",
    kind: "string",
    value: "minutes",
    summary: "end after this many minutes without a connection, a task or background work (default 60)",
  },
] as const satisfies readonly FlagRow[];
