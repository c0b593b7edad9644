// What an addon guards, and what happens to it while the addon does not run: everything unguarded is reported.

import type { FailurePolicy } from "../../feature/descriptor.ts";
import { RESERVED_EVENTS } from "../../feature/events.ts";
import { oneLine } from "../../feature/registration/one-line.ts";
import type { ReadRegistration } from "./protocol/read-registration.ts";

/** In words, each place once, in the order of registration. */
interface Guards {
  /** Nothing is stopped or changed there while the addon does not run. */
  readonly open: readonly string[];
  /** Everything is refused there meanwhile. */
  readonly closed: readonly string[];
}

export interface FailurePolicies {
  /** For the whole addon. */
  readonly addon: FailurePolicy | undefined;
  /** The person's, for gates that do not specify it themselves. */
  readonly gates: FailurePolicy;
}

/** The stricter one: neither a manifest nor its program opens what the other closes. */
export function stricter(
  one: FailurePolicy | undefined,
  other: FailurePolicy | undefined,
): FailurePolicy | undefined {
  return one === "block" || other === "block" ? "block" : (one ?? other);
}

/** What the addon guards. Observers guard nothing. */
export function guardsOf(
  { handlers, interceptors }: Pick<ReadRegistration, "handlers" | "interceptors">,
  { addon, gates }: FailurePolicies,
): Guards {
  const isBlocking = addon === "block";
  const all = [
    ...handlers
      .filter(({ kind }) => kind !== "observe")
      .map(({ event, kind, onFailure = gates }) => ({
        place: `the ${kind} of ${event}`,
        isClosed: isBlocking ? RESERVED_EVENTS.has(event) : kind === "gate" && onFailure === "block",
      })),
    ...interceptors.map(({ match }) => ({
      place: `the interceptor of ${oneLine(match, 64)}`,
      isClosed: isBlocking,
    })),
  ];
  const places = (isClosed: boolean): readonly string[] => [
    ...new Set(all.filter((each) => each.isClosed === isClosed).map(({ place }) => place)),
  ];
  return { open: places(false), closed: places(true) };
}

/** One sentence for each of the two; none if the addon guards nothing. */
export function guardsInWords({ open, closed }: Guards): readonly string[] {
  return [
    ...(open.length > 0 ? [`Now open: ${listed(open)}.`] : []),
    ...(closed.length > 0 ? [`Now closed: ${listed(closed)}.`] : []),
  ];
}

// The line must have room for what the person can do.
const MAX_LISTED = 6;

function listed(places: readonly string[]): string {
  const more = places.length - MAX_LISTED;
  return places.slice(0, MAX_LISTED).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
