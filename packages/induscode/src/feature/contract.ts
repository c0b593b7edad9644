// The contribution contract (seed 004): what a feature is, what it asks for, what it may contribute, and how a
// person is asked. Shapes only. No session, gateway or log object ever reaches a feature.

import type { DefinedTool, Fs, ToolResult, WebAnswer, WebRequest } from "indusagi/capabilities";
import type { Fault, JsonValue, SessionScope } from "indusagi/core";
import type { ModelLimits, ProviderConfig } from "indusagi/llmgateway";
import type { Ticket, TicketDraft, TicketStatus } from "indusagi/swarm";
import type { Ruling } from "./decision.ts";
import type { ChangeOf, HookEvent, PayloadOf } from "./events.ts";
import type { CallTime } from "./time-budget.ts";
import type { SessionUi, UiPart } from "./ui.ts";

export type { DecidedBy, Decision, RuleLayer, Ruling } from "./decision.ts";
export type { SessionUi, UiAnswer, UiDialog, UiPart, UiShape } from "./ui.ts";
export type { ChangeOf, HookEvent, PayloadOf };

/** Source-qualified identity: `builtin:files`, `project:redact`, `user:notes`, `plugin:<digest>:lint`. */
export type FeatureId = `${"builtin" | "project" | "user" | "plugin"}:${string}`;

export type FeatureRuntimeKind = "builtin" | "declarative" | "module" | "python" | "process" | "wasm" | "mcp";

/** What a feature may ask the host for (seed 004, capability list). Nothing is granted by asking. */
export type HostCapability =
  | { readonly kind: "contribute_tool"; readonly name: string }
  | { readonly kind: "contribute_hook"; readonly point: string }
  | { readonly kind: "background_task" }
  | { readonly kind: "model_notification" }
  | { readonly kind: "alert" }
  | { readonly kind: "files"; readonly read: boolean; readonly write: boolean; readonly execute: boolean }
  | { readonly kind: "work_items"; readonly read: boolean; readonly write: boolean }
  | { readonly kind: "memory"; readonly read: boolean; readonly write: boolean }
  | {
      readonly kind: "sessions";
      readonly spawn: boolean;
      readonly message: boolean;
      readonly restore: boolean;
    }
  | { readonly kind: "network"; readonly purpose: string; readonly hosts: readonly string[] }
  | { readonly kind: "secret"; readonly id: string }
  | ({ readonly kind: "ui" } & { readonly [Part in UiPart]: boolean });

export interface CapabilityRequest {
  readonly capability: HostCapability;
  /** Without it, what needs it is not installed: the feature, or the contributions that `neededBy` names. */
  readonly required: boolean;
  /** `/deploy` for a command, else a tool's name, an event, a task's id. */
  readonly neededBy?: readonly string[];
  /** Shown to the person who is asked to grant it. */
  readonly reason: string;
}

/** What becomes of what a feature guards when it fails: it passes, or it is stopped. */
export type FailurePolicy = "allow" | "block";

/** Declarative and serialisable: safe to show before the feature runs. */
export interface FeatureDescriptor {
  readonly id: FeatureId;
  readonly displayName: string;
  readonly version?: string;
  readonly runtime: FeatureRuntimeKind;
  /**
   * `block`: what it guards stays closed while it fails or cannot be asked. That covers its gates, whatever each says by
   * itself, its transforms of events that can be stopped, and its interceptors.
   */
  readonly onFailure?: FailurePolicy;
  readonly requestedCapabilities: readonly CapabilityRequest[];
  readonly declaredTools: readonly string[];
  readonly declaredCommands: readonly string[];
  /** Events it handles, and the tools it intercepts as `intercept:<name>` or `intercept:*`. */
  readonly declaredHooks: readonly string[];
  readonly declaredTasks: readonly string[];
}

/** One thing a tool call would touch. The permission check decides on these, never on a tool's name alone. */
export type Access =
  | { readonly kind: "read"; readonly path: string }
  | { readonly kind: "write"; readonly path: string }
  | {
      readonly kind: "execute";
      readonly command: string;
      readonly cwd: string;
      /** What features set for it that may choose what runs; absent where they set nothing of the kind. */
      readonly variables?: readonly SetVariable[];
      /** Why it asks to run outside of the sandbox that commands have here; absent where it does not. */
      readonly outside?: string;
    }
  | { readonly kind: "network"; readonly host: string }
  /** Hands work to a delegate, whose own calls are checked when it makes them. */
  | { readonly kind: "delegate"; readonly agent: string };

/** A variable of a command's environment, and the feature that set it. */
export interface SetVariable {
  readonly name: string;
  readonly value: string;
  readonly by: string;
}

/** A tool with what the boundary must know of it. */
export interface ToolContribution {
  readonly tool: DefinedTool;
  /**
   * What a call with these final, schema-checked arguments would touch; paths absolute. `home` is what `~` stands for in the
   * session that calls. Must not throw.
   */
  readonly accesses: (input: JsonValue, cwd: string, home?: string) => readonly Access[];
  /** True for a call that may change what others see without touching it here: it runs alone. Must not throw. */
  readonly alone?: (input: JsonValue) => boolean;
  /** True for a tool whose calls mostly wait for something outside of this process. */
  readonly waits?: boolean;
  /** True for a tool that runs its commands by the context's shell, which may confine them. */
  readonly runsInShell?: boolean;
  /** Without one of them the tool is not installed, and the rest of its feature is. */
  readonly requiredCapabilities?: readonly HostCapability[];
}

/** A committed tool with the feature it came from. */
export interface InstalledTool extends ToolContribution {
  readonly feature: FeatureId;
  /** Whether its feature does not run at present: the model is not shown the tool meanwhile. */
  readonly rests?: () => boolean;
}

/** What a command may do. It describes an effect; it never draws. */
export interface CommandContext {
  /** The text after the name, trimmed. */
  readonly args: string;
  readonly cwd: string;
  /** Shows text to the person; never reaches the model. */
  readonly say: (text: string) => void;
  /** The session's handles that this run mode offers; an absent one is undefined (seeds 000 and 002). */
  readonly handles: SessionHandles;
  /** A list to choose from, for what is built in; absent where the console has none. */
  readonly list?: ConsoleList;
}

/** One row of a list. All texts may be untrusted. */
export interface PickItem {
  readonly label: string;
  /** Behind it, in grey. */
  readonly detail?: string;
  /** Below the list while it is chosen. */
  readonly preview?: readonly string[];
}

/** What there is for what the person has typed so far. */
export type FindItems<Item extends PickItem> = (typed: string) => readonly Item[] | Promise<readonly Item[]>;

export interface ConsoleList {
  /** Undefined where the person left it. */
  readonly pick: <Item extends PickItem>(
    title: string,
    find: FindItems<Item>,
    start?: number,
  ) => Promise<Item | undefined>;
  /** Puts a text where the person writes. */
  readonly write: (text: string) => void;
}

export interface ExecOutcome {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
}

/** The controlled channel through which a command acts on the session. */
export interface SessionHandles {
  /** What else the session has, for what is built in. */
  readonly session?: SessionScope;
  /** Gives the model a message, as a steering line does. */
  readonly sendMessage?: (text: string) => void;
  /** Switches the model; answers what went wrong, or undefined. */
  readonly setModel?: (name: string) => Promise<string | undefined>;
  readonly setThinking?: (level: string) => string | undefined;
  /** Runs a command through the same gate as the `bash` tool; rejects with the reason when it is refused. */
  readonly exec?: (
    command: string,
    args: readonly string[],
    /** `by` is the feature that runs it, for the question; a feature's own word for it does not count. */
    options?: {
      readonly signal?: AbortSignal;
      readonly by?: string;
      /** Hears the last of its output while it runs, from its beginning on. */
      readonly progress?: (tail: string) => void;
    },
  ) => Promise<ExecOutcome>;
}

/** A `/name` that a person types. */
export interface Command {
  /** Without the slash. */
  readonly name: string;
  readonly summary: string;
  /** Shown in help after the name, e.g. `[provider/model]`. */
  readonly argumentHint?: string;
  /** The values that may stand after the name, for a console that completes; `typed` is what is there already. */
  readonly complete?: (typed: string) => readonly string[];
  /** Its bare name, sent from a list of suggestions, shows those values to choose from first. */
  readonly picks?: boolean;
  /** May reject: the console reports it as a `command` fault and goes on. */
  readonly run: (context: CommandContext) => Promise<void> | void;
}

/** A committed command with the feature it came from. */
export interface InstalledCommand extends Command {
  readonly feature: FeatureId;
}

/** What every handler is handed besides its payload. */
export interface HandlerContext {
  /** Fires when the handler's deadline passes or the session stops waiting. */
  readonly signal: AbortSignal;
}

/** What a handler is handed that runs in the host itself: a built-in one, and the one that calls an addon's process. */
export interface HostHandlerContext extends HandlerContext {
  /** The session whose event it is. */
  readonly session?: SessionScope;
  /**
   * Throws for a return value that the host would refuse, for a handler that answers for somebody else: what it throws
   * is then held against the right one. Absent where nothing is returned.
   */
  readonly check?: (returned: unknown) => void;
}

export interface GateDecision {
  readonly stop: boolean;
  readonly reason?: string;
}

/** What every handler may say of itself. */
export interface HandlerTraits {
  /** Its payload goes to another process as a copy; without it, what it is handed is frozen. */
  readonly isRemote?: true;
  /** The one tool that it looks at, where it says so; only for telling that there is none. */
  readonly match?: string;
}

/**
 * What a feature binds to an event. `observe` sees, and nobody waits for it; `transform` returns what it changes; `gate` may
 * stop. What any of them is handed is frozen. Nothing or null returned is not a change. A handler that throws, misses its
 * deadline or returns what does not fit is a `handler` fault and changes nothing; a gate then lets the thing pass, unless
 * it declares `onFailure: "block"`.
 */
export type HookHandler<E extends HookEvent = HookEvent, Context = HandlerContext> = HandlerTraits &
  (
    | {
        readonly kind: "observe";
        readonly run: (payload: PayloadOf<E>, context: Context) => void | Promise<void>;
      }
    | {
        readonly kind: "transform";
        readonly run: (
          payload: PayloadOf<E>,
          context: Context,
        ) => ChangeOf<PayloadOf<E>> | Promise<ChangeOf<PayloadOf<E>>>;
      }
    | {
        readonly kind: "gate";
        readonly onFailure?: FailurePolicy;
        readonly run: (
          payload: PayloadOf<E>,
          context: Context,
        ) => GateDecision | null | undefined | Promise<GateDecision | null | undefined>;
      }
  );

/** Who changed something; in the log next to the change. */
export interface Attribution {
  readonly feature: string;
  readonly version?: string;
}

export interface DispatchOutcome<E extends HookEvent> {
  readonly payload: PayloadOf<E>;
  /** Who changed something, in order; compared by value. */
  readonly changedBy: readonly Attribution[];
  /** The payload as each of them left it; absent where nobody changed it. */
  readonly steps?: readonly PayloadOf<E>[];
  /** The first stop, whatever the event; the host acts on it for the reserved ones. */
  readonly gate?: GateDecision & { readonly by: Attribution };
}

/** What a session sees of the dispatcher. */
export interface HookDispatch {
  /** Whether any feature handles `event`, or handles it in this way. */
  readonly has: (event: HookEvent, kind?: HookHandler["kind"]) => boolean;
  /** Never rejects: a failing handler is a fault and changes nothing. */
  readonly dispatch: <E extends HookEvent>(
    event: E,
    payload: PayloadOf<E>,
    options: {
      readonly signal: AbortSignal;
      readonly delegate?: string;
      readonly time?: CallTime;
      /** What a feature is shown of a payload; absent where each sees it whole. */
      readonly view?: (feature: string, payload: PayloadOf<E>) => PayloadOf<E>;
    },
  ) => Promise<DispatchOutcome<E>>;
  /** When no observer is at work any more; one that still is when its deadline has passed is left, and that is a fault. */
  readonly settled: () => Promise<void>;
}

/** One recorded handler, with its owner. */
export interface EventSubscription<E extends HookEvent = HookEvent> {
  readonly feature: FeatureId;
  readonly version?: string;
  readonly event: E;
  readonly handler: HookHandler<E, HostHandlerContext>;
  /** What the feature holds; absent is nothing. */
  readonly grants?: readonly HostCapability[];
  /** Of the whole feature. */
  readonly onFailure?: FailurePolicy;
}

export interface ToolEnterContext {
  readonly tool: string;
  readonly callId: string;
  readonly args: JsonValue;
}

export interface ToolExitContext extends ToolEnterContext {
  readonly result: ToolResult;
  /** What went wrong, where the result is an error; a stage may recover by returning another result. */
  readonly error?: string;
}

/** Replaces the arguments, or blocks the call; nothing or null is not a change. */
export type EnterOutcome = { readonly args: JsonValue } | GateDecision | null | undefined;

/** The forms in which a tool's result may be returned: content may be a text, and so may a block of it. */
export type ToolResultForm =
  | string
  | {
      readonly content:
        | string
        | readonly (
            | string
            | ToolResult["content"][number]
            | { readonly type: "text"; readonly text: string }
            | { readonly type: "json"; readonly value: JsonValue }
          )[];
      readonly isError?: boolean;
    };

/** What an exit stage returns: the result that replaces the tool's; nothing or null is not a change. */
export type ExitOutcome = ToolResultForm | null | undefined;

/** The two halves of an interceptor around one tool execution (seed 002). What they are handed is frozen. */
export interface InterceptorStage<Context = HandlerContext> {
  /** What it is handed goes to another process as a copy. */
  readonly isRemote?: true;
  readonly enter?: (context: ToolEnterContext, handler: Context) => EnterOutcome | Promise<EnterOutcome>;
  readonly exit?: (context: ToolExitContext, handler: Context) => ExitOutcome | Promise<ExitOutcome>;
}

/** One recorded interceptor: `match` is a tool's name or `*`. */
export interface ToolInterceptor extends InterceptorStage<HostHandlerContext> {
  readonly feature: FeatureId;
  readonly version?: string;
  /** Of the whole feature; without `block` a failing stage changes nothing. */
  readonly onFailure?: FailurePolicy;
  readonly match: string;
}

export type DiagnosticSeverity = "info" | "warning" | "error";

/** The only ways in which a running task or handler may be heard. Texts are bounded by the host. */
export interface FeatureSinks {
  /** Commits a notice that the model reads at its next call, labelled with its origin. Rate-limited. */
  readonly notifyModel: (text: string) => void;
  /** A short line for the person; never for the model, never in the log. */
  readonly alert: (text: string) => void;
  /** A line of the feature's report. */
  readonly diagnostic: (severity: DiagnosticSeverity, text: string) => void;
}

/** What the host answers to a request for a service. */
export type ServiceAnswer<Service> =
  | { readonly ok: true; readonly service: Service }
  /** `denied`: the grant is missing. `unavailable`: this session has no such service. */
  | { readonly ok: false; readonly why: "denied" | "unavailable"; readonly reason: string };

/** What a feature reads and writes through, and never around (seed 004). Each answers by the feature's grants. */
export interface FeatureServices {
  /** Files of the workspace; reading and writing as granted, nothing outside it, nor what `keepsOff` names by its real path. */
  readonly files: (options?: { readonly keepsOff?: (realPath: string) => boolean }) => ServiceAnswer<Fs>;
  /** The value of a secret that was granted by its id: the environment variable of that name. */
  readonly secret: (id: string) => ServiceAnswer<string>;
  /** Runs shell lines through the same gate as the `bash` tool; that gate may still refuse each one. */
  readonly exec: () => ServiceAnswer<NonNullable<SessionHandles["exec"]>>;
  /** Requests to one host, as it is written in a URL; redirects to another are refused. */
  readonly network: (host: string) => ServiceAnswer<NetworkService>;
  /** The work items of this folder. Nothing is loaded before somebody asks. */
  readonly workItems: <Right extends AccessRight>(
    right: Right,
  ) => ServiceAnswer<Promise<Right extends "write" ? WorkItems : WorkItemReader>>;
  /** What is remembered of the person and of this folder. Nothing is loaded before somebody asks. */
  readonly memory: <Right extends AccessRight>(
    right: Right,
  ) => ServiceAnswer<Promise<Right extends "write" ? MemoryStore : MemoryReader>>;
  /** Sessions of the feature's own, which work for this one. Nothing is loaded before somebody asks. */
  readonly sessions: <Right extends SessionRight>(
    right: Right,
  ) => ServiceAnswer<Promise<Pick<FeatureSessions, SessionRights[Right]>>>;
  /** The console of this session, for this part of it. */
  readonly ui: (part: UiPart) => ServiceAnswer<FeatureUi>;
}

export type AccessRight = "read" | "write";

export type WorkItem = Omit<Ticket, "assignee" | "leaseUntil">;
export type WorkItemStatus = Exclude<TicketStatus, "claimed">;

/** One thing that was done to a work item. */
export interface WorkItemChange {
  /** Later ones have larger numbers; several may be of one step. */
  readonly step: number;
  /** ISO 8601. */
  readonly at: string;
  /** A feature, or `session …`. */
  readonly by: string;
  readonly id: string;
  readonly what: "created" | "commented" | "depends" | WorkItemStatus;
}

/** The work items of a folder, and what becomes of them. Rejects with a `BoardError`. */
export interface WorkItemReader {
  /** Under which name the changes made here are recorded. */
  readonly name: string;
  readonly list: (status?: WorkItemStatus) => Promise<readonly WorkItem[]>;
  /** What was done after this step, the oldest first and 200 steps at most; without a step, what the last one did. */
  readonly changes: (after?: number) => Promise<readonly WorkItemChange[]>;
}

export interface WorkItems extends WorkItemReader {
  /** Answers its id. */
  readonly create: (draft: Omit<TicketDraft, "key">) => Promise<string>;
  readonly comment: (id: string, text: string) => Promise<void>;
  readonly move: (id: string, to: WorkItemStatus, reason?: string) => Promise<void>;
  /** It waits for these; a circle is refused. */
  readonly depend: (id: string, on: readonly string[]) => Promise<void>;
}

export type MemoryScope = "project" | "user";

/** One line that is remembered. */
export interface MemoryEntry {
  readonly scope: MemoryScope;
  readonly text: string;
}

export interface MemoryReader {
  /** The last 50 entries that hold each of the words, in whatever case; without words, of all. */
  readonly search: (words?: string, scope?: MemoryScope) => Promise<readonly MemoryEntry[]>;
}

/** Rejects where an entry cannot be kept as it is: in one line, seen by a person, not there already. */
export interface MemoryStore extends MemoryReader {
  readonly add: (text: string, scope?: MemoryScope) => Promise<void>;
  /** `old` is a whole entry; the empty text removes it. */
  readonly replace: (old: string, text: string, scope?: MemoryScope) => Promise<void>;
}

export type SessionRight = "spawn" | "message" | "restore";

/** What each right gives. */
export interface SessionRights {
  readonly spawn: "spawn" | "list" | "wait" | "stop";
  readonly message: "message";
  readonly restore: "restore";
}

/** What a session is begun with. */
export interface SessionDraft {
  /** Who works in it: one of the session's delegates that only read. */
  readonly agent: string;
  readonly objective: string;
  /** What else it needs to know. */
  readonly context?: string;
  /** What it may use up for each line that it is given, within what the session may. */
  readonly limits?: {
    readonly turns?: number;
    readonly tokens?: number;
    readonly dollars?: number;
    readonly seconds?: number;
  };
  /** It goes on when the feature leaves, until the session ends that it works for. */
  readonly outlives?: boolean;
}

/** A session of a feature, as it is now. */
export interface SpawnedSession {
  readonly id: string;
  readonly agent: string;
  readonly state: "working" | "done" | "failed" | "stopped";
  readonly turns: number;
  readonly tokens: number;
  /** Dollars, as far as prices are known. */
  readonly cost: number;
  /** What it said last; once it has ended, its report. At most 64 KiB. */
  readonly said: string;
}

/**
 * The sessions of one feature; no other feature's are among them. Each may do at most what the session may that it works for,
 * and what the feature may itself. They end with the feature, and when the `life` fires with which they were begun or went on.
 * Each method rejects where it cannot do so.
 */
export interface FeatureSessions {
  /** Begins one, and answers its id. */
  readonly spawn: (draft: SessionDraft, signal?: AbortSignal, life?: AbortSignal) => Promise<string>;
  readonly list: () => Promise<readonly SpawnedSession[]>;
  /** Waits until it has ended. */
  readonly wait: (id: string, signal?: AbortSignal) => Promise<SpawnedSession>;
  readonly stop: (id: string) => Promise<void>;
  /** To one at work: it reads the words at its next model call. */
  readonly message: (id: string, text: string) => Promise<void>;
  /** One that has ended goes on with these words. */
  readonly restore: (id: string, text: string, life?: AbortSignal) => Promise<void>;
}

/** A session's console as one feature may use it: all that it shows is under the feature's name. */
export type FeatureUi = {
  readonly [Way in keyof SessionUi]: SessionUi[Way] extends (
    feature: string,
    ...rest: infer Rest
  ) => infer Answer
    ? (...rest: Rest) => Answer
    : never;
};

/** Sends one request; rejects only with `Aborted`, when its signal fires. */
export type NetworkService = (request: Omit<WebRequest, "staysOnHost">) => Promise<WebAnswer>;

/** What a background task acts through. */
export interface TaskContext extends FeatureSinks {
  readonly signal: AbortSignal;
  readonly services: FeatureServices;
  /** The session that it works for. */
  readonly session: SessionScope;
}

/** A line that a feature wrote into its own report. */
export interface FeatureDiagnostic {
  readonly severity: DiagnosticSeverity;
  readonly text: string;
}

/** A loop that the host starts, times, stops and reports (seed 004). */
export interface BackgroundTask {
  readonly id: string;
  readonly description: string;
  /** `session`: runs from the session's start. `onDemand`: starts when the host is asked. */
  readonly activation: "session" | "onDemand";
  /** `onFailure`: started again after a pause of 1 s, which doubles up to 5 min and begins anew after a healthy run. */
  readonly restart: "never" | "onFailure";
  /** How long it may take to end once its signal fires, in milliseconds; the host waits 5,000 at the most. */
  readonly graceMs: number;
  /** Without one of them the task is not installed, and the rest of its feature is. */
  readonly requiredCapabilities?: readonly HostCapability[];
  readonly run: (context: TaskContext) => Promise<void>;
}

/** A committed task with the feature it came from and what that feature holds. */
export interface InstalledTask extends BackgroundTask {
  readonly feature: FeatureId;
  readonly grants: readonly HostCapability[];
}

export interface HookRegistrar {
  readonly on: <E extends HookEvent>(event: E, handler: HookHandler<E, HostHandlerContext>) => void;
  /** `match` is a tool's name or `*`. */
  readonly interceptTool: (match: string, stage: InterceptorStage<HostHandlerContext>) => void;
}

export interface TaskRegistrar {
  readonly register: (task: BackgroundTask) => void;
}

export interface ToolRegistrar {
  readonly register: (contribution: ToolContribution) => void;
}

/**
 * A server of models, as data. The host asks it, for the person who chooses one of its models; nothing of the feature sees a
 * request or the secret. It needs the grants for the host of its address and for its secret.
 */
export interface ProviderContribution {
  readonly config: ProviderConfig & { readonly baseUrl: string };
  /** The environment variable with its key. */
  readonly secret?: string;
  /** What is known of its models, by their own names. */
  readonly models: Readonly<Record<string, ModelLimits>>;
}

/** A committed provider with the feature it came from. */
export interface InstalledProvider extends ProviderContribution {
  readonly feature: FeatureId;
}

export interface ProviderRegistrar {
  readonly register: (provider: ProviderContribution) => void;
}

export interface CommandRegistrar {
  readonly register: (command: Command) => void;
}

/**
 * The recording surface a feature is handed: it records, the registry commits. No session is here: each call of what is
 * recorded brings its own.
 */
export interface FeatureInstallContext {
  readonly featureId: FeatureId;
  readonly grants: readonly HostCapability[];
  readonly tools: ToolRegistrar;
  readonly commands: CommandRegistrar;
  readonly hooks: HookRegistrar;
  readonly tasks: TaskRegistrar;
  readonly providers: ProviderRegistrar;
  /** A line of the feature's report, and news for the person once it is installed. */
  readonly diagnostic: FeatureSinks["diagnostic"];
  /** For whoever runs a feature: what went wrong with it that no call hears of. A line of its report while it installs. */
  readonly fault: (kind: FeatureFaultKind, text: string) => void;
  /** For whoever runs a feature that does something between its calls: the session that it wants while that is open, else the first. */
  readonly session: (wanted?: SessionScope) => SessionScope | undefined;
}

/** The unit that contributes, built in or from an addon. */
export interface FeatureModule {
  readonly descriptor: FeatureDescriptor;
  /** Records intent only. A throw is a `register` fault: the feature contributes nothing. */
  readonly install: (context: FeatureInstallContext) => void | Promise<void>;
}

/** The five of seeds 000 and 002; a program that broke the protocol or ended unasked; one that is not called any more. */
export type FeatureFaultKind =
  | "load"
  | "register"
  | "handler"
  | "command"
  | "conflict"
  | "breach"
  | "quarantine";
export type FeatureFault = Fault<FeatureFaultKind>;

export interface SkippedContribution {
  readonly kind: "tool" | "command" | "hook" | "task" | "provider";
  readonly name: string;
  readonly reason: string;
}

/** A capability that a feature asked for and does not hold. */
export interface CapabilityDenial {
  readonly capability: HostCapability;
  readonly required: boolean;
  readonly neededBy?: readonly string[];
  /** `denied`: nobody granted it. `unavailable`: nobody could. */
  readonly why: "denied" | "unavailable";
  /** A clause that says why, about the capability. */
  readonly reason: string;
}

/** What became of one feature. Safe to show: never holds a secret. */
export interface FeatureInstallReport {
  readonly feature: FeatureId;
  readonly displayName: string;
  readonly enabled: boolean;
  readonly granted: readonly HostCapability[];
  readonly denied: readonly CapabilityDenial[];
  readonly tools: readonly string[];
  readonly commands: readonly string[];
  readonly hooks: readonly string[];
  readonly tasks: readonly string[];
  /** Absent where it has none. */
  readonly providers?: readonly string[];
  readonly skipped: readonly SkippedContribution[];
  readonly diagnostics: readonly FeatureDiagnostic[];
  readonly faults: readonly FeatureFault[];
  readonly installMs: number;
}

/** Asked when the rules and the mode leave a tool call undecided. */
export interface PermissionQuestion {
  readonly tool: string;
  /** The call itself; absent where none is made yet. */
  readonly call?: AskedCall;
  readonly accesses: readonly Access[];
  /** Why the host asks, in one sentence. */
  readonly reason: string;
  /** What was decided, part by part. */
  readonly rulings?: readonly Ruling[];
  /** What a "this session" answer would allow, as a rule, e.g. `bash(npm test)`. */
  readonly sessionRule: string;
  /** What an answer for longer would keep; absent where none is taken. */
  readonly keep?: KeepOffer;
  /** Why the answer just given could not be taken. */
  readonly problem?: string;
}

/** The call that a question is about: another one may run beside it, with the same tool. */
export interface AskedCall {
  readonly id: string;
  /** The delegate that makes it; absent for the session's own agent. */
  readonly delegate?: string;
  /** The arguments that the tool would get. */
  readonly input: JsonValue;
  /** What becomes of the file that it would write over, as a unified diff; only how much it holds where that is too long, or no text. */
  readonly overwrites?: string | { readonly bytes: number };
  /** In how many places of the file the text stands that an edit of all of them replaces. */
  readonly places?: number;
}

/** What may be kept of what is asked about. */
export interface KeepOffer {
  /** The very thing, in the words in which it is kept. */
  readonly exact: string;
  /** How the command begins, e.g. `npm test *`; the person may write another. Absent where only the very thing is kept. */
  readonly prefix?: string;
  /** The folder that "here" is. */
  readonly folder: string;
}

export type PermissionAnswer =
  | { readonly kind: "once" }
  | { readonly kind: "session" }
  /** In this folder, or everywhere; `pattern` is how the command begins, absent for the very thing. */
  | { readonly kind: "always"; readonly where: "here" | "everywhere"; readonly pattern?: string }
  | { readonly kind: "no"; readonly reason?: string };

/** Puts one question to the person; questions come one at a time. Rejects only when the signal fires. */
export type PermissionAsker = (
  question: PermissionQuestion,
  signal: AbortSignal,
) => Promise<PermissionAnswer>;
