// The permission check of the boundary: decided once, on the final arguments, failing closed.

import type { FsScope } from "indusagi/capabilities";
import { homeFolder, isInside, isSameJson, type JsonValue } from "indusagi/core";
import type { Decision } from "../../feature/decision.ts";
import type { PermissionAnswer, PermissionAsker, PermissionQuestion } from "../../feature/permission.ts";
import type { ToolContribution } from "../../feature/tool.ts";
import type { CallDecision, KeptAnswer, SessionApproval } from "../contract.ts";
import type { GitVerdicts } from "../shell/git-verdicts.ts";
import type { CommandFactsDeps } from "./command-facts.ts";
import { createDecider } from "./decide.ts";
import type { Decided, Open, Passing, PermissionRequest } from "./decided.ts";
import { decisionRecord } from "./decision-record.ts";
import { describeKept, keepOffer, keptAnswer, keptHere } from "./kept-answers.ts";
import type { PermissionMode } from "./modes.ts";
import type { PatternPlaces } from "./path-pattern.ts";
import type { ResolvedAccess } from "./resolved.ts";
import { type CompiledRule, compileRule, type PermissionRule } from "./rules.ts";
import { createSessionGrants, describeSessionGrant } from "./session-grants.ts";

export type { PermissionRequest } from "./decided.ts";
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
  /** The product's home, as a real path; absent: nothing in it is kept from tools. */
  readonly store?: string | undefined;
  /** Resolves links as the file tools will: the longest existing ancestor, the rest appended. */
  readonly realPath: (path: string) => Promise<string>;
  /** What `~/` means in a rule, and the real places of a rule's folders; see {@link PatternPlaces}. */
  readonly home?: string;
  readonly realPlace?: PatternPlaces["realPlace"];
  readonly twins?: PatternPlaces["twins"];
  /** Whether agents read this real path as instructions, whatever its name. */
  readonly isDocument?: (realPath: string) => boolean;
  /** More folders, as real paths, that can be read without a question. */
  readonly readable?: readonly string[];
  /** bash runs the commands; otherwise they are read as any shell may. */
  readonly isBash?: boolean;
  /** For reading the settings of repositories; absent: git commands are asked about. */
  readonly files?: CommandFactsDeps["files"];
  /** Absent if nobody can answer (print mode). */
  readonly ask?: PermissionAsker | undefined;
  /** The mode in force, if it can change in the session; default: the policy's. */
  readonly mode?: (() => PermissionMode) | undefined;
  /** Called when the mode leaves a command open that would run where commands normally run. */
  readonly onCommandOpen?: () => void;
  /** Called with each answer "for this session", before it has any effect. */
  readonly onApproval?: (approval: SessionApproval) => void;
  /** Answers kept earlier, and where they are stored; absent: no answer is kept. */
  readonly kept?: KeptAnswers;
  /** Whether a plan is being made; nothing changes until the person approves it. */
  readonly isPlanning?: () => boolean;
}

export interface KeptAnswers {
  readonly answers: readonly KeptAnswer[];
  /** The file. */
  readonly place: string;
  /** Stores one more. A rejection is shown to the person; the answer then holds for the session. */
  readonly add: (answer: KeptAnswer) => Promise<void>;
}

/** The outcome of a call. `record` gives the reasons, for the log. */
export type PermissionDecision =
  /** `files`: which files the call may touch; a path may lead elsewhere by the time it is opened. */
  | ({
      readonly kind: "allow";
      readonly files?: FsScope | undefined;
      readonly record?: CallDecision;
    } & Passing)
  /** `reason` completes "was not run, because …". */
  | { readonly kind: "refuse"; readonly reason: string; readonly record?: CallDecision };

/** Decides tool calls for one session; holds the answers given for "this session". */
export interface Permissions {
  /** Only the deny rules, silently, on the arguments as the model sent them. */
  readonly deny: (request: PermissionRequest) => Promise<PermissionDecision>;
  /** The full check, once, on the final arguments. Rejects only when `signal` fires during a question. */
  readonly check: (request: PermissionRequest, signal: AbortSignal) => Promise<PermissionDecision>;
  /** What would be decided, part by part, and why. Asks nobody. */
  readonly explain: (request: PermissionRequest) => Promise<Decision>;
  /**
   * Why each call of a tool is refused from the session's start to its end; undefined if one may pass. A plan is not such a
   * reason: it ends.
   */
  readonly refusesAll: (tool: string, always?: ToolContribution["always"]) => string | undefined;
  /** Replaces this session's answers with those of another one. */
  readonly recall: (approvals: readonly SessionApproval[]) => void;
}

const ALLOWED: PermissionDecision = { kind: "allow" };

/** The permissions of one session. */
export function createPermissions({
  policy,
  root,
  store,
  realPath,
  home = homeFolder(),
  realPlace,
  twins,
  isDocument = () => false,
  readable = [],
  isBash,
  files,
  ask,
  mode = () => policy.mode,
  onCommandOpen = () => undefined,
  onApproval,
  kept,
  isPlanning = () => false,
}: PermissionDeps): Permissions {
  const places: PatternPlaces = {
    ...{ root, home },
    realPlace,
    twins,
  };
  const [allowRules, askRules, denyRules] = [policy.allow, policy.ask, policy.deny].map((rules) =>
    rules.map((rule) => compileRule(rule, places)),
  ) as [CompiledRule[], CompiledRule[], CompiledRule[]];
  const hasFileRules = [...askRules, ...denyRules].some(({ isAboutFiles }) => isAboutFiles);
  const session = createSessionGrants(root);
  const { decide, denial, openReason } = createDecider({
    mode,
    isPlanning,
    allowRules,
    askRules,
    denyRules,
    session,
    root,
    store,
    readable,
    isDocument,
  });
  for (const answer of kept?.answers ?? []) hold(answer);
  const gitVerdicts: GitVerdicts = new Map();
  let turn: Promise<unknown> = Promise.resolve(); // one question at a time
  let asking = 0;

  return {
    recall: session.replace,

    refusesAll(tool, always = []) {
      const rule = denyRules.find(({ names }) => names(tool));
      if (rule) return `the rule "${rule.source}" denies it`;
      const changes = always.some((kind) => kind !== "read" && kind !== "delegate");
      return policy.mode === "read-only" && changes ? "the permission mode is read-only" : undefined;
    },

    async deny(request) {
      const resolved = await resolveAll(request, false);
      // Only a rule that refuses ends a call this early.
      if (!denial(request.tool, resolved)) return ALLOWED;
      return refused(request, decide(request.tool, resolved));
    },

    async explain(request) {
      const { outcome, rulings, change } = decide(request.tool, await resolveAll(request));
      return { outcome, rulings, change };
    },

    async check(request, signal) {
      const resolved = await resolveAll(request);
      const decided = decide(request.tool, resolved);
      if (decided.outcome === "deny") return refused(request, decided);
      if (decided.open === undefined) return allowed(request, resolved, decided);
      if (isForMode(decided.open)) onCommandOpen();
      if (!ask || request.isUnattended) {
        const { reason } = decided.open;
        const why = request.isUnattended
          ? "a delegate in the background cannot ask anybody"
          : "nobody is here to ask";
        return refused(request, decided, `${reason}, and ${why}. ${decided.change ?? ""}`);
      }
      // Facts looked up before another question was answered are looked up again: that answer may have settled this one.
      const known = asking === 0 ? resolved : undefined;
      asking++;
      const answered = turn.then(() => askOnce(request, ask, signal, known)).finally(() => asking--);
      turn = answered.catch(() => undefined);
      return answered;
    },
  };

  function hold(answer: KeptAnswer): void {
    const here = keptHere(answer, root, kept?.place ?? "");
    if (here === undefined) return;
    if ("rule" in here) allowRules.push(compileRule(here.rule, places));
    else {
      const layer = answer.folder === undefined ? "person" : "folder";
      const rule = describeKept(answer);
      session.keep(here.approval, {
        why: "the person always allows it",
        layer,
        rule,
        place: kept?.place ?? "",
      });
    }
  }

  function refused(
    request: PermissionRequest,
    decided: Decided,
    reason = decided.rulings.find(({ outcome }) => outcome === "deny")?.why ?? "",
    answer?: PermissionAnswer["kind"],
  ): PermissionDecision {
    return { kind: "refuse", reason, record: decisionRecord(request, decided, "refused", answer) };
  }

  function allowed(
    request: PermissionRequest,
    resolved: readonly ResolvedAccess[],
    decided: Decided,
    answer?: PermissionAnswer["kind"],
  ): PermissionDecision {
    const files = fileScope(request, resolved);
    const record = decisionRecord(request, decided, "allowed", answer);
    const { stays, isHarmless } = decided;
    return {
      kind: "allow",
      files,
      stays,
      isHarmless,
      record,
    };
  }

  /**
   * Turns the decision about paths into one about the places that are opened in the end: those of the call, and those that need no
   * question. A tool that looks below a folder must not see there what a deny rule names.
   */
  function fileScope(request: PermissionRequest, resolved: readonly ResolvedAccess[]): FsScope | undefined {
    const places = resolved.flatMap(({ access, realPath: real }) =>
      real !== undefined && (access.kind === "read" || access.kind === "write")
        ? [{ kind: access.kind, real }]
        : [],
    );
    // A command can go anywhere, and so can everything in bypass.
    const isBound = places.length > 0 && policy.mode !== "bypass" && resolved.every(isNoCommand);
    const hasDenials = denyRules.some((rule) => rule.pattern !== undefined); // the other rules refuse whole calls
    if (!isBound && !hasDenials) return undefined;
    const permits =
      (kind: "read" | "write") =>
      (path: string): boolean => {
        const place: ResolvedAccess = { access: { kind, path }, realPath: path };
        if (denial(request.tool, [place])) return false;
        if (!isBound || places.some((each) => covers(each, kind, path))) return true;
        return openReason(request.tool, place) === undefined;
      };
    return {
      mayRead: permits("read"),
      mayWrite: permits("write"),
      allows: isBound ? "what this call was permitted" : "what no deny rule applies to",
    };
  }

  async function askOnce(
    request: PermissionRequest,
    asker: PermissionAsker,
    signal: AbortSignal,
    known: readonly ResolvedAccess[] | undefined,
  ): Promise<PermissionDecision> {
    const resolved = known ?? (await resolveAll(request)); // from here on, what is shown is what is granted
    let decided = decide(request.tool, resolved);
    let shown = decided;
    let answered: PermissionAnswer["kind"] | undefined;
    let problem: string | undefined;
    for (; decided.open; decided = decide(request.tool, resolved)) {
      shown = decided;
      const { access, reason } = decided.open;
      const keep = keepOffer(request.tool, decided.open, root);
      const question: PermissionQuestion = {
        tool: request.tool,
        ...askedCall(request),
        folder: root,
        accesses: request.accesses,
        reason: whoAsks(request) + reason + runsBeside(request),
        rulings: decided.rulings,
        sessionRule: access ? describeSessionGrant(request.tool, access, root) : `${request.tool}, this once`,
        keep: kept && keep ? keep : undefined,
        problem,
      };
      const answer = await asker(question, signal);
      answered = answer.kind;
      if (answer.kind === "no") return refused(request, decided, noReason(answer), "no");
      if (answer.kind === "once" || !access) break; // the whole call was shown
      problem = undefined;
      if (answer.kind === "always") {
        problem = await keepAnswer(request.tool, access, answer);
        if (problem !== undefined) continue;
        if (decide(request.tool, [access]).open) break; // it counts once, whatever was kept
        continue;
      }
      const approval = session.add(request.tool, access);
      if (approval) onApproval?.(approval);
      if (!session.cover(request.tool, access)) break; // nothing that can be remembered: it counts once
    }
    const now = await resolveAll(request);
    return isSameJson(now.map(whereItLeads), resolved.map(whereItLeads))
      ? allowed(request, resolved, shown, answered)
      : refused(request, shown, "a path leads elsewhere now than when the person was asked", answered);
  }

  /** Why the answer cannot be kept; undefined if it was kept. */
  async function keepAnswer(
    tool: string,
    access: ResolvedAccess,
    { where, pattern }: Extract<PermissionAnswer, { kind: "always" }>,
  ): Promise<string | undefined> {
    if (!kept) return "answers are not kept here";
    const found = keptAnswer(tool, access, { root, home, pattern });
    if ("problem" in found) return found.problem;
    const answer: KeptAnswer = where === "here" ? { folder: root, ...found } : found;
    hold(answer);
    await kept.add(answer);
    return undefined;
  }

  function whoAsks({ delegate, by, changedBy = [] }: PermissionRequest): string {
    const changed = changedBy.length === 0 ? "" : `${changedBy.join(" and ")} changed this call: `;
    const own = by === undefined ? "" : `${by} asks, not the model: `;
    return delegate === undefined ? own + changed : `the delegate ${delegate} asks: ${own}${changed}`;
  }

  /** Some modes let a command pass whatever git may run; before the check itself, only what rules refuse matters. */
  function asksGit(isConfined: boolean, isCheck: boolean): boolean {
    const passes = !isPlanning() && (mode() === "bypass" || (mode() === "auto" && isConfined));
    return hasFileRules || (isCheck && !passes);
  }

  /** `isCheck`: not only what rules refuse matters. */
  async function resolveAll(
    { accesses, confined, leaving }: PermissionRequest,
    isCheck = true,
  ): Promise<readonly ResolvedAccess[]> {
    return Promise.all(
      accesses.map(async (access): Promise<ResolvedAccess> => {
        if (access.kind === "execute") {
          const { commandFacts } = await import("./command-facts.ts");
          return {
            access,
            command: await commandFacts(access.command, access.cwd, {
              ...{ home, isBash, realPath, files, hasFileRules },
              gitVerdicts,
              asksGit: asksGit(confined === true, isCheck),
            }),
            isConfined: confined ? true : undefined,
            leaving,
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

function askedCall({ callId, delegate, input }: PermissionRequest): Pick<PermissionQuestion, "call"> {
  if (callId === undefined || input === undefined) return {};
  return { call: { id: callId, delegate, input } };
}

/** What was judged by its place: a file, and whatever a command opens and looks at. */
function whereItLeads({ realPath, command }: ResolvedAccess): JsonValue {
  const places = (command?.parts ?? []).map(({ opens, looks = [], runs }) => [
    ...[...opens, ...looks].map((place) => place.realPath ?? null),
    runs ?? null,
  ]);
  return [realPath ?? null, places];
}

/** The person should know what can change the command's meaning before it runs. */
function runsBeside({ leaving }: PermissionRequest): string {
  const count = leaving?.beside() ?? 0;
  if (count === 0) return "";
  const what = count === 1 ? "1 command runs" : `${count} commands run`;
  return `. Meanwhile ${what} in the sandbox, and can change what it finds`;
}

function isForMode({ access, isAsked }: Open): boolean {
  return !isAsked && access?.access.kind === "execute" && access.access.outside === undefined;
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

function noReason({ reason }: Extract<PermissionAnswer, { kind: "no" }>): string {
  return reason ? `the person said no: ${reason}` : "the person said no";
}

/** The same permissions for a delegate's calls: a question says who is asking. A delegate is allowed what the session is allowed. */
export function permissionsOf(
  delegate: string,
  permissions: Permissions,
  isUnattended: boolean,
): Permissions {
  return {
    ...permissions,
    check: (request, signal) =>
      permissions.check({ ...request, delegate, isUnattended: isUnattended || request.isUnattended }, signal),
  };
}
