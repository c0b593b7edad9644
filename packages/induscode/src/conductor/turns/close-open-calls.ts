import type { SessionRecord } from "../record.ts";

const INTERRUPTED =
  "The program ended before this call finished. Whether it had an effect is unknown: look before you repeat it.";

/** Logs an outcome for each call that never got one: no provider takes a conversation without it. */
export function closeOpenCalls(record: Pick<SessionRecord, "append" | "fold">): void {
  for (const { id, name } of record.fold().openCalls)
    record.append({ type: "tool", callId: id, name, state: "cancelled", text: INTERRUPTED, durationMs: 0 });
}
