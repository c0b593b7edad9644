// What an addon's module must export: `register`, directly or in its default; a default function counts as it.

import type { AddonModule } from "../kit/contract.ts";

/** The addon in a module's namespace; `id` and `version` are used only if they are strings. Throws if there is none. */
export function findRegister(namespace: Readonly<Record<string, unknown>>): AddonModule {
  const standard = namespace.default;
  // A CommonJS file compiled from a module has its exports, including its default, inside the default.
  const inner = isTable(standard) ? standard.default : undefined;
  const candidates = [namespace, standard, inner, namespace.manifest].filter(isTable);
  for (const candidate of candidates) {
    const { register } = candidate;
    // Called on its object: it may be a method.
    if (typeof register === "function")
      return named(namespace, candidate, (surface) => candidate.register(surface));
  }
  const plain = [standard, inner].find((value) => typeof value === "function");
  if (typeof plain === "function") return named(namespace, namespace, (surface) => plain(surface));
  throw new Error(
    `it exports no register: write "export function register(surface) { … }"; it exports ${list(namespace)}`,
  );
}

type Table = Readonly<Record<string, unknown>> & { readonly register: AddonModule["register"] };

function named(
  namespace: Readonly<Record<string, unknown>>,
  holder: Readonly<Record<string, unknown>>,
  register: AddonModule["register"],
): AddonModule {
  const id = holder.id ?? namespace.id;
  const version = holder.version ?? namespace.version;
  // Python addons write on_failure. Misreading this value would leave open what the author meant to close.
  const onFailure =
    holder.onFailure ?? holder.on_failure ?? namespace.onFailure ?? namespace.on_failure ?? undefined;
  if (onFailure !== undefined && onFailure !== "allow" && onFailure !== "block")
    throw new Error(
      `onFailure must be "allow" or "block"; got ${JSON.stringify(onFailure) ?? typeof onFailure}`,
    );
  return {
    register,
    id: typeof id === "string" ? id : undefined,
    version: typeof version === "string" ? version : undefined,
    onFailure,
  };
}

function isTable(value: unknown): value is Table {
  return typeof value === "object" && value !== null;
}

function list(namespace: Readonly<Record<string, unknown>>): string {
  return Object.keys(namespace).slice(0, 20).join(", ") || "nothing";
}
