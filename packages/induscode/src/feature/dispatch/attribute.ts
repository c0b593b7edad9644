import type { Attribution } from "../handler.ts";

/** Who did something. */
export function attribute({ feature, version }: Attribution): Attribution {
  return version === undefined ? { feature } : { feature, version };
}
