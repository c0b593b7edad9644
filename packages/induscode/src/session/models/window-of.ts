import type { SessionModels } from "./session-models.ts";

/** How many tokens the model of this name can hold, if known. */
export async function windowOf(
  { resolve }: Pick<SessionModels, "resolve">,
  name: string,
): Promise<number | undefined> {
  const model = await resolve(name);
  return model.ok ? model.card.contextWindow : undefined;
}
