// The one file that knows every concrete class: it builds a session from flags, settings and the machine, and is read
// from top to bottom.

import { existsSync } from "node:fs";
import { createTodoStore, guardedFetch, localFs, type WebRequest } from "indusagi/capabilities";
import { homeFolder } from "indusagi/core";
import { BUILT_IN_PROVIDERS, type ModelParams } from "indusagi/llmgateway";
import type { TrustAsker } from "../addons/decide-trust.ts";
import { realPlace } from "../briefing/text-file.ts";
import { createConductor } from "../conductor/conductor.ts";
import type { Conductor, ConductorFault, Entry } from "../conductor/contract.ts";
import { type CostBudget, createCostBudget } from "../conductor/cost.ts";
import type { SessionLog } from "../conductor/log.ts";
import { unknownTools } from "../deck/builtins/delegates.ts";
import { promptCommandsFeature } from "../deck/builtins/prompt-commands.ts";
import { sessionCommandsFeature } from "../deck/builtins/session-commands.ts";
import { createDeck } from "../deck/deck.ts";
import type { RuleSubjects } from "../deck/permissions/check-rules.ts";
import {
  createPermissions,
  type PermissionMode,
  type PermissionPolicy,
} from "../deck/permissions/permissions.ts";
import { commandLine } from "../deck/shell-quote.ts";
import { createAuthority } from "../feature/authority.ts";
import { missingSecret } from "../feature/capabilities.ts";
import type {
  FeatureInstallReport,
  FeatureModule,
  InstalledCommand,
  PermissionAsker,
  SessionHandles,
} from "../feature/contract.ts";
import type { FenceOptions } from "../feature/fence.ts";
import { DEFAULT_DEADLINE_MS } from "../feature/handler-limits.ts";
import { createHooks, type SessionHooks } from "../feature/hooks.ts";
import type { FeatureHost } from "../feature/host.ts";
import type { FeatureRegistry } from "../feature/registry.ts";
import { createTaskSupervisor, type TaskSupervisor } from "../feature/tasks.ts";
import { createSecrets, recallSecrets, type Secrets } from "../session/secrets.ts";
import { protectedBelow } from "../store/protected-names.ts";
import { builtinFeatures } from "./builtin-features.ts";
import { createConversation } from "./conversation.ts";
import { type DelegateSessionDeps, openDelegateSession } from "./delegate-session.ts";
import { createDelegates } from "./delegates.ts";
import { createDocumentNotices } from "./document-notices.ts";
import { fewOf } from "./few-notices.ts";
import { gatherFindings, idleGuards, skippedParts, startLines } from "./findings.ts";
import type { Flags } from "./flags.ts";
import { findForeignFiles, foreignPlaces } from "./foreign-files.ts";
import { grantedAddons } from "./granted-addons.ts";
import { type HeldNamesHere, heldNamesHere } from "./held-names-here.ts";
import { atUnaskedEnd } from "./last-words.ts";
import { followFeatures } from "./late-features.ts";
import { namedAddons } from "./named-addons.ts";
import { permissionPolicy, readRules } from "./permission-policy.ts";
import { EXIT_USAGE, Problem } from "./problem.ts";
import { createRecall } from "./recall.ts";
import { createSessionBriefing } from "./session-briefing.ts";
import { createSessionControl, createSessionHandles } from "./session-control.ts";
import { installSessionFeatures, type SessionFeatures } from "./session-features.ts";
import { openSessionLogs } from "./session-log.ts";
import { createSessionModels } from "./session-models.ts";
import { loadSettings, type Settings } from "./settings.ts";
import { withStoredKeys } from "./stored-keys.ts";
import { unmaskableNotice } from "./unmaskable-notice.ts";
import { createVoice } from "./voice.ts";

export interface WireFacts {
  readonly flags: Flags;
  /** The working directory, as a real path. */
  readonly cwd: string;
  /** What paths in the flags are taken from; default: the working directory. */
  readonly startedIn?: string;
  readonly home: string;
  /** Its own: what the commands of its tools inherit, what keys and secrets are taken from. Nothing is changed in it. */
  readonly env: NodeJS.ProcessEnv;
  /** What is hidden besides, as long as whoever opened them says; default: the credentials of its environment. */
  readonly secrets?: Secrets;
  /** Absent where nobody can answer. */
  readonly ask?: PermissionAsker;
  readonly askTrust?: TrustAsker;
  /** What `/quit` does; absent where nobody types. */
  readonly leave?: () => void;
  /** Somebody looks on while calls run. */
  readonly showsProgress?: boolean;
  /** Features beside the built-in ones, installed after them. */
  readonly features?: readonly FeatureModule[];
  /** Plays recorded text at a speed that can be read. */
  readonly pace?: boolean;
  /** The session may never ask a model; see {@link SessionModels}. */
  readonly mayLackModel?: boolean;
  /** The root of an addon that somebody puts there instead of it being found ({@link WiredSession.put}). */
  readonly leaveOut?: string;
  /** Features reach no network through the host. */
  readonly isOffline?: boolean;
  /** Stands between the session and its log; for a run whose log is to be the same every time. */
  readonly keepLog?: (log: SessionLog) => SessionLog;
}

export interface WiredSession {
  readonly conductor: Conductor;
  /** What there is now: look again at each use. */
  readonly commands: readonly InstalledCommand[];
  readonly handles: SessionHandles;
  readonly hooks: SessionHooks;
  readonly reports: readonly FeatureInstallReport[];
  readonly tasks: TaskSupervisor;
  /** Nothing is changed in it, by its permission mode. */
  readonly isReadOnly: boolean;
  readonly mode: PermissionMode;
  /** How many tokens this model can hold, where that is known. */
  readonly windowOf: (name: string) => Promise<number | undefined>;
  /** How many addons are in quarantine. */
  readonly quarantined: () => number;
  /** Real paths of what agents read as instructions here. */
  readonly documents: (names: readonly string[]) => readonly string[];
  readonly held: HeldNamesHere;
  /**
   * Puts an author's addon behind everything else, in the place of its version before; it hears `session:start`. The session
   * owns it from then on.
   */
  readonly put: SessionFeatures["put"];
  /** Lines for the person: what in the settings or the log was not as it should be. */
  readonly notices: readonly string[];
  /** Those of them that say which addon is left out, and of which a part. */
  readonly leftOut: readonly string[];
  /** The faults of features that were told as notices: while the session was wired, and while it closed. */
  readonly unheardFaults: () => readonly ConductorFault[];
  /** Those that were told before anybody listened: addons that do not load, names that are taken. */
  readonly startFaults: readonly ConductorFault[];
  /** Entries that the session held already. */
  readonly resumed: readonly Entry[];
  /** Ends tasks and the session, in this order; answers what went wrong on the way, one line each. */
  readonly close: () => Promise<readonly string[]>;
}

/** Builds a session that is ready for its first submit. Throws a {@link Problem} where the person must act first. */
export async function wireSession(facts: WireFacts): Promise<WiredSession> {
  const { flags, cwd, startedIn = cwd, home, env, leave, ask, askTrust } = facts;
  const personHome = homeFolder(env);
  const secrets = facts.secrets ?? createSecrets(env);
  const loaded = await loadSettings(home, cwd);
  const { settings, problems } = loaded;
  secrets.learnSettings(settings, env);
  const voice = createVoice(fewOf(problems, "indus doctor"), secrets);
  const ruleNotices: string[] = [];
  const rules = readRules(flags, loaded, ruleNotices);
  voice.notices.push(...fewOf(ruleNotices, MEND));

  const modelEnv = withStoredKeys(env, home, voice.tell);
  if (modelEnv !== env) secrets.learnEnvironment(modelEnv);
  const models = await createSessionModels({
    flags,
    settings,
    env: modelEnv,
    startedIn,
    pace: facts.pace ?? false,
    isOptional: facts.mayLackModel ?? false,
    tell: voice.tell,
    secrets,
  });
  const held = await heldNamesHere(home);
  voice.notices.push(...fewOf(held.lines(), "indus doctor"));
  const briefing = createSessionBriefing({ flags, cwd, personHome, home, heldBack: held.refusal });
  const withhold = keyNames(settings);
  const conversation = createConversation({ cwd, personHome, env, withhold });
  const todos = createTodoStore();
  const documents = createDocumentNotices({
    cwd,
    personHome,
    docs: briefing.folderDocs,
    notify: (...notice) => voice.conductor().notify(...notice),
    tell: voice.tell,
  });

  const control = createSessionControl({
    conductor: voice.conductor,
    features: () => features,
    tasks: () => tasks,
    leave: leave ?? (() => undefined),
  });
  const builtins = builtinFeatures(
    settings,
    env,
    {
      roles: briefing.subagents,
      run: (profile, work, signal) => delegates.run(profile, work, signal),
      oneByOne: flags.record !== undefined || flags.cassette !== undefined,
    },
    todos,
    secrets,
  );
  const host: FeatureHost = {
    ...voice.host,
    fs: localFs(),
    root: cwd,
    isReadOnly: rules.mode === "read-only",
    env,
    secrets: secrets.granted(env),
    lacks: missingSecret(env),
    exec: (command, args, { signal, by } = {}) =>
      voice.conductor().exec(commandLine(command, args), signal, by),
    ...(facts.isOffline ? {} : { fetch: (request: WebRequest) => guardedFetch(request) }),
  };
  const named = await namedAddons(flags, settings, { cwd, home, personHome, startedIn });
  voice.notices.push(...fewOf(named.problems, MEND));
  const features = await installSessionFeatures({
    cwd,
    home,
    host,
    builtins: [
      ...builtins.modules,
      ...(leave ? [sessionCommandsFeature(control)] : []),
      promptCommandsFeature(briefing.commands),
      ...(facts.features ?? []),
    ],
    granted: grantedAddons(flags, settings, { cwd, personHome }),
    named: named.sources,
    requireSandbox: settings.addons?.requireSandbox === true,
    required: settings.addons?.required ?? [],
    onGateFailure: settings.onGateFailure ?? "allow",
    documents: briefing.documentsAt,
    held,
    env,
    secrets,
    ...(askTrust ? { askTrust: (question) => askTrust(secrets.value(question)) } : {}),
    ...(facts.leaveOut === undefined ? {} : { leaveOut: facts.leaveOut }),
  });
  const { registry } = features;
  let policy: PermissionPolicy;
  try {
    if (features.lacking.length > 0) throw new Problem(features.lacking.join("\n"));
    const subjects = ruleSubjects(registry, { cwd, delegates: briefing.subagents.map(({ name }) => name) });
    policy = permissionPolicy(rules, { ...subjects, mayGrow: facts.leaveOut !== undefined }, voice.notices);
  } catch (error) {
    await registry.dispose();
    await builtins.dispose();
    throw error;
  }
  const permissions = createPermissions({
    readable: briefing.skillFolders,
    policy,
    root: cwd,
    home: personHome,
    realPath: localFs().realPath,
    realPlace,
    ...(ask ? { ask: (question, signal) => ask(secrets.value(question), signal) } : {}),
    isDocument: briefing.folderDocs.isDocument,
    onApproval: (approval) => voice.conductor().noteApproval(approval),
  });
  const recall = createRecall({ conversation, todos, permissions, documents });
  voice.notices.unshift(...fewOf(features.quarantined, ADDONS)); // what stands open comes first
  const findings = gatherFindings({
    diagnostics: briefing.diagnostics,
    foreign: findForeignFiles(foreignPlaces(cwd, personHome)),
    commands: briefing.commands,
    reports: registry.reports,
    strays: features.strays,
    delegates: unknownTools(briefing.subagents, registry.tools),
  });
  voice.notices.push(
    ...fewOf(features.problems, ADDONS),
    ...fewOf(features.warnings, ADDONS),
    ...fewOf(features.skipped, ADDONS),
    ...fewOf(skippedParts(registry.reports), ADDONS),
    ...fewOf(idleGuards(registry), MEND),
    ...startLines(findings, {
      isVerbose: flags.verbose === true,
      isTalking: flags.print !== true && flags.json !== true,
    }),
    ...unmaskableNotice(home, secrets),
  );
  const fence: FenceOptions = {
    deadlineMs: DEFAULT_DEADLINE_MS,
    onGateFailure: settings.onGateFailure ?? "allow",
    onFault: voice.onFault,
  };
  const hooks = createHooks(registry, fence);

  const authority = createAuthority({
    reports: () => registry.reports,
    root: cwd,
    realPath: localFs().realPath,
    keepsOff: (path) => protectedBelow(cwd, path) !== undefined || briefing.folderDocs.isDocument(path),
    isReadOnly: host.isReadOnly === true,
  });
  const deck = createDeck({
    tools: () => registry.tools,
    ownerOf: registry.ownerOf,
    permissions,
    hooks,
    authority,
    onFault: voice.onFault,
    secrets,
    context: conversation.context,
    ...(facts.showsProgress
      ? { onProgress: (callId, tail) => voice.conductor().announce({ kind: "tool_progress", callId, tail }) }
      : {}),
  });
  const tasks = createTaskSupervisor({ tasks: registry.tasks, host, onFault: voice.onFault });
  const logs = openSessionLogs(flags, { home, cwd }, voice.notices);
  voice.notices.push(...recall.resume(logs.entries), ...recallSecrets(secrets, logs.entries));
  const { keepLog = (log) => log } = facts;
  const turns = maxTurns(flags, settings);
  const budget = costBudget(flags, settings);
  const delegateSessions: DelegateSessionDeps = {
    cwd,
    personHome,
    registry,
    status: () => voice.conductor().status(),
    permissions,
    authority,
    secrets,
    fence,
    contexts: () => createConversation({ cwd, personHome, env, withhold }).context,
    resolveModel: models.resolve,
    fallbackModels: models.fallbacks,
    briefing,
    nextLog: () => keepLog(logs.nextDelegate()),
    tell: voice.tell,
    maxTurns: turns.maxTurns ?? MAX_DELEGATE_TURNS,
    ...budget,
  };
  const delegates = createDelegates({
    open: (profile) => openDelegateSession(delegateSessions, profile),
    conductor: voice.conductor,
  });
  const conductor = createConductor({
    log: keepLog(logs.log),
    entries: logs.entries,
    nextLog: () => {
      recall.begin();
      return keepLog(logs.next());
    },
    resolveModel: models.resolve,
    modelName: models.name,
    fallbackModels: models.fallbacks,
    deck,
    hooks: hooks.dispatch,
    compose: (clock) => briefing.compose(deck.descriptors, clock),
    params: modelParams(flags, settings),
    mask: secrets,
    ...turns,
    ...budget,
  });
  const forget = atUnaskedEnd((why) => {
    const { logPath } = conductor.status();
    conductor.breakOff(why);
    return existsSync(logPath) ? logPath : undefined;
  });
  voice.speakThrough(conductor);
  recall.follow(conductor);

  await conductor.start();
  tasks.start();
  followFeatures({ registry, tasks, fence, sessionId: () => conductor.status().sessionId });
  voice.setHeard(true);
  return {
    conductor,
    get commands() {
      return registry.commands;
    },
    handles: createSessionHandles(conductor),
    hooks,
    reports: registry.reports,
    tasks,
    isReadOnly: host.isReadOnly === true,
    mode: rules.mode,
    windowOf: async (name) => {
      const found = await models.resolve(name);
      return found.ok ? found.card.contextWindow : undefined;
    },
    quarantined: () => features.codeAddons().filter((addon) => addon.quarantine() !== undefined).length,
    documents: briefing.documentsAt,
    held,
    put: features.put,
    notices: voice.notices,
    leftOut: [...features.problems, ...features.warnings, ...features.skipped],
    unheardFaults: () => voice.faults,
    startFaults: fewFaults([
      ...features.faults.map((fault) => ({ ...fault, message: secrets.text(fault.message) })),
      ...voice.faults,
    ]),
    resumed: logs.entries,
    async close() {
      voice.setHeard(false);
      const told = voice.notices.length;
      await tasks.dispose();
      conductor.abort();
      await delegates.ended();
      await conductor.close();
      forget();
      await registry.dispose();
      await builtins.dispose();
      if (facts.secrets === undefined) secrets.release();
      return [...voice.notices.slice(told), ...held.settle()];
    },
  };
}

/** What shows all of a kind of which a start tells the first. */
const ADDONS = "indus addons";
const MEND = "mend these first";

/** Bounded as the lines are. */
function fewFaults(faults: readonly ConductorFault[]): readonly ConductorFault[] {
  const messages = faults.map(({ message }) => message);
  return fewOf(messages, ADDONS).map((message, at) => {
    const fault = faults[at];
    return fault?.message === message ? fault : { kind: "feature", message };
  });
}

// Far beyond what one objective takes; the session that waits for it has no limit so near.
const MAX_DELEGATE_TURNS = 200;

/** What the rules of a session may name. */
function ruleSubjects(
  { tools, reports }: FeatureRegistry,
  { cwd, delegates }: { readonly cwd: string; readonly delegates: readonly string[] },
): RuleSubjects {
  const brought = reports.filter(({ feature }) => !feature.startsWith("builtin:"));
  return { tools, delegates, root: cwd, addonTools: new Set(brought.flatMap((report) => report.tools)) };
}

/** The variables that hold the providers' keys, under whatever name the person gave them. */
function keyNames({ providers = [] }: Settings): readonly string[] {
  return [...BUILT_IN_PROVIDERS, ...providers].flatMap(({ apiKeyEnv }) =>
    apiKeyEnv === undefined ? [] : [apiKeyEnv],
  );
}

function modelParams(flags: Flags, settings: Settings): ModelParams {
  const thinking = (flags.thinking as ModelParams["thinking"]) ?? settings.thinking;
  return thinking === undefined ? {} : { thinking };
}

function maxTurns(flags: Flags, settings: Settings): { readonly maxTurns?: number } {
  const given = flags["max-turns"];
  if (given === undefined) return settings.maxTurns === undefined ? {} : { maxTurns: settings.maxTurns };
  const turns = Number(given);
  if (!Number.isInteger(turns) || turns < 1) {
    throw new Problem(`--max-turns takes a positive whole number; got "${given}"`, EXIT_USAGE);
  }
  return { maxTurns: turns };
}

function costBudget(flags: Flags, settings: Settings): { readonly budget?: CostBudget } {
  const given = flags["max-cost"];
  if (given === undefined)
    return settings.maxCost === undefined ? {} : { budget: createCostBudget(settings.maxCost) };
  const limit = Number(given);
  if (given.trim() === "" || !Number.isFinite(limit) || limit <= 0) {
    throw new Problem(`--max-cost takes an amount in dollars above 0; got "${given}"`, EXIT_USAGE);
  }
  return { budget: createCostBudget(limit) };
}
