// Why the host did not do what an addon asked for.

/**
 * `denied`: the grant is missing. `unavailable`: this session does not offer it, or not now. `limit`: too much or too fast.
 * `params`: the request was wrong. `cancelled`: the call was cancelled. `failed`: it was attempted. The same in Python.
 */
export type RefusalKind = "denied" | "unavailable" | "limit" | "params" | "cancelled" | "failed";

/** What the promises of `surface.host` and `surface.handles` reject with. An unhandled one does not end the addon. */
export class HostRefused extends Error {
  override readonly name = "HostRefused";
  readonly kind: RefusalKind;
  constructor(kind: RefusalKind, message: string) {
    super(message);
    this.kind = kind;
  }
}
