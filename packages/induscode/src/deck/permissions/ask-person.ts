// Asks the person about a call that is open, one question at a time, until an answer settles it.

import { isSameJson, type JsonValue } from "indusagi/core";
import type {
  OfferedMode,
  PermissionAnswer,
  PermissionAsker,
  PermissionQuestion,
} from "../../feature/permission.ts";
import type { KeptAnswer, SessionApproval } from "../contract.ts";
import type { Decided, KeptAnswers, PermissionDecision, PermissionRequest } from "./decision-types.ts";
import type { InsideOffers } from "./inside-offers.ts";
import { keepOffer, keptAnswer } from "./kept-answers.ts";
import type { OfferMode } from "./offered-mode.ts";
import type { ResolveAccesses } from "./resolve-accesses.ts";
import type { ResolvedAccess } from "./resolved-access.ts";
import { describeSessionGrant, type SessionGrants } from "./session-grants.ts";

interface QuestionDeps {
  readonly ask: PermissionAsker;
  readonly decide: (tool: string, resolved: readonly ResolvedAccess[]) => Decided;
  readonly resolveAll: ResolveAccesses;
  readonly session: SessionGrants;
  readonly root: string;
  readonly home: string;
  readonly inside: InsideOffers;
  readonly kept: KeptAnswers | undefined;
  /** Lets an answer that is kept count from now on. */
  readonly applyKept: (answer: KeptAnswer) => void;
  readonly onApproval: ((approval: SessionApproval) => void) | undefined;
  readonly offerMode: OfferMode;
  readonly chooseMode: ((mode: OfferedMode) => void) | undefined;
  readonly allowed: (
    request: PermissionRequest,
    resolved: readonly ResolvedAccess[],
    decided: Decided,
    answer?: PermissionAnswer["kind"],
  ) => PermissionDecision;
  readonly refused: (
    request: PermissionRequest,
    decided: Decided,
    reason?: string,
    answer?: PermissionAnswer["kind"],
  ) => PermissionDecision;
}

/** `resolved` are the facts of the decision that left the call open. */
export type AskPerson = (
  request: PermissionRequest,
  resolved: readonly ResolvedAccess[],
  signal: AbortSignal,
) => Promise<PermissionDecision>;

export function createQuestions({
  ask,
  decide,
  resolveAll,
  session,
  root,
  home,
  kept,
  inside,
  applyKept,
  onApproval,
  offerMode,
  chooseMode,
  allowed,
  refused,
}: QuestionDeps): AskPerson {
  let turn: Promise<unknown> = Promise.resolve(); // one question at a time
  let asking = 0;
  return (request, resolved, signal) => {
    // Facts looked up before another question was answered are looked up again: that answer may have settled this one.
    const known = asking === 0 ? resolved : undefined;
    asking++;
    const answered = turn.then(() => askOnce(request, signal, known)).finally(() => asking--);
    turn = answered.catch(() => undefined);
    return answered;
  };

  async function askOnce(
    request: PermissionRequest,
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
      const mode = await offerMode(request.tool, resolved);
      const keep = keepOffer(request.tool, decided.open, root);
      const offered = access ? await inside.offer(access) : {};
      const question: PermissionQuestion = {
        tool: request.tool,
        ...askedCall(request),
        folder: root,
        accesses: request.accesses,
        reason: whoAsks(request) + reason + runsBeside(request),
        rulings: decided.rulings,
        sessionRule: access ? describeSessionGrant(request.tool, access, root) : `${request.tool}, this once`,
        keep: kept && keep ? keep : undefined,
        mode,
        host: offered.host,
        readable: offered.folder?.isWritable ? undefined : offered.folder?.path,
        writable: offered.folder?.isWritable ? offered.folder.path : undefined,
        problem,
      };
      const answer = await ask(question, signal);
      answered = answer.kind;
      if (answer.kind === "no") return refused(request, decided, noReason(answer), "no");
      if (answer.kind === "host" || answer.kind === "folder") {
        const stays = await inside.take(answer, offered, decided);
        if (stays === undefined)
          return refused(request, decided, `the answer names a ${answer.kind} that was not offered`);
        shown = stays;
        break;
      }
      if (answer.kind === "mode" && mode !== undefined) chooseMode?.(mode);
      if (answer.kind === "once" || answer.kind === "mode" || !access) break; // the whole call was shown
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
    if (!kept) return "answers are not kept in this session";
    const found = keptAnswer(tool, access, { root, home, pattern });
    if ("problem" in found) return found.problem;
    const answer: KeptAnswer = where === "here" ? { ...found, folder: root } : found;
    applyKept(answer);
    await kept.add(answer);
    return undefined;
  }
}

function whoAsks({ delegate, by, changedBy = [] }: PermissionRequest): string {
  const changed = changedBy.length === 0 ? "" : `${changedBy.join(" and ")} changed this call: `;
  const own = by === undefined ? "" : `${by} asks, not the model: `;
  return delegate === undefined ? own + changed : `the delegate ${delegate} asks: ${own}${changed}`;
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

function noReason({ reason, isInterrupted }: Extract<PermissionAnswer, { kind: "no" }>): string {
  if (isInterrupted) return "the person interrupted the question";
  return reason ? `the person said no: ${reason}` : "the person said no";
}
