// The models of servers on this machine (Ollama, LM Studio, llama.cpp, vLLM, …): which there are, and the context window each one runs
// with.

import {
  findLocalServer,
  LOCAL_PROVIDER,
  type LocalServer,
  listLocalServers,
  lookForLocalServer,
  type ModelLimits,
  type ProviderConfig,
  parseModelName,
  windowsOfLocalServer,
} from "indusagi/llmgateway";
import { EXIT_USAGE, Problem } from "../../cli/problem.ts";
import type { Settings } from "../../settings/load-settings.ts";
import { type ModelChoice, NoModel } from "./chosen-model.ts";
import { type ModelSearch, searchLine } from "./model-search.ts";

/** The person asks for these servers: one that is busy with a model may answer late. A start that only looks for one waits less. */
const ASKED_FOR_MS = 2_000;

type LocalSettings = Pick<Settings, "providers" | "localServers">;

/** The first model of the first server that has one. If none has, throws {@link NoModel}, listing what else was looked for. */
export async function firstLocalModel(
  { providers = [], localServers }: LocalSettings,
  searched: Omit<ModelSearch, "servers">,
): Promise<ModelChoice> {
  const { server, asked } = await lookForLocalServer(localServers);
  const [model] = server?.models ?? [];
  if (server && model !== undefined) return onServer(server, model, providers);
  const search = { ...searched, servers: asked };
  throw new NoModel(search, searchLine(search));
}

/** `local/MODEL`, or a part of its name, on whichever server has it. Throws a {@link Problem} that lists the available ones. */
export async function localModel(
  name: string,
  { providers = [], localServers }: LocalSettings,
): Promise<ModelChoice> {
  const wanted = parseModelName(name)?.model ?? "";
  const servers = await listLocalServers(localServers, { timeoutMs: ASKED_FOR_MS });
  const found = servers.flatMap(({ baseUrl, models = [] }) =>
    models.map((model) => ({ model, server: { baseUrl, models } })),
  );
  const exact = found.filter(({ model }) => model === wanted);
  const parts = found.filter(({ model }) => model.toLowerCase().includes(wanted.toLowerCase()));
  const [first, ...more] = exact.length > 0 ? exact.slice(0, 1) : parts;
  if (first && more.length === 0) return onServer(first.server, first.model, providers);
  const names = (list: typeof found): string =>
    [...new Set(list.map(({ model }) => `${LOCAL_PROVIDER}/${model}`))].join(", ");
  if (first) throw new Problem(`"${name}" could be ${names(parts)}. Write more of the name`, EXIT_USAGE);
  const there =
    found.length > 0
      ? `available: ${names(found)}`
      : `no model server answers at ${servers.map(({ baseUrl }) => baseUrl).join(", ") || "any address: localServers is []"}`;
  throw new Problem(`no server on this machine has a model "${wanted}"; ${there}`);
}

/** A server on this machine is asked for its models; any other gets no request until the person names a model. */
export async function modelOfServer(baseUrl: string): Promise<Omit<ModelChoice, "providers">> {
  const isHere = /^http:\/\/(127\.|\[::1\])/.test(baseUrl);
  const server = isHere ? await findLocalServer([baseUrl], { timeoutMs: ASKED_FOR_MS }) : undefined;
  const [model] = server?.models ?? [];
  if (server && model !== undefined)
    return { name: `openai/${model}`, models: await modelsOn(server, "openai") };
  throw new Problem(`OPENAI_BASE_URL is set: choose its model too, with --model openai/NAME`);
}

/** The models of all servers on this machine, by `provider/model`, with the context windows that they report. */
export async function modelsHere(
  localServers: Settings["localServers"],
): Promise<Readonly<Record<string, ModelLimits>>> {
  const servers = await listLocalServers(localServers, { timeoutMs: ASKED_FOR_MS });
  const listed = servers.map(({ baseUrl, models = [] }) => modelsOn({ baseUrl, models }, LOCAL_PROVIDER));
  return Object.assign({}, ...(await Promise.all(listed)).reverse()); // for the same name, the first server wins
}

/** The models of one server, as models of `provider`. */
async function modelsOn(
  server: LocalServer,
  provider: string,
): Promise<Readonly<Record<string, ModelLimits>>> {
  const windows = server.models.length === 0 ? {} : await windowsOfLocalServer(server);
  const models = server.models.map((model) => {
    const contextWindow = windows[model];
    return [`${provider}/${model}`, contextWindow === undefined ? {} : { contextWindow }] as const;
  });
  return Object.fromEntries(models);
}

async function onServer(
  server: LocalServer,
  model: string,
  providers: readonly ProviderConfig[],
): Promise<ModelChoice> {
  const local: ProviderConfig = {
    id: LOCAL_PROVIDER,
    kind: "openai-compatible",
    baseUrl: server.baseUrl,
  };
  return {
    name: `${LOCAL_PROVIDER}/${model}`,
    providers: [...providers, local],
    models: await modelsOn(server, LOCAL_PROVIDER),
  };
}
