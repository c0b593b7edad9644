import { JOBS } from "indusagi/capabilities";
import type { SessionScope } from "indusagi/core";
import { BACKGROUND } from "./delegate-desk.ts";

/** How many commands and delegates run in the background of a session. */
export function runningJobs(session: SessionScope | undefined): number {
  const jobs = session?.get(JOBS)?.list() ?? [];
  const delegates = session?.get(BACKGROUND)?.list() ?? [];
  return (
    jobs.filter(({ exit }) => exit === undefined).length +
    delegates.filter(({ state }) => state === "working").length
  );
}
