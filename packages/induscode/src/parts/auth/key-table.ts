// Which providers have a key, and where it comes from.

import { printable } from "indusagi/core";
import { BUILT_IN_PROVIDERS, type ProviderConfig } from "indusagi/llmgateway";
import { tableLines } from "../../console/table.ts";
import type { Settings } from "../../settings/load-settings.ts";
import { readStoredKeys } from "../../settings/stored-keys.ts";

export interface KeyPlaces {
  /** The product's home folder. */
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Those that take a key; the person's own replace built-in ones. */
export function providersWithKeys({ providers: own = [] }: Settings): readonly ProviderConfig[] {
  const isOwn = (id: string): boolean => own.some((each) => each.id === id);
  return [...BUILT_IN_PROVIDERS.filter(({ id }) => !isOwn(id)), ...own].filter(
    ({ apiKeyEnv }) => apiKeyEnv !== undefined,
  );
}

/** A line for each provider; no key is shown whole. */
export function keyTable(providers: readonly ProviderConfig[], { home, env }: KeyPlaces): string {
  const stored = readStoredKeys(home);
  const rows = providers.map(({ id, apiKeyEnv = "" }): readonly [string, string, string] => {
    const own = env[apiKeyEnv]?.trim();
    if (own) return [id, apiKeyEnv, `${masked(own)}  in the environment`];
    const kept = stored[apiKeyEnv];
    const where = kept?.key === undefined ? "in the keyring, stored" : `${masked(kept.key)}  stored`;
    return [id, apiKeyEnv, kept ? `${where} ${kept.at.slice(0, 10)}` : "none"];
  });
  return printable(tableLines(rows).join("\n"));
}

/** Shows just enough to tell keys apart. */
export function masked(key: string): string {
  return key.length < 16 ? "…" : `…${key.slice(-4)}`;
}
