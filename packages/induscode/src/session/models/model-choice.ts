// Which model a session starts with: the one the person named, otherwise one that the machine offers.

import { homeFolder } from "indusagi/core";
import {
  BUILT_IN_PROVIDERS,
  DEFAULT_MODELS,
  LOCAL_PROVIDER,
  type ModelLimits,
  type ProviderConfig,
  parseModelName,
} from "indusagi/llmgateway";
import type { Settings } from "../../settings/load-settings.ts";
import { indusHome } from "../../store/home.ts";
import { homePath } from "../../store/home-files.ts";
import type { ModelChoice } from "./chosen-model.ts";

export interface ChoiceFacts {
  /** The `--model` flag. */
  readonly named?: string | undefined;
  readonly settings: Settings;
  readonly env: NodeJS.ProcessEnv;
}

/** Flag, settings, environment, then a server on this machine. Throws a `NoModel` if none has any. */
export async function chooseModel({ named, settings, env }: ChoiceFacts): Promise<ModelChoice> {
  const providers = settings.providers ?? [];
  const fetched = providers.filter(({ apiKey }) => typeof apiKey === "object").map(({ id }) => id);
  const name = named ?? settings.model;
  if (name !== undefined && isLocal(name, providers)) return modelHere(name, settings);
  if (name !== undefined) return { name, providers };
  const found = await modelOfEnvironment(env, fetched);
  if (found !== undefined) return { ...found, providers };
  const { firstLocalModel } = await localModels();
  return firstLocalModel(settings, {
    settingsPath: homePath(indusHome(env), "settings"),
    personHome: homeFolder(env),
    providers: providers.map(({ id }) => id),
    keyed: BUILT_IN_PROVIDERS.filter(
      ({ id, apiKeyEnv = "" }) => DEFAULT_MODELS[id] === undefined && env[apiKeyEnv]?.trim(),
    ),
  });
}

/** Loaded lazily: most sessions name a model, or have a key. */
const localModels = () => import("./local-models.ts");

/** The model that `name` means on this machine, found by `localModel`. */
export async function modelHere(name: string, settings: Settings): Promise<ModelChoice> {
  return (await localModels()).localModel(name, settings);
}

/** Whether `name` refers to the servers on this machine, which must be searched for, and not to a provider of that name. */
export function isLocal(name: string, providers: readonly Pick<ProviderConfig, "id">[]): boolean {
  return (
    parseModelName(name)?.provider === LOCAL_PROVIDER && !providers.some(({ id }) => id === LOCAL_PROVIDER)
  );
}

/** The limits that servers on this machine report for their models; the person's own entries override them. */
export function limitsOf(
  found: Readonly<Record<string, ModelLimits>> = {},
  own: Settings["models"] = {},
): Readonly<Record<string, ModelLimits>> {
  const limits = Object.keys({ ...found, ...own }).map(
    (name) => [name, { ...found[name], ...own[name] }] as const,
  );
  return Object.fromEntries(limits);
}

/** `fetched`: the providers whose key comes from a command. */
async function modelOfEnvironment(
  env: NodeJS.ProcessEnv,
  fetched: readonly string[],
): Promise<Omit<ModelChoice, "providers"> | undefined> {
  for (const { id, apiKeyEnv = "" } of BUILT_IN_PROVIDERS) {
    if (id === "openai" && env.OPENAI_BASE_URL)
      return (await localModels()).modelOfServer(env.OPENAI_BASE_URL);
    const model = DEFAULT_MODELS[id];
    if (model !== undefined && (env[apiKeyEnv]?.trim() || fetched.includes(id))) return { name: model };
  }
  return undefined;
}
