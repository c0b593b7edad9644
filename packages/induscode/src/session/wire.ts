// The one file that knows every concrete class: it builds a session from flags, settings and the machine, and reads from top to bottom.

import { basename } from "node:path";
import { localFs } from "indusagi/capabilities";
import { describeError, homeFolder, nowMs } from "indusagi/core";
import { BUILT_IN_PROVIDERS, type ModelParams } from "indusagi/llmgateway";
import type { TrustAsker } from "../addons/source/decide-trust.ts";
import type { SubagentProfile } from "../briefing/contract.ts";
import { realPlace } from "../briefing/text-file.ts";
import type { Flags } from "../cli/flags.ts";
import { limitedLines } from "../cli/limited-lines.ts";
import { EXIT_USAGE, Problem } from "../cli/problem.ts";
import { createSecrets, type Secrets } from "../cli/secrets.ts";
import type { Conductor, Entry } from "../conductor/contract.ts";
import { type CostBudget, createCostBudget } from "../conductor/cost.ts";
import type { SessionLog } from "../conductor/log.ts";
import type { Retell } from "../conductor/past-events.ts";
import { isLong, sessionFolder } from "../conductor/sessions.ts";
import { unknownTools } from "../deck/builtins/delegates.ts";
import { PERSON } from "../deck/builtins/person-desk.ts";
import { promptCommandsFeature } from "../deck/builtins/prompt-commands.ts";
import type { CallDecision, Perform } from "../deck/contract.ts";
import type { RuleSubjects } from "../deck/permissions/check-rules.ts";
import type { StartMode } from "../deck/permissions/modes.ts";
import type { Twins } from "../deck/permissions/path-pattern.ts";
import { createPermissions, type PermissionPolicy } from "../deck/permissions/permissions.ts";
import { lacksHere } from "../feature/capabilities.ts";
import type { ConsoleList, InstalledCommand } from "../feature/command.ts";
import { DEFAULT_DEADLINE_MS } from "../feature/handler-limits.ts";
import type { SessionHooks } from "../feature/hooks.ts";
import type { FeatureModule } from "../feature/install.ts";
import type { FeatureInstallReport } from "../feature/install-report.ts";
import type { PermissionAsker, PermissionQuestion } from "../feature/permission.ts";
import type { FeatureRegistry } from "../feature/registry.ts";
import type { SessionHandles } from "../feature/services.ts";
import type { TaskSupervisor } from "../feature/tasks.ts";
import type { SessionUi } from "../feature/ui.ts";
import { createLazyCheckpoints } from "../parts/checkpoints/lazy-checkpoints.ts";
import { createPlanState } from "../parts/plan/plan-state.ts";
import { addKeptAnswer, readKeptAnswers } from "../settings/answers-file.ts";
import { loadSettings, type Settings } from "../settings/load-settings.ts";
import { ownProviderNames } from "../settings/provider-names.ts";
import { withKeyring, withStoredKeys } from "../settings/stored-keys.ts";
import { turnedOff } from "../settings/switched-features.ts";
import { LookBudget } from "../store/look-budget.ts";
import { builtinFeatures } from "./features/builtin-features.ts";
import {
  gatherFindings,
  idleGuards,
  type StartManner,
  skippedParts,
  startLines,
} from "./features/findings.ts";
import type { ForeignFile } from "./features/foreign-files.ts";
import { grantedAddons } from "./features/granted-addons.ts";
import { type HeldNamesHere, heldNamesHere } from "./features/held-names-here.ts";
import { namedAddons } from "./features/named-addons.ts";
import { installSessionFeatures, type SessionFeatures } from "./features/session-features.ts";
import { keptFiles } from "./kept-files.ts";
import { openSessionLogs } from "./logs/session-log.ts";
import { maskedUi } from "./masked-ui.ts";
import { createSessionModels, type SessionModels } from "./models/session-models.ts";
import { createNotices, type FeatureNews } from "./notices.ts";
import { openSession } from "./open.ts";
import { chooseConfinement } from "./permissions/command-confinement.ts";
import { permissionPolicy, readRules } from "./permissions/permission-policy.ts";
import { recalledApprovals } from "./permissions/recalled-approvals.ts";
import { createCommandSandbox } from "./permissions/session-sandbox.ts";
import { createSessionBriefing } from "./session-briefing.ts";
import { unmaskableNotice } from "./unmaskable-notice.ts";

export interface WireFacts {
  readonly flags: Flags;
  /** The working directory, as a real path. */
  readonly cwd: string;
  /** The base for paths in the flags; default: the working directory. */
  readonly startedIn?: string;
  readonly home: string;
  /** Its own environment: what its tools' commands inherit, and where keys and secrets come from. Never modified. */
  readonly env: NodeJS.ProcessEnv;
  /** Additional secrets to hide, with a lifetime that their owner decides; default: the credentials in its environment. */
  readonly secrets?: Secrets;
  /** Absent if nobody can answer. */
  readonly ask?: PermissionAsker;
  readonly askTrust?: TrustAsker | undefined;
  /** Displays and questions of features; absent if nobody sits at a terminal. */
  readonly ui?: SessionUi | undefined;
  /** What `/quit` does; absent if nobody types. */
  readonly leave?: () => void;
  /** For a session that moved to other entries; absent if printed output stays as it is. */
  readonly retell?: Retell | undefined;
  /** Called with the decision about each call. */
  readonly onDecision?: ((decision: CallDecision) => void) | undefined;
  /** A person watches while calls run. */
  readonly showsProgress?: boolean;
  /** Features in addition to the built-in ones, installed after them. */
  readonly features?: readonly FeatureModule[];
  /** Plays recorded text at a readable speed. */
  readonly pace?: boolean;
  /** The session might never ask a model; see {@link SessionModels}. */
  readonly mayLackModel?: boolean;
  /** The root of an addon that is put there explicitly instead of being found ({@link WiredSession.put}). */
  readonly leaveOut?: string | undefined;
  /** Receives a plan if nobody is there to be asked about it; the task ends with it. */
  readonly onPlan?: (plan: string) => void;
  /** Features cannot reach a network through the host. */
  readonly isOffline?: boolean;
  /** For a replayed session: its model and its tools answer from a log. */
  readonly replay?: { readonly models: SessionModels; readonly perform: Perform };
  /** For a crew's member: what it shares with the crew's session. */
  readonly lent?: WiredSession["lent"];
  /** For a member that works in a worktree of another folder. */
  readonly worktree?: WorktreeFacts;
  /** Wraps the session's log, for a run whose log must be the same every time. */
  readonly keepLog?: (log: SessionLog) => SessionLog;
}

/** Settings, rules and addons of a worktree come from the folder that it was made from. */
export interface WorktreeFacts {
  /** That folder, as a real path. */
  readonly main: string;
  /** Pairs of places that are the same place to rules which ask or refuse. */
  readonly twins: Twins;
}

export interface WiredSession {
  readonly conductor: Conductor;
  /** The current ones: read them again at each use. */
  readonly commands: readonly InstalledCommand[];
  /** The feature of each tool, by the tool's name. */
  readonly toolOwners: () => ReadonlyMap<string, string>;
  readonly handles: SessionHandles;
  readonly hooks: SessionHooks;
  readonly reports: readonly FeatureInstallReport[];
  readonly tasks: TaskSupervisor;
  /** Its permission mode allows no changes. */
  readonly isReadOnly: boolean;
  readonly mode: StartMode;
  /** What the sessions of a crew's members share with it. */
  readonly lent: {
    readonly models: SessionModels;
    readonly budget?: CostBudget | undefined;
    readonly profiles: readonly SubagentProfile[];
  };
  /** How many tokens this model can hold, if known. */
  readonly windowOf: (name: string) => Promise<number | undefined>;
  /** How many addons are in quarantine. */
  readonly quarantined: () => number;
  /** Real paths of what agents read as instructions here. */
  readonly documents: (names: readonly string[]) => readonly string[];
  readonly held: HeldNamesHere;
  /**
   * Adds an author's addon after everything else, or in place of its previous version; it receives `session:start`. The session owns it
   * from then on.
   */
  readonly put: SessionFeatures["put"];
  /** With an author's addon: the required addons that do not run once that is put there. */
  readonly lacking: SessionFeatures["lacking"];
  /** With an author's addon: lines about the model, which are true once that is put there. */
  readonly lateNotices: () => readonly string[];
  /** Lines for the person: problems in the settings or the log. */
  readonly notices: readonly string[];
  /** The notices among them about addons that are left out, wholly or in part. */
  readonly leftOut: readonly string[];
  /** Why the addon with this name does not run completely; undefined if it does. */
  readonly whyLacking: SessionFeatures["whyLacking"];
  /** What features did wrong or said of themselves, as notices, while the session was wired and while it closed. */
  readonly unheard: () => readonly FeatureNews[];
  /** The same from before anybody listened, and addons that do not load, names that are taken. */
  readonly startNews: readonly FeatureNews[];
  /** Entries that the session already held. */
  readonly resumed: readonly Entry[];
  /** Ends tasks and then the session; returns what went wrong, one line each. */
  readonly close: () => Promise<readonly string[]>;
}

/** Builds a session that is ready for its first submit. Throws a {@link Problem} if the person must act first. */
export async function wireSession(facts: WireFacts): Promise<WiredSession> {
  const secrets = facts.secrets ?? createSecrets(facts.env);
  const release = facts.secrets ? () => undefined : secrets.release;
  try {
    return await wire(facts, { secrets, release });
  } catch (error) {
    release();
    throw error;
  }
}

/** `release` is called when the session has ended. */
async function wire(
  facts: WireFacts,
  { secrets, release }: Pick<Secrets, "release"> & { readonly secrets: Secrets },
): Promise<WiredSession> {
  const { flags, cwd, startedIn = cwd, home, env, leave, ask, askTrust, worktree, lent } = facts;
  const main = worktree?.main ?? cwd;
  const personUi = facts.ui && maskedUi(facts.ui, secrets);
  const personHome = homeFolder(env);
  const startedAt = nowMs();
  const loaded = await loadSettings(home, main);
  const { settings, problems } = loaded;
  secrets.learnSettings(settings, env);
  const notices = createNotices(limitedLines(problems, "indus doctor"), secrets);
  const { lines } = notices;
  const ruleNotices: string[] = [];
  const rules = readRules(flags, loaded, ruleNotices);
  const isReadOnly = rules.mode === "read-only";
  const confinement = chooseConfinement(flags, loaded, rules);
  const kept = readKeptAnswers(home);
  ruleNotices.push(...kept.problems);
  lines.push(...limitedLines(ruleNotices, MEND));

  const modelEnv = withStoredKeys(env, home, notices.tell);
  if (modelEnv !== env) secrets.learnEnvironment(modelEnv);
  const choices = leave && (await import("../parts/checkpoints/turn-choices.ts")).createTurnChoices();
  let logPath = (): string => ""; // the session's, once there is one
  let registered: FeatureRegistry | undefined; // the registry, once features are installed
  const models =
    (facts.replay ?? lent)?.models ??
    (await createSessionModels({
      brought: () => registered?.providers ?? [],
      flags,
      settings: { ...settings, providers: await withKeyring(settings.providers, { env, home }) },
      home,
      env: modelEnv,
      startedIn,
      pace: facts.pace ?? false,
      isOptional: facts.mayLackModel ?? false,
      tell: notices.tell,
      secrets,
    }));
  const keeps = keptFiles(settings, home, main, personHome);
  const held = await heldNamesHere(home);
  lines.push(...limitedLines(held.lines(cwd), "indus doctor"));
  const look = new LookBudget();
  const briefing = createSessionBriefing({ flags, cwd, personHome, home, heldBack: held.refusal, look });
  const profiles = lent?.profiles ?? briefing.subagents;
  const named = await namedAddons(flags, settings, { cwd: main, home, personHome, startedIn });
  lines.push(...limitedLines(named.problems, MEND));
  const typed = leave && (await import("../deck/builtins/session-commands.ts")); // nobody types in print mode
  const onGateFailure = settings.onGateFailure ?? "allow";
  const features = await installSessionFeatures({
    cwd,
    addonsIn: main,
    home,
    look,
    host: {
      diagnostic: notices.diagnostic,
      fault: notices.fault,
      secrets: secrets.granted(env),
      lacks: lacksHere(env, settings),
      providerNames: ownProviderNames(settings),
    },
    builtins: [
      ...(await builtinFeatures({ ...settings, memory: keeps.isShown }, env, {
        roles: profiles,
        oneByOne: flags.record !== undefined || flags.cassette !== undefined,
        isConfined: confinement.sandbox !== "off",
      })),
      ...(typed
        ? [typed.sessionCommandsFeature({ models: models.names, turns: () => choices?.(logPath()) ?? [] })]
        : []),
      ...(facts.ui || rules.startsPlanning ? [await personTools(facts.ui !== undefined)] : []),
      ...(facts.features ?? []),
      promptCommandsFeature(briefing.commands), // last: it takes no name of another's
    ],
    off: turnedOff(settings),
    granted: grantedAddons(flags, settings, { cwd: main, personHome }),
    named: named.sources,
    isReadOnly,
    requireSandbox: settings.addons?.requireSandbox === true,
    required: settings.addons?.required ?? [],
    onGateFailure,
    documents: briefing.documentsAt,
    held,
    env,
    secrets,
    askTrust: askTrust ? (question) => askTrust(secrets.value(question)) : undefined,
    leaveOut: facts.leaveOut,
  });
  const { registry } = features;
  registered = registry;
  if (facts.leaveOut === undefined) lines.push(...models.lateNotices());
  let policy: PermissionPolicy;
  try {
    const lacking = facts.leaveOut === undefined ? features.lacking() : []; // what is put there later can be required
    if (lacking.length > 0) throw new Problem(lacking.join("\n"));
    const subjects = ruleSubjects(registry, { cwd, delegates: profiles.map(({ name }) => name) });
    policy = await permissionPolicy(rules, { ...subjects, mayGrow: facts.leaveOut !== undefined }, lines);
  } catch (error) {
    await registry.dispose();
    throw error;
  }
  lines.unshift(...limitedLines(features.quarantined, ADDONS)); // what is unguarded comes first
  const manner: StartManner = {
    isVerbose: flags.verbose === true,
    isTalking: flags.print !== true && flags.json !== true,
  };
  const findings = gatherFindings({
    diagnostics: briefing.diagnostics,
    foreign: await foreignHere(manner, { cwd, personHome, used: briefing.folderDocs.files() }),
    commands: briefing.commands,
    reports: registry.reports,
    strays: features.strays,
    delegates: unknownTools(profiles, registry.tools),
  });
  lines.push(
    ...limitedLines(features.problems, ADDONS),
    ...limitedLines(features.warnings, ADDONS),
    ...limitedLines(features.skipped, ADDONS),
    ...limitedLines(skippedParts(registry.reports), ADDONS),
    ...limitedLines(idleGuards(registry), MEND),
    ...startLines(findings, manner),
    ...unmaskableNotice(home, secrets),
  );

  const withhold = [...keyNames(settings), ...registry.providers.flatMap(({ secret }) => secret ?? [])];
  const twins = worktree ? { twins: worktree.twins } : {};
  const sandbox = createCommandSandbox(confinement, {
    ...{ cwd, home, personHome, env, withhold, holdsSecret: secrets.holds, policy, tell: notices.tell },
    isDocument: briefing.folderDocs.isDocument,
    documents: briefing.folderDocs.files,
    held,
    ...twins,
  });
  const { keepLog = (log) => log } = facts;
  const logs = openSessionLogs(
    flags,
    { home, cwd: main, startedIn, secrets, asksWhereToWrite: personUi !== undefined },
    lines,
  );
  const turns = maxTurns(flags, settings);
  const { budget } = lent ?? costBudget(flags, settings);
  const plan = createPlanState(logs.entries, rules.startsPlanning);
  let [began] = logs.entries;
  const { checkpoints: keptChanges = "edits" } = settings;
  const looksAtAll = keptChanges === "all";
  const wrote = logs.entries.flatMap((entry) => (entry.type === "checkpoint" ? entry.files : []));
  const checkpoints =
    keptChanges === "off" || worktree // the worktree's branch keeps its changes
      ? undefined
      : createLazyCheckpoints(
          looksAtAll || wrote.length > 0,
          async () =>
            (await import("../parts/checkpoints/checkpoints.ts")).createCheckpoints({
              ...{ cwd, home, looksAtAll, wrote, tell: notices.tell },
              folder: basename(sessionFolder(home, cwd)),
            }),
          notices.tell,
        );
  const session = openSession({
    registry,
    cwd,
    keeps,
    checkpoints,
    personHome,
    env,
    withhold,
    secrets,
    notices,
    fence: { deadlineMs: DEFAULT_DEADLINE_MS, onGateFailure },
    isReadOnly,
    isPlanning: plan.isPlanning,
    isOffline: facts.isOffline === true,
    showsProgress: facts.showsProgress === true,
    words: briefing,
    isDocument: briefing.folderDocs.isDocument,
    sandbox,
    perform: facts.replay?.perform,
    permissions: (onApproval) =>
      createPermissions({
        readable: briefing.skillFolders,
        policy,
        ...twins,
        ...(sandbox ? { mode: sandbox.mode, onCommandOpen: sandbox.onAsked } : {}),
        root: cwd,
        store: realPlace(home),
        home: personHome,
        realPath: localFs().realPath,
        files: localFs(),
        realPlace,
        ask: ask
          ? async (question, signal) => {
              const { withOverwritten } = await import("./permissions/overwritten-files.ts");
              const whole = await withOverwritten(question, localFs(), secrets.text);
              return ask(withoutSecrets(whole, secrets), signal);
            }
          : undefined,
        isDocument: briefing.folderDocs.isDocument,
        onApproval,
        isPlanning: plan.isPlanning,
        kept: {
          answers: kept.answers,
          place: kept.path,
          add: (answer) =>
            addKeptAnswer(home, answer).catch((error: unknown) =>
              notices.tell(`The answer applies to this session only: ${describeError(error)}`),
            ),
        },
      }),
    log: keepLog(logs.log),
    entries: logs.entries,
    fold: logs.fold,
    nextLog: () => keepLog(logs.next()),
    forkLog: (path, back) => {
      const made = logs.fork(path, back);
      return { ...made, log: keepLog(made.log) };
    },
    openLog: (id, told) => {
      const opened = logs.open(id, told);
      [began] = opened.entries;
      plan.goOn(opened.entries);
      return { ...opened, log: keepLog(opened.log) };
    },
    whereToWrite: personUi
      ? {
          ask: async (why, signal) => {
            const { createWhereToWrite } = await import("./logs/ask-where-to-write.ts");
            return createWhereToWrite(personUi, { cwd, personHome })(why, signal);
          },
          onChosen: logs.beginIn,
        }
      : undefined,
    resolveModel: models.resolve,
    modelName: models.name,
    fallbackModels: models.fallbacks,
    params: modelParams(flags, settings),
    ...turns,
    budget,
    onDecision: facts.onDecision,
    ui: personUi,
    delegates: {
      profiles,
      words: briefing.forDelegate,
      nextLog: () => keepLog(logs.nextDelegate()),
      openLog: (id) => {
        const opened = logs.openDelegate(id);
        return { ...opened, log: keepLog(opened.log) };
      },
      oneByOne: flags.record !== undefined || flags.cassette !== undefined,
      maxTurns: turns.maxTurns ?? MAX_DELEGATE_TURNS,
    },
  });
  lines.push(...recalledApprovals(session.approvals));
  const { conductor, tasks } = session;
  logPath = () => conductor.status().logPath;
  plan.join(conductor);
  session.scope.put(PERSON, {
    propose: facts.onPlan ?? ((text) => conductor.announce({ kind: "alert", text: `The plan:\n${text}` })),
    isPlanning: plan.isPlanning,
    setPlanning: plan.set,
  });
  const modeNow = (): StartMode => (plan.isPlanning() ? "plan" : (sandbox?.mode() ?? policy.mode));
  const why = async (call: string): Promise<string> => {
    const { callOf, modeInWords, placeOf, whyText } = await import("../parts/permissions/why-text.ts");
    try {
      const subjects = ruleSubjects(registry, { cwd, delegates: profiles.map(({ name }) => name) });
      const request = callOf(call, { ...subjects, cwd, home: personHome, mayGrow: false });
      const place = await placeOf(request, sandbox);
      return whyText(call, modeInWords(modeNow(), rules), await session.explain({ ...request, ...place }));
    } catch (error) {
      const words = describeError(error).replace("indus why takes", "Write /why with");
      return words.replace(/write indus why '(.*)'$/, "write /why $1");
    }
  };
  const rewind = async (words: string, list: ConsoleList | undefined): Promise<string> => {
    const { consoleRewind } = await import("../parts/checkpoints/console-rewind.ts");
    return consoleRewind(words, { home, cwd, conductor, kept: keptChanges }, list);
  };
  if (leave && typed) {
    const { createSessionControl } = await import("../parts/console/session-control.ts");
    const folder = sessionFolder(home, cwd);
    const control = createSessionControl({
      ...{ conductor, features, tasks, plan, leave, why, rewind, folder, recent: notices.recent },
      retell: facts.retell,
    });
    session.scope.put(typed.SESSION_CONTROL, control);
  }

  await session.start();
  notices.announceTo(conductor.announce);
  return {
    conductor,
    get commands() {
      return registry.commands;
    },
    toolOwners: () => new Map(registry.tools.map(({ tool, feature }) => [tool.name, feature])),
    handles: session.handles,
    hooks: session.hooks,
    reports: registry.reports,
    tasks,
    isReadOnly,
    lent: { models, profiles, budget },
    get mode() {
      return modeNow();
    },
    windowOf: async (name) => {
      const found = await models.resolve(name);
      return found.ok ? found.card.contextWindow : undefined;
    },
    quarantined: () => features.codeAddons().filter((addon) => addon.quarantine() !== undefined).length,
    documents: briefing.documentsAt,
    held,
    put: features.put,
    lateNotices: models.lateNotices,
    notices: lines,
    lacking: features.lacking,
    whyLacking: features.whyLacking,
    leftOut: [...features.problems, ...features.warnings, ...features.skipped],
    unheard: () => notices.unheard,
    startNews: fewNews([
      ...features.faults.map(
        (fault): FeatureNews => ({
          kind: "fault",
          fault: { ...fault, message: secrets.text(fault.message) },
        }),
      ),
      ...notices.unheard,
    ]),
    resumed: logs.entries,
    async close() {
      notices.announceTo(undefined);
      const told = lines.length;
      await session.close();
      const beganAt = began?.at ?? startedAt;
      if (isLong(beganAt))
        (await import("./logs/long-session.ts")).noteLongSession(conductor.status().logPath, beganAt);
      await registry.dispose();
      const left = (await sandbox?.close()) ?? [];
      release();
      return [...lines.slice(told), ...left, ...held.settle()];
    },
  };
}

/** Drops `keep` if its text would put a secret into a file. */
function withoutSecrets(question: PermissionQuestion, secrets: Secrets): PermissionQuestion {
  const { keep, ...shown } = secrets.value(question);
  return keep === undefined || keep.exact !== question.keep?.exact ? shown : { ...shown, keep };
}

/** Looked for only where the start tells of them. */
async function foreignHere(
  { isVerbose, isTalking }: StartManner,
  {
    cwd,
    personHome,
    used,
  }: { readonly cwd: string; readonly personHome: string; readonly used: readonly string[] },
): Promise<readonly ForeignFile[]> {
  if (!isVerbose && !isTalking) return [];
  const { findForeignFiles, foreignPlaces } = await import("./features/foreign-files.ts");
  return findForeignFiles(foreignPlaces(cwd, personHome, used));
}

async function personTools(isHere: boolean): Promise<FeatureModule> {
  return (await import("../deck/builtins/person.ts")).personFeature({ isHere });
}

/** What to do to see all lines of a kind when a start shows only the first ones. */
const ADDONS = "indus addons";
const MEND = "fix these first";

/** Limited like the lines. */
function fewNews(news: readonly FeatureNews[]): readonly FeatureNews[] {
  const texts = news.map((each) => (each.kind === "fault" ? each.fault.message : each.text));
  return limitedLines(texts, ADDONS).map((message, at) => {
    const each = news[at];
    return each && texts[at] === message ? each : { kind: "fault", fault: { kind: "feature", message } };
  });
}

// Far more than one objective takes; the waiting session has no limit this low.
const MAX_DELEGATE_TURNS = 200;

/** What the rules of a session can name. */
function ruleSubjects(
  { tools, reports }: FeatureRegistry,
  { cwd, delegates }: { readonly cwd: string; readonly delegates: readonly string[] },
): RuleSubjects {
  const brought = reports.filter(({ feature }) => !feature.startsWith("builtin:"));
  return { tools, delegates, root: cwd, addonTools: new Set(brought.flatMap((report) => report.tools)) };
}

/** The variables that hold the providers' keys, whatever names the person gave them. */
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

function costBudget(flags: Flags, settings: Settings): { readonly budget?: CostBudget | undefined } {
  const given = flags["max-cost"];
  if (given === undefined)
    return settings.maxCost === undefined ? {} : { budget: createCostBudget(settings.maxCost) };
  const limit = Number(given);
  if (given.trim() === "" || !Number.isFinite(limit) || limit <= 0) {
    throw new Problem(`--max-cost takes an amount in dollars above 0; got "${given}"`, EXIT_USAGE);
  }
  return { budget: createCostBudget(limit) };
}
