import { onTestFinished } from "vitest";
import { createWorkplace, type Workplace, type WorkplaceOptions } from "./indus.ts";
import { type ModelServer, type Script, startModelServer } from "./model-server.ts";

export type ServedWorkplace = Workplace & { readonly server: ModelServer };

/** A workplace whose models answer by `script`, from a server that is closed with the test. */
export async function createServedWorkplace(
  script: Script,
  options: WorkplaceOptions = {},
): Promise<ServedWorkplace> {
  const server = await startModelServer(script);
  onTestFinished(() => server.close());
  return { ...createWorkplace(server.url, options), server };
}

/** The same for tests that are not about processes: the runs share one. */
export function createServedShared(script: Script): Promise<ServedWorkplace> {
  return createServedWorkplace(script, { isShared: true });
}
