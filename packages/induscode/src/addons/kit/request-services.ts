// The services that are one request each, made of their table and of whatever sends requests.

import { PLAIN_SERVICES, type PlainServices } from "./plain-services.ts";

/** `request` answers the host's result, or rejects with a `HostRefused`. */
export function plainServices(
  request: (method: string, params: Readonly<Record<string, unknown>>) => Promise<unknown>,
): PlainServices {
  const rows = Object.entries(PLAIN_SERVICES).map(([method, { takes, gives }]) => [
    method,
    async (...values: readonly unknown[]): Promise<unknown> => {
      // A key without a value is left out when it becomes JSON.
      const result = await request(method, Object.fromEntries(takes.map((field, at) => [field, values[at]])));
      return gives === undefined ? undefined : (result as Readonly<Record<string, unknown>>)[gives];
    },
  ]);
  return Object.fromEntries(rows) as PlainServices; // the interface and the table are made from one schema
}
