// A session for tests: only the parts that features can reach.

import { memoryFs } from "indusagi/capabilities";
import { createSessionScope, type SessionScope } from "indusagi/core";
import { SESSION_HOST, type SessionHost } from "../../packages/induscode/src/feature/host.ts";

export function sessionOf(host: Partial<SessionHost> = {}): SessionScope {
  const session = createSessionScope();
  session.put(SESSION_HOST, {
    notifyModel: () => undefined,
    alert: () => undefined,
    diagnostic: () => undefined,
    fs: memoryFs(),
    root: "/",
    env: {},
    ...host,
  });
  return session;
}
