// A session over the features of a registry: a list of stages, each with what the earlier ones made. A delegate's session is the same
// with other facts. What is called in a session gets its scope with the call, and keeps nothing.

import type { Disposer } from "indusagi/core";
import type { SessionPart } from "../cli/part.ts";
import { conductOver } from "../conductor/conductor.ts";
import type { Conductor, Entry } from "../conductor/contract.ts";
import type { OpenedLog } from "../conductor/log.ts";
import type { CallDecision, SessionApproval } from "../deck/contract.ts";
import type { Permissions } from "../deck/permissions/permissions.ts";
import { SESSION_HOST } from "../feature/host.ts";
import { restoreAfterSummary } from "./after-summary.ts";
import { type DeckHere, openDeck } from "./deck-here.ts";
import { delegateFacts } from "./delegate-session.ts";
import { createDocumentNotices } from "./document-notices.ts";
import { followFeatures } from "./features/late-features.ts";
import { type Ground, openGround } from "./ground.ts";
import { createSessionHandles } from "./handles.ts";
import { hostHere } from "./host-here.ts";
import { type JoinedParts, joinParts } from "./joined-parts.ts";
import { atUnaskedEnd } from "./last-words.ts";
import type { MadeSession, Session, SessionFacts } from "./open-facts.ts";
import { createRecall, type SessionRecall } from "./recall.ts";
import { serverNotes } from "./server-notes.ts";
import { createServerResources, SERVER_RESOURCES } from "./server-resources.ts";

/** Idle at first: nothing is written before the first submit, and nobody is notified before its start. */
export function openSession(facts: SessionFacts): Session {
  const ground = openGround(facts);
  const { scope, journal } = ground;
  const joining: SessionPart[] = []; // what stands between a call and its deed is asked about them, so they have a place before they join
  const parts = joinParts(joining);
  const permissions = facts.permissions(journal.noteApproval);
  const recall = openRecall(facts, ground, permissions);
  /** Whatever the session knows comes from its log (decision 014): at the start, after each move, and for a new one. */
  const enter = (entries: readonly Entry[]): readonly SessionApproval[] => {
    const approvals = recall.resume(entries);
    parts.entered(entries);
    return approvals;
  };
  const onDecision = (decision: CallDecision): void => {
    journal.noteDecision(decision);
    facts.onDecision?.(decision);
  };
  const acting = openDeck(facts, { ground, permissions, parts, onDecision });
  const conductor = openConductor(facts, ground, acting, {
    turn: parts.turn,
    entered: (all) => void enter(all),
  });
  const { tasks } = acting;
  const { explain, lend } = permissions;
  const made: MadeSession = {
    ...{ conductor, scope, tasks, explain, lend },
    async permits(request, signal) {
      const decision = await permissions.check(request, signal);
      if (decision.record) onDecision(decision.record);
      return decision.kind === "refuse" ? decision.reason : undefined;
    },
    openDelegate: (profile, how) =>
      openSession(delegateFacts({ facts, conductor, permissions, parts }, profile, how)),
  };
  joining.push(...facts.join(made));
  scope.put(SESSION_HOST, hostHere(facts, conductor, parts));
  scope.put(SERVER_RESOURCES, createServerResources({ tools: () => facts.registry.tools }, acting.deck));
  restoreAfterSummary({ ...ground, conductor, parts }, () => recall.follow(conductor));
  const approvals = facts.delegate ? [] : enter(facts.logs.entries);
  return sessionOf(facts, { ground, acting, made, parts, permissions, approvals });
}

function openRecall(
  { place, words, notices }: SessionFacts,
  { journal, conversation, todos }: Ground,
  permissions: Permissions,
): SessionRecall {
  const { notify } = journal;
  const documents = createDocumentNotices({
    cwd: place.cwd,
    personHome: place.personHome,
    docs: words.folderDocs,
    notify,
    tell: notices.tell,
  });
  return createRecall({ conversation, todos, permissions, documents });
}

function openConductor(
  facts: SessionFacts,
  { journal }: Ground,
  { deck, hooks }: DeckHere,
  followed: { readonly turn: JoinedParts["turn"]; readonly entered: (entries: readonly Entry[]) => void },
): Conductor {
  const { logs, model, words, secrets, registry } = facts;
  const { forkLog } = logs;
  /** The same conversation, as of then. */
  const forkHere =
    (fork: NonNullable<typeof forkLog>) =>
    (back: number): OpenedLog & { readonly left: string } =>
      fork(journal.record.log().path, back);
  return conductOver(journal, {
    ...logs,
    ...model,
    ...followed,
    forkLog: forkLog && forkHere(forkLog),
    deck,
    hooks: hooks.dispatch,
    compose: (clock) => {
      const { descriptors: described, named } = deck;
      return words.compose({ described, named, serverNotes: serverNotes(registry.reports) }, clock);
    },
    mask: secrets,
  });
}

interface Opened {
  readonly ground: Ground;
  readonly acting: DeckHere;
  readonly made: MadeSession;
  readonly parts: JoinedParts;
  readonly permissions: Permissions;
  readonly approvals: readonly SessionApproval[];
}

function sessionOf(
  facts: SessionFacts,
  { ground, acting, made, parts, permissions, approvals }: Opened,
): Session {
  const { registry, delegate } = facts;
  const { jobs, outputs } = ground;
  const { conductor, scope, tasks, explain } = made;
  const leave = registry.join(scope);
  const forget = atUnaskedEnd((why) => {
    const { logPath } = conductor.status();
    conductor.breakOff(why);
    return delegate ? undefined : logPath; // the log of the session that it works for names a delegate's
  });
  const following: Disposer[] = [];
  return {
    ...{ conductor, scope, tasks, explain, approvals },
    handles: createSessionHandles(conductor, scope),
    hooks: acting.hooks,
    async start() {
      await conductor.start();
      if (delegate) return;
      tasks.start();
      const sessionId = (): string => conductor.status().sessionId;
      following.push(followFeatures({ registry, tasks, permissions, fence: acting.fence, sessionId }));
    },
    async close() {
      for (const unfollow of following) unfollow();
      await tasks.dispose();
      conductor.abort();
      await parts.stop();
      await conductor.close();
      await parts.close();
      leave();
      forget();
      await jobs.dispose();
      await outputs.dispose();
    },
  };
}
