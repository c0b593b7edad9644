// The secrets a session knows and hides in what it shows, logs and sends. Outputs belong to the process, so they hide the
// secrets of all its sessions.

import { lstatSync } from "node:fs";
import { isAbsolute } from "node:path";
import {
  createSecretMask,
  credentialsIn,
  isCredentialHeader,
  placeholdersIn,
  type SecretMask,
} from "indusagi/core";
import type { ProviderConfig } from "indusagi/llmgateway";
import type { Entry } from "../conductor/contract.ts";
import type { GrantedSecrets } from "../feature/host.ts";

/** The secrets of one session, of code that opens sessions, or of a command that inspects what is here. */
export interface Secrets extends SecretMask {
  /** From now on the credentials in this environment are known. */
  readonly learnEnvironment: (env: NodeJS.ProcessEnv) => void;
  /** Applies the person's own settings: the keys they contain, and names not to be hidden. */
  readonly learnSettings: (settings: SecretSettings, env: NodeJS.ProcessEnv) => void;
  /** Learns secrets granted to features, by the name of their variable. */
  readonly granted: (env: NodeJS.ProcessEnv) => GrantedSecrets;
  /** From now on it is hidden, and handed to an addon of this run that was granted its name; nobody else has it. */
  readonly hold: (name: string, value: string) => void;
  /** What was held, by name. */
  readonly held: ReadonlyMap<string, string>;
  /** Names with values that cannot be hidden, and why. */
  readonly unmaskable: ReadonlyMap<string, string>;
  /** Stops hiding them in the process's outputs. */
  readonly release: () => void;
}

export interface SecretSettings {
  readonly unmaskedSecrets?: readonly string[];
  readonly providers?: readonly ProviderConfig[] | undefined;
}

/** See {@link SecretMask.add}. */
type HowMasked = Parameters<SecretMask["add"]>[2];

/** Every secret hidden by anyone, by name, for the process's outputs. */
const known = new Map<Secrets, Map<string, Map<string, HowMasked>>>();
let union: SecretMask | undefined;

/**
 * Starts with those of this environment, and with those that the run holds (see {@link Secrets.held}). Everything written from now on hides
 * them too, until they are released.
 */
export function createSecrets(env: NodeJS.ProcessEnv = {}, ofRun: Secrets["held"] = new Map()): Secrets {
  const mask = createSecretMask();
  const values = new Map<string, Map<string, HowMasked>>();
  const shown = new Set<string>();
  const unmaskable = new Map<string, string>();
  const held = new Map<string, string>();
  const secrets: Secrets = {
    ...mask,
    unmaskable,
    held,
    hold(name, value) {
      secrets.add(name, value);
      held.set(name, value);
    },
    add(name, value, how) {
      const why = mask.add(name, value, how);
      if (why !== undefined) unmaskable.set(name, why);
      else if (!shown.has(name)) {
        values.set(name, (values.get(name) ?? new Map()).set(value, how));
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
      // The path of a credential file is not a secret, and appears in many texts.
      for (const { name, value } of credentialsIn(from)) if (!isPlace(value)) secrets.add(name, value);
    },
    learnSettings({ unmaskedSecrets = [], providers = [] }, from) {
      unmaskedSecrets.forEach(secrets.show);
      for (const { id, apiKey, apiKeyEnv, headers = {} } of providers) {
        const inEnvironment = apiKeyEnv === undefined ? undefined : from[apiKeyEnv];
        if (apiKeyEnv !== undefined && inEnvironment) secrets.add(apiKeyEnv, inEnvironment);
        if (typeof apiKey === "string") secrets.add(`key of ${id}`, apiKey);
        for (const [header, value] of Object.entries(headers))
          if (isCredentialHeader(header))
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
  for (const [name, value] of ofRun) secrets.hold(name, value);
  return secrets;
}

function isPlace(value: string): boolean {
  return isAbsolute(value) && lstatSync(value, { throwIfNoEntry: false }) !== undefined;
}

/**
 * What a resumed session holds of secrets: its placeholders still stand for secrets, and a log from before a secret was
 * known contains the secret. `told` returns a line about that, or none, after the whole log was seen.
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
        `the log of this session contains the value of ${names} in plain text, from before the value was known as a secret, and the model sees the value again; /new starts a session without it`,
      ];
    },
  };
}

/** Hides every secret that anything in this process hides. */
export function maskForOutput(text: string): string {
  const [only, ...others] = known.keys();
  if (only === undefined || others.length === 0) return only?.text(text) ?? text;
  union ??= unionOf(known.values());
  return union.text(text);
}

/** One mask instead of several in sequence: of two secrets that begin alike, the longer one is hidden whole. */
function unionOf(all: Iterable<ReadonlyMap<string, ReadonlyMap<string, HowMasked>>>): SecretMask {
  const mask = createSecretMask();
  for (const each of all)
    for (const [name, values] of each) for (const [value, how] of values) mask.add(name, value, how);
  return mask;
}

/** The last fence: whatever is written here from now on is masked. Text written in pieces must be masked beforehand. */
export function maskOutputs(...outputs: readonly NodeJS.WriteStream[]): void {
  for (const output of outputs) {
    const write = output.write.bind(output) as (...written: readonly unknown[]) => boolean;
    output.write = (chunk: unknown, ...more: readonly unknown[]) =>
      write(typeof chunk === "string" ? maskForOutput(chunk) : chunk, ...more);
  }
}
