// What this process knows of secrets, and what it hides with it. One for the process, as its environment and its outputs
// are.

import { lstatSync } from "node:fs";
import { isAbsolute } from "node:path";
import { createSecretMask, credentialsIn, placeholdersIn, type SecretMask } from "indusagi/core";
import type { ProviderConfig } from "indusagi/llmgateway";
import type { Entry } from "../conductor/contract.ts";
import type { GrantedSecrets } from "../feature/host.ts";

const mask = createSecretMask();
const unmaskable = new Map<string, string>();

/** The secrets that this process knows. */
export const secrets: SecretMask = {
  ...mask,
  add(name, value) {
    const why = mask.add(name, value);
    if (why !== undefined) unmaskable.set(name, why);
    return why;
  },
};

/** From now on the credentials of this environment are known. */
export function learnEnvironment(env: NodeJS.ProcessEnv): void {
  // The path of a file with a credential in it is no secret, and stands in many texts.
  for (const { name, value } of credentialsIn(env)) if (!isPlace(value)) secrets.add(name, value);
}

function isPlace(value: string): boolean {
  return isAbsolute(value) && lstatSync(value, { throwIfNoEntry: false }) !== undefined;
}

/** Learns what features are granted, by the name of its variable. */
export function grantedSecrets(env: NodeJS.ProcessEnv): GrantedSecrets {
  return {
    text: secrets.text,
    learn(id) {
      const value = env[id];
      return value === undefined ? undefined : secrets.add(id, value);
    },
  };
}

export interface SecretSettings {
  readonly unmaskedSecrets?: readonly string[];
  readonly providers?: readonly ProviderConfig[];
}

/** What the person's own settings say of secrets: keys that they hold, and names that are not to be hidden. */
export function learnSettings(
  { unmaskedSecrets = [], providers = [] }: SecretSettings,
  env: NodeJS.ProcessEnv,
): void {
  for (const name of unmaskedSecrets) {
    secrets.show(name);
    unmaskable.delete(name);
  }
  for (const { id, apiKey, apiKeyEnv, headers = {} } of providers) {
    const inEnvironment = apiKeyEnv === undefined ? undefined : env[apiKeyEnv];
    if (apiKeyEnv !== undefined && inEnvironment) secrets.add(apiKeyEnv, inEnvironment);
    if (apiKey !== undefined) secrets.add(`key of ${id}`, apiKey);
    for (const [header, value] of Object.entries(headers))
      if (CREDENTIAL_HEADER.test(header))
        secrets.add(`${header} of ${id}`, value.replace(/^(?:bearer|basic)\s+/i, ""));
  }
}

const CREDENTIAL_HEADER = /auth|key|token|secret|cookie/i;

/**
 * What a session that goes on holds of secrets: its placeholders stand for secrets still, and a log from before a secret was
 * known holds the secret. Answers a line about that, or none.
 */
export function recallSecrets(entries: readonly Entry[]): readonly string[] {
  const plain = new Set<string>();
  for (const entry of entries) {
    const logged = JSON.stringify(entry);
    if (logged.includes("[secret ") && entry.type === "tool") secrets.recall(entry.text);
    const masked = secrets.text(logged);
    if (masked === logged) continue;
    const before = new Set(placeholdersIn(logged));
    for (const placeholder of placeholdersIn(masked)) if (!before.has(placeholder)) plain.add(placeholder);
  }
  if (plain.size === 0) return [];
  const names = [...plain].join(", ");
  return [
    `the log of this session holds the value of ${names} as it is, from before it was known as a secret, and the model is shown it again; /new begins without`,
  ];
}

/** Why the values of these names cannot be hidden. */
export const unmaskableSecrets: ReadonlyMap<string, string> = unmaskable;

/** The last fence: whatever is written here from now on is masked. What comes in pieces must have been masked before. */
export function maskOutputs(...outputs: readonly NodeJS.WriteStream[]): void {
  for (const output of outputs) {
    const write = output.write.bind(output) as (...written: readonly unknown[]) => boolean;
    output.write = (chunk: unknown, ...more: readonly unknown[]) =>
      write(typeof chunk === "string" ? secrets.text(chunk) : chunk, ...more);
  }
}
