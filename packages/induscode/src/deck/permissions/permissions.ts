// The permission check of the boundary: decided once, on the final arguments, failing closed.

import { homeFolder } from "indusagi/core";
import type { Decision } from "../../feature/decision.ts";
import type { OutsideFolder, PermissionAnswer, PermissionAsker } from "../../feature/permission.ts";
import type { ToolContribution } from "../../feature/tool.ts";
import type { KeptAnswer, SessionApproval } from "../contract.ts";
import { createQuestions } from "./ask-person.ts";
import type { CommandFactsDeps } from "./command-facts.ts";
import { createDecider } from "./decide.ts";
import { decisionRecord } from "./decision-record.ts";
import type { Decided, KeptAnswers, Open, PermissionDecision, PermissionRequest } from "./decision-types.ts";
import { fileScope } from "./file-scope.ts";
import { createInsideOffers } from "./inside-offers.ts";
import { describeKept, keptHere } from "./kept-answers.ts";
import { lendRules } from "./lent-rules.ts";
import type { PermissionMode } from "./modes.ts";
import { createModeOffer, type ModeOffers } from "./offered-mode.ts";
import { createOwnFiles } from "./own-files.ts";
import type { PatternPlaces } from "./path-pattern.ts";
import { createResolver } from "./resolve-accesses.ts";
import type { ResolvedAccess } from "./resolved-access.ts";
import { type CompiledRule, compileRule, type PermissionRule } from "./rules.ts";
import { createSessionGrants, type SessionGrants } from "./session-grants.ts";

export type { KeptAnswers, PermissionDecision, PermissionRequest } from "./decision-types.ts";
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
  /** Receives what lists the hosts and folders that answers let commands in the sandbox reach, and read or change. */
  readonly onGrants?: (grants: {
    readonly hosts: () => readonly string[];
    readonly folders: () => readonly OutsideFolder[];
  }) => void;
  /** Absent if nobody can answer (print mode). */
  readonly ask?: PermissionAsker | undefined;
  /** The mode in force, if it can change in the session; default: the policy's. */
  readonly mode?: (() => PermissionMode) | undefined;
  /** Called when the mode leaves a command open that would run where commands normally run. */
  readonly onCommandOpen?: (() => void) | undefined;
  /** Absent if no answer can switch the mode. */
  readonly offers?: ModeOffers;
  /** Called with each answer "for this session", before it has any effect. */
  readonly onApproval?: (approval: SessionApproval) => void;
  /** Answers kept earlier, and where they are stored; absent: no answer is kept. */
  readonly kept?: KeptAnswers;
  /** Whether a plan is being made; nothing changes until the person approves it. */
  readonly isPlanning?: () => boolean;
}

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
  /** These allow as well, as a person's rules would, until the returned function is called. */
  readonly lend: (rules: readonly PermissionRule[]) => () => void;
  /** Replaces this session's answers with those of another one. */
  readonly recall: (approvals: readonly SessionApproval[]) => void;
  /** These tools are others now, or gone: what was answered for this session was about those of before. */
  readonly forget: (tools: readonly string[]) => void;
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
  offers,
  onGrants,
}: PermissionDeps): Permissions {
  const places: PatternPlaces = { root, home, realPlace, twins };
  const [allowRules, askRules, denyRules] = [policy.allow, policy.ask, policy.deny].map((rules) =>
    rules.map((rule) => compileRule(rule, places)),
  ) as [CompiledRule[], CompiledRule[], CompiledRule[]];
  const hasFileRules = [...askRules, ...denyRules].some(({ isAboutFiles }) => isAboutFiles);
  const session = grantsOf(root, onGrants);
  const deciding = {
    ...{ mode, isPlanning, allowRules, askRules, denyRules, session },
    ...{ root, store, readable, isDocument },
  };
  const { decide, denial, openReason } = createDecider(deciding);
  for (const answer of kept?.answers ?? []) applyKept(answer);
  const { has: isOwn, noted } = createOwnFiles(files);
  const resolveAll = createResolver({ mode, isPlanning, home, isBash, realPath, files, isOwn, hasFileRules });
  const askPerson =
    ask &&
    createQuestions({
      ...{ ask, decide, resolveAll, session, root, home, kept, applyKept, onApproval, allowed, refused },
      inside: createInsideOffers({ root, realPath, files, session, kept, applyKept, onApproval }),
      ...{ offerMode: createModeOffer(offers, deciding), chooseMode: offers?.choose },
    });

  return {
    ...{ recall: session.replace, forget: session.forget },
    lend: (rules) => lendRules(allowRules, rules, places),

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
      if (decided.open === undefined) return noted(allowed(request, resolved, decided), resolved);
      if (isForMode(decided.open)) onCommandOpen();
      if (!askPerson || request.isUnattended) {
        const { reason } = decided.open;
        const why = request.isUnattended
          ? "a delegate in the background cannot ask anybody"
          : "nobody is here to ask";
        return refused(request, decided, `${reason}, and ${why}. ${decided.change ?? ""}`);
      }
      return noted(await askPerson(request, resolved, signal), resolved);
    },
  };

  function applyKept(answer: KeptAnswer): void {
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
    const files = fileScope(request.tool, resolved, { mode, denyRules, denial, openReason });
    const record = decisionRecord(request, decided, "allowed", answer);
    const { stays, host, folder, isHarmless } = decided;
    return { kind: "allow", files, stays, host, folder, isHarmless, record };
  }
}

function grantsOf(root: string, onGrants: PermissionDeps["onGrants"]): SessionGrants {
  const grants = createSessionGrants(root);
  onGrants?.(grants);
  return grants;
}

function isForMode({ access, isAsked }: Open): boolean {
  return !isAsked && access?.access.kind === "execute" && access.access.outside === undefined;
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
