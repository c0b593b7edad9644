// How long hooks may take, as where they come from.

import type { HookCommand } from "./hook-table.ts";

/** Of a hook that says nothing else. */
export const DEFAULT_HOOK_MS = 60_000;
/** Of any, whatever it says. */
const MAX_HOOK_MS = 600_000;
/** How long a hook's question waits for the person. */
export const MAX_QUESTION_MS = 300_000;

/** How long a command may take. Nobody waits for one that is asynchronous. */
export function hookMs({ seconds, isAsync }: Pick<HookCommand, "seconds" | "isAsync">): number {
  const usual = isAsync ? MAX_HOOK_MS : DEFAULT_HOOK_MS;
  return Math.min(seconds === undefined ? usual : seconds * 1_000, MAX_HOOK_MS);
}

/** Whether one of them can want the person to decide about a call. */
export function mayAsk(commands: readonly Pick<HookCommand, "event">[]): boolean {
  return commands.some(({ event }) => event === "PreToolUse");
}
