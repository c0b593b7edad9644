// What `indus doctor` reports about reaching models: the address and key (masked) for the session's model, the proxy, the certificates,
// and whether clock and terminal are as they should be. Sends nothing.

import { statSync } from "node:fs";
import { describeError, isoNow, nowMs, readFileOpening } from "indusagi/core";
import {
  BUILT_IN_PROVIDERS,
  CATALOGUE_DATE,
  clientCertificateIn,
  type ProviderConfig,
  proxyNameFor,
  proxyNames,
  proxyProblem,
  readClientCertificate,
} from "indusagi/llmgateway";
import { readStoredKeys } from "../../settings/stored-keys.ts";

export interface Connections {
  readonly lines: readonly string[];
  /** Problems to fix, each with the remedy. */
  readonly problems: readonly string[];
}

export interface ConnectionFacts {
  /** The product's home folder. */
  readonly home: string;
  /** Of the model of a session here; absent if there is none. */
  readonly provider?: ProviderConfig | undefined;
  /** Why that model cannot be used; it is told elsewhere. */
  readonly modelProblem?: string | undefined;
  readonly providers: readonly ProviderConfig[];
  /** Without stored keys. */
  readonly env: NodeJS.ProcessEnv;
  readonly isTerminal: boolean;
}

export function connectionsHere(facts: ConnectionFacts): Connections {
  const problems: string[] = [];
  return {
    lines: [
      ...addressLines(facts),
      ...keyLines(facts, problems),
      ...proxyLines(facts, problems),
      ...certificateLines(facts.env, problems),
      clockLine(problems),
      terminalLine(facts, problems),
    ],
    problems,
  };
}

function providersOf({ providers }: ConnectionFacts): readonly ProviderConfig[] {
  const own = new Set(providers.map(({ id }) => id));
  return [...providers, ...BUILT_IN_PROVIDERS.filter(({ id }) => !own.has(id))];
}

function addressOf({ baseUrl, baseUrlEnv }: ProviderConfig, env: NodeJS.ProcessEnv): string | undefined {
  const moved = baseUrlEnv === undefined ? undefined : env[baseUrlEnv]?.trim();
  return (
    moved || baseUrl?.replace(/\{([A-Z][A-Z0-9_]*)\}/g, (place, name: string) => env[name]?.trim() || place)
  );
}

function addressLines({ provider, env }: ConnectionFacts): readonly string[] {
  if (provider === undefined) return [];
  const url = URL.parse(addressOf(provider, env) ?? "");
  // The part before the host could contain a password.
  const shown = url ? `${url.protocol}//${url.host}${url.pathname.replace(/\/$/, "")}` : "no address";
  return [`address  ${provider.id} at ${shown}`];
}

function keyLines(facts: ConnectionFacts, problems: string[]): readonly string[] {
  const { home, env } = facts;
  let stored: ReturnType<typeof readStoredKeys> = {};
  try {
    stored = readStoredKeys(home);
  } catch (error) {
    problems.push(describeError(error));
  }
  const seen = new Set<string>();
  const line = (name: string, key: string, where: string): string => {
    if (!/^[\x21-\x7e]+$/.test(key) && !facts.modelProblem?.includes(name))
      problems.push(
        `the key in ${name} contains spaces or characters that are not valid in a key: copy it again`,
      );
    const masked = key.length < 16 ? "…" : `…${key.slice(-4).replace(/[^\x21-\x7e]/g, "?")}`;
    return `key      ${name} ${masked}  ${where}`;
  };
  return providersOf(facts).flatMap(({ id, apiKey, apiKeyEnv = "" }) => {
    if (typeof apiKey === "object") return [`key      ${id}  printed by ${apiKey.command[0]}`];
    if (apiKey !== undefined)
      return [line(`the apiKey of provider "${id}"`, apiKey, "in settings.json or models.json")];
    const own = env[apiKeyEnv]?.trim();
    const kept = stored[apiKeyEnv];
    const key = own || kept?.key;
    if ((!key && !kept) || seen.has(apiKeyEnv)) return [];
    seen.add(apiKeyEnv);
    if (!key) return [`key      ${apiKeyEnv}  in the keyring`];
    return [line(apiKeyEnv, key, own ? "in the environment" : "stored")];
  });
}

function proxyLines(facts: ConnectionFacts, problems: string[]): readonly string[] {
  const { provider, env } = facts;
  const names = proxyNames(["https_proxy", "http_proxy", "all_proxy"], env);
  for (const name of names) {
    const problem = proxyProblem(name, env);
    if (problem !== undefined) problems.push(problem);
  }
  if (names.length === 0) return ["proxy    none"];
  const url = provider && URL.parse(addressOf(provider, env) ?? "");
  const used = url ? proxyNameFor(url, env) : undefined;
  const left = env.NO_PROXY?.trim() || env.no_proxy?.trim();
  const through = `; model requests go through ${used}${left ? ", except to those hosts" : ""}`;
  const way = !url ? "" : used === undefined ? "; model requests do not use a proxy" : through;
  return [`proxy    ${names.join(", ")}${left ? `, not for ${left}` : ""}${way}`];
}

function certificateLines(env: NodeJS.ProcessEnv, problems: string[]): readonly string[] {
  const extra = env.NODE_EXTRA_CA_CERTS?.trim();
  if (extra) {
    try {
      statSync(extra);
      if (!readFileOpening(extra, 65_536).includes("-----BEGIN"))
        problems.push(
          `NODE_EXTRA_CA_CERTS is ${extra}, which contains no PEM certificate: no certificate is added`,
        );
    } catch (error) {
      problems.push(`NODE_EXTRA_CA_CERTS is ${extra}, which cannot be read (${describeError(error)})`);
    }
  }
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === "0")
    problems.push(
      "NODE_TLS_REJECT_UNAUTHORIZED=0 lets anyone impersonate a server: unset it, and set NODE_EXTRA_CA_CERTS to the certificate",
    );
  const client = clientCertificateIn(env);
  const read = client && readClientCertificate(client);
  if (read && !read.ok) problems.push(read.fault.message);
  const isSystem = env.NODE_USE_SYSTEM_CA === "1" || /(^|\s)--use-system-ca\b/.test(env.NODE_OPTIONS ?? "");
  const trusted = ["Node's own", ...(isSystem ? ["the system's"] : []), ...(extra ? [extra] : [])];
  return [`trusts   ${trusted.join(", ")}${client ? `; client certificate ${client.certPath}` : ""}`];
}

/** A clock earlier than the day of this build is wrong: certificates and signatures then fail. */
function clockLine(problems: string[]): string {
  const now = nowMs();
  if (now < Date.parse(CATALOGUE_DATE))
    problems.push(
      `the clock says ${isoNow(now)}, before this indus was built (${CATALOGUE_DATE}): set the clock, or certificates and signed requests are refused`,
    );
  return `clock    ${isoNow(now)}`;
}

function terminalLine({ env, isTerminal }: ConnectionFacts, problems: string[]): string {
  const { TERM = "", LANG = "", LC_ALL = "", LC_CTYPE = "" } = env;
  const words = LC_ALL || LC_CTYPE || LANG;
  if (isTerminal && (TERM === "" || TERM === "dumb"))
    problems.push(
      `TERM is ${TERM === "" ? "not set" : TERM}: the rich console needs a terminal that can move the cursor`,
    );
  if (isTerminal && words !== "" && !/utf-?8/i.test(words))
    problems.push(`the terminal's locale is ${words}, not UTF-8: set LANG, for instance to C.UTF-8`);
  return `terminal ${isTerminal ? TERM || "unknown" : "none"}${words === "" ? "" : `, ${words}`}`;
}
