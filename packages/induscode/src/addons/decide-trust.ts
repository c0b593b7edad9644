// The question before anything of an addon acts (seed 004: "capability grants are the host trust boundary"; invariant:
// nothing in a repository acts before it is trusted). Until it is answered the addon is only read, as data.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { describeError } from "indusagi/core";
import type { HostCapability } from "../feature/contract.ts";
import { hashAddon } from "./content-hash.ts";
import {
  type AddonDescription,
  type AddonId,
  type AddonSource,
  featureIdOf,
  type ModuleLoader,
} from "./contract.ts";
import { isHashPrefix } from "./manifest.ts";
import type { Trust } from "./trust.ts";

/** What a person is shown, and what a `yes` grants. All texts come from the addon: print them escaped. */
export interface TrustQuestion extends AddonDescription {
  readonly source: AddonSource;
  readonly hash: string;
}

/** Puts one question to the person; questions come one at a time. */
export type TrustAsker = (question: TrustQuestion) => Promise<"yes" | "no">;

export type TrustDecision =
  | {
      readonly kind: "trusted";
      readonly source: AddonSource;
      /** Of the content that was trusted: what is loaded must still have it. */
      readonly hash: string;
      readonly grants: readonly HostCapability[];
      /** Why the answer counts for this run only. */
      readonly notStored?: string;
    }
  | {
      readonly kind: "skipped";
      readonly source: AddonSource;
      /** What it calls itself. */
      readonly id: AddonId;
      readonly reason: string;
    }
  /** It cannot be read, so there is nothing to trust. */
  | { readonly kind: "unreadable"; readonly source: AddonSource; readonly error: unknown };

export interface TrustOptions {
  readonly trust: Trust;
  readonly describe: ModuleLoader["describe"];
  /** Absent where nobody can answer; then what is not trusted yet is skipped. */
  readonly ask?: TrustAsker;
  /**
   * Trusted for this run without a question: ids (`safety`, `project:safety`) or beginnings of a content hash. An id
   * trusts whatever bears it, so a lasting setting should name a hash.
   */
  readonly granted?: readonly string[];
}

/** One decision for each source, in order. Never rejects: what goes wrong leaves an addon out. */
export async function decideTrust(
  sources: readonly AddonSource[],
  options: TrustOptions,
): Promise<readonly TrustDecision[]> {
  const decisions: TrustDecision[] = [];
  const isGranted = grantedBy(options.granted ?? []);
  for (const source of sources) decisions.push(await decideOne(source, { ...options, isGranted }));
  return decisions;
}

type IsGranted = (names: readonly string[], hash: string) => boolean;

function grantedBy(granted: readonly string[]): IsGranted {
  const prefixes = granted.filter(isHashPrefix).map((prefix) => prefix.toLowerCase());
  const ids = new Set(granted.filter((name) => !isHashPrefix(name))); // who pins content never trusts a name by it
  return (names, hash) =>
    names.some((name) => ids.has(name)) || prefixes.some((prefix) => hash.startsWith(prefix));
}

async function decideOne(
  source: AddonSource,
  options: TrustOptions & { readonly isGranted: IsGranted },
): Promise<TrustDecision> {
  const { trust, describe, ask, isGranted } = options;
  try {
    const hash = hashAddon(source.root);
    const stored = await trust.lookup(hash);
    if (stored) return { kind: "trusted", source, hash, grants: stored.granted };

    const description = await describe(source);
    const grants = description.capabilities.map((request) => request.capability);
    const id = featureIdOf(description.id, source.scope);
    if (isGranted([description.id, id], hash)) return { kind: "trusted", source, hash, grants };
    const skipped = { kind: "skipped", source, id: description.id } as const;
    const refusal = await trust.refusal(hash);
    if (refusal) {
      const again = `indus addons revoke ${description.id} forgets that answer`;
      return { ...skipped, reason: `${id} was refused on ${refusal.at.slice(0, 10)}: ${again}` };
    }
    if (!ask) {
      const how = `start indus on a terminal to be asked, or pass --grant ${description.id}${leftoverHint(source)}`;
      return { ...skipped, reason: `${id} at ${source.path} is not trusted yet: ${how}` };
    }
    const answer = await answerOf(ask, { ...description, source, hash });
    if (answer !== "yes") {
      const reason = `${id} was not trusted: ${answer}`;
      if (answer !== NO) return { ...skipped, reason };
      const notKept = await keep(trust.refuse({ hash, id, path: source.path }));
      const untold = notKept === undefined ? "" : `; you will be asked again: ${notKept}`;
      return { ...skipped, reason: `${reason}${untold}` };
    }
    const problem = await keep(trust.grant({ hash, id, path: source.path, granted: grants }));
    const notStored =
      problem === undefined ? {} : { notStored: `the trust in ${id} counts for this run only: ${problem}` };
    return { kind: "trusted", source, hash, grants, ...notStored };
  } catch (error) {
    return { kind: "unreadable", source, error };
  }
}

/** Trust is in content, and Python adds to the content of a package that it ran in. */
function leftoverHint({ root }: AddonSource): string {
  const path = join(root, "__pycache__");
  return existsSync(path) ? ` (${path}, which Python left there, is a part of its content: remove it)` : "";
}

const NO = "the answer was no";

async function answerOf(ask: TrustAsker, question: TrustQuestion): Promise<string> {
  try {
    return (await ask(question)) === "yes" ? "yes" : NO;
  } catch (error) {
    return `there was no answer (${describeError(error)})`;
  }
}

/** Why an answer could not be kept; undefined once it is. */
async function keep(stored: Promise<void>): Promise<string | undefined> {
  try {
    await stored;
    return undefined;
  } catch (error) {
    return describeError(error);
  }
}
