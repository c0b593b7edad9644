import type { ToolContext } from "./contract.ts";

let lastContextId = 0;

/** A number that no other context of this process has: one per conversation, never reused. */
export function nextContextId(): number {
  return ++lastContextId;
}

/** The same context with `signal` for cancellation; it keeps its `contextId`. */
export function withSignal(context: ToolContext, signal: AbortSignal): ToolContext {
  return { ...context, signal };
}
