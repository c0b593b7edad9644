import type { JsonValue } from "indusagi/core";

/** A value as it is sent: what is undefined in it is absent. */
export function asSent(value: object): { readonly [key: string]: JsonValue } {
  return JSON.parse(JSON.stringify(value)) as { readonly [key: string]: JsonValue };
}
