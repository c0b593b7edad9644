// Delegates at work: each gets a session of its own, with its profile's prompt and tools, behind the same boundary, hooks
// and permissions as the session that it works for. What it did stands in its own log, what it answered in the other's.

import type { ToolContext } from "indusagi/capabilities";
import { Aborted } from "indusagi/core";
import type { ModelParams } from "indusagi/llmgateway";
import type { SubagentProfile } from "../briefing/index.ts";
import { createConductor } from "../conductor/conductor.ts";
import type { Conductor, ConductorEvent, DelegateEvent, SubmitEnd } from "../conductor/contract.ts";
import type { SessionLog } from "../conductor/log.ts";
import type { ModelResolver } from "../conductor/model-in-use.ts";
import type { DelegateReport, DelegateRequest, DelegateRunner } from "../deck/builtins/delegates.ts";
import { hasTool } from "../deck/builtins/delegates.ts";
import { FOLDER_DOCUMENTS, forDelegate, MAX_DOCUMENTS_BYTES } from "../deck/builtins/folder-documents.ts";
import { createDeck, type DeckDeps, type LiveDeck } from "../deck/deck.ts";
import { permissionsOf } from "../deck/permissions/permissions.ts";
import type { FenceOptions } from "../feature/fence.ts";
import { createHooks, type LiveHooks } from "../feature/hooks.ts";
import type { SessionBriefing } from "./session-briefing.ts";

export interface DelegateDeps {
  readonly profiles: readonly SubagentProfile[];
  readonly cwd: string;
  /** Of the session that hands on work: a delegate has what they hold when it begins. */
  readonly deck: LiveDeck;
  readonly hooks: LiveHooks;
  readonly conductor: () => Conductor;
  readonly permissions: DeckDeps["permissions"];
  readonly mayDo: DeckDeps["mayDo"];
  readonly fence: FenceOptions;
  /** Makes the contexts of one conversation. */
  readonly contexts: () => (signal: AbortSignal) => ToolContext;
  readonly resolveModel: ModelResolver;
  readonly params: ModelParams;
  /** A fresh look at the files: each delegate is told of them as if it were alone. */
  readonly briefing: () => SessionBriefing;
  readonly nextLog: () => SessionLog;
  /** Model calls for one objective, where the profile says nothing. */
  readonly maxTurns: number;
}

/** Answers the tool `task`. */
export function createDelegateRunner(deps: DelegateDeps): DelegateRunner {
  return async (request, signal) => {
    const profile = deps.profiles.find(({ name }) => name === request.agent);
    if (profile === undefined) return { ok: false, report: `There is no delegate "${request.agent}".` };
    const delegate = createDelegate(deps, profile);
    const { sessionId } = delegate.status();
    let calls = 0;
    delegate.subscribe((event) => {
      if (event.kind === "entry" && event.entry.type === "request") calls++;
      if (isTold(event))
        deps.conductor().announce({ kind: "delegate", agent: profile.name, sessionId, event });
    });
    const stop = (): void => delegate.abort();
    signal.addEventListener("abort", stop, { once: true });
    try {
      await delegate.start();
      if (signal.aborted) throw new Aborted();
      const end = await delegate.submit({ content: [{ kind: "text", text: wordsOf(request) }] });
      return reportOf(end, { agent: profile.name, sessionId, calls });
    } finally {
      signal.removeEventListener("abort", stop);
      await delegate.close();
    }
  };
}

const TOLD: ReadonlySet<string> = new Set(["tool_start", "tool_end", "alert", "fault"]);

/** Deltas and the other entries are the delegate's own: nobody waits for its every word. */
function isTold(event: ConductorEvent): event is DelegateEvent {
  return event.kind === "entry" ? event.entry.type === "assistant" : TOLD.has(event.kind);
}

function createDelegate(deps: DelegateDeps, profile: SubagentProfile): Conductor {
  const briefing = deps.briefing();
  const { subscriptions, interceptors } = deps.hooks.committed();
  const documents = {
    cwd: deps.cwd,
    touched: briefing.touched,
    inform: (text: string) => delegate.notify(FOLDER_DOCUMENTS, text, MAX_DOCUMENTS_BYTES),
  };
  const hooks = createHooks(
    { interceptors, subscriptions: forDelegate(subscriptions, documents) },
    deps.fence,
  );
  const deck = createDeck({
    tools: deps.deck.contributions().filter(({ tool }) => hasTool(profile, tool.name)),
    permissions: permissionsOf(profile.name, deps.permissions),
    hooks,
    mayDo: deps.mayDo,
    context: deps.contexts(),
  });
  const delegate = createConductor({
    log: deps.nextLog(),
    entries: [],
    nextLog: deps.nextLog,
    resolveModel: deps.resolveModel,
    modelName: profile.model ?? deps.conductor().status().model,
    deck,
    hooks: hooks.dispatch,
    compose: () => briefing.composeFor(profile, deck.descriptors),
    params: deps.params,
    maxTurns: profile.maxTurns ?? deps.maxTurns,
  });
  return delegate;
}

function wordsOf({ objective, context }: DelegateRequest): string {
  return context === undefined ? objective : `${objective}\n\nWhat you need to know:\n${context}`;
}

interface Ended {
  readonly agent: string;
  readonly sessionId: string;
  readonly calls: number;
}

/** Throws `Aborted` for a session that was. */
function reportOf(end: SubmitEnd, { agent, sessionId, calls }: Ended): DelegateReport {
  const trail = `(${agent}, ${calls} model ${calls === 1 ? "call" : "calls"}, session ${sessionId})`;
  if (end.kind === "aborted") throw new Aborted();
  if (end.kind === "faulted")
    return { ok: false, report: `The delegate did not finish: ${end.fault.message}\n${trail}` };
  const answer = end.text.trim();
  if (answer === "") return { ok: false, report: `The delegate ended without an answer.\n${trail}` };
  return { ok: true, report: `${answer}\n\n${trail}` };
}
