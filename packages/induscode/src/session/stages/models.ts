// Second stage: the models, with the keys that were found.

import type { FeatureRegistry } from "../../feature/registry.ts";
import { withKeyring, withStoredKeys } from "../../settings/stored-keys.ts";
import { createSessionModels, type SessionModels } from "../models/session-models.ts";
import type { StartSettings } from "./settings.ts";

/** Throws a {@link Problem} if there is no model to talk to, unless it is optional. `registry` gets its features in the next stage. */
export async function openModels(
  { options, secrets, loaded, notices, startedIn }: StartSettings,
  registry: Pick<FeatureRegistry, "providers">,
): Promise<SessionModels> {
  const { flags, home, env, replay, lent, pace = false, mayLackModel = false } = options;
  const { settings } = loaded;
  const modelEnv = withStoredKeys(env, home, notices.tell);
  if (modelEnv !== env) secrets.learnEnvironment(modelEnv);
  const given = options.models ?? (replay ?? lent)?.models;
  if (given) return given;
  return createSessionModels({
    brought: () => registry.providers,
    flags,
    settings: { ...settings, providers: await withKeyring(settings.providers, { env, home }) },
    home,
    env: modelEnv,
    startedIn,
    pace,
    isOptional: mayLackModel,
    tell: notices.tell,
    secrets,
  });
}
