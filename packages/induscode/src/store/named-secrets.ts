// Secrets that came with packages, by the names under which addons request them: kept for the person, readable only by them, and handed to
// an addon that was granted that name. No command, tool or model has them. The environment takes precedence.

import { describeError, errorCode, isTable } from "indusagi/core";
import { HOME_FILES, homePath } from "./home-files.ts";
import { readJson } from "./json.ts";
import { updateFile } from "./replace-file.ts";

export interface NamedSecret {
  readonly value: string;
  /** The packages that it came with; it goes with the last of them. */
  readonly of: readonly string[];
  /** When it was kept, in ISO 8601 and UTC. */
  readonly at: string;
}

/** By name, which is a variable's. */
export type NamedSecrets = Readonly<Record<string, NamedSecret>>;

type Variables = Readonly<Record<string, string | undefined>>;

const { maxBytes, version } = HOME_FILES.namedSecrets;

/** Those of this home; none if there is no file. Throws if there is one that cannot be used. */
export function readNamedSecrets(home: string): NamedSecrets {
  const path = homePath(home, "namedSecrets");
  let value: unknown;
  try {
    value = readJson(path, maxBytes);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return {};
    throw new Error(
      `${path} cannot be read: ${describeError(error)}; move it away, and set the secrets as variables`,
      { cause: error },
    );
  }
  if (!isTable(value) || value.version !== version || !isTable(value.secrets))
    throw new Error(
      `${path} is damaged: expected "version": ${version} and a table "secrets". Move it away, and set the secrets as variables`,
    );
  return Object.fromEntries(
    Object.entries(value.secrets).filter((entry): entry is [string, NamedSecret] => isSecret(entry[1])),
  );
}

/** What a package brings: its new values by name, and all names that it requests. */
export interface SecretsOfPackage {
  readonly values: ReadonlyMap<string, string>;
  readonly requested: readonly string[];
}

/** Keeps what a package brings, durably, and forgets what it no longer requests. Resolves to the names whose value is new here. */
export async function keepNamedSecrets(
  { home, owner, at }: { readonly home: string; readonly owner: string; readonly at: string },
  { values, requested }: SecretsOfPackage,
): Promise<readonly string[]> {
  const before = readNamedSecrets(home);
  const fresh = [...values].filter(([name, value]) => before[name]?.value !== value).map(([name]) => name);
  const isWanted = (name: string): boolean => values.has(name) || requested.includes(name);
  const hasOld = Object.entries(before).some(([name, { of }]) => of.includes(owner) && !isWanted(name));
  const isShared = [...values.keys()].some((name) => before[name]?.of.includes(owner) !== true);
  if (fresh.length === 0 && !hasOld && !isShared) return [];
  await changeSecrets(home, (secrets) => {
    for (const [name, secret] of secrets) if (!isWanted(name)) forget(secrets, name, secret, owner);
    for (const [name, value] of values) {
      const of = new Set([...(secrets.get(name)?.of ?? []), owner]);
      secrets.set(name, { value, of: [...of].sort(), at });
    }
  });
  return fresh;
}

/** Forgets those that came with this package alone. */
export async function forgetNamedSecrets(home: string, owner: string): Promise<void> {
  if (!Object.values(readNamedSecrets(home)).some(({ of }) => of.includes(owner))) return;
  await changeSecrets(home, (secrets) => {
    for (const [name, secret] of secrets) forget(secrets, name, secret, owner);
  });
}

/** `env` with the secrets that it lacks, for whoever hands granted secrets to addons. Problems with the file are reported. */
export function withNamedSecrets<Env extends Variables>(
  env: Env,
  home: string,
  tell: (line: string) => void = () => undefined,
): Env {
  try {
    const lacking = Object.entries(readNamedSecrets(home)).filter(([name]) => !env[name]);
    if (lacking.length === 0) return env;
    return { ...env, ...Object.fromEntries(lacking.map(([name, { value }]) => [name, value])) };
  } catch (error) {
    tell(describeError(error));
    return env;
  }
}

/** Names and values; none of a file that cannot be used, which is said where it is needed. */
export function secretsOfNamed(home: string): readonly (readonly [name: string, value: string])[] {
  try {
    return Object.entries(readNamedSecrets(home)).map(([name, { value }]) => [name, value] as const);
  } catch {
    return [];
  }
}

async function changeSecrets(home: string, edit: (secrets: Map<string, NamedSecret>) => void): Promise<void> {
  await updateFile(homePath(home, "namedSecrets"), () => {
    const secrets = new Map(Object.entries(readNamedSecrets(home)));
    edit(secrets);
    return `${JSON.stringify({ version, secrets: Object.fromEntries(secrets) }, undefined, 2)}\n`;
  });
}

function forget(
  secrets: Map<string, NamedSecret>,
  name: string,
  { of, ...secret }: NamedSecret,
  owner: string,
): void {
  const others = of.filter((each) => each !== owner);
  if (others.length === of.length) return;
  if (others.length === 0) secrets.delete(name);
  else secrets.set(name, { ...secret, of: others });
}

function isSecret(value: unknown): value is NamedSecret {
  return (
    isTable(value) &&
    typeof value.value === "string" &&
    typeof value.at === "string" &&
    Array.isArray(value.of) &&
    value.of.every((each) => typeof each === "string")
  );
}
