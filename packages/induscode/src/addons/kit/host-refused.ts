// Why the host did not do what an addon asked for.

/**
 * `denied`: the grant is missing. `unavailable`: this session, or this moment, does not offer it. `limit`: too much or
 * too fast. `params`: it was asked wrongly. `cancelled`: nobody waits any more. `failed`: it was tried. In Python as well.
 */
export type RefusalKind = "denied" | "unavailable" | "limit" | "params" | "cancelled" | "failed";

/** What the promises of `surface.host` and `surface.handles` reject with. One that nobody handles ends no addon. */
export class HostRefused extends Error {
  override readonly name = "HostRefused";
  readonly kind: RefusalKind;
  constructor(kind: RefusalKind, message: string) {
    super(message);
    this.kind = kind;
  }
}
