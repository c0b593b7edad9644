// Turns `provider/model` into something that answers. Providers are data; their code is loaded on first use.

import { nowMs } from "../core/clock.ts";
import type { AwsSigning } from "./aws/signer.ts";
import { clientCertificateIn } from "./client-certificate.ts";
import type { ModelCard, ModelFault, ModelProvider, ModelRequest } from "./contract.ts";
import type { GoogleSigning } from "./google/signer.ts";
import { hasPicture } from "./has-picture.ts";
import type { Transport } from "./http-stream.ts";
import { createLessonBook, type LessonBook } from "./lessons.ts";
import { cardFor, type ModelLimits, parseModelName, seesImages, wireOf } from "./models.ts";
import type { PictureFacts } from "./pictures.ts";
import { type Pricing, pricingOf } from "./prices.ts";
import type { RunCommand } from "./printed-key.ts";
import { BUILT_IN_PROVIDERS, type ProviderConfig } from "./providers.ts";
import type { Endpoint } from "./wires/endpoint.ts";
import { WIRES } from "./wires/table.ts";
import { createTwoWireProvider } from "./wires/two-wires.ts";

export interface GatewayOptions {
  /** Added to the built-in ones; one with the same id replaces it. */
  readonly providers?: readonly ProviderConfig[];
  /** Providers that come and go during the gateway's life; a name that is already known keeps its meaning. */
  readonly more?: () => readonly ProviderConfig[];
  /** The person's settings for models, by `provider/model`. */
  readonly models?: Readonly<Record<string, ModelLimits>>;
  /** Settings for the models of providers that come and go; the person's own take precedence. */
  readonly moreModels?: () => Readonly<Record<string, ModelLimits>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where lessons from refusals are kept; default: in the process. */
  readonly lessons?: LessonBook;
  /** Receives each fetched secret, with a name for it, before it is used. */
  readonly onSecret?: (name: string, value: string) => void;
  /** Runs a command that prints a key. */
  readonly runCommand?: RunCommand;
  /** The transport between a wire and the network, by provider id. */
  readonly transport?: ((provider: string) => Transport) | undefined;
  /** Looks for the person's AWS credentials. Never rejects. */
  readonly awsCredentials?: AwsSigning["find"];
  /** Looks for the person's credentials for Google Cloud. Never rejects. */
  readonly googleCredentials?: GoogleSigning["find"];
}

export type Resolution =
  | {
      readonly ok: true;
      readonly provider: ModelProvider;
      readonly model: string;
      readonly card: ModelCard;
      /** What its calls cost, if that is known. */
      readonly pricing: () => Pricing | undefined;
    }
  | { readonly ok: false; readonly fault: ModelFault };

export interface Gateway {
  /** The providers by id, sorted: whether each has what it needs to be asked, and whether the environment moved its address. */
  readonly providers: readonly {
    readonly id: string;
    readonly ready: boolean;
    readonly isMoved?: boolean | undefined;
  }[];
  /** Finds the provider for `provider/model`. Starts loading its code; connects to nothing. Never throws. */
  readonly resolve: (name: string) => Resolution;
}

/** A gateway over the built-in providers and `options.providers`. Each provider is created once. */
export function createGateway({
  providers = [],
  models = {},
  more = () => [],
  moreModels = () => ({}),
  env,
  lessons = createLessonBook(),
  onSecret = () => undefined,
  runCommand,
  transport,
  awsCredentials,
  googleCredentials,
}: GatewayOptions): Gateway {
  const configs = new Map([...BUILT_IN_PROVIDERS, ...providers].map((config) => [config.id, config]));
  const made = new WeakMap<ProviderConfig, ModelProvider>();
  const ofModels = new Map<string, { readonly from: ModelProvider; readonly provider: ModelProvider }>();
  const find = (id: string): ProviderConfig | undefined =>
    configs.get(id) ?? more().find((config) => config.id === id);
  const idsNow = (): readonly string[] =>
    [...new Set([...configs.keys(), ...more().map(({ id }) => id)])].sort();

  return {
    get providers() {
      return idsNow().map((id) => {
        const config = find(id);
        const { baseUrlEnv = "" } = config ?? {};
        return {
          id,
          get ready() {
            return config !== undefined && toEndpoint(config, env).ok;
          },
          isMoved: env[baseUrlEnv]?.trim() ? true : undefined,
        };
      });
    },
    resolve: (name) => {
      const parsed = parseModelName(String(name)); // JavaScript passes what it has
      const config = parsed && find(parsed.provider);
      if (!parsed || !config) {
        const expected = `Specify a model as provider/model, with one of these providers: ${idsNow().join(", ")}.`;
        const what = parsed ? `Unknown provider "${parsed.provider}".` : `"${name}" is not a model name.`;
        return refuse("not_found", `${what} ${expected}`);
      }
      const found = toEndpoint(config, env);
      if (!found.ok) return found;
      const provider =
        made.get(config) ??
        makeProvider(
          config,
          parsed.model,
          {
            ...found.endpoint,
            lessons,
            certificate: clientCertificateIn(env),
            transport: transport?.(config.id),
          },
          { onSecret, runCommand, awsCredentials, googleCredentials, env },
        );
      made.set(config, provider);
      const brought = moreModels();
      const said = {
        ...(Object.hasOwn(brought, name) ? brought[name] : {}),
        ...(Object.hasOwn(models, name) ? models[name] : {}),
      };
      const card = cardFor(config.id, parsed.model, said);
      const before = ofModels.get(name);
      const ofModel =
        (before?.from === provider ? before.provider : undefined) ??
        withPicturesOnFirstUse(asSaid(provider, said), {
          baseUrl: found.endpoint.baseUrl,
          model: parsed.model,
          sees: said.images ?? seesImages(config.id, parsed.model),
          book: lessons,
        });
      ofModels.set(name, { from: provider, provider: ofModel });
      return {
        ok: true,
        provider: ofModel,
        model: parsed.model,
        card,
        pricing: () => pricingOf(config.id, parsed.model, said.price),
      };
    },
  };
}

type EndpointResult =
  | { readonly ok: true; readonly endpoint: Endpoint }
  | { readonly ok: false; readonly fault: ModelFault };

function toEndpoint(config: ProviderConfig, env: GatewayOptions["env"]): EndpointResult {
  const { id, headers, baseUrlEnv, apiKeyEnv, wire } = config;
  if (wire && !Object.hasOwn(WIRES, wire))
    return refuse(
      "request",
      `Unknown wire "${wire}" of ${id}; expected one of ${Object.keys(WIRES).join(", ")}.`,
    );
  const override = baseUrlEnv === undefined ? undefined : env[baseUrlEnv]?.trim();
  const located = override ? { baseUrl: override } : locate(config, env);
  if ("missing" in located) {
    const { missing } = located;
    return refuse(
      "request",
      `Set ${missing} in the environment to letters, digits and dashes: it is part of the address of ${id}.`,
    );
  }
  const { baseUrl } = located;
  const source = override ? (baseUrlEnv ?? "") : `the baseUrl of provider "${id}"`;
  if (!baseUrl) return refuse("request", `Provider "${id}" has no baseUrl.`);
  const problem = urlProblem(baseUrl);
  if (problem) return refuse("request", `Set ${source} to an http or https address: ${problem}.`);

  const isFetched = typeof config.apiKey === "object";
  const own = typeof config.apiKey === "object" ? undefined : config.apiKey;
  const apiKey = isFetched
    ? undefined
    : (own ?? (apiKeyEnv === undefined ? undefined : env[apiKeyEnv]))?.trim() || undefined;
  // A server that the person uses in the provider's place may require no key.
  const isSigned = config.aws !== undefined && mayHaveAws(env);
  if (apiKeyEnv !== undefined && apiKey === undefined && !override && !isFetched && !isSigned) {
    const other = config.aws === undefined ? "" : ", or AWS_PROFILE, or AWS_ACCESS_KEY_ID and its secret,";
    return refuse("auth", `No key for ${id}: set ${apiKeyEnv}${other} in the environment.`);
  }
  if (config.aws && apiKey === undefined && !isFetched && !(config.aws.region ?? awsRegion(env)))
    return refuse("request", `Set AWS_REGION in the environment: requests to ${id} are signed for a region.`);
  const keyName =
    config.keyName ?? (config.apiKey === undefined ? apiKeyEnv : `the apiKey of provider "${id}"`);
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
    return refuse(
      "auth",
      `The key of ${id} contains spaces or characters that are invalid in a key. Check ${keyName ?? "it"}.`,
    );
  }
  return {
    ok: true,
    endpoint: {
      id,
      baseUrl,
      apiKey,
      apiKeyName: keyName,
      headers,
      isBearer: config.google ? true : undefined,
    },
  };
}

/** Whether the environment indicates credentials; whether they are valid shows when they are used. */
function mayHaveAws(env: GatewayOptions["env"]): boolean {
  return Boolean(env.AWS_ACCESS_KEY_ID?.trim() || env.AWS_PROFILE?.trim());
}

/** The provider's address with the person's own parts filled in; a value that could lead to another host counts as missing. */
function locate(
  { baseUrl, google }: ProviderConfig,
  env: GatewayOptions["env"],
): { readonly baseUrl: string | undefined } | { readonly missing: string } {
  const parts = [...(baseUrl ?? "").matchAll(/\{([A-Z][A-Z0-9_]*)\}/g)];
  const missing = parts.find(([, name = ""]) => !/^[A-Za-z0-9-]{1,63}$/.test(env[name]?.trim() ?? ""));
  if (missing) return { missing: missing[1] ?? "" };
  const url = parts.reduce(
    (text, [part, name = ""]) => text?.replace(part, env[name]?.trim() ?? ""),
    baseUrl,
  );
  return { baseUrl: google ? url && googleAddress(url) : url };
}

/** Google Cloud locations that are not a single region have differently formed hosts. */
function googleAddress(url: string): string {
  return url
    .replace("//global-aiplatform.", "//aiplatform.")
    .replace(/\/\/(us|eu)-aiplatform\.googleapis\.com/, "//aiplatform.$1.rep.googleapis.com");
}

// The address itself is not repeated: it may contain a password.
function urlProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url) return "its value is not a URL";
  if (url.protocol !== "http:" && url.protocol !== "https:") return `${url.protocol} is not supported`;
  return url.username || url.password ? "its value contains a user name or a password; use a key" : undefined;
}

function refuse(
  kind: ModelFault["kind"],
  message: string,
): { readonly ok: false; readonly fault: ModelFault } {
  return { ok: false, fault: { kind, message } };
}

interface Hands {
  readonly onSecret: (name: string, value: string) => void;
  readonly runCommand: RunCommand | undefined;
  readonly awsCredentials: AwsSigning["find"] | undefined;
  readonly googleCredentials: GoogleSigning["find"] | undefined;
  readonly env: GatewayOptions["env"];
}

function awsRegion(env: GatewayOptions["env"]): string | undefined {
  return env.AWS_REGION?.trim() || env.AWS_DEFAULT_REGION?.trim() || undefined;
}

/** A key that must be fetched is fetched by the first call; until then nothing is run or loaded for it. */
function makeProvider(
  config: ProviderConfig,
  model: string,
  endpoint: Endpoint,
  { onSecret, runCommand: run, awsCredentials, googleCredentials, env }: Hands,
): ModelProvider {
  const { id, apiKey, keyName, aws, google } = config;
  if (google && endpoint.apiKey === undefined && apiKey === undefined) {
    const find =
      googleCredentials ?? (async () => ({ ok: false, why: "they cannot be looked up here" }) as const);
    const signing = import("./google/signer.ts").then(({ createGoogleSigner }) =>
      createGoogleSigner({ id, find, onSecret }),
    );
    const sign: Endpoint["sign"] = async (request, signal) => (await signing)(request, signal);
    return loadOnFirstUse(config, model, { ...endpoint, sign });
  }
  if (aws && endpoint.apiKey === undefined && apiKey === undefined) {
    const region = aws.region ?? awsRegion(env) ?? "";
    const find =
      awsCredentials ?? (async () => ({ ok: false, why: "they cannot be looked up here" }) as const);
    const signing = import("./aws/signer.ts").then(({ createAwsSigner }) =>
      createAwsSigner({ id, service: aws.service, region, find, onSecret }),
    );
    const sign: Endpoint["sign"] = async (request, signal) => (await signing)(request, signal);
    return loadOnFirstUse(config, model, { ...endpoint, sign });
  }
  if (typeof apiKey !== "object") return loadOnFirstUse(config, model, endpoint);
  const { command } = apiKey;
  const loading = import("./fetched-key.ts").then(({ withFetchedKey }) =>
    withFetchedKey({
      id,
      fetch: async (signal) =>
        (await import("./printed-key.ts")).keyOfCommand(id, command, { run, signal, keyName }),
      make: (key) => loadOnFirstUse(config, model, { ...endpoint, apiKey: key }),
      onKey: (key) => onSecret(`key of ${id}`, key),
      now: nowMs,
    }),
  );
  return onceLoaded(id, loading);
}

/** A placeholder for the provider that `loading` yields. */
function onceLoaded(id: string, loading: Promise<ModelProvider>): ModelProvider {
  return {
    id,
    stream: async (request, options) => (await loading).stream(request, options),
    countTokens: async (request, signal) => (await loading).countTokens?.(request, signal),
  };
}

/** Loading starts now, without being awaited, so that it is done by the time of the first call. */
function loadOnFirstUse(config: ProviderConfig, model: string, endpoint: Endpoint): ModelProvider {
  const wire = config.wire ?? (config.kind === "anthropic" ? "messages" : undefined);
  if (wire === undefined) {
    void WIRES[wireOf(model)]().catch(() => undefined); // the first call reports it
    return createTwoWireProvider(endpoint);
  }
  const loading = WIRES[wire]().then((loaded) => loaded.createProvider(endpoint));
  return onceLoaded(endpoint.id, loading);
}

/** Whether a model sees pictures is checked only once there is one. */
function withPicturesOnFirstUse(provider: ModelProvider, facts: PictureFacts): ModelProvider {
  let seeing: Promise<ModelProvider> | undefined;
  return {
    ...provider,
    stream: async (request, options) => {
      try {
        if (!request.messages.some(hasPicture)) return await provider.stream(request, options);
        seeing ??= import("./pictures.ts").then(({ withPictures }) => withPictures(provider, facts));
        return await (await seeing).stream(request, options);
      } catch (error) {
        return (await import("./request-shape.ts")).malformed(request, provider.id, error);
      }
    },
  };
}

/** `provider` with the person's answer limit, which a feature may only lower, and the cache duration they chose. */
function asSaid(provider: ModelProvider, { maxOutputTokens, cache }: ModelLimits): ModelProvider {
  const limited = (params: ModelRequest["params"]): ModelRequest["params"] =>
    maxOutputTokens === undefined
      ? params
      : { ...params, maxOutputTokens: Math.min(maxOutputTokens, params.maxOutputTokens ?? maxOutputTokens) };
  const cachesForAnHour = cache === "1h";
  if (maxOutputTokens === undefined && !cachesForAnHour) return provider;
  return {
    ...provider,
    stream: (request, options) =>
      provider.stream({ ...request, params: limited(request.params), cachesForAnHour }, options),
  };
}
