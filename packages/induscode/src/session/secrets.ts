// What a session knows of secrets, and hides in what it shows, logs and sends. The outputs belong to the process: there the
// secrets of all its sessions are hidden.

import { lstatSync } from "node:fs";
import { isAbsolute } from "node:path";
import { createSecretMask, credentialsIn, placeholdersIn, type SecretMask } from "indusagi/core";
import type { ProviderConfig } from "indusagi/llmgateway";
import type { Entry } from "../conductor/contract.ts";
import type { GrantedSecrets } from "../feature/host.ts";

/** The secrets of one session, of whoever opens sessions, or of a look at what is here. */
export interface Secrets extends SecretMask {
  /** From now on the credentials of this environment are known. */
  readonly learnEnvironment: (env: NodeJS.ProcessEnv) => void;
  /** What the person's own settings say of secrets: keys that they hold, and names that are not to be hidden. */
  readonly learnSettings: (settings: SecretSettings, env: NodeJS.ProcessEnv) => void;
  /** Learns what features are granted, by the name of its variable. */
  readonly granted: (env: NodeJS.ProcessEnv) => GrantedSecrets;
  /** Why the values of these names cannot be hidden. */
  readonly unmaskable: ReadonlyMap<string, string>;
  /** Hides them in the process's outputs no longer. */
  readonly release: () => void;
}

export interface SecretSettings {
  readonly unmaskedSecrets?: readonly string[];
  readonly providers?: readonly ProviderConfig[];
}

/** What is hidden by somebody, by its name, for the process's outputs. */
const known = new Map<Secrets, Map<string, Set<string>>>();
let union: SecretMask | undefined;

/** Those of this environment to begin with. Whatever is written from now on hides them too, until they are released. */
export function createSecrets(env: NodeJS.ProcessEnv = {}): Secrets {
  const mask = createSecretMask();
  const values = new Map<string, Set<string>>();
  const shown = new Set<string>();
  const unmaskable = new Map<string, string>();
  const secrets: Secrets = {
    ...mask,
    unmaskable,
    add(name, value) {
      const why = mask.add(name, value);
      if (why !== undefined) unmaskable.set(name, why);
      else if (!shown.has(name)) {
        values.set(name, (values.get(name) ?? new Set()).add(value));
        union = undefined;
      }
      return why;
    },
    show(name) {
      mask.show(name);
      shown.add(name);
      unmaskable.delete(name);
      if (values.delete(name)) union = undefined;
    },
    learnEnvironment(from) {
      // The path of a file with a credential in it is not a secret, and stands in many texts.
      for (const { name, value } of credentialsIn(from)) if (!isPlace(value)) secrets.add(name, value);
    },
    learnSettings({ unmaskedSecrets = [], providers = [] }, from) {
      unmaskedSecrets.forEach(secrets.show);
      for (const { id, apiKey, apiKeyEnv, headers = {} } of providers) {
        const inEnvironment = apiKeyEnv === undefined ? undefined : from[apiKeyEnv];
        if (apiKeyEnv !== undefined && inEnvironment) secrets.add(apiKeyEnv, inEnvironment);
        if (typeof apiKey === "string") secrets.add(`key of ${id}`, apiKey);
        for (const [header, value] of Object.entries(headers))
          if (CREDENTIAL_HEADER.test(header))
            secrets.add(`${header} of ${id}`, value.replace(/^(?:bearer|basic)\s+/i, ""));
      }
    },
    granted: (from) => ({
      text: mask.text,
      learn(id) {
        const value = from[id];
        return value === undefined ? undefined : secrets.add(id, value);
      },
    }),
    release() {
      known.delete(secrets);
      union = undefined;
    },
  };
  known.set(secrets, values);
  secrets.learnEnvironment(env);
  return secrets;
}

function isPlace(value: string): boolean {
  return isAbsolute(value) && lstatSync(value, { throwIfNoEntry: false }) !== undefined;
}

const CREDENTIAL_HEADER = /auth|key|token|secret|cookie/i;

/**
 * What a session that goes on holds of secrets: its placeholders stand for secrets still, and a log from before a secret was
 * known holds the secret. `told` is a line about that, or none, once all of the log was seen.
 */
export function createSecretsRecall(secrets: SecretMask): {
  readonly see: (entry: Entry, line: string) => void;
  readonly told: () => readonly string[];
} {
  const plain = new Set<string>();
  return {
    see(entry, line) {
      if (line.includes("[secret ") && entry.type === "tool") secrets.recall(entry.text);
      const masked = secrets.text(line);
      if (masked === line) return;
      const before = new Set(placeholdersIn(line));
      for (const placeholder of placeholdersIn(masked)) if (!before.has(placeholder)) plain.add(placeholder);
    },
    told() {
      if (plain.size === 0) return [];
      const names = [...plain].join(", ");
      return [
        `the log of this session holds the value of ${names} as it is, from before it was known as a secret, and the model is shown it again; /new begins without`,
      ];
    },
  };
}

/** With every secret hidden that anybody in this process hides. */
export function maskForOutput(text: string): string {
  const [only, ...others] = known.keys();
  if (only === undefined || others.length === 0) return only?.text(text) ?? text;
  union ??= unionOf(known.values());
  return union.text(text);
}

/** One mask and not one after the other: where two secrets begin alike, the longer one is hidden whole. */
function unionOf(all: Iterable<ReadonlyMap<string, ReadonlySet<string>>>): SecretMask {
  const mask = createSecretMask();
  for (const each of all)
    for (const [name, values] of each) for (const value of values) mask.add(name, value);
  return mask;
}

/** The last fence: whatever is written here from now on is masked. What comes in pieces must have been masked before. */
export function maskOutputs(...outputs: readonly NodeJS.WriteStream[]): void {
  for (const output of outputs) {
    const write = output.write.bind(output) as (...written: readonly unknown[]) => boolean;
    output.write = (chunk: unknown, ...more: readonly unknown[]) =>
      write(typeof chunk === "string" ? maskForOutput(chunk) : chunk, ...more);
  }
}
