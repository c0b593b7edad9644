// A session over the features of a registry: its conversation, tools, hooks and tasks, and the conductor that runs it. A
// delegate's session is the same with other arguments. What is called in a session gets its scope with the call, and keeps
// nothing.

import {
  createJobTable,
  createTodoStore,
  createWholeOutputs,
  guardedFetch,
  JOBS,
  localFs,
  PAST_OUTCOMES,
  TODOS,
  WHOLE_OUTPUTS,
} from "indusagi/capabilities";
import { createSessionScope, type OpenScope, type SecretMask } from "indusagi/core";
import type { ModelParams } from "indusagi/llmgateway";
import type { ToolDescriptor } from "indusagi/runtime";
import type { SubagentProfile } from "../briefing/contract.ts";
import type { GatheredBriefing } from "../briefing/gather.ts";
import { createConductor } from "../conductor/conductor.ts";
import type { Conductor, Entry } from "../conductor/contract.ts";
import type { CostBudget } from "../conductor/cost.ts";
import type { ContextFold } from "../conductor/fold.ts";
import { LogError, type OpenedLog, type SessionLog } from "../conductor/log.ts";
import { counted } from "../conductor/log-reader.ts";
import type { ModelResolver } from "../conductor/model-in-use.ts";
import { pastOutcome } from "../conductor/past-outcome.ts";
import type { WhereToWrite } from "../conductor/unwritten.ts";
import { BACKGROUND, DELEGATES, DelegateProblem } from "../deck/builtins/delegate-desk.ts";
import { hasTool } from "../deck/builtins/delegates.ts";
import { TASK_TOOL } from "../deck/builtins/task-tool.ts";
import type { CallDecision, CommandSandbox, Perform, SessionApproval } from "../deck/contract.ts";
import { createDeck } from "../deck/deck.ts";
import { type Permissions, permissionsOf } from "../deck/permissions/permissions.ts";
import { type Authority, createAuthority } from "../feature/authority.ts";
import type { FenceOptions } from "../feature/fence.ts";
import { createHooks, hooksOfDelegate, type SessionHooks } from "../feature/hooks.ts";
import { clampedLine, MAX_QUOTED_BYTES, SESSION_HOST, type SessionHost } from "../feature/host.ts";
import type { FeatureRegistry } from "../feature/registry.ts";
import type { SessionHandles } from "../feature/services.ts";
import { createTaskSupervisor, type TaskSupervisor } from "../feature/tasks.ts";
import type { SessionUi } from "../feature/ui.ts";
import { actsByLink } from "../store/linked-places.ts";
import { protectedAs } from "../store/protected-names.ts";
import { restoreAfterSummary } from "./after-summary.ts";
import { createConversation } from "./conversation.ts";
import type { Author } from "./delegate-worker.ts";
import { createDelegates, type OpenDelegate } from "./delegates.ts";
import { createDocumentNotices } from "./document-notices.ts";
import { followFeatures } from "./features/late-features.ts";
import { createSessionHandles, execIn } from "./handles.ts";
import { type JoinedParts, NO_PARTS } from "./joined-parts.ts";
import { atUnaskedEnd } from "./last-words.ts";
import { notedFiles } from "./noted-files.ts";
import type { SessionNotices } from "./notices.ts";
import { createRecall } from "./recall.ts";

/** A session's prompt and the documents it shows. */
export interface SessionWords {
  /** The system prompt for these tools at a given time. */
  readonly compose: (tools: readonly ToolDescriptor[], clock: number) => string;
  readonly folderDocs: GatheredBriefing["folderDocs"];
}

export interface SessionFacts {
  /** The available features; another session may use the same registry. */
  readonly registry: FeatureRegistry;
  /** The working directory, as a real path. */
  readonly cwd: string;
  /** What `~` means. */
  readonly personHome: string;
  /** What its commands inherit, except for the variables in `withhold`, and where granted secrets are read from. */
  readonly env: NodeJS.ProcessEnv;
  readonly withhold: readonly string[];
  readonly secrets: SecretMask;
  /** Where the person reads what no call reports. */
  readonly notices: Pick<SessionNotices, "tell" | "alert" | "diagnostic" | "fault">;
  readonly fence: Omit<FenceOptions, "onFault" | "session">;
  /** Its permission mode is read-only. */
  readonly isReadOnly: () => boolean;
  /** No plan is approved yet, so nothing may change. */
  readonly isPlanning?: () => boolean;
  /** Features cannot use the network through the host. */
  readonly isOffline: boolean;
  /** Somebody watches while calls run; nobody watches a delegate's. */
  readonly showsProgress: boolean;
  /** The session's console, for its features; delegates have none. Absent when nobody is at a terminal. */
  readonly ui?: SessionUi | undefined;
  readonly words: SessionWords;
  /** Whether agents read this real path as instructions. */
  readonly isDocument: (realPath: string) => boolean;
  /** Confines the commands of its model and of its delegates. */
  readonly sandbox?: CommandSandbox | undefined;
  /** Called with each decision about a call, including delegates' calls. */
  readonly onDecision?: ((decision: CallDecision) => void) | undefined;
  /** What its parts do in it; called once, before its first line. */
  readonly join: (made: MadeSession) => JoinedParts;
  /** Stands between its calls and their tools: a replayed session runs no commands. */
  readonly perform?: Perform | undefined;
  /** What it may do; a "this session" answer is recorded in the session. */
  readonly permissions: (onApproval: (approval: SessionApproval) => void) => Permissions;
  readonly log: SessionLog;
  /** What the log already holds. */
  readonly entries: readonly Entry[];
  /** The view these entries make. */
  readonly fold?: ContextFold | undefined;
  /** The next session's log, after a new beginning. */
  readonly nextLog: () => SessionLog;
  /** A fork of the session with its log at `path`; absent for a delegate's. */
  readonly forkLog?: ((path: string, back: number) => OpenedLog & { readonly left: string }) | undefined;
  /** Asks where to write what its log could not take; absent for a delegate's, and when nobody can answer. */
  readonly whereToWrite?: WhereToWrite | undefined;
  /** Another session of the person's; absent for a delegate's. Throws a `LogError`. */
  readonly openLog?: ((id: string, told: string[]) => OpenedLog) | undefined;
  readonly resolveModel: ModelResolver;
  readonly modelName: string;
  readonly fallbackModels: readonly string[];
  readonly params: ModelParams;
  readonly maxTurns?: number | undefined;
  readonly budget?: CostBudget | undefined;
  /** The delegates it hands work to; absent when it has none. */
  readonly delegates?: DelegateFacts | undefined;
  /** The profile of a delegate's session. */
  readonly profile?: SubagentProfile | undefined;
  /** The feature such a session works for, which is responsible for its calls. */
  readonly author?: Author | undefined;
}

export interface DelegateFacts {
  readonly profiles: readonly SubagentProfile[];
  readonly words: (profile: SubagentProfile) => SessionWords;
  readonly nextLog: () => SessionLog;
  /** An earlier run's session. Throws a `LogError`. */
  readonly openLog: (id: string) => OpenedLog;
  /** None runs in the background. */
  readonly oneByOne: boolean;
  /** Model calls for one objective; a profile can only lower it. */
  readonly maxTurns: number;
}

/** What its parts may use of it. */
export interface MadeSession {
  readonly conductor: Conductor;
  readonly scope: OpenScope;
  readonly tasks: TaskSupervisor;
  readonly explain: Permissions["explain"];
}

export interface Session {
  readonly conductor: Conductor;
  /** What it provides to what is called in it. */
  readonly scope: OpenScope;
  readonly handles: SessionHandles;
  readonly hooks: SessionHooks;
  readonly tasks: TaskSupervisor;
  /** What was allowed in it before it was resumed. */
  readonly approvals: readonly SessionApproval[];
  /** What it would decide about a call, and why. */
  readonly explain: Permissions["explain"];
  /** Notifies its features and starts its tasks. */
  readonly start: () => Promise<void>;
  /** Ends its tasks, its delegates, itself and its jobs, in this order. Its features stay. */
  readonly close: () => Promise<void>;
}

/** Idle at first: nothing is written before the first submit, and nobody is notified before its start. */
export function openSession(facts: SessionFacts): Session {
  const { registry, cwd, personHome, env, secrets, notices, words, profile, forkLog } = facts;
  const scope = createSessionScope();
  const todos = createTodoStore();
  const jobs = createJobTable({ maskStream: secrets.stream });
  const hasLiveJobs = (): boolean => jobs.list().some(({ exit }) => exit === undefined);
  scope.put(TODOS, todos);
  scope.put(JOBS, jobs);
  const outputs = createWholeOutputs({ maskStream: secrets.stream });
  if (!facts.isReadOnly()) scope.put(WHOLE_OUTPUTS, outputs); // it writes in the working folder
  scope.put(PAST_OUTCOMES, (entry) => pastOutcome(conductor.status().logPath, entry));
  const conversation = createConversation({
    ...{ cwd, personHome, env, withhold: facts.withhold, scope },
    holdsSecret: secrets.holds,
  });
  const permissions = facts.permissions((approval) => conductor.noteApproval(approval));
  const documents = createDocumentNotices({
    cwd,
    personHome,
    docs: words.folderDocs,
    notify: (...notice) => conductor.notify(...notice),
    tell: notices.tell,
  });
  const recall = createRecall({ conversation, todos, permissions, documents });

  const onDecision = (decision: CallDecision): void => {
    conductor.noteDecision(decision);
    facts.onDecision?.(decision);
  };
  const fence: FenceOptions = { ...facts.fence, onFault: notices.fault, session: scope };
  const made = createHooks(registry, fence);
  const hooks = profile ? hooksOfDelegate(profile.name, made) : made;
  const isOffered = (tool: string): boolean => profile === undefined || hasTool(profile, tool);
  const deck = createDeck({
    tools: profile ? () => registry.tools.filter(({ tool }) => isOffered(tool.name)) : () => registry.tools,
    commandTool: () => (facts.perform ? undefined : registry.tools.find(({ tool }) => tool.name === "bash")),
    perform: facts.perform,
    ownerOf: (tool) => (isOffered(tool) ? registry.ownerOf(tool) : undefined),
    permissions,
    hooks,
    authority: authorityIn(facts),
    author: facts.author?.feature,
    onFault: notices.fault,
    onDecision,
    sandbox: facts.sandbox,
    secrets,
    context: conversation.context,
    beforeChange: async (touched) => {
      await conductor.secure();
      const after = await parts.beforeChange(touched);
      return () => after(hasLiveJobs);
    },
    onProgress:
      facts.showsProgress && !profile
        ? (callId, tail) => conductor.announce({ kind: "tool_progress", callId, tail })
        : undefined,
  });
  const tasks = createTaskSupervisor({
    tasks: profile ? [] : registry.tasks,
    session: scope,
    onFault: notices.fault,
  });
  const conductor = createConductor({
    log: facts.log,
    entries: facts.entries,
    fold: facts.fold,
    nextLog: facts.nextLog,
    forkLog: forkLog ? forkHere : undefined,
    openLog: facts.openLog,
    whereToWrite: facts.whereToWrite,
    entered: (entries) => void enter(entries),
    resolveModel: facts.resolveModel,
    modelName: facts.modelName,
    fallbackModels: facts.fallbackModels,
    deck,
    hooks: hooks.dispatch,
    compose: (clock) => words.compose(deck.descriptors, clock),
    params: facts.params,
    mask: secrets,
    turn: { begin: () => parts.turn.begin(), end: () => parts.turn.end() },
    maxTurns: facts.maxTurns,
    budget: facts.budget,
  });
  const parts = facts.join({ conductor, scope, tasks, explain: permissions.explain });
  /** Whatever the session knows comes from its log (decision 014): at the start, after each move, and for a new one. */
  const enter = (entries: readonly Entry[]): readonly SessionApproval[] => {
    const approvals = recall.resume(entries);
    parts.entered(entries);
    return approvals;
  };
  const host: SessionHost = {
    notifyModel: (feature, text) => void conductor.notify(feature, text, { maxBytes: MAX_QUOTED_BYTES }),
    alert: notices.alert,
    diagnostic: notices.diagnostic,
    fault: notices.fault,
    fs: notedFiles(localFs(), parts.beforeChange),
    root: cwd,
    get isReadOnly() {
      return facts.isReadOnly();
    },
    get isPlanning() {
      return facts.isPlanning?.() === true;
    },
    env,
    exec: (command, args, options) => execIn(conductor)(command, args, options),
    fetch: facts.isOffline ? undefined : (request) => guardedFetch(request),
    ui: facts.ui && !profile ? facts.ui : undefined,
    sessions: facts.delegates ? (feature) => delegates.sessionsOf(feature) : undefined,
    ...parts.host(() => conductor.status().sessionId),
  };
  scope.put(SESSION_HOST, host);
  const { delegates: handOn } = facts;
  const delegates = createDelegates({
    profiles: handOn?.profiles ?? [],
    open: openDelegate,
    modelProblem,
    announce: conductor.announce,
    note: conductor.noteDelegate,
    notify: (text) => void conductor.notify("delegates", text, { maxBytes: MAX_QUOTED_BYTES }),
    oneByOne: handOn?.oneByOne === true,
    before: () => facts.entries.filter((entry) => entry.type === "delegate"),
    alert: (feature, text) => notices.alert(feature, clampedLine(text)),
    async permits(feature, agent, signal) {
      const accesses = [{ kind: "delegate", agent } as const];
      const decision = await permissions.check({ tool: TASK_TOOL, accesses, by: feature }, signal);
      if (decision.record) onDecision(decision.record);
      return decision.kind === "refuse" ? decision.reason : undefined;
    },
    onRemoved: (listener) =>
      registry.onChange(async ({ removed }) => {
        if (removed) await listener(removed.report.feature);
      }),
  });
  if (handOn) {
    scope.put(DELEGATES, delegates);
    scope.put(BACKGROUND, delegates.all);
  }
  restoreAfterSummary({ conductor, conversation, todos, delegates: delegates.list }, () =>
    recall.follow(conductor),
  );
  const approvals = profile ? [] : enter(facts.entries);
  const leave = registry.join(scope);
  const forget = atUnaskedEnd((why) => {
    const { logPath } = conductor.status();
    conductor.breakOff(why);
    return profile ? undefined : logPath; // the log of the session that it works for names a delegate's
  });
  let unfollow = (): void => undefined;
  return {
    conductor,
    scope,
    handles: createSessionHandles(conductor, scope),
    hooks,
    tasks,
    approvals,
    explain: permissions.explain,
    async start() {
      await conductor.start();
      if (profile) return;
      tasks.start();
      unfollow = followFeatures({ registry, tasks, fence, sessionId: () => conductor.status().sessionId });
    },
    async close() {
      unfollow();
      await tasks.dispose();
      conductor.abort();
      const working = await delegates.close();
      if (working > 0)
        notices.tell(`The session has ended: stopped ${counted(working, "background delegate")}`);
      await conductor.close();
      await parts.close();
      leave();
      forget();
      await jobs.dispose();
      await outputs.dispose();
    },
  };

  function openedLog(
    { nextLog, openLog }: DelegateFacts,
    author?: Author,
  ): Pick<OpenedLog, "log" | "entries"> & Partial<OpenedLog> {
    if (author?.sessionId === undefined) return { log: nextLog(), entries: [] };
    try {
      return openLog(author.sessionId);
    } catch (error) {
      throw error instanceof LogError ? new DelegateProblem(error.message) : error;
    }
  }

  /** The same conversation, as of then. */
  function forkHere(back: number): OpenedLog & { readonly left: string } {
    const made = facts.forkLog?.(conductor.status().logPath, back);
    if (!made) throw new LogError("This session cannot be forked");
    return made;
  }

  /** A call may choose only among the person's providers: what a delegate reads goes to no other. */
  async function modelProblem(name: string): Promise<string | undefined> {
    const found = await facts.resolveModel(name);
    if (!found.ok) return found.fault.message;
    if (found.name === undefined) return undefined; // a recording answers under any name
    const own = (facts.delegates?.profiles ?? []).flatMap(({ model }) => model ?? []);
    const chosen = [conductor.status().model, ...facts.fallbackModels, ...own].map(providerOf);
    if (chosen.includes(providerOf(found.name))) return undefined;
    const among = [...new Set(chosen)].join(", ");
    return `expected a model of a provider that the person uses here (${among}), found one of ${providerOf(found.name)}`;
  }

  /** With its own conversation and log, but with the features and permissions of the session it works for. */
  function openDelegate(
    each: SubagentProfile,
    { maxTurns: own, model: named, isUnattended, author }: OpenDelegate,
  ): Session {
    const { delegates: given, forkLog: _, openLog: _openLog, whereToWrite: _ask, ...rest } = facts;
    if (!given) throw new Error("this session cannot delegate");
    const { model, params } = conductor.status();
    const { log, entries, fold } = openedLog(given, author);
    const limits = [given.maxTurns, each.maxTurns, own].filter((limit) => limit !== undefined);
    return openSession({
      ...rest,
      profile: each,
      // What it changes is a change of this session.
      join: () => ({ ...NO_PARTS, host: parts.host, beforeChange: parts.beforeChange }),
      author: author ?? rest.author,
      words: given.words(each),
      permissions: () => permissionsOf(each.name, permissions, isUnattended),
      log,
      entries,
      fold,
      nextLog: given.nextLog,
      modelName: named ?? each.model ?? model,
      params,
      maxTurns: Math.min(...limits),
    });
  }
}

function providerOf(model: string): string {
  return model.split("/", 1)[0] ?? "";
}

/** What features may do in it by themselves. */
function authorityIn({ registry, cwd, isDocument, isReadOnly, isPlanning }: SessionFacts): Authority {
  return createAuthority({
    reports: () => registry.reports,
    root: cwd,
    realPath: localFs().realPath,
    keepsOff: (path, written) =>
      protectedAs(cwd, path, written) !== undefined ||
      actsByLink(cwd, path) !== undefined ||
      isDocument(path),
    get isReadOnly() {
      return isReadOnly();
    },
    get isPlanning() {
      return isPlanning?.() === true;
    },
  });
}
