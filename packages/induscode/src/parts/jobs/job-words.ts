import type { JobTable } from "indusagi/capabilities";
import type { BackgroundDesk } from "../delegates/delegate-desk.ts";

/** The background work of a session. */
export interface BackgroundWork {
  readonly jobs?: JobTable | undefined;
  readonly delegates?: BackgroundDesk | undefined;
}

/** The values to complete after `/jobs`. */
export function jobWords({ jobs, delegates }: BackgroundWork): readonly string[] {
  return [
    ...(jobs?.list() ?? []).map(({ id, exit }) => ({ id, words: exit ? ["output"] : ["output", "stop"] })),
    ...(delegates?.list() ?? []).map(({ id, state }) => ({
      id,
      words: ["output", "send", ...(state === "working" ? ["stop"] : [])],
    })),
  ].flatMap(({ id, words }) => words.map((word) => `${word} ${id}`));
}
