// The services that are one request each, made from their table and a function that sends requests.

import { PLAIN_SERVICES, type PlainServices } from "./plain-services.ts";

/** `request` resolves with the host's result, or rejects with a `HostRefused`. */
export function plainServices(
  request: (method: string, params: Readonly<Record<string, unknown>>) => Promise<unknown>,
): PlainServices {
  const rows = Object.entries(PLAIN_SERVICES).map(([method, { takes, gives }]) => [
    method,
    async (...values: readonly unknown[]): Promise<unknown> => {
      // JSON leaves out a key without a value.
      const result = await request(method, Object.fromEntries(takes.map((field, at) => [field, values[at]])));
      return gives === undefined ? undefined : (result as Readonly<Record<string, unknown>>)[gives];
    },
  ]);
  return Object.fromEntries(rows) as PlainServices; // the interface and the table are made from one schema
}
