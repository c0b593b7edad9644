// What was searched when there is no model to talk to, and how to add one: on one line when a program waits for an answer,
// on a page when a person does.

import { dirname } from "node:path";
import { type AskedServer, LOCAL_SERVERS, type ProviderConfig } from "indusagi/llmgateway";
import { inHome } from "../../store/home.ts";

export interface ModelSearch {
  /** The person's own settings file. */
  readonly settingsPath: string;
  /** What `~` stands for. */
  readonly personHome: string;
  /** Ids of the providers that the settings add. */
  readonly providers: readonly string[];
  /** Providers with a key but without a default model. */
  readonly keyed: readonly Pick<ProviderConfig, "id" | "apiKeyEnv">[];
  /** The addresses checked on this machine; none if the settings say so. */
  readonly servers: readonly AskedServer[];
}

/** Everything in one line. */
export function searchLine(search: ModelSearch): string {
  const { providers, keyed, servers } = search;
  const settings = shown(search);
  const keys =
    keyed.length === 0
      ? `no provider key (${MAIN_KEYS}; indus auth lists them all)`
      : keyed.map((each) => `${each.apiKeyEnv} has no default model: ${naming(each.id)}`).join(", ");
  const own =
    providers.length === 0
      ? `nothing in ${settings} or ${MODELS_FILE}`
      : `${settings} and ${MODELS_FILE} have ${providers.join(", ")} but choose no model: ${naming(providers[0])}`;
  const empty = servers.filter(({ models }) => models).map((server) => `${place(server)} has no model yet`);
  const silent = servers.filter(({ models }) => !models).map(place);
  const local = [...empty, ...(silent.length === 0 ? [] : [`no server at ${silent.join(", ")}`])];
  return (
    `no model is configured: no --model, ${own}, ${keys}, no OPENAI_BASE_URL; ` +
    `${local.join("; ") || "local servers were not checked"}. Set one of them, or run indus auth login; indus --rehearse needs no model`
  );
}

/** The same as a page, one string per line, which fits a terminal of the usual width. */
export function searchPage(search: ModelSearch): readonly string[] {
  const { providers, keyed, servers } = search;
  const settings = shown(search);
  const rows: (readonly [string, string])[] = [
    ["--model", "not given"],
    [`"model" in ${settings}`, "not set"],
    [
      `"providers" there or in ${MODELS_FILE}`,
      providers.length === 0 ? "none" : `${providers.join(", ")}: indus ${naming(providers[0])}`,
    ],
    ...(keyed.length === 0
      ? [["a provider's key", "none is set; indus auth lists all"] as const]
      : keyed.map(({ id, apiKeyEnv = id }) => [apiKeyEnv, `set: indus ${naming(id)}`] as const)),
    ["OPENAI_BASE_URL", "not set"],
    ...servers.map((server) => [place(server), answerOf(server)] as const),
    ...(servers.length === 0 ? [["local servers", `not checked: "localServers" there is []`] as const] : []),
  ];
  return [
    "indus has no model to talk to. It looked for:",
    "",
    ...inColumns(rows),
    "",
    "Add one of them and start indus again:",
    ...waysToAModel(settings),
    "",
    "Or see indus work without a model: a recording plays the model; the tools,",
    "the files and the test runs are real.",
  ];
}

/** How to get a model, one string per line; `settings` is what a message calls the settings file. */
export function waysToAModel(settings: string): readonly string[] {
  return inColumns([
    ["indus auth login PROVIDER", "a stored key: anthropic, openai, google, …"],
    ["export ANTHROPIC_API_KEY=…", "Anthropic"],
    ["export OPENAI_API_KEY=…", "OpenAI"],
    ["export GEMINI_API_KEY=…", "Google"],
    ["export OPENAI_BASE_URL=http://…", "any OpenAI-compatible server, with --model openai/NAME"],
    ["start Ollama, LM Studio, llama.cpp or vLLM", "found on its usual port"],
    [
      `"providers" in ${settings.replace(/settings\.json$/, MODELS_FILE)}`,
      "your own servers; choose with --model PROVIDER/NAME",
    ],
  ]);
}

const TERMINAL_WIDTH = 80;
const MIN_SECOND_COLUMN = 24;

/** What is longer, as a path can be, has a line of its own. */
const LONGEST_FIRST = 44;

/** Two columns; the second wraps within itself. */
function inColumns(rows: readonly (readonly [string, string])[]): readonly string[] {
  const isLong = (what: string): boolean => what.length > LONGEST_FIRST;
  const first = Math.max(...rows.map(([what]) => (isLong(what) ? 0 : what.length)));
  const second = Math.max(TERMINAL_WIDTH - first - 4, MIN_SECOND_COLUMN);
  return rows.flatMap(([what, found]) => [
    ...(isLong(what) ? [`  ${what}`] : []),
    ...wrapped(found, second).map(
      (line, at) => `  ${(at === 0 && !isLong(what) ? what : "").padEnd(first)}  ${line}`,
    ),
  ]);
}

function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** The person's own settings file, where nothing moved it. */
export const SETTINGS_FILE = "~/.indus/settings.json";

/** Next to the settings. */
const MODELS_FILE = "models.json";

const MAIN_KEYS = "ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY, …";

function naming(provider = "PROVIDER"): string {
  return `--model ${provider}/NAME`;
}

function place({ baseUrl }: AskedServer): string {
  const name = LOCAL_SERVERS.find((server) => server.baseUrl === baseUrl)?.name;
  const { host } = new URL(baseUrl);
  return name === undefined ? host : `${host} (${name})`;
}

function answerOf({ models }: AskedServer): string {
  return models ? "answers, but has no model yet" : "no model server answers";
}

function shown({ settingsPath, personHome }: ModelSearch): string {
  return inHome(SETTINGS_FILE, { home: dirname(settingsPath), personHome });
}
