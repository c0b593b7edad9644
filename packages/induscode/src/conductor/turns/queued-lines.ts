// The lines that a person types while the session works: they wait for the next model call.

import type { HookDispatch } from "../../feature/handler.ts";
import type { EntryBody, UserContent } from "../contract.ts";
import { maskedContent, type NO_MASK } from "../masked.ts";
import { logFault } from "../one-at-a-time.ts";
import type { SessionRecord } from "../record.ts";
import { submitInput } from "../session-hooks.ts";

/** A queued line and the number of its log entry; no number before a session's first line. */
export interface QueuedLine {
  readonly content: UserContent;
  readonly n?: number | undefined;
}

export interface QueuedLines {
  /** The person is told that the line will join. `isKept`: even if the process dies; a session that has not begun has no log yet. */
  readonly add: (content: UserContent, isKept: boolean) => void;
  /** In the order in which they were typed. */
  readonly all: () => readonly UserContent[];
  readonly takeBack: (lines: readonly UserContent[]) => void;
  /** Removes the first one, for whoever lets it join. */
  readonly take: () => QueuedLine | undefined;
  /** Another session takes this one's place. */
  readonly restart: (lines: readonly QueuedLine[]) => void;
}

export function createQueuedLines(
  record: Pick<SessionRecord, "append" | "emit">,
  first: readonly QueuedLine[],
): QueuedLines {
  const lines: QueuedLine[] = [...first];
  return {
    add(content, isKept) {
      lines.push({ content, n: isKept ? logged({ type: "queued", content }) : undefined });
    },
    all: () => lines.map(({ content }) => content),
    takeBack(unwanted) {
      for (const line of lines.filter(({ content }) => unwanted.includes(content))) {
        lines.splice(lines.indexOf(line), 1);
        if (line.n === undefined) continue;
        const by = { feature: "person" };
        logged({ type: "veto", event: "input:submit", by, reason: "taken back", queued: line.n });
      }
    },
    take: () => lines.shift(),
    restart: (next) => void lines.splice(0, Number.POSITIVE_INFINITY, ...next),
  };

  /** The entry's number. What the entry says happens even if logging fails. */
  function logged(body: EntryBody): number | undefined {
    try {
      return record.append(body).n;
    } catch (error) {
      record.emit({ kind: "fault", fault: logFault(error) });
      return undefined;
    }
  }
}

interface JoinDeps {
  readonly record: SessionRecord;
  readonly mask: typeof NO_MASK;
  readonly hooks: HookDispatch;
  readonly lines: QueuedLines;
}

/** Logs the queued lines in the order they were typed; true if at least one joined. */
export async function joinQueued(
  { record, mask, hooks, lines }: JoinDeps,
  signal: AbortSignal,
): Promise<boolean> {
  let joined = false;
  for (let line = lines.take(); line; line = lines.take()) {
    const { content, n } = line;
    const input = await submitInput(hooks, maskedContent(mask, content), signal);
    const queued = n === undefined ? {} : { queued: n };
    if ("veto" in input) {
      record.append({ type: "veto", event: "input:submit", ...input.veto, ...queued });
      const { reason, by } = input.veto;
      record.emit({ kind: "alert", text: `Your line was blocked: ${reason} (${by.feature})` });
    } else {
      record.append({ type: "user", via: "steer", ...input, ...queued });
      joined = true;
    }
  }
  return joined;
}
