// The contribution contract (seed 004): what a feature is, what it requests, what it may contribute, and how a person is
// asked. Shapes only. No session, gateway or log object ever reaches a feature.

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
  /** When it is missing, what needs it is not installed: the whole feature, or the contributions listed in `neededBy`. */
  readonly required: boolean;
  /** `/deploy` for a command, otherwise a tool's name, an event or a task's id. */
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
   * `block`: what it guards stays closed while it fails or cannot be asked. This covers its gates, whatever each one
   * declares, its transforms of events that can be stopped, and its interceptors.
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
      /** Variables set by features that can affect what runs; absent when there are none. */
      readonly variables?: readonly SetVariable[];
      /** Why it asks to run outside the command sandbox; absent when it does not. */
      readonly outside?: string;
    }
  | { readonly kind: "network"; readonly host: string }
  /** Hands work to a delegate; its own calls are checked when it makes them. */
  | { readonly kind: "delegate"; readonly agent: string };

/** A variable in a command's environment, and the feature that set it. */
export interface SetVariable {
  readonly name: string;
  readonly value: string;
  readonly by: string;
}

/** A tool with what the boundary needs to know about it. */
export interface ToolContribution {
  readonly tool: DefinedTool;
  /**
   * What a call with these final, schema-checked arguments would touch; paths absolute. `home` is what `~` means in the
   * calling session. Must not throw.
   */
  readonly accesses: (input: JsonValue, cwd: string, home?: string) => readonly Access[];
  /** True for a call that may change what others see without touching it here: it runs alone. Must not throw. */
  readonly alone?: (input: JsonValue) => boolean;
  /** What every call of it does, whatever its arguments: where that is refused, the model is not shown the tool. */
  readonly always?: readonly Access["kind"][];
  /** True for a tool that mostly waits for something outside this process. */
  readonly waits?: boolean;
  /** True for a tool that runs its commands through the context's shell, which may confine them. */
  readonly runsInShell?: boolean;
  /** If one of them is missing, the tool is not installed; the rest of its feature is. */
  readonly requiredCapabilities?: readonly HostCapability[];
}

/** A committed tool with the feature it came from. */
export interface InstalledTool extends ToolContribution {
  readonly feature: FeatureId;
  /** Whether its feature is not running at present: the tool is then hidden from the model. */
  readonly rests?: () => boolean;
}

/** What a command can do. It describes an effect; it never draws. */
export interface CommandContext extends CallReach {
  /** The text after the name, trimmed. */
  readonly args: string;
  readonly cwd: string;
  /** Shows text to the person; never reaches the model. */
  readonly say: (text: string) => void;
  /** The session's handles that this run mode offers; missing ones are undefined (seeds 000 and 002). */
  readonly handles: SessionHandles;
  /** A list to choose from, for built-in commands; absent when the console has none. */
  readonly list?: ConsoleList;
}

/** One row of a list. All texts may be untrusted. */
export interface PickItem {
  readonly label: string;
  /** Shown after it, in grey. */
  readonly detail?: string;
  /** Shown below the list while it is selected. */
  readonly preview?: readonly string[];
}

/** The items that match what the person has typed so far. */
export type FindItems<Item extends PickItem> = (typed: string) => readonly Item[] | Promise<readonly Item[]>;

export interface ConsoleList {
  /** Undefined when the person left the list. */
  readonly pick: <Item extends PickItem>(
    title: string,
    find: FindItems<Item>,
    start?: number,
  ) => Promise<Item | undefined>;
  /** Inserts a text where the person types. */
  readonly write: (text: string) => void;
}

export interface ExecOutcome {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
  /** Bytes that it printed in all: of very much output, the texts hold only both ends. */
  readonly totalBytes?: number;
}

/** The controlled channel through which a command acts on the session. */
export interface SessionHandles {
  /** The session's other parts, for built-in commands. */
  readonly session?: SessionScope;
  /** Gives the model a message, as a steering line does. */
  readonly sendMessage?: (text: string) => void;
  /** Switches the model; returns what went wrong, or undefined. */
  readonly setModel?: (name: string) => Promise<string | undefined>;
  readonly setThinking?: (level: string) => string | undefined;
  /** Runs a command through the same gate as the `bash` tool; rejects with the reason when it did not run, the cause of the error being the call's state. */
  readonly exec?: (
    command: string,
    args: readonly string[],
    /** `by` is the feature that runs it, for the question; what a feature claims here is ignored. */
    options?: {
      readonly signal?: AbortSignal;
      readonly by?: string;
      /** Receives the tail of its output while it runs, starting at once. */
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
  /** The values that can follow the name, for a console that completes; `typed` is what is already there. */
  readonly complete?: (
    typed: string,
  ) => readonly (string | { readonly value: string; readonly detail: string })[];
  /** Choosing its bare name from the suggestions shows those values to pick from first. */
  readonly picks?: boolean;
  /** May reject: the console reports a `command` fault and goes on. */
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

/** What a handler in the host process is handed: a built-in one, or one that calls an addon's process. */
export interface HostHandlerContext extends HandlerContext, CallReach {
  /** The session the event belongs to. */
  readonly session?: SessionScope;
  /**
   * Throws for a return value that the host would refuse. For a handler that answers on someone else's behalf, so that the
   * right one is blamed. Absent when nothing is returned.
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
  /** The one argument of that tool that it looks at; for the same. */
  readonly matchArgument?: string;
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

/** Who changed something; logged next to the change. */
export interface Attribution {
  readonly feature: string;
  readonly version?: string;
}

export interface DispatchOutcome<E extends HookEvent> {
  readonly payload: PayloadOf<E>;
  /** Who made changes, in order; compared by value. */
  readonly changedBy: readonly Attribution[];
  /** The payload after each of those changes; absent when nobody changed it. */
  readonly steps?: readonly PayloadOf<E>[];
  /** The first stop, at any event; the host acts on it only for the reserved ones. */
  readonly gate?: GateDecision & { readonly by: Attribution };
}

/** The session's view of the dispatcher. */
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
      /** The part of a payload a feature is shown; absent when every feature sees all of it. */
      readonly view?: (feature: string, payload: PayloadOf<E>) => PayloadOf<E>;
    },
  ) => Promise<DispatchOutcome<E>>;
  /** Resolves when no observer is running; one still running after its deadline is abandoned and reported as a fault. */
  readonly settled: () => Promise<void>;
}

/** One recorded handler, with its owner. */
export interface EventSubscription<E extends HookEvent = HookEvent> {
  readonly feature: FeatureId;
  readonly version?: string;
  readonly event: E;
  readonly handler: HookHandler<E, HostHandlerContext>;
  /** The feature's grants; absent means none. */
  readonly grants?: readonly HostCapability[];
  /** Applies to the whole feature. */
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
  /** The feature's grants; absent means none. */
  readonly grants?: readonly HostCapability[];
  /** Applies to the whole feature; without `block` a failing stage changes nothing. */
  readonly onFailure?: FailurePolicy;
  readonly match: string;
}

export type DiagnosticSeverity = "info" | "warning" | "error";

/** The only ways a running task or handler can be heard. The host bounds the texts. */
export interface FeatureSinks {
  /** Commits a notice that the model reads at its next call, labelled with its origin. Rate-limited. */
  readonly notifyModel: (text: string) => void;
  /** A short line for the person; not for the model and not logged. */
  readonly alert: (text: string) => void;
  /** A line in the feature's report. */
  readonly diagnostic: (severity: DiagnosticSeverity, text: string) => void;
}

/** The host's answer to a request for a service. */
export type ServiceAnswer<Service> =
  | { readonly ok: true; readonly service: Service }
  /** `denied`: the grant is missing. `unavailable`: this session has no such service. */
  | { readonly ok: false; readonly why: "denied" | "unavailable"; readonly reason: string };

/** The only way a feature reads and writes (seed 004). Each service checks the feature's grants. */
export interface FeatureServices {
  /** Files of the workspace, read and written as granted; nothing outside it, and nothing that `keepsOff` matches. */
  readonly files: (options?: {
    readonly keepsOff?: (realPath: string, written: string) => boolean;
  }) => ServiceAnswer<Fs>;
  /** The value of a granted secret: the environment variable named `id`. */
  readonly secret: (id: string) => ServiceAnswer<string>;
  /** Runs shell lines through the same gate as the `bash` tool; that gate can still refuse each one. */
  readonly exec: () => ServiceAnswer<NonNullable<SessionHandles["exec"]>>;
  /** Requests to one host, written as in a URL; redirects to other hosts are refused. */
  readonly network: (host: string) => ServiceAnswer<NetworkService>;
  /** The work items of this folder. Loaded on first request. */
  readonly workItems: <Right extends AccessRight>(
    right: Right,
  ) => ServiceAnswer<Promise<Right extends "write" ? WorkItems : WorkItemReader>>;
  /** What is remembered about the person and this folder. Loaded on first request. */
  readonly memory: <Right extends AccessRight>(
    right: Right,
  ) => ServiceAnswer<Promise<Right extends "write" ? MemoryStore : MemoryReader>>;
  /** The feature's own sessions, which work for this one. Loaded on first request. */
  readonly sessions: <Right extends SessionRight>(
    right: Right,
  ) => ServiceAnswer<Promise<Pick<FeatureSessions, SessionRights[Right]>>>;
  /** This part of the session's console. */
  readonly ui: (part: UiPart) => ServiceAnswer<FeatureUi>;
}

/** A session as one feature may reach it: each use is checked against what the feature was granted. */
export interface SessionReach {
  readonly sinks: FeatureSinks;
  readonly services: FeatureServices;
}

/** What a call brings with it; nothing where there is no session. */
export type CallReach = { readonly [Part in keyof SessionReach]?: SessionReach[Part] | undefined };

export type AccessRight = "read" | "write";

export type WorkItem = Omit<Ticket, "assignee" | "leaseUntil">;
export type WorkItemStatus = Exclude<TicketStatus, "claimed">;

/** One change to a work item. */
export interface WorkItemChange {
  /** Later steps have larger numbers; one step can hold several changes. */
  readonly step: number;
  /** ISO 8601. */
  readonly at: string;
  /** A feature, or `session …`. */
  readonly by: string;
  readonly id: string;
  readonly what: "created" | "commented" | "depends" | WorkItemStatus;
}

/** The work items of a folder and their changes. Rejects with a `BoardError`. */
export interface WorkItemReader {
  /** The name recorded for changes made here. */
  readonly name: string;
  readonly list: (status?: WorkItemStatus) => Promise<readonly WorkItem[]>;
  /** The changes after this step, oldest first, at most 200 steps; without a step, those of the last one. */
  readonly changes: (after?: number) => Promise<readonly WorkItemChange[]>;
}

export interface WorkItems extends WorkItemReader {
  /** Returns its id. */
  readonly create: (draft: Omit<TicketDraft, "key">) => Promise<string>;
  readonly comment: (id: string, text: string) => Promise<void>;
  readonly move: (id: string, to: WorkItemStatus, reason?: string) => Promise<void>;
  /** It waits for these; a cycle is refused. */
  readonly depend: (id: string, on: readonly string[]) => Promise<void>;
}

export type MemoryScope = "project" | "user";

/** One remembered line. */
export interface MemoryEntry {
  readonly scope: MemoryScope;
  readonly text: string;
}

export interface MemoryReader {
  /** The last 50 entries that contain every word, ignoring case; without words, the last 50 of all. */
  readonly search: (words?: string, scope?: MemoryScope) => Promise<readonly MemoryEntry[]>;
}

/** Rejects an entry that cannot be kept as is: it must be one line, visible to a person, and not there already. */
export interface MemoryStore extends MemoryReader {
  readonly add: (text: string, scope?: MemoryScope) => Promise<void>;
  /** `old` is a whole entry; an empty text removes it. */
  readonly replace: (old: string, text: string, scope?: MemoryScope) => Promise<void>;
}

export type SessionRight = "spawn" | "message" | "restore";

/** The methods each right gives. */
export interface SessionRights {
  readonly spawn: "spawn" | "list" | "wait" | "stop";
  readonly message: "message";
  readonly restore: "restore";
}

/** What a session is started with. */
export interface SessionDraft {
  /** The delegate that works in it: one of the session's read-only delegates. */
  readonly agent: string;
  readonly objective: string;
  /** What else it needs to know. */
  readonly context?: string;
  /** What it may spend on each line it is given, within the session's own limits. */
  readonly limits?: {
    readonly turns?: number;
    readonly tokens?: number;
    readonly dollars?: number;
    readonly seconds?: number;
  };
  /** It continues when the feature leaves, until the session it works for ends. */
  readonly outlives?: boolean;
}

/** A feature's session, as it is now. */
export interface SpawnedSession {
  readonly id: string;
  readonly agent: string;
  readonly state: "working" | "done" | "failed" | "stopped";
  readonly turns: number;
  readonly tokens: number;
  /** Dollars, as far as prices are known. */
  readonly cost: number;
  /** Its latest text; after it has ended, its report. At most 64 KiB. */
  readonly said: string;
}

/**
 * The sessions of one feature; other features' are not included. Each may do at most what both the session it works for and
 * the feature itself may do. They end with the feature, or when the `life` signal of their start or restore fires. Each
 * method rejects when it cannot do its work.
 */
export interface FeatureSessions {
  /** Starts one and returns its id. */
  readonly spawn: (draft: SessionDraft, signal?: AbortSignal, life?: AbortSignal) => Promise<string>;
  readonly list: () => Promise<readonly SpawnedSession[]>;
  /** Waits until it has ended. */
  readonly wait: (id: string, signal?: AbortSignal) => Promise<SpawnedSession>;
  readonly stop: (id: string) => Promise<void>;
  /** For one at work: it reads the text at its next model call. */
  readonly message: (id: string, text: string) => Promise<void>;
  /** One that has ended continues with this text. */
  readonly restore: (id: string, text: string, life?: AbortSignal) => Promise<void>;
}

/** A session's console as one feature may use it: everything is shown under the feature's name. */
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
  /** The session it works for. */
  readonly session: SessionScope;
}

/** A line a feature wrote into its own report. */
export interface FeatureDiagnostic {
  readonly severity: DiagnosticSeverity;
  readonly text: string;
}

/** A loop that the host starts, times, stops and reports (seed 004). */
export interface BackgroundTask {
  readonly id: string;
  readonly description: string;
  /** `session`: runs from the session's start. `onDemand`: starts on request. */
  readonly activation: "session" | "onDemand";
  /** `onFailure`: restarted after a pause of 1 s, which doubles up to 5 min and resets after a healthy run. */
  readonly restart: "never" | "onFailure";
  /** How long it may take to end after its signal fires, in milliseconds; the host waits at most 5,000. */
  readonly graceMs: number;
  /** If one of them is missing, the task is not installed; the rest of its feature is. */
  readonly requiredCapabilities?: readonly HostCapability[];
  readonly run: (context: TaskContext) => Promise<void>;
}

/** A committed task, its feature and that feature's grants. */
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
 * A server of models, as data. The host calls it for a person who chooses one of its models; the feature sees neither
 * requests nor the secret. It needs the grants for its address's host and for its secret.
 */
export interface ProviderContribution {
  readonly config: ProviderConfig & { readonly baseUrl: string };
  /** The environment variable that holds its key. */
  readonly secret?: string;
  /** What is known about its models, by their own names. */
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
 * The recording surface handed to a feature: it records, the registry commits. There is no session here: each call of what
 * is recorded brings its own.
 */
export interface FeatureInstallContext {
  readonly featureId: FeatureId;
  readonly grants: readonly HostCapability[];
  readonly tools: ToolRegistrar;
  readonly commands: CommandRegistrar;
  readonly hooks: HookRegistrar;
  readonly tasks: TaskRegistrar;
  readonly providers: ProviderRegistrar;
  /** A line in the feature's report; once it is installed, news for the person. */
  readonly diagnostic: FeatureSinks["diagnostic"];
  /** A call's session as this feature may reach it, with its grants: for its tools. Undefined without a session. */
  readonly reachOf: (session: SessionScope | undefined) => SessionReach | undefined;
  /** For whoever runs a feature: reports failures that no call reports. During install, a line in its report. */
  readonly fault: (kind: FeatureFaultKind, text: string) => void;
  /** For whoever runs a feature that works between its calls: the wanted session while it is open, otherwise the first. */
  readonly session: (wanted?: SessionScope) => SessionScope | undefined;
}

/** The unit that contributes, built in or from an addon. */
export interface FeatureModule {
  readonly descriptor: FeatureDescriptor;
  /** Records intent only. A throw is a `register` fault: the feature contributes nothing. */
  readonly install: (context: FeatureInstallContext) => void | Promise<void>;
}

/** The five of seeds 000 and 002; `breach`: a program broke the protocol or exited unasked; `quarantine`: it is no longer called. */
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

/** A requested capability that a feature does not hold. */
export interface CapabilityDenial {
  readonly capability: HostCapability;
  readonly required: boolean;
  readonly neededBy?: readonly string[];
  /** `denied`: nobody granted it. `unavailable`: nobody could grant it. */
  readonly why: "denied" | "unavailable";
  /** A clause about the capability that says why. */
  readonly reason: string;
}

/** The outcome for one feature. Safe to show: never contains a secret. */
export interface FeatureInstallReport {
  readonly feature: FeatureId;
  readonly displayName: string;
  /** Absent for one that was refused for its id. */
  readonly runtime?: FeatureRuntimeKind;
  readonly version?: string;
  readonly enabled: boolean;
  readonly granted: readonly HostCapability[];
  readonly denied: readonly CapabilityDenial[];
  readonly tools: readonly string[];
  readonly commands: readonly string[];
  readonly hooks: readonly string[];
  readonly tasks: readonly string[];
  /** Absent when there are none. */
  readonly providers?: readonly string[];
  readonly skipped: readonly SkippedContribution[];
  readonly diagnostics: readonly FeatureDiagnostic[];
  readonly faults: readonly FeatureFault[];
  readonly installMs: number;
}

/** Asked when the rules and the mode leave a tool call undecided. */
export interface PermissionQuestion {
  readonly tool: string;
  /** The call itself; absent when there is none yet. */
  readonly call?: AskedCall;
  readonly accesses: readonly Access[];
  /** Why the host asks, in one sentence. */
  readonly reason: string;
  /** What was decided, part by part. */
  readonly rulings?: readonly Ruling[];
  /** What a "this session" answer would allow, as a rule, e.g. `bash(npm test)`. */
  readonly sessionRule: string;
  /** What a lasting answer would keep; absent when none is accepted. */
  readonly keep?: KeepOffer;
  /** Why the previous answer could not be accepted. */
  readonly problem?: string;
}

/** The call a question is about; another call of the same tool may be running at the same time. */
export interface AskedCall {
  readonly id: string;
  /** The delegate that makes it; absent for the session's own agent. */
  readonly delegate?: string;
  /** The arguments the tool would get. */
  readonly input: JsonValue;
  /** A unified diff of the file it would overwrite; only the size when that is too long or the file is not text. */
  readonly overwrites?: string | { readonly bytes: number };
  /** How many places in the file contain the text, for an edit that replaces all of them. */
  readonly places?: number;
}

/** What can be kept from this question. */
export interface KeepOffer {
  /** Exactly this call, in the form in which it is kept. */
  readonly exact: string;
  /** How the command begins, e.g. `npm test *`; the person may enter another. Absent when only the exact call is kept. */
  readonly prefix?: string;
  /** The folder that "here" means. */
  readonly folder: string;
}

export type PermissionAnswer =
  | { readonly kind: "once" }
  | { readonly kind: "session" }
  /** In this folder or everywhere; `pattern` is how the command begins, absent for the exact call. */
  | { readonly kind: "always"; readonly where: "here" | "everywhere"; readonly pattern?: string }
  | { readonly kind: "no"; readonly reason?: string };

/** Asks the person one question; questions come one at a time. Rejects only when the signal fires. */
export type PermissionAsker = (
  question: PermissionQuestion,
  signal: AbortSignal,
) => Promise<PermissionAnswer>;
