// Texts that features want the model to read. They wait here until the next model call, where each becomes an entry.

import { clamp, monotonicMs } from "indusagi/core";
import type { ShownDocument } from "../contract.ts";
import type { SessionRecord } from "../record.ts";

export interface Notice {
  readonly origin: string;
  readonly text: string;
  readonly documents?: readonly ShownDocument[];
  /** A compaction took it out of view: it is restored if there is room. */
  readonly isAgain?: boolean | undefined;
}

/** The default size limit of a notice. */
const MAX_NOTICE_BYTES: number = 4 * 1024;
const MAX_WAITING = 64;
const WINDOW_MS = 60_000;
/** Limit per origin and minute; a feature that sends more is flooding. */
const MAX_PER_WINDOW = 20;

/** A bounded queue. `add` returns why a notice was dropped, or undefined. */
export interface NoticeQueue {
  readonly add: (notice: Notice, maxBytes?: number) => string | undefined;
  readonly take: () => readonly Notice[];
}

export function createNoticeQueue(now: () => number = monotonicMs): NoticeQueue {
  const waiting: Notice[] = [];
  const recent = new Map<string, readonly number[]>();
  return {
    add({ text, ...notice }, maxBytes = MAX_NOTICE_BYTES) {
      const at = now();
      const { origin } = notice;
      const times = (recent.get(origin) ?? []).filter((time) => at - time < WINDOW_MS);
      if (times.length >= MAX_PER_WINDOW)
        return `${origin} sent more than ${MAX_PER_WINDOW} notices in a minute; the rest is dropped`;
      if (waiting.length >= MAX_WAITING)
        return `more than ${MAX_WAITING} notices are waiting for the model; the notice from ${origin} is dropped`;
      recent.set(origin, [...times, at]);
      const shown = clamp(text, { kind: "middle", maxBytes });
      waiting.push({ ...notice, text: shown });
      return undefined;
    },
    take: () => waiting.splice(0),
  };
}

const MAX_LEFT_OUT_CHARS = 600;

/** Logs what waits for the model. What a compaction took out of view is logged again while there is room, and else only named. */
export function logNotices(
  record: Pick<SessionRecord, "append">,
  notices: Pick<NoticeQueue, "take">,
  roomBytes: number,
): void {
  let room = roomBytes;
  const left: string[] = [];
  for (const { isAgain, ...notice } of notices.take()) {
    const bytes = isAgain ? Buffer.byteLength(notice.text) : 0;
    if (bytes <= room) {
      record.append({ type: "notice", ...notice });
      room -= bytes;
    } else left.push(...(notice.documents?.map(({ path }) => path) ?? [notice.origin]));
  }
  if (left.length > 0) record.append({ type: "notice", origin: "host", text: leftOut(left) });
}

function leftOut(names: readonly string[]): string {
  const text = names.join(", ");
  const shown = text.length > MAX_LEFT_OUT_CHARS ? `${text.slice(0, MAX_LEFT_OUT_CHARS)} …` : text;
  return `These are no longer shown, to save room; read the ones that you need: ${shown}`;
}
