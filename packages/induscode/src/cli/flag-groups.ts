// Flags that several subcommands take together.

import type { FlagName } from "./flags.ts";

/** Flags that decide which features a folder has, and which of its addons run. */
export const FEATURES = ["addon", "grant", "mcp-config"] as const satisfies readonly FlagName[];
/** Those, and the flags that also affect a folder's prompt. */
export const PROMPT = [...FEATURES, "system", "append-system"] as const satisfies readonly FlagName[];
/** The flags that decide what is allowed. */
export const RULES = [
  "permission-mode",
  "allow",
  "deny",
  "sandbox",
  "network",
] as const satisfies readonly FlagName[];
/** The flags for what a crew's members work with. */
export const MEMBERS = [
  ...PROMPT,
  ...(["model", "thinking", "fallback-model", "max-turns", "max-cost", "record", "cassette"] as const),
  ...RULES,
] as const satisfies readonly FlagName[];
/** The flags of a session that is not continued and has no task. */
export const SESSION = [
  ...MEMBERS,
  ...(["plain", "verbose", "continue", "resume", "fork", "no-fork"] as const),
] as const satisfies readonly FlagName[];
