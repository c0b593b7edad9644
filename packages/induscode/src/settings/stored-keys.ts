// Model providers' keys that the person stored with `indus auth login`, by the variable that each stands for. Only models get them: they
// are not in the environment of any command, tool or addon. The environment takes precedence.

import { describeError, errorCode, isTable } from "indusagi/core";
import { BUILT_IN_PROVIDERS, type ProviderConfig } from "indusagi/llmgateway";
import { HOME_FILES, homePath } from "../store/home-files.ts";
import { readJson } from "../store/json.ts";
import { updateFile } from "../store/replace-file.ts";

export interface StoredKey {
  /** Absent: the key is in the keyring. */
  readonly key?: string;
  /** When it was stored, in ISO 8601 and UTC. */
  readonly at: string;
}

/** By variable name. */
export type StoredKeys = Readonly<Record<string, StoredKey>>;

const { maxBytes, version } = HOME_FILES.credentials;

/** The stored keys; none if there is no file. Throws if there is one that cannot be used. */
export function readStoredKeys(home: string): StoredKeys {
  const path = homePath(home, "credentials");
  let value: unknown;
  try {
    value = readJson(path, maxBytes);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return {};
    throw new Error(
      `${path} cannot be read: ${describeError(error)}; move it away, then run indus auth login for each provider`,
      {
        cause: error,
      },
    );
  }
  if (!isTable(value) || value.version !== version || !isTable(value.keys))
    throw new Error(`${path} is not a key file of version ${version}; it is left unchanged`);
  const keys = Object.entries(value.keys).filter((entry): entry is [string, StoredKey] => {
    const [name, stored] = entry;
    const isKept = isTable(stored) && (typeof stored.key === "string" || stored.keyring === true);
    return isVariable(name) && isKept && typeof stored.at === "string";
  });
  return Object.fromEntries(keys);
}

/** Stores a key durably, readable only by the person; without a key, removes the stored one. */
export async function storeKey(home: string, variable: string, stored: StoredKey | undefined): Promise<void> {
  await updateFile(homePath(home, "credentials"), () => {
    const { [variable]: _, ...others } = readStoredKeys(home);
    const kept = stored?.key === undefined ? { ...stored, keyring: true } : stored;
    const keys = stored === undefined ? others : { ...others, [variable]: kept };
    return `${JSON.stringify({ version, keys }, undefined, 2)}\n`;
  });
}

/** `env` with the stored keys that it lacks. Problems with the file are reported. */
export function withStoredKeys(
  env: NodeJS.ProcessEnv,
  home: string,
  tell: (line: string) => void = () => undefined,
): NodeJS.ProcessEnv {
  let stored: StoredKeys;
  try {
    stored = readStoredKeys(home);
  } catch (error) {
    tell(describeError(error));
    return env;
  }
  const lacking = Object.entries(stored).filter(([name, { key }]) => key !== undefined && !env[name]?.trim());
  if (lacking.length === 0) return env;
  return { ...env, ...Object.fromEntries(lacking.map(([name, { key }]) => [name, key])) };
}

/**
 * `providers`, where those whose key is in the keyring and not in the environment get the command that prints it, so that the first
 * request fetches it. Problems with the file of keys are reported elsewhere.
 */
export async function withKeyring(
  providers: readonly ProviderConfig[] | undefined,
  { env, home }: { readonly env: NodeJS.ProcessEnv; readonly home: string },
): Promise<readonly ProviderConfig[]> {
  const own = providers ?? [];
  const stored = usableKeys(home);
  const isHeld = (name = ""): boolean =>
    stored[name] !== undefined && stored[name].key === undefined && !env[name]?.trim();
  if (!Object.keys(stored).some(isHeld)) return own;
  const { keyringCommand } = await import("./keyring.ts");
  const ids = new Set(own.map(({ id }) => id));
  return [...BUILT_IN_PROVIDERS.filter(({ id, apiKeyEnv }) => !ids.has(id) && isHeld(apiKeyEnv)), ...own].map(
    (config) => {
      const { apiKeyEnv: variable = "" } = config;
      if (config.apiKey !== undefined || !isHeld(variable)) return config;
      const apiKey = { command: keyringCommand({ home, variable }) };
      return { ...config, apiKey, keyName: keyNameOf(config) };
    },
  );
}

/**
 * The built-in providers and `own`, where those whose key is one of the file say so in messages. `env` has these keys. Problems with
 * the file are reported elsewhere.
 */
export function namingStored(
  own: readonly ProviderConfig[],
  { env, home }: { readonly env: NodeJS.ProcessEnv; readonly home: string },
): readonly ProviderConfig[] {
  const stored = usableKeys(home);
  return [...BUILT_IN_PROVIDERS, ...own].map((config) => {
    const { apiKey, apiKeyEnv: variable = "" } = config;
    const { key } = stored[variable] ?? {};
    const isStored = apiKey === undefined && key !== undefined && env[variable] === key;
    return isStored ? { ...config, keyName: keyNameOf(config) } : config;
  });
}

const keyNameOf = ({ id }: ProviderConfig): string => `the stored key: indus auth login ${id} replaces it`;

function usableKeys(home: string): StoredKeys {
  try {
    return readStoredKeys(home);
  } catch {
    return {};
  }
}

const isVariable = (name: string): boolean => /^[A-Z][A-Z0-9_]{0,63}$/.test(name);
