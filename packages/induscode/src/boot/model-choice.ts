// Which model a session starts with: what the person named, else what the machine offers.

import { homeFolder } from "indusagi/core";
import {
  BUILT_IN_PROVIDERS,
  DEFAULT_MODELS,
  findLocalServer,
  lookForLocalServer,
  type ProviderConfig,
} from "indusagi/llmgateway";
import { type ModelSearch, searchLine } from "../session/model-search.ts";
import { indusHome } from "../store/home.ts";
import { homePath } from "../store/home-files.ts";
import { EXIT_FAULT, Problem } from "./problem.ts";
import type { Settings } from "./settings.ts";

export interface ModelChoice {
  /** `provider/model`. */
  readonly name: string;
  /** Providers as well as the built-in ones. */
  readonly providers: readonly ProviderConfig[];
}

export interface ChoiceFacts {
  /** The `--model` flag. */
  readonly named?: string;
  readonly settings: Settings;
  readonly env: NodeJS.ProcessEnv;
}

/** Nothing to talk to: the person must give one first. */
export class NoModel extends Problem {
  readonly search: ModelSearch;

  constructor(search: ModelSearch) {
    super(searchLine(search), EXIT_FAULT);
    this.search = search;
  }
}

/** Flag, settings, the environment, a server on this machine, in that order. Throws {@link NoModel} without any. */
export async function chooseModel({ named, settings, env }: ChoiceFacts): Promise<ModelChoice> {
  const providers = settings.providers ?? [];
  const fetched = providers.filter(({ apiKey }) => typeof apiKey === "object").map(({ id }) => id);
  const name = named ?? settings.model ?? (await modelOfEnvironment(env, fetched));
  if (name !== undefined) return { name, providers };
  const { server, asked } = await lookForLocalServer(settings.localServers);
  const [model] = server?.models ?? [];
  if (!server || model === undefined) {
    throw new NoModel({
      settingsPath: homePath(indusHome(env), "settings"),
      personHome: homeFolder(env),
      providers: providers.map(({ id }) => id),
      keyed: BUILT_IN_PROVIDERS.filter(
        ({ id, apiKeyEnv = "" }) => DEFAULT_MODELS[id] === undefined && env[apiKeyEnv]?.trim(),
      ),
      servers: asked,
    });
  }
  const local: ProviderConfig = { id: "local", kind: "openai-compatible", baseUrl: server.baseUrl };
  return { name: `local/${model}`, providers: [...providers, local] };
}

/** `fetched`: the providers whose key a command prints. */
async function modelOfEnvironment(
  env: NodeJS.ProcessEnv,
  fetched: readonly string[],
): Promise<string | undefined> {
  for (const { id, apiKeyEnv = "" } of BUILT_IN_PROVIDERS) {
    if (id === "openai" && env.OPENAI_BASE_URL) return modelOfServer(env.OPENAI_BASE_URL);
    const model = DEFAULT_MODELS[id];
    if (model !== undefined && (env[apiKeyEnv]?.trim() || fetched.includes(id))) return model;
  }
  return undefined;
}

/** A server on this machine is asked what it has; any other hears nothing until the person names a model. */
async function modelOfServer(baseUrl: string): Promise<string> {
  const isLocal = /^http:\/\/(127\.|\[::1\])/.test(baseUrl);
  const [model] = (isLocal ? await findLocalServer([baseUrl]) : undefined)?.models ?? [];
  if (model !== undefined) return `openai/${model}`;
  throw new Problem(`OPENAI_BASE_URL is ${baseUrl}: name its model as well, with --model openai/NAME`);
}
