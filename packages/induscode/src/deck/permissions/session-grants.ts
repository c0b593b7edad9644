// What a person allowed "this session". Stored as the literal things that were shown, never as patterns: a name containing a star must
// not become a rule that covers more.

import { dirname } from "node:path";
import { isInside, isSameJson } from "indusagi/core";
import type { Ruling } from "../../feature/decision.ts";
import type { OutsideFolder } from "../../feature/permission.ts";
import type { SetVariable } from "../../feature/tool.ts";
import { protectedBelow } from "../../store/protected-names.ts";
import type { SessionApproval } from "../contract.ts";
import type { ResolvedAccess } from "./resolved-access.ts";

export interface SessionGrants {
  /** Returns what it remembers from now on; undefined if nothing can be. */
  readonly add: (tool: string, shown: ResolvedAccess) => SessionApproval | undefined;
  /** Holds this as well, for as long as the session runs; ask rules come before it. */
  readonly keep: (approval: SessionApproval, by: CoveredBy) => void;
  /** Holds this for the session, in which the person allowed it. */
  readonly hold: (approval: SessionApproval) => void;
  /** Those hosts, from this session's answers and from kept ones. */
  readonly hosts: () => readonly string[];
  /** The folders that commands in the sandbox may read, or change, from the same answers. */
  readonly folders: () => readonly OutsideFolder[];
  /** Holds these and no others. */
  readonly replace: (approvals: readonly SessionApproval[]) => void;
  /** Holds nothing any more that was allowed for these tools. */
  readonly forget: (tools: readonly string[]) => void;
  /** The answer that lets it pass; undefined if none covers it. */
  readonly cover: (tool: string, resolved: ResolvedAccess) => CoveredBy | undefined;
  /** The same for kept answers. */
  readonly coverKept: (tool: string, resolved: ResolvedAccess) => CoveredBy | undefined;
}

/** The answer that lets something pass, in the form of a ruling. */
type CoveredBy = Pick<Ruling, "why" | "layer" | "rule" | "place">;

const FOR_SESSION: CoveredBy = { why: "the person allowed it for this session", layer: "session" };

export function createSessionGrants(root: string): SessionGrants {
  const grants: SessionApproval[] = [];
  const kept: { readonly approval: SessionApproval; readonly by: CoveredBy }[] = [];
  return {
    add(tool, shown) {
      const grant = grantFor(tool, shown, root);
      if (grant) grants.push(grant);
      return grant;
    },
    hold: (approval) => void grants.push(approval),
    folders: () =>
      [...grants, ...kept.map(({ approval }) => approval)].flatMap((grant) => folderOf(grant) ?? []),
    hosts: () => [...grants, ...kept.map(({ approval }) => approval)].flatMap((grant) => hostOf(grant) ?? []),
    keep: (approval, by) => void kept.push({ approval, by }),
    coverKept: (tool, resolved) =>
      kept.find(({ approval }) => approval.tool === tool && covers(approval, resolved, root))?.by,
    replace: (approvals) => void grants.splice(0, grants.length, ...approvals),
    forget(tools) {
      const left = grants.filter(({ tool }) => !tools.includes(tool));
      grants.splice(0, grants.length, ...left);
    },
    cover: (tool, resolved) =>
      grants.some((grant) => grant.tool === tool && covers(grant, resolved, root)) ? FOR_SESSION : undefined,
  };
}

/** What a "this session" answer to this access would allow, for the person to read. */
export function describeSessionGrant(tool: string, shown: ResolvedAccess, root: string): string {
  const grant = grantFor(tool, shown, root);
  return grant ? describeApproval(grant) : `${tool}, this once`;
}

/** An approval in the words of the question that it answered. */
export function describeApproval(grant: SessionApproval): string {
  const { tool } = grant;
  if (grant.kind === "execute")
    return `${tool}(${grant.command})${withVariables(grant.variables)}${grant.outside ? " outside of the sandbox" : ""}`;
  if (grant.kind === "network")
    return hostOf(grant) === undefined
      ? `${tool}(${grant.host})`
      : `commands in the sandbox reach ${grant.host}`;
  if (grant.kind === "delegate") return `${tool}(${grant.agent})`;
  const folder = folderOf(grant);
  if (folder) return `commands in the sandbox read ${folder.isWritable ? "and change " : ""}${folder.path}`;
  return grant.whole ? `${tool} anywhere in ${grant.place}` : `${tool}(${grant.place})`;
}

/** A host for commands in the sandbox: commands as such name none, so that no rule or answer about a tool's own hosts looks like it. */
const OF_COMMANDS = "bash";

/** Lets commands in the sandbox reach a host. */
export function hostGrant(host: string): Extract<SessionApproval, { kind: "network" }> {
  return { kind: "network", tool: OF_COMMANDS, host };
}

function hostOf(grant: SessionApproval): string | undefined {
  return grant.kind === "network" && grant.tool === OF_COMMANDS ? grant.host : undefined;
}

/** Lets commands in the sandbox read a folder, or change it. */
export function folderGrant({ path, isWritable }: OutsideFolder): FilesApproval {
  return { kind: isWritable ? "write" : "read", tool: OF_COMMANDS, place: path, whole: true };
}

type FilesApproval = Extract<SessionApproval, { kind: "read" | "write" }>;

/** Commands as such touch no files: their lines do. */
function folderOf(grant: SessionApproval): OutsideFolder | undefined {
  if ((grant.kind !== "read" && grant.kind !== "write") || grant.tool !== OF_COMMANDS) return undefined;
  return grant.kind === "write" ? { path: grant.place, isWritable: true } : { path: grant.place };
}

/** Undefined if nothing can be remembered: a path whose real place cannot be determined. */
export function grantFor(
  tool: string,
  { access, realPath, leaving }: ResolvedAccess,
  root: string,
): SessionApproval | undefined {
  if (access.kind === "execute") {
    const { command, cwd, variables } = access;
    return {
      ...{ kind: "execute", tool, command, cwd },
      variables: variables ? byName(variables) : undefined,
      outside: leaving === undefined ? undefined : true,
    };
  }
  if (access.kind === "network") return { kind: "network", tool, host: access.host };
  if (access.kind === "delegate") return { kind: "delegate", tool, agent: access.agent };
  if (realPath === undefined) return undefined;
  // Inside the working directory a question has a special reason, and the answer is about that one file.
  const whole = !isInside(root, realPath);
  return { kind: access.kind, tool, place: whole ? dirname(realPath) : realPath, whole };
}

function covers(
  grant: SessionApproval,
  { access, realPath, leaving }: ResolvedAccess,
  root: string,
): boolean {
  switch (grant.kind) {
    case "execute":
      return (
        access.kind === "execute" &&
        access.command === grant.command &&
        access.cwd === grant.cwd &&
        (leaving === undefined || grant.outside === true) &&
        isSameJson(byName(access.variables), grant.variables ?? {})
      );
    case "network":
      return access.kind === "network" && access.host === grant.host;
    case "delegate":
      return access.kind === "delegate" && access.agent === grant.agent;
    default:
      // What commands may do in the sandbox says nothing about those outside of it.
      if (access.kind !== grant.kind || realPath === undefined || folderOf(grant)) return false;
      if (!grant.whole) return realPath === grant.place;
      return (
        isInside(grant.place, realPath) && !protectedBelow(grant.place, realPath) && !isInside(root, realPath)
      );
  }
}

/** Whoever sets them: the values decide what the command does. */
function byName(variables: readonly SetVariable[] = []): Readonly<Record<string, string>> {
  return Object.fromEntries(variables.map(({ name, value }) => [name, value]));
}

function withVariables(variables: Readonly<Record<string, string>> = {}): string {
  const names = Object.keys(variables);
  return names.length === 0 ? "" : ` with the same ${names.join(", ")}`;
}
