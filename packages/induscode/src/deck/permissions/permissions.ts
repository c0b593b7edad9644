// The permission check of the boundary: decided once, on the final arguments, failing closed.

import { dirname } from "node:path";
import { isInside } from "indusagi/core";
import type { Access, PermissionAsker, PermissionQuestion } from "../../feature/contract.ts";
import { type PermissionRule, type ResolvedAccess, ruleCovers, ruleTouches } from "./rules.ts";

/**
 * read-only: nothing but reading. acceptEdits: edits inside the working directory pass as well. bypass: everything
 * that no deny or ask rule names. What a mode leaves undecided is asked; with nobody to ask it is refused.
 */
export type PermissionMode = "read-only" | "acceptEdits" | "bypass";

export const PERMISSION_MODES: readonly PermissionMode[] = ["read-only", "acceptEdits", "bypass"];

export interface PermissionPolicy {
  readonly mode: PermissionMode;
  readonly allow: readonly PermissionRule[];
  readonly ask: readonly PermissionRule[];
  readonly deny: readonly PermissionRule[];
}

export interface PermissionDeps {
  readonly policy: PermissionPolicy;
  /** The working directory, as a real path. */
  readonly root: string;
  /** Resolves links as the file tools will: the longest existing ancestor, the rest appended. */
  readonly realPath: (path: string) => Promise<string>;
  /** Absent where nobody can answer (print mode). */
  readonly ask?: PermissionAsker;
}

export type PermissionDecision =
  | { readonly kind: "allow" }
  | { readonly kind: "refuse"; readonly reason: string };

export interface PermissionRequest {
  readonly tool: string;
  readonly accesses: readonly Access[];
}

/** Decides tool calls for one session; holds the answers given for "this session". */
export interface Permissions {
  /** Only the deny rules, silently, on the arguments as the model sent them. */
  readonly deny: (request: PermissionRequest) => Promise<PermissionDecision>;
  /** The full check, once, on the final arguments. Rejects only when `signal` fires during a question. */
  readonly check: (request: PermissionRequest, signal: AbortSignal) => Promise<PermissionDecision>;
}

const ALLOWED: PermissionDecision = { kind: "allow" };

// Written by an agent, these would act on the next start or the next git command (CVE-2026-25725 and its class), so
// they are never part of "edits inside the working directory".
const PROTECTED_NAMES: ReadonlySet<string> = new Set([
  ".git",
  ".gitmodules",
  ".indus",
  ".indusagi",
  ".claude",
  ".agents",
  ".mcp.json",
  ".vscode",
  ".idea",
  ".husky",
  ".envrc",
  ".npmrc",
  ".ssh",
  ".gnupg",
  ".bashrc",
  ".bash_profile",
  ".profile",
  ".zshrc",
  ".zshenv",
]);

export function createPermissions({ policy, root, realPath, ask }: PermissionDeps): Permissions {
  const sessionRules: PermissionRule[] = [];
  let turn: Promise<unknown> = Promise.resolve(); // questions come one at a time

  return {
    async deny(request) {
      return denied(request, await resolveAll(request.accesses)) ?? ALLOWED;
    },

    async check(request, signal) {
      const resolved = await resolveAll(request.accesses);
      const refusal = denied(request, resolved);
      if (refusal) return refusal;
      if (policy.mode === "bypass" && !isAsked(request.tool, resolved)) return ALLOWED;
      const beyondReading = policy.mode === "read-only" ? refuseChange(request) : undefined;
      if (beyondReading) return beyondReading;
      const open = undecided(request, resolved);
      if (!open) return ALLOWED;
      if (!ask)
        return {
          kind: "refuse",
          reason: `${open.reason}, and nobody is here to ask. ${howToAllow(open.sessionRule)}`,
        };
      const answered = turn.then(() => askOnce(request, ask, signal));
      turn = answered.catch(() => undefined);
      return answered;
    },
  };

  function denied(
    request: PermissionRequest,
    resolved: readonly ResolvedAccess[],
  ): PermissionDecision | undefined {
    for (const rule of policy.deny) {
      if (resolved.some((access) => ruleTouches(rule, request.tool, access, root))) {
        return { kind: "refuse", reason: `the rule "${rule.source}" denies it` };
      }
    }
    return undefined;
  }

  /** The question that the rules and the mode leave open, or undefined when they allow everything. */
  function undecided(
    request: PermissionRequest,
    resolved: readonly ResolvedAccess[],
  ): PermissionQuestion | undefined {
    for (const access of resolved) {
      const reason = openReason(request.tool, access);
      if (reason) return { ...request, reason, sessionRule: sessionRuleFor(request.tool, access) };
    }
    return undefined;
  }

  /** An ask rule holds in every mode: it is how a project narrows. */
  function isAsked(tool: string, resolved: readonly ResolvedAccess[]): boolean {
    return resolved.some((access) => policy.ask.some((rule) => ruleCovers(rule, tool, access, root)));
  }

  function openReason(tool: string, resolved: ResolvedAccess): string | undefined {
    const covered = (rule: PermissionRule): boolean => ruleCovers(rule, tool, resolved, root);
    const asked = policy.ask.find(covered);
    if (sessionRules.some(covered)) return undefined;
    if (asked) return `the rule "${asked.source}" asks first`;
    if (policy.allow.some(covered)) return undefined;
    const { access } = resolved;
    if (access.kind === "execute") return "no rule allows this command";
    if (access.kind === "network") return `no rule allows a connection to ${access.host}`;
    const verb = access.kind === "read" ? "reads" : "writes";
    if (resolved.realPath === undefined)
      return `${tool} ${verb} ${access.path}, whose real place cannot be told`;
    if (!isInside(root, resolved.realPath))
      return `${tool} ${verb} outside the working directory: ${resolved.realPath}`;
    if (access.kind === "write" && isProtected(resolved.realPath)) {
      return `${tool} writes ${resolved.realPath}, which configures tools that run by themselves`;
    }
    return undefined;
  }

  function isProtected(path: string): boolean {
    const inside = path.slice(root.length).split("/");
    // A case-insensitive volume, or one that drops trailing dots and blanks, must not open a way round.
    return inside.some((segment) => PROTECTED_NAMES.has(segment.toLowerCase().replace(/[. ]+$/, "")));
  }

  async function askOnce(
    request: PermissionRequest,
    asker: PermissionAsker,
    signal: AbortSignal,
  ): Promise<PermissionDecision> {
    // Resolved again: an earlier answer may have settled it, and a link may have moved while the question waited.
    const open = undecided(request, await resolveAll(request.accesses));
    if (!open) return ALLOWED;
    const answer = await asker(open, signal);
    if (answer.kind === "no") {
      return {
        kind: "refuse",
        reason: answer.reason ? `the person said no: ${answer.reason}` : "the person said no",
      };
    }
    const again = await resolveAll(request.accesses);
    if (answer.kind === "session") {
      for (const access of again) {
        if (openReason(request.tool, access)) sessionRules.push(exactRule(request.tool, access));
      }
    }
    return ALLOWED;
  }

  async function resolveAll(accesses: readonly Access[]): Promise<readonly ResolvedAccess[]> {
    return Promise.all(
      accesses.map(async (access): Promise<ResolvedAccess> => {
        if (access.kind === "execute" || access.kind === "network") return { access };
        try {
          return { access, realPath: await realPath(access.path) };
        } catch {
          return { access }; // fails closed: without a real place it stays undecided; deny rules see the written path
        }
      }),
    );
  }
}

function refuseChange({ tool, accesses }: PermissionRequest): PermissionDecision | undefined {
  const other = accesses.find((access) => access.kind !== "read");
  if (!other) return undefined;
  const deed =
    other.kind === "write"
      ? `write ${other.path}`
      : other.kind === "execute"
        ? "run a command"
        : "use the network";
  return { kind: "refuse", reason: `the permission mode is read-only and ${tool} would ${deed}` };
}

/** What "this session" stands for: the same command, or the files of the same folder. */
function exactRule(tool: string, resolved: ResolvedAccess): PermissionRule {
  const source = sessionRuleFor(tool, resolved);
  return { source, tool, pattern: source.slice(tool.length + 1, -1) };
}

function sessionRuleFor(tool: string, { access, realPath }: ResolvedAccess): string {
  if (access.kind === "execute") return `${tool}(${access.command})`;
  if (access.kind === "network") return `${tool}(${access.host})`;
  return `${tool}(${dirname(realPath ?? access.path)}/**)`;
}

function howToAllow(rule: string): string {
  return `Start with --allow '${rule}' or --permission-mode bypass to permit it.`;
}
