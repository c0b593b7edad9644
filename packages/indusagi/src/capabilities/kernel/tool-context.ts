import type { ToolContext } from "./contract.ts";

let lastContextId = 0;

/** A number no other context of this process has: one for each conversation, never reused. */
export function nextContextId(): number {
  return ++lastContextId;
}

/** The same context, cancelled by `signal` instead; it keeps its `contextId`. */
export function withSignal(context: ToolContext, signal: AbortSignal): ToolContext {
  return { ...context, signal };
}
