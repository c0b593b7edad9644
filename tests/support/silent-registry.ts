// A registry of npm packages that takes each request and never answers.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface SilentRegistry {
  /** What makes a process ask it. */
  readonly env: Readonly<Record<string, string>>;
  /** Who asks now. */
  readonly waiting: () => number;
}

/** Ends with the test. */
export async function startSilentRegistry(): Promise<SilentRegistry> {
  let waiting = 0;
  const server = createServer((_request, response) => {
    waiting += 1;
    response.on("close", () => (waiting -= 1));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { env: { npm_config_registry: `http://127.0.0.1:${port}/` }, waiting: () => waiting };
}
