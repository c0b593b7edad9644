import { onTestFinished } from "vitest";
import { createWorkplace, type Workplace } from "./indus.ts";
import { type ModelServer, type Script, startModelServer } from "./model-server.ts";

/** A workplace whose models answer by `script`, from a server that ends with the test. */
export async function createServedWorkplace(
  script: Script,
): Promise<Workplace & { readonly server: ModelServer }> {
  const server = await startModelServer(script);
  onTestFinished(() => server.close());
  return { ...createWorkplace(server.url), server };
}
