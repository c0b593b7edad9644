// The trust question, asked before an addon does anything. What is granted is trusted, and nothing else;
// nothing in a repository acts before it is trusted. Until it is answered the addon is only read, as data.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { describeError } from "indusagi/core";
import { leavesSandbox } from "../../feature/capabilities.ts";
import type { FeatureId, HostCapability } from "../../feature/descriptor.ts";
import { LookBudget } from "../../store/look-budget.ts";
import {
  type AddonDescription,
  type AddonId,
  type AddonSource,
  addonId,
  featureIdOf,
  type ModuleLoader,
} from "../contract.ts";
import { namesOf, ownerByPlace, sourcesByPlace } from "./addon-names.ts";
import { hashAddon } from "./content-hash.ts";
import { type Candidate, type IdleGrant, matchGrants, type PersonGrants } from "./person-grants.ts";
import type { Trust, TrustGrant } from "./trust.ts";
import { withinLook } from "./within-look.ts";

/** What a person is shown, and what a `yes` grants. All texts come from the addon: print them escaped. */
export interface TrustQuestion extends AddonDescription {
  readonly source: AddonSource;
  readonly hash: string;
  /** The day on which the person refused this very content, if they did. */
  readonly refusedOn?: string | undefined;
  /** What of this addon was trusted last, in this place: the content is another now. */
  readonly before?: Pick<TrustGrant, "at" | "granted"> | undefined;
}

/** Asks the person one question; questions come one at a time. */
export type TrustAsker = (question: TrustQuestion) => Promise<"yes" | "no">;

export type TrustDecision =
  | {
      readonly kind: "trusted";
      readonly source: AddonSource;
      /** The hash of the content that was trusted: what is loaded must still have it. */
      readonly hash: string;
      readonly grants: readonly HostCapability[];
      /** Why the answer lasts for this run only. */
      readonly notStored?: string;
    }
  | {
      readonly kind: "skipped";
      readonly source: AddonSource;
      /** The name it declares. */
      readonly id: AddonId;
      readonly reason: string;
      /** The person turned it off, so there is nothing to do about it. */
      readonly isOff?: true;
    }
  /** It is not trusted, and there was too much to look at (`within-look.ts`). */
  | { readonly kind: "unlooked"; readonly source: AddonSource }
  /** It cannot be read, so there is nothing to trust. */
  | { readonly kind: "unreadable"; readonly source: AddonSource; readonly error: unknown };

export interface TrustOptions {
  readonly trust: Trust;
  readonly describe: ModuleLoader["describe"];
  readonly hashOf?: NonNullable<ModuleLoader["hashOf"]> | undefined;
  /** Absent where nobody can answer; then anything not trusted yet is skipped. */
  readonly ask?: TrustAsker | undefined;
  /** The person named it to be asked about it: an earlier no does not answer that. */
  readonly isNamed?: boolean;
  /** A clause about an addon with one of these names that is not wanted; undefined if it is. */
  readonly whyOff?: (names: readonly string[]) => string | undefined;
  /** What may be looked at in the repository; default: as much as one start may. */
  readonly look?: LookBudget | undefined;
  /** Trusted without asking. */
  readonly granted?: PersonGrants;
  /** Called, before any question, with the grants that match no addon. */
  readonly onIdle?: ((idle: readonly IdleGrant[]) => void) | undefined;
}

/** One decision for each source, in order. Rejects only with what `onIdle` throws; any other failure leaves that addon out. */
export async function decideTrust(
  sources: readonly AddonSource[],
  options: TrustOptions,
): Promise<readonly TrustDecision[]> {
  const { granted = {}, onIdle, look = new LookBudget() } = options;
  const byPlace = sourcesByPlace(sources);
  const looks: Look[] = [];
  const within = withinLook(sources, await knownPlaces(options), look);
  for (const source of sources)
    looks.push(within.has(source) ? await lookAt(source, byPlace, options) : bareLook(source));
  const { isGranted, idle } = matchGrants(looks, granted);
  if (idle.length > 0) onIdle?.(idle);
  const decisions: TrustDecision[] = [];
  for (const look of looks)
    decisions.push(
      within.has(look.source)
        ? await decideOne(look, isGranted(look), options)
        : { kind: "unlooked", source: look.source },
    );
  return decisions;
}

/** True for what the person has trusted at this path or grants by its location's name, and for their own addons. */
async function knownPlaces({ trust, granted = {} }: TrustOptions): Promise<(source: AddonSource) => boolean> {
  const paths = new Set((await trust.list()).map(({ path }) => path));
  const { forRun = [], lasting = [], here = [] } = granted;
  const names = new Set([...forRun, ...lasting, ...here]);
  return (source) =>
    source.scope !== "project" ||
    paths.has(source.path) ||
    namesOf(source, source.id).some((name) => names.has(name));
}

/** An addon as its data shows it. */
interface Look extends Candidate {
  readonly source: AddonSource;
  readonly stored?: TrustGrant;
  readonly description?: AddonDescription;
  readonly error?: unknown;
}

async function lookAt(
  source: AddonSource,
  byPlace: ReadonlyMap<string, AddonSource>,
  { trust, describe, hashOf = ({ root }) => hashAddon(root) }: TrustOptions,
): Promise<Look> {
  const bare = bareLook(source);
  let hash: string | undefined;
  try {
    hash = hashOf(source);
    const stored = await trust.lookup(hash);
    if (stored) return { ...bare, hash, stored, claimedNames: claimed(source, bareId(stored.id), byPlace) };
    const description = await describe(source);
    const names = claimed(source, description.id, byPlace);
    // The name it declares, unless another addon is called so.
    const id = names.length > 0 ? description.id : source.id;
    return { ...bare, hash, description: { ...description, id }, claimedNames: names };
  } catch (error) {
    return { ...bare, hash, error };
  }
}

function bareLook(source: AddonSource): Look {
  const { path, scope } = source;
  return { source, path, scope, hash: undefined, ownNames: namesOf(source, source.id), claimedNames: [] };
}

function claimed(
  source: AddonSource,
  id: AddonId,
  byPlace: ReadonlyMap<string, AddonSource>,
): readonly string[] {
  if (id === source.id || ownerByPlace(source, id, byPlace)) return [];
  return [id, featureIdOf(id, source.scope)];
}

function bareId(id: FeatureId): AddonId {
  return addonId(id.slice(id.indexOf(":") + 1));
}

async function decideOne(look: Look, isGranted: boolean, options: TrustOptions): Promise<TrustDecision> {
  const { source, hash, stored, description } = look;
  const off = options.whyOff?.([...look.ownNames, ...look.claimedNames]);
  if (off !== undefined) {
    const id = description?.id ?? (stored ? bareId(stored.id) : source.id);
    return { kind: "skipped", source, id, reason: `${featureIdOf(id, source.scope)} ${off}`, isOff: true };
  }
  if (hash !== undefined && stored) return { kind: "trusted", source, hash, grants: stored.granted };
  if (hash === undefined || !description) return { kind: "unreadable", source, error: look.error };
  try {
    return await decideNew({ source, hash, ...description }, isGranted, options);
  } catch (error) {
    return { kind: "unreadable", source, error };
  }
}

/** Trust is bound to content, and Python adds files to a package that it has run in. */
function leftoverHint({ root }: AddonSource): string {
  const path = join(root, "__pycache__");
  return existsSync(path) ? ` (${path}, left there by Python, is part of its content: remove it)` : "";
}

/** Decides about content that was never trusted before. */
async function decideNew(
  question: TrustQuestion,
  isGranted: boolean,
  { trust, ask, isNamed = false }: TrustOptions,
): Promise<TrustDecision> {
  const { source, hash } = question;
  const grants = question.capabilities.map(({ capability }) => capability);
  // No answer about many things, and none that a setting gives, is about this one.
  if (leavesSandbox(grants)) {
    const reason = `${question.id} asks to run outside of the sandbox, which only indus add with --unconfined grants, for the very files that it added: indus update ${question.id}, or add it again`;
    return { kind: "skipped", source, id: question.id, reason };
  }
  if (isGranted) return { kind: "trusted", source, hash, grants };
  const id = featureIdOf(question.id, source.scope);
  const skipped = { kind: "skipped", source, id: question.id } as const;
  const refusedOn = (await trust.refusal(hash))?.at.slice(0, 10);
  if (refusedOn !== undefined && !(isNamed && ask)) {
    const again = `indus addons revoke ${question.id} forgets that answer`;
    return { ...skipped, reason: `${id} was refused on ${refusedOn}: ${again}` };
  }
  if (!ask) {
    const how = `start indus in a terminal to be asked, or pass --grant ${question.id}${leftoverHint(source)}`;
    return { ...skipped, reason: `${id} at ${source.path} is not trusted yet: ${how}` };
  }
  const before = (await trust.list()).findLast((each) => each.id === id && each.path === source.path);
  const answer = await answerOf(ask, { ...question, refusedOn, before });
  if (answer !== "yes") {
    const reason = `${id} was not trusted: ${answer}`;
    if (answer !== NO) return { ...skipped, reason };
    const notKept = await keep(trust.refuse({ hash, id, path: source.path }));
    const untold = notKept === undefined ? "" : `; you will be asked again: ${notKept}`;
    return { ...skipped, reason: `${reason}${untold}` };
  }
  const problem = await keep(trust.grant({ hash, id, path: source.path, granted: grants }));
  const notStored =
    problem === undefined ? {} : { notStored: `the trust in ${id} lasts for this run only: ${problem}` };
  return { kind: "trusted", source, hash, grants, ...notStored };
}

const NO = "the answer was no";

async function answerOf(ask: TrustAsker, question: TrustQuestion): Promise<string> {
  try {
    return (await ask(question)) === "yes" ? "yes" : NO;
  } catch (error) {
    return `no answer (${describeError(error)})`;
  }
}

/** Why an answer could not be stored; undefined if it was. */
async function keep(stored: Promise<void>): Promise<string | undefined> {
  try {
    await stored;
    return undefined;
  } catch (error) {
    return describeError(error);
  }
}
