// The permission check of the boundary: decided once, on the final arguments, failing closed.

import type { FsScope } from "indusagi/capabilities";
import { homeFolder, isInside } from "indusagi/core";
import type {
  Access,
  PermissionAnswer,
  PermissionAsker,
  PermissionQuestion,
  SetVariable,
} from "../../feature/contract.ts";
import { deedInWords } from "../../feature/deeds.ts";
import { type Acts, protectedBelow } from "../../store/protected-names.ts";
import type { SessionApproval } from "../contract.ts";
import { shownWord } from "../shell-quote.ts";
import type { CommandFactsDeps } from "./command-facts.ts";
import type { PermissionMode } from "./modes.ts";
import { createPartRules } from "./part-rules.ts";
import type { PatternPlaces } from "./path-pattern.ts";
import type { ResolvedAccess } from "./resolved.ts";
import { type CompiledRule, compileRule, type PermissionRule } from "./rules.ts";
import type { Explanation, Ruling } from "./ruling.ts";
import { createSessionGrants, describeSessionGrant } from "./session-grants.ts";

export type { PermissionMode } from "./modes.ts";

/** The mode and the rules of one session. Deny beats ask, ask beats allow, all of them beat the mode. */
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
  /** Where `~/` leads in a rule, and where the folders of a rule really lie; see {@link PatternPlaces}. */
  readonly home?: string;
  readonly realPlace?: PatternPlaces["realPlace"];
  /** Whether a real path is one that agents read as instructions, whatever its name. */
  readonly isDocument?: (realPath: string) => boolean;
  /** Further folders, as real paths, that may be read without a question. */
  readonly readable?: readonly string[];
  /** Where the settings of repositories are read; absent: git is asked about. */
  readonly files?: CommandFactsDeps["files"];
  /** Absent where nobody can answer (print mode). */
  readonly ask?: PermissionAsker;
  /** Hears each answer "for this session", before anything happens because of it. */
  readonly onApproval?: (approval: SessionApproval) => void;
}

/** `reason` completes "was not run, because …". */
export type PermissionDecision =
  /** `files`: what of the files the call may touch; a path may lead elsewhere by the time that it is opened. */
  { readonly kind: "allow"; readonly files?: FsScope } | { readonly kind: "refuse"; readonly reason: string };

export interface PermissionRequest {
  readonly tool: string;
  readonly accesses: readonly Access[];
  /** The features that changed the call; what each may do is settled before anybody is asked. */
  readonly changedBy?: readonly string[];
  /** The feature that runs a command of its own. */
  readonly by?: string;
  /** The delegate that makes the call; absent for the session's own agent. */
  readonly delegate?: string;
}

/** Decides tool calls for one session; holds the answers given for "this session". */
export interface Permissions {
  /** Only the deny rules, silently, on the arguments as the model sent them. */
  readonly deny: (request: PermissionRequest) => Promise<PermissionDecision>;
  /** The full check, once, on the final arguments. Rejects only when `signal` fires during a question. */
  readonly check: (request: PermissionRequest, signal: AbortSignal) => Promise<PermissionDecision>;
  /** What would be decided, part by part, and because of what. Asks nobody. */
  readonly explain: (request: PermissionRequest) => Promise<Explanation>;
  /** Holds the answers of another session in the place of this one's. */
  readonly recall: (approvals: readonly SessionApproval[]) => void;
}

/** An access that rules and mode leave open. */
interface Open {
  /** Absent where a call is asked about that touches nothing. */
  readonly access?: ResolvedAccess;
  readonly reason: string;
  /** By an ask rule, which nothing but an answer settles. */
  readonly isAsked: boolean;
}

const ALLOWED: PermissionDecision = { kind: "allow" };

/** The permissions of one session. */
export function createPermissions({
  policy,
  root,
  realPath,
  home = homeFolder(),
  realPlace,
  isDocument = () => false,
  readable = [],
  files,
  ask,
  onApproval,
}: PermissionDeps): Permissions {
  const places: PatternPlaces = { root, home, ...(realPlace ? { realPlace } : {}) };
  const [allowRules, askRules, denyRules] = [policy.allow, policy.ask, policy.deny].map((rules) =>
    rules.map((rule) => compileRule(rule, places)),
  ) as [CompiledRule[], CompiledRule[], CompiledRule[]];
  const session = createSessionGrants(root);
  const hasFileRules = [...askRules, ...denyRules].some((rule) => rule.isAboutFiles);
  const parts = createPartRules({
    allowRules,
    hasFileRules,
    openReason: (tool, place) => openReason({ tool }, place),
    root,
  });
  let turn: Promise<unknown> = Promise.resolve(); // questions come one at a time

  return {
    recall: session.replace,

    async deny(request) {
      return denied(request.tool, await resolveAll(request.accesses)) ?? ALLOWED;
    },

    async explain(request) {
      const resolved = await resolveAll(request.accesses);
      const rulings = resolved.flatMap((access) => rulingsOf(request.tool, access));
      if (resolved.length === 0) rulings.push(rulingOnName(request.tool));
      const outcome = (["deny", "ask", "allow"] as const).find((each) =>
        rulings.some((ruling) => ruling.outcome === each),
      );
      const open = outcome === "ask" ? firstOpen(request, resolved) : undefined;
      const change = open ? howToAllow(request.tool, open) : "";
      return { outcome: outcome ?? "allow", rulings, ...(change === "" ? {} : { change }) };
    },

    async check(request, signal) {
      const resolved = await resolveAll(request.accesses);
      const refusal = denied(request.tool, resolved) ?? refuseChange(request, resolved);
      if (refusal) return refusal;
      const open = firstOpen(request, resolved);
      if (!open) return allowed(request, resolved);
      if (!ask)
        return {
          kind: "refuse",
          reason: `${open.reason}, and nobody is here to ask. ${howToAllow(request.tool, open)}`,
        };
      const answered = turn.then(() => askOnce(request, ask, signal));
      turn = answered.catch(() => undefined);
      return answered;
    },
  };

  function denied(tool: string, resolved: readonly ResolvedAccess[]): PermissionDecision | undefined {
    const rule = denyRules.find(
      (each) => each.names(tool) || resolved.some((access) => each.touches(tool, access)),
    );
    return rule && { kind: "refuse", reason: `the rule "${rule.source}" denies it` };
  }

  function allowed(request: PermissionRequest, resolved: readonly ResolvedAccess[]): PermissionDecision {
    const files = fileScope(request, resolved);
    return files ? { kind: "allow", files } : ALLOWED;
  }

  /**
   * What was decided about paths, as a decision about the places that are open in the end: those of the call, and what needs
   * no question. A tool that looks below a folder must not see there what a deny rule names.
   */
  function fileScope(request: PermissionRequest, resolved: readonly ResolvedAccess[]): FsScope | undefined {
    const places = resolved.flatMap(({ access, realPath: real }) =>
      real !== undefined && (access.kind === "read" || access.kind === "write")
        ? [{ kind: access.kind, real }]
        : [],
    );
    // A command goes where it likes, and so does everything in bypass.
    const isBound = places.length > 0 && policy.mode !== "bypass" && resolved.every(isNoCommand);
    const hasDenials = denyRules.some((rule) => rule.pattern !== undefined); // others refuse whole calls
    if (!isBound && !hasDenials) return undefined;
    const permits =
      (kind: "read" | "write") =>
      (path: string): boolean => {
        const place: ResolvedAccess = { access: { kind, path }, realPath: path };
        if (denied(request.tool, [place])) return false;
        if (!isBound || places.some((each) => covers(each, kind, path))) return true;
        return openReason(request, place) === undefined;
      };
    return {
      mayRead: permits("read"),
      mayWrite: permits("write"),
      allows: isBound ? "what this call was permitted" : "what no deny rule names",
    };
  }

  function rulingOnName(tool: string): Ruling {
    const [deny, asks] = [denyRules, askRules].map((rules) => rules.find((rule) => rule.names(tool)));
    if (deny) return ruled(tool, "deny", deny);
    return asks ? ruled(tool, "ask", asks) : { what: tool, outcome: "allow", why: "it touches nothing" };
  }

  /** What each part of an access comes to, each with its own reason. */
  function rulingsOf(tool: string, resolved: ResolvedAccess): readonly Ruling[] {
    const { access, command } = resolved;
    const what = access.kind === "execute" ? access.command : deedInWords(access);
    const denial =
      denied(tool, [resolved]) && denyRules.find((rule) => rule.names(tool) || rule.touches(tool, resolved));
    const each = command?.parts.map((part) => ({
      what: part.text,
      alone: { access: { ...access, command: part.text }, command: { parts: [part] } } as ResolvedAccess,
    }));
    if (denial) {
      const part = each?.find(({ alone }) => denial.touches(tool, alone));
      return [ruled(part?.what ?? what, "deny", denial)];
    }
    const change = refuseChange({ tool, accesses: [access] }, [resolved]);
    if (change?.kind === "refuse") return [{ what, outcome: "deny", why: change.reason }];
    const asked = session.cover(tool, resolved)
      ? undefined
      : askRules.find((rule) => rule.touches(tool, resolved));
    if (asked)
      return [ruled(each?.find(({ alone }) => asked.touches(tool, alone))?.what ?? what, "ask", asked)];
    if (session.cover(tool, resolved))
      return [{ what, outcome: "allow", why: "the person allowed it for this session" }];
    const uncertain = mayBeRefused(tool, resolved);
    if (uncertain !== undefined) return [{ what, outcome: "ask", why: uncertain }];
    const rule = allowRules.find((one) => one.covers(tool, resolved));
    if (rule) return [ruled(what, "allow", rule)];
    if (policy.mode === "bypass") return [{ what, outcome: "allow", why: "the permission mode is bypass" }];
    if (command === undefined || command.unclear !== undefined || command.parts.length === 0) {
      const open = openReason({ tool }, resolved);
      const unread = command?.unclear === undefined ? "" : `: ${command.unclear}`;
      return [
        open === undefined
          ? { what, outcome: "allow", why: `the permission mode is ${policy.mode}` }
          : { what, outcome: "ask", why: open + unread },
      ];
    }
    if (access.kind === "execute" && access.variables)
      return [{ what, outcome: "ask", why: openReason({ tool }, resolved) ?? "" }];
    return parts.each(tool, command).map((ruling): Ruling => {
      const { text, unclear, runs } = ruling.part;
      if (ruling.rule) return ruled(text, "allow", ruling.rule);
      if (ruling.open === undefined) return { what: text, outcome: "allow", why: ruling.why ?? "" };
      const more = runs ?? unclear;
      return { what: text, outcome: "ask", why: ruling.open + (more === undefined ? "" : `: ${more}`) };
    });
  }

  function refuseChange(
    { tool }: PermissionRequest,
    resolved: readonly ResolvedAccess[],
  ): PermissionDecision | undefined {
    const change =
      policy.mode === "read-only"
        ? resolved.find(
            (each) =>
              each.access.kind !== "read" && each.access.kind !== "delegate" && !parts.onlyLooks(tool, each),
          )?.access
        : undefined;
    return (
      change && {
        kind: "refuse",
        reason: `the permission mode is read-only and ${tool} would ${deedInWords(change)}`,
      }
    );
  }

  /** The first access that the rules and the mode leave open, and why; undefined when they allow everything. */
  function firstOpen(request: PermissionRequest, resolved: readonly ResolvedAccess[]): Open | undefined {
    // A call that touches nothing can be named all the same.
    const named = resolved.length === 0 ? askRules.find((rule) => rule.names(request.tool)) : undefined;
    if (named) return { reason: askedBy(named), isAsked: true };
    for (const access of resolved) {
      if (session.cover(request.tool, access)) continue;
      // An ask rule is about what a call touches. It holds in every mode, and on any reading of a command: it is how a
      // project narrows.
      const asked = askRules.find((rule) => rule.touches(request.tool, access));
      if (asked) return { access, reason: askedBy(asked), isAsked: true };
      const uncertain = mayBeRefused(request.tool, access);
      if (uncertain !== undefined) return { access, reason: uncertain, isAsked: true };
      const reason = openReason(request, access);
      if (reason !== undefined) return { access, reason, isAsked: false };
    }
    return undefined;
  }

  /** A rule that refuses must not be passed by a command that nobody can read. */
  function mayBeRefused(tool: string, resolved: ResolvedAccess): string | undefined {
    for (const rule of [...denyRules, ...askRules]) {
      const why = rule.mayTouch(tool, resolved);
      if (why !== undefined) return `the rule "${rule.source}" may be about it: ${why}`;
    }
    return undefined;
  }

  function openReason(
    { tool }: Pick<PermissionRequest, "tool">,
    resolved: ResolvedAccess,
  ): string | undefined {
    if (allowRules.some((rule) => rule.covers(tool, resolved))) return undefined;
    const { access, realPath: real } = resolved;
    if (policy.mode === "bypass") return undefined;
    if (access.kind === "delegate") return undefined; // what it does is asked about when it does it
    if (access.kind === "execute") {
      const reason = parts.openReason(tool, resolved);
      return reason === undefined ? undefined : whyUncovered(tool, access, reason);
    }
    if (access.kind === "network") return `no rule allows a connection to ${access.host}`;
    const verb = access.kind === "read" ? "reads" : "writes";
    if (real === undefined) return `${tool} ${verb} ${access.path}, whose real place cannot be told`;
    if (access.kind === "read" && readable.some((folder) => isInside(folder, real))) return undefined;
    if (!isInside(root, real)) return `${tool} ${verb} outside the working directory: ${real}`;
    const acts = access.kind === "write" ? actsLater(real) : undefined;
    return acts && `${tool} writes ${real}, which ${acts}`;
  }

  function whyUncovered(tool: string, access: Extract<Access, { kind: "execute" }>, reason: string): string {
    const { variables, ...alone } = access;
    if (variables && allowRules.some((rule) => rule.covers(tool, { access: alone })))
      return `${setters(variables)}, and the rules that allow it allow it without`;
    for (const rule of allowRules) {
      const risk = rule.risk(tool, access);
      if (risk !== undefined)
        return `the rule "${rule.source}" does not cover ${risk}, which it does not name`;
    }
    return reason;
  }

  function actsLater(real: string): Acts | undefined {
    return protectedBelow(root, real) ?? (isDocument(real) ? "agents read as instructions" : undefined);
  }

  /** What would let it pass, so that doing it does. Quoted, because people copy it into a shell and the model wrote it. */
  function howToAllow(tool: string, { access: open, isAsked }: Open): string {
    if (isAsked || !open)
      return "No flag answers it: start on a terminal, or take the rule out of the settings.";
    const orBypass = policy.mode === "bypass" ? "" : " or --permission-mode bypass";
    const { access, realPath } = open;
    if (access.kind === "execute" && access.variables) {
      const names = [...new Set(access.variables.map(({ by }) => by))].join(" and ");
      return `Start with --allow ${tool}${orBypass} to permit it, or without ${names}.`;
    }
    const isFile = access.kind === "read" || access.kind === "write";
    if (isFile && realPath === undefined)
      return policy.mode === "bypass" ? "" : "Start with --permission-mode bypass to permit it.";
    // A rule with a pattern allows commands in the working directory only.
    if (access.kind === "execute" && access.cwd !== root)
      return `It would run in ${access.cwd}: start there, or with --allow ${tool}${orBypass} to permit it.`;
    return `Start with --allow ${shownWord(`${tool}(${subjectOf(access, realPath)})`)}${orBypass} to permit it.`;
  }

  async function askOnce(
    request: PermissionRequest,
    asker: PermissionAsker,
    signal: AbortSignal,
  ): Promise<PermissionDecision> {
    // Resolved again: an earlier answer may have settled it. From here on, what is shown is what is granted.
    const resolved = await resolveAll(request.accesses);
    for (let open = firstOpen(request, resolved); open; open = firstOpen(request, resolved)) {
      const { access, reason } = open;
      const question: PermissionQuestion = {
        tool: request.tool,
        accesses: request.accesses,
        reason: whoAsks(request) + reason,
        sessionRule: access ? describeSessionGrant(request.tool, access, root) : `${request.tool}, this once`,
      };
      const answer = await asker(question, signal);
      if (answer.kind === "no") return { kind: "refuse", reason: noReason(answer) };
      if (answer.kind === "once" || !access) break; // the whole call was shown
      const approval = session.add(request.tool, access);
      if (approval) onApproval?.(approval);
      if (!session.cover(request.tool, access)) break; // nothing that could be remembered: it counts once
    }
    const moved = (await resolveAll(request.accesses)).find(
      (each, index) => each.realPath !== resolved[index]?.realPath,
    );
    return moved
      ? { kind: "refuse", reason: "a path leads elsewhere now than when you were asked" }
      : allowed(request, resolved);
  }

  function whoAsks({ delegate, by, changedBy = [] }: PermissionRequest): string {
    const changed = changedBy.length === 0 ? "" : `${changedBy.join(" and ")} changed this call: `;
    const own = by === undefined ? "" : `${by} asks, not the model: `;
    return delegate === undefined ? own + changed : `the delegate ${delegate} asks: ${own}${changed}`;
  }

  async function resolveAll(accesses: readonly Access[]): Promise<readonly ResolvedAccess[]> {
    return Promise.all(
      accesses.map(async (access): Promise<ResolvedAccess> => {
        if (access.kind === "execute") {
          const { commandFacts } = await import("./command-facts.ts");
          return {
            access,
            command: await commandFacts(access.command, access.cwd, { home, realPath, files }),
          };
        }
        if (access.kind !== "read" && access.kind !== "write") return { access };
        try {
          return { access, realPath: await realPath(access.path) };
        } catch {
          return { access }; // fails closed: without a real place it stays undecided; deny rules see the written path
        }
      }),
    );
  }
}

function isNoCommand({ access }: ResolvedAccess): boolean {
  return access.kind !== "execute";
}

interface PermittedPlace {
  readonly kind: "read" | "write";
  readonly real: string;
}

/** Reading covers what is below a folder; writing covers the file, its own content, and the folders made for it. */
function covers({ kind, real }: PermittedPlace, asked: "read" | "write", path: string): boolean {
  if (kind === "read") return asked === "read" && isInside(real, path);
  return path === real || (asked === "write" && isInside(path, real));
}

/** `project:x sets PATH for it`. */
function setters(variables: readonly SetVariable[]): string {
  const namesOf = (owner: string): string =>
    variables
      .filter(({ by }) => by === owner)
      .map(({ name }) => name)
      .join(", ");
  return [...new Set(variables.map(({ by }) => by))]
    .map((by) => `${by} sets ${namesOf(by)} for it`)
    .join(", ");
}

function ruled(what: string, outcome: Ruling["outcome"], { source, place }: CompiledRule): Ruling {
  const verb = { allow: "allows it", ask: "asks first", deny: "denies it" }[outcome];
  return {
    what,
    outcome,
    why: `the rule "${source}" ${verb}`,
    rule: source,
    ...(place === undefined ? {} : { place }),
  };
}

function askedBy({ source }: CompiledRule): string {
  return `the rule "${source}" asks first`;
}

function noReason({ reason }: Extract<PermissionAnswer, { kind: "no" }>): string {
  return reason ? `the person said no: ${reason}` : "the person said no";
}

function subjectOf(access: Access, realPath: string | undefined): string {
  if (access.kind === "execute") return access.command;
  if (access.kind === "network") return access.host;
  return access.kind === "delegate" ? access.agent : (realPath ?? access.path);
}

/** The same permissions for a delegate's calls: a question says who asks. What it may is what the session may. */
export function permissionsOf(delegate: string, permissions: Permissions): Permissions {
  return {
    ...permissions,
    check: (request, signal) => permissions.check({ ...request, delegate }, signal),
  };
}
