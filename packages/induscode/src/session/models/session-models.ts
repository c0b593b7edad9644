// The models of one session: a cassette, or a gateway behind retries, recorded if the person asked for it.

import { resolve } from "node:path";
import { homeFolder, nowMs, type SecretMask } from "indusagi/core";
import {
  CassetteError,
  cardFor,
  createCassettePlayer,
  createCassetteRecorder,
  createExchangePlayer,
  createExchangeRecorder,
  createGateway,
  isKnownModel,
  listModels,
  type ModelFault,
  type ModelLimits,
  type ModelProvider,
  matchModel,
  type NameFacts,
  parseModelName,
  type RetryOptions,
  retirementOf,
  withRetry,
} from "indusagi/llmgateway";
import type { Flags } from "../../cli/flags.ts";
import { EXIT_USAGE, Problem } from "../../cli/problem.ts";
import type { ModelResolver } from "../../conductor/model-in-use.ts";
import type { ProviderContribution } from "../../feature/install.ts";
import type { Settings } from "../../settings/load-settings.ts";
import { namingStored } from "../../settings/stored-keys.ts";
import { inHome } from "../../store/home.ts";
import type { ModelChoice } from "./chosen-model.ts";
import { learnedRefusals } from "./learned-refusals.ts";
import { chooseModel, isLocal, limitsOf, modelHere } from "./model-choice.ts";

export interface SessionModels {
  /** `provider/model`. */
  readonly name: string;
  readonly resolve: ModelResolver;
  /** What the person should know about the session's first model that depends on what features bring. */
  readonly lateNotices: () => readonly string[];
  /** The models a person can choose from: those of providers with a key here, and the person's own. Computed on request. */
  readonly names: () => readonly string[];
  /** Models that can stand in for it; empty for a cassette. */
  readonly fallbacks: readonly string[];
}

export interface SessionModelFacts {
  readonly flags: Flags;
  readonly settings: Settings;
  /** The product's home folder. */
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  /** The base for paths on the command line. */
  readonly startedIn: string;
  /** Plays recorded text at a readable speed. */
  readonly pace: boolean;
  readonly tell: (line: string) => void;
  readonly secrets: SecretMask;
  /** Providers that features have brought so far. */
  readonly brought?: () => readonly ProviderContribution[];
  /** The session might never ask a model: without one, the first request fails instead of the start. */
  readonly isOptional: boolean;
}

/** Throws a {@link Problem} if there is no model to talk to, unless it is optional. */
export async function createSessionModels({
  flags,
  settings,
  home,
  env,
  startedIn,
  pace,
  tell,
  secrets,
  brought = () => [],
  isOptional,
}: SessionModelFacts): Promise<SessionModels> {
  if (flags.cassette !== undefined) return cassetteModels(resolve(startedIn, flags.cassette), pace);
  let missing: string | undefined;
  const named = flags.model === undefined ? {} : { named: flags.model };
  const choice = await chooseModel({ settings, env, ...named }).catch((error: unknown): ModelChoice => {
    if (!isOptional || !(error instanceof Problem)) throw error;
    missing = error.message;
    return { name: NO_MODEL, providers: settings.providers ?? [] };
  });
  const { aliases = {} } = settings;
  const models = limitsOf(choice.models, settings.models);
  const recordTo = flags.record === undefined ? undefined : resolve(startedIn, flags.record);
  const exchanges =
    recordTo?.endsWith(EXCHANGES_ENDING) === true ? recordExchanges(recordTo, { tell, secrets }) : undefined;
  /** A server on this machine that was found after the start. */
  let here: ModelChoice | undefined;
  const moreModels = (): Readonly<Record<string, ModelLimits>> => ({
    ...here?.models,
    ...Object.fromEntries(
      brought().flatMap(({ config, models: own }) =>
        Object.entries(own).map(([model, limits]) => [`${config.id}/${model}`, limits]),
      ),
    ),
  });
  const gateway = createGateway({
    providers: namingStored(choice.providers, { env, home }),
    models,
    more: () => [...brought().map(({ config }) => config), ...(here?.providers ?? [])],
    moreModels,
    env,
    lessons: learnedRefusals(home),
    transport: exchanges,
    onSecret: secrets.add,
    awsCredentials: async (signal) => (await import("./aws-credentials.ts")).findAwsCredentials(env, signal),
    googleCredentials: async () => (await import("./google-credentials.ts")).findGoogleCredentials(env),
    runCommand: async (words, signal) =>
      (await import("../../settings/key-command.ts")).runKeyCommand(words, env, signal),
  });
  const facts = (): NameFacts => ({
    providers: gateway.providers,
    own: [...Object.keys(models), ...Object.keys(moreModels())],
    aliases,
  });
  const name = choice.name === NO_MODEL ? NO_MODEL : meantModel(choice.name, facts());
  const record =
    recordTo === undefined || exchanges !== undefined
      ? undefined
      : createRecording(recordTo, { tell, secrets });
  const fallbacks = flags["fallback-model"] ?? settings.fallbackModels ?? [];
  for (const fallback of fallbacks) {
    if (isLocal(fallback, gateway.providers)) continue; // searched for when it is needed
    const found = gateway.resolve(meantModel(fallback, facts()));
    if (!found.ok) tell(`the fallback model ${fallback} cannot be used: ${found.fault.message}`);
  }
  const patience = (model: string): RetryOptions => {
    const { retryMinutes = DEFAULT_RETRY_MINUTES } = settings;
    const isLast = fallbacks.length === 0 || matchesLast(model);
    return {
      maxTotalMs: Math.min(retryMinutes * 60_000, isLast ? Number.POSITIVE_INFINITY : BEFORE_FALLBACK_MS),
    };
  };
  const matchesLast = (model: string): boolean => {
    const last = matchModel(fallbacks.at(-1) ?? "", facts());
    return last.kind === "one" && last.name === model;
  };
  const isTalking = flags.print !== true && flags.json !== true;
  const noticesNow = (): readonly string[] =>
    modelNotices(name, {
      ...{ models: { ...moreModels(), ...models }, isTalking, now: nowMs() },
      modelsFile: inHome("~/.indus/models.json", { home, personHome: homeFolder(env) }),
    });
  const isProviderKnown = (): boolean =>
    gateway.providers.some(({ id }) => id === parseModelName(name)?.provider);
  const isLate = !isProviderKnown();
  if (!isLate) for (const line of noticesNow()) tell(line);
  return {
    name,
    names: () =>
      modelNames(gateway.providers, [name, ...fallbacks, ...Object.keys({ ...moreModels(), ...models })]),
    lateNotices: () => (isLate && isProviderKnown() ? noticesNow() : []),
    fallbacks,
    async resolve(asked) {
      if (asked === NO_MODEL && missing !== undefined)
        return { ok: false, fault: { kind: "not_found", message: missing } };
      let words = asked;
      if (isLocal(asked, gateway.providers)) {
        try {
          here = await modelHere(asked, settings);
          words = here.name;
        } catch (error) {
          if (!(error instanceof Problem)) throw error;
          return { ok: false, fault: { kind: "not_found", message: `${error.message}.` } };
        }
      }
      const meant = matchModel(words, facts());
      if (meant.kind === "several")
        return { ok: false, fault: { kind: "not_found", message: severalModels(words, meant.names) } };
      const name = meant.kind === "one" ? meant.name : words;
      const found = gateway.resolve(name);
      if (!found.ok) return { ok: false, fault: withLogin(found.fault, name) };
      const provider = withRetry(found.provider, patience(name));
      return { ...found, name, provider: record ? record(provider) : provider };
    },
  };
}

/** Read from the build once, at the first choice. */
let catalogue: ReturnType<typeof listModels> | undefined;

/** The known models of providers with a key, after those that are named explicitly. */
function modelNames(
  providers: readonly { readonly id: string; readonly ready: boolean }[],
  named: readonly string[],
): readonly string[] {
  const ready = new Set(providers.filter((provider) => provider.ready).map(({ id }) => id));
  catalogue ??= listModels().filter(({ id }) => !retirementOf(id, nowMs()));
  const known = catalogue.filter(({ provider }) => ready.has(provider));
  return [...new Set([...named, ...known.map(({ provider, id }) => `${provider}/${id}`)])];
}

/** The name of the model that `words` mean. Throws a {@link Problem} if they mean several. */
export function meantModel(words: string, facts: NameFacts): string {
  const match = matchModel(words, facts);
  if (match.kind === "several") throw new Problem(severalModels(words, match.names), EXIT_USAGE);
  return match.kind === "one" ? match.name : words;
}

/** Adds the command that stores a key to the fault for a missing or invalid one. */
export function withLogin(fault: ModelFault, model: string): ModelFault {
  const [provider = ""] = model.split("/", 1);
  if (fault.kind !== "auth") return fault;
  return { ...fault, message: `${fault.message} indus auth login ${provider} stores a key.` };
}

const DEFAULT_RETRY_MINUTES = 10;

/** If another model can stand in, the person need not wait for this one. */
const BEFORE_FALLBACK_MS = 30_000;

const MAX_SHOWN_NAMES = 12;

function severalModels(words: string, names: readonly string[]): string {
  const shown = names.slice(0, MAX_SHOWN_NAMES).join(", ");
  const more = names.length > MAX_SHOWN_NAMES ? ` and ${names.length - MAX_SHOWN_NAMES} more` : "";
  return `"${words}" matches ${names.length} models: ${shown}${more}. Write more of the name; indus models ${words} lists them.`;
}

/** What a person should know about the model that a session starts with. */
function modelNotices(
  name: string,
  {
    models,
    isTalking,
    now,
    modelsFile,
  }: {
    readonly models: NonNullable<Settings["models"]>;
    readonly isTalking: boolean;
    readonly now: number;
    readonly modelsFile: string;
  },
): readonly string[] {
  const { provider, model } = parseModelName(name) ?? {};
  if (provider === undefined || model === undefined) return [];
  const end = retirementOf(model, now);
  if (end)
    return [
      `${name} may be retired from ${end.day} on; its successor is ${end.successor}: --model ${provider}/${model.slice(0, model.lastIndexOf("/") + 1)}${end.successor}`,
    ];
  const said = Object.hasOwn(models, name) ? models[name] : undefined;
  if (!isTalking || said?.contextWindow !== undefined || isKnownModel(provider, model)) return [];
  const { contextWindow, maxOutputTokens } = cardFor(provider, model);
  return [
    `unknown model ${name}: assuming a window of ${contextWindow} tokens and answers of at most ${maxOutputTokens}. ` +
      `Set both in ${modelsFile}: { "models": { "${name}": { "contextWindow": N, "maxOutputTokens": N } } }`,
  ];
}

/** Used as the model's name in a session that has none. */
export const NO_MODEL = "no model";

function cassetteModels(path: string, pace: boolean): SessionModels {
  const played = cassetteOrProblem(() => createExchangePlayer(path));
  if (played) {
    const { provider: id, model } = parseModelName(played.model) ?? {
      provider: "cassette",
      model: "recording",
    };
    const provider = withRetry(played.provider);
    return {
      name: played.model,
      lateNotices: () => [],
      names: () => [],
      fallbacks: [],
      resolve: async () => ({ ok: true, provider, model, card: cardFor(id, model) }),
    };
  }
  const provider = cassetteOrProblem(() => createCassettePlayer({ source: { path }, pace }));
  const card = { ...cardFor("cassette", "recording"), contextWindow: Number.MAX_SAFE_INTEGER };
  return {
    name: "cassette/recording",
    lateNotices: () => [],
    names: () => [],
    fallbacks: [],
    resolve: async () => ({ ok: true, provider, model: "recording", card }),
  };
}

/** A recording with this file extension contains the HTTP exchanges, not the model's turns. */
const EXCHANGES_ENDING = ".http.jsonl";

function recordExchanges(
  path: string,
  { tell, secrets }: Pick<SessionModelFacts, "tell" | "secrets">,
): ReturnType<typeof createExchangeRecorder> {
  return cassetteOrProblem(() =>
    createExchangeRecorder(path, {
      about: "recorded with indus --record",
      onError: (error) => tell(error.message),
      mask: secrets.value,
    }),
  );
}

/** Wraps any provider that a session uses, so that every turn is recorded on one tape. */
function createRecording(
  path: string,
  { tell, secrets }: Pick<SessionModelFacts, "tell" | "secrets">,
): (provider: ModelProvider) => ModelProvider {
  return cassetteOrProblem(() =>
    createCassetteRecorder(path, {
      about: "recorded with indus --record",
      onError: (error) => tell(error.message),
      mask: secrets.value,
    }),
  );
}

function cassetteOrProblem<Made>(make: () => Made): Made {
  try {
    return make();
  } catch (error) {
    if (error instanceof CassetteError) throw new Problem(error.message);
    throw error;
  }
}
