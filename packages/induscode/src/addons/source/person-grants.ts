// What a person grants by name, and which addons that matches. A name is not content: it must match only what the person
// can have meant. Typed for one run, it matches whatever is called so here; kept in the settings, it matches the person's
// own addons, and a repository's addon only together with its content or its folder.

import { nearest } from "indusagi/core";
import type { AddonScope } from "../contract.ts";
import { isHashPrefix } from "./manifest.ts";

export interface PersonGrants {
  /** For this run, as they were typed: names, beginnings of content hashes, or `NAME@HASH`. */
  readonly forRun?: readonly string[];
  /** From the settings, the same three forms; names match the person's own addons only. */
  readonly lasting?: readonly string[];
  /** From the settings, for this very folder: names of its addons. */
  readonly here?: readonly string[];
}

/** An addon that may be granted. */
export interface Candidate {
  readonly path: string;
  readonly scope: AddonScope;
  /** Undefined if its files cannot be read. */
  readonly hash: string | undefined;
  /** From its location: unique. */
  readonly ownNames: readonly string[];
  /** The names it declares; others may declare the same. */
  readonly claimedNames: readonly string[];
}

/** A grant that matches no addon. */
export interface IdleGrant {
  readonly grant: string;
  readonly from: "flag" | "setting";
  /** Why, and what to write instead. */
  readonly problem: string;
}

interface MatchedGrants {
  readonly isGranted: (candidate: Candidate) => boolean;
  readonly idle: readonly IdleGrant[];
}

/** Finds the addons that each grant matches. */
export function matchGrants(
  candidates: readonly Candidate[],
  { forRun = [], lasting = [], here = [] }: PersonGrants,
): MatchedGrants {
  const reached = new Set<Candidate>();
  const idle: IdleGrant[] = [];
  const all = indexOf(candidates);
  const own = indexOf(candidates.filter(({ scope }) => scope === "user"));
  const ofFolder = indexOf(candidates.filter(({ scope }) => scope === "project"));
  const foreign = indexOf(candidates.filter(({ scope }) => scope !== "user"));
  const unread = candidates.some(({ hash }) => hash === undefined);

  for (const grant of forRun) {
    const found = reach(grant, all);
    if ("problem" in found) idle.push({ grant, from: "flag", problem: found.problem });
    else if (found.length > 0) for (const each of found) reached.add(each);
    else if (!(unread && parse(grant).hash !== undefined))
      idle.push({ grant, from: "flag", problem: `matches no addon in this folder${hint(grant, all)}` });
  }
  for (const grant of lasting) {
    const { name, hash } = parse(grant);
    // Content that is not found here may belong to any other folder.
    if (hash !== undefined) for (const each of members(reach(grant, all))) reached.add(each);
    else {
      const found = reach(grant, own);
      for (const each of members(found)) reached.add(each);
      if ("problem" in found) idle.push({ grant, from: "setting", problem: found.problem });
      else if (found.length === 0)
        idle.push({ grant, from: "setting", problem: lastingProblem(name ?? grant, own, foreign) });
    }
  }
  for (const grant of here) {
    const found = reach(grant, ofFolder);
    for (const each of members(found)) reached.add(each);
    if ("problem" in found) idle.push({ grant, from: "setting", problem: found.problem });
    else if (found.length === 0)
      idle.push({
        grant,
        from: "setting",
        problem: `matches no addon of this folder${hint(grant, ofFolder)}`,
      });
  }
  return { isGranted: (candidate) => reached.has(candidate), idle };
}

type Reached = readonly Candidate[] | { readonly problem: string };

function members(found: Reached): readonly Candidate[] {
  return "problem" in found ? [] : found;
}

/** Candidates, indexed by their names. */
interface Index {
  readonly candidates: readonly Candidate[];
  readonly own: ReadonlyMap<string, readonly Candidate[]>;
  readonly claimed: ReadonlyMap<string, readonly Candidate[]>;
}

function indexOf(candidates: readonly Candidate[]): Index {
  return {
    candidates,
    own: byName(candidates, ({ ownNames }) => ownNames),
    claimed: byName(candidates, ({ claimedNames }) => claimedNames),
  };
}

function byName(
  candidates: readonly Candidate[],
  namesOf: (candidate: Candidate) => readonly string[],
): ReadonlyMap<string, readonly Candidate[]> {
  const named = new Map<string, Candidate[]>();
  for (const candidate of candidates)
    for (const name of namesOf(candidate)) {
      const known = named.get(name);
      if (known) known.push(candidate);
      else named.set(name, [candidate]);
    }
  return named;
}

/** The addons that a grant names. A name that two addons declare matches neither. */
function reach(grant: string, { candidates, own, claimed }: Index): Reached {
  const { name, hash } = parse(grant);
  const hasContent = (each: Candidate): boolean => hash === undefined || each.hash?.startsWith(hash) === true;
  if (name === undefined) return candidates.filter(hasContent);
  const byPlace = (own.get(name) ?? []).filter(hasContent);
  if (byPlace.length > 0) return byPlace;
  const claiming = (claimed.get(name) ?? []).filter(hasContent);
  if (claiming.length < 2) return claiming;
  const places = claiming.map(({ path }) => path).join(" and ");
  return { problem: `is ambiguous: ${places} both declare it; use the name of the file or folder` };
}

/** `NAME`, `HASH` or `NAME@HASH`: a person who pins content never grants trust by the name alone. */
function parse(grant: string): { readonly name?: string; readonly hash?: string } {
  const at = grant.lastIndexOf("@");
  const behind = grant.slice(at + 1);
  if (at > 0 && isHashPrefix(behind)) return { name: grant.slice(0, at), hash: behind.toLowerCase() };
  return isHashPrefix(grant) ? { hash: grant.toLowerCase() } : { name: grant };
}

function hint(grant: string, { candidates }: Index): string {
  const names = namesToShow(candidates);
  const [first] = names;
  if (first === undefined) return ": there are none";
  const meant = nearest(parse(grant).name ?? grant, names);
  return meant === undefined ? `; found ${names.join(", ")}` : `; did you mean "${meant}"?`;
}

const MAX_SHOWN = 20;

function namesToShow(candidates: readonly Candidate[]): readonly string[] {
  return candidates
    .flatMap(({ ownNames, claimedNames }) => claimedNames[0] ?? ownNames[0] ?? [])
    .slice(0, MAX_SHOWN);
}

function lastingProblem(name: string, own: Index, foreign: Index): string {
  const [meant] = members(reach(name, foreign));
  if (meant === undefined) return `matches none of your own addons${hint(name, own)}`;
  const bare = name.slice(name.indexOf(":") + 1);
  const pinned = `"${bare}@${meant.hash?.slice(0, 12) ?? "HASH"}"`;
  const begin = "is a name, and names match only your own addons";
  if (meant.scope === "explicit") return `${begin}; for the one at ${meant.path} use ${pinned}`;
  return `${begin}; for the one in this folder use ${pinned}, or list it in addons.grantIn`;
}
