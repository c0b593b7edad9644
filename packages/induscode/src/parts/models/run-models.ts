// `indus models [filter]`: the known models, as a table: limits, prices, abilities, and for which of them there is a key here.

import { homeFolder, nowMs, printable } from "indusagi/core";
import {
  CATALOGUE_DATE,
  type CatalogueEntry,
  createGateway,
  LOCAL_PROVIDER,
  listModels,
  type ModelLimits,
  type Price,
  parseModelName,
  retirementOf,
} from "indusagi/llmgateway";
import { type Invocation, workingDirectory } from "../../cli/invocation.ts";
import { EXIT_OK } from "../../cli/problem.ts";
import { tableLines } from "../../console/table.ts";
import { modelsHere } from "../../session/models/local-models.ts";
import { limitsOf } from "../../session/models/model-choice.ts";
import { loadSettings } from "../../settings/load-settings.ts";
import { withKeyring, withStoredKeys } from "../../settings/stored-keys.ts";
import { indusHome, inHome } from "../../store/home.ts";

export async function runModels(line: Invocation): Promise<number> {
  const { flags, words, env } = line;
  const [, filter = ""] = words;
  const home = indusHome(env);
  const { settings, problems } = await loadSettings(home, workingDirectory(line), line.parts);
  for (const problem of problems) process.stderr.write(printable(`${problem}\n`));
  const { providers = [], models = {} } = settings;
  const ready = new Set(
    createGateway({ providers: await withKeyring(providers, { env, home }), env: withStoredKeys(env, home) })
      .providers.filter((provider) => provider.ready)
      .map(({ id }) => id),
  );
  const wanted = filter.toLowerCase();
  const modelsFile = inHome("~/.indus/models.json", { home, personHome: homeFolder(env) });
  const isOwn = providers.some(({ id }) => id === LOCAL_PROVIDER);
  const here = isOwn ? {} : await modelsHere(settings.localServers);
  if (Object.keys(here).length > 0) ready.add(LOCAL_PROVIDER);
  const shown = withOwn(listModels(), limitsOf(here, models)).filter(({ provider, id }) =>
    `${provider}/${id}`.toLowerCase().includes(wanted),
  );
  if (flags.json) {
    process.stdout.write(`${JSON.stringify(shown, undefined, 2)}\n`);
    return EXIT_OK;
  }
  process.stdout.write(printable(`${tableOf(shown, ready, modelsFile).join("\n")}\n`));
  return EXIT_OK;
}

/** With the person's own entries for models, and models that only they know. */
function withOwn(
  known: readonly CatalogueEntry[],
  said: Readonly<Record<string, ModelLimits>>,
): readonly CatalogueEntry[] {
  const entries = new Map(known.map((entry) => [`${entry.provider}/${entry.id}`, entry]));
  for (const [name, limits] of Object.entries(said)) {
    const { provider, model } = parseModelName(name) ?? {};
    if (provider === undefined || model === undefined) continue;
    const before = entries.get(name) ?? {
      provider,
      id: model,
      contextWindow: 64_000,
      maxOutputTokens: 8_192,
    };
    entries.set(name, { ...before, ...limits });
  }
  return [...entries.keys()].sort().flatMap((name) => entries.get(name) ?? []);
}

function tableOf(
  models: readonly CatalogueEntry[],
  ready: ReadonlySet<string>,
  modelsFile: string,
): readonly string[] {
  if (models.length === 0) return ["No known model has this in its name."];
  const rows = models.map((model) => [
    `${ready.has(model.provider) ? "*" : " "} ${model.provider}/${model.id}`,
    tokens(model.contextWindow),
    tokens(model.maxOutputTokens),
    prices(model.price),
    [thinking(model.efforts), model.seesImages ? "images" : "", retirement(model.id)]
      .filter((each) => each !== "")
      .join(", "),
  ]);
  const head = ["  model", "window", "answer", "$ in / out", ""];
  return [
    ...tableLines([head, ...rows], (column) => column === 1 || column === 2),
    "",
    `* the model's provider has a key here, or a server on this machine has the model. Prices per million tokens; limits and prices as of ${CATALOGUE_DATE}.`,
    `To correct or add models: ${modelsFile}`,
  ];
}

/** `2.5 / 15, 5 / 22.5 above 272k` */
function prices(price: Price | undefined): string {
  if (price === undefined) return "";
  const above = (price.above ?? []).map(
    (long) => `, ${long.input} / ${long.output} above ${tokens(long.tokens)}`,
  );
  return `${price.input} / ${price.output}${above.join("")}`;
}

function tokens(count: number): string {
  return count >= 1_000_000 ? `${Number((count / 1_000_000).toFixed(2))}M` : `${Math.round(count / 1_000)}k`;
}

/** The levels that `--thinking` has for a model: the others map to the nearest of these. */
function thinking(efforts: readonly string[] = []): string {
  const levels = efforts.filter((each) => each !== "none" && each !== "minimal");
  return levels.length === 0 ? "" : `thinking ${levels.join(" ")}`;
}

function retirement(id: string): string {
  const end = retirementOf(id, nowMs());
  return end ? `may be retired from ${end.day} on: ${end.successor}` : "";
}
