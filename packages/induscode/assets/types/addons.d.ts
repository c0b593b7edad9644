// What `induscode/addons` is to an addon. Written by `indus addon types`, which writes it anew.

/** What a feature may ask the host for. */
export type HostCapability = {
    readonly kind: "contribute_tool";
    readonly name: string;
} | {
    readonly kind: "contribute_hook";
    readonly point: string;
} | {
    readonly kind: "background_task";
} | {
    readonly kind: "model_notification";
} | {
    readonly kind: "alert";
} | {
    readonly kind: "files";
    readonly read: boolean;
    readonly write: boolean;
    readonly execute: boolean;
} | {
    readonly kind: "work_items";
    readonly read: boolean;
    readonly write: boolean;
} | {
    readonly kind: "memory";
    readonly read: boolean;
    readonly write: boolean;
} | {
    readonly kind: "sessions";
    readonly spawn: boolean;
    readonly message: boolean;
    readonly restore: boolean;
} | {
    readonly kind: "network";
    readonly purpose: string;
    readonly hosts: readonly string[];
} | {
    readonly kind: "secret";
    readonly id: string;
}
/** Its own processes may be a browser's: more memory, files and programs, still in its sandbox and with its hosts alone. */
 | {
    readonly kind: "browser";
}
/** It may have the session's model answer texts of its own, which the person pays for. */
 | {
    readonly kind: "sampling";
}
/** Its program runs outside of the sandbox, with all that the person may do. Only `indus add` grants it, by a flag of its own. */
 | {
    readonly kind: "unconfined";
} | ({
    readonly kind: "ui";
} & {
    readonly [Part in UiPart]: boolean;
});

/** What becomes of what a feature guards when it fails: it passes, or it is stopped. */
export type FailurePolicy = "allow" | "block";

/** Events that carry the same kind of thing. */
export type PayloadGroup = "lifecycle" | "tool" | "chat" | "message" | "shell" | "input" | "context" | "compact";

export interface EventTrait {
    readonly group: PayloadGroup;
    /** A gate's stop is acted on; elsewhere it ends the walk through the event's handlers and stops nothing. */
    readonly guards: boolean;
}

export declare const EVENT_TRAITS: {
    readonly "session:start": {
        readonly group: "lifecycle";
        readonly guards: false;
    };
    readonly "session:end": {
        readonly group: "lifecycle";
        readonly guards: false;
    };
    readonly "turn:start": {
        readonly group: "lifecycle";
        readonly guards: false;
    };
    readonly "turn:end": {
        readonly group: "lifecycle";
        readonly guards: false;
    };
    readonly "tool:before": {
        readonly group: "tool";
        readonly guards: true;
    };
    readonly "tool:after": {
        readonly group: "tool";
        readonly guards: false;
    };
    readonly "chat:params": {
        readonly group: "chat";
        readonly guards: false;
    };
    readonly "chat:message": {
        readonly group: "message";
        readonly guards: false;
    };
    readonly "shell:env": {
        readonly group: "shell";
        readonly guards: false;
    };
    readonly "input:submit": {
        readonly group: "input";
        readonly guards: true;
    };
    readonly "context:build": {
        readonly group: "context";
        readonly guards: false;
    };
    readonly "compact:build": {
        readonly group: "compact";
        readonly guards: false;
    };
    readonly "compact:before": {
        readonly group: "compact";
        readonly guards: true;
    };
};

/** The wire names, `scope:phase`. */
export type HookEvent = keyof typeof EVENT_TRAITS;

/** What an event carries; each field is in docs/reference/events.md. */
export type PayloadOf<E extends HookEvent> = EventPayloads[E];

/**
 * What a transform returns: the payload, or the keys of it that it changes. What it leaves out, or returns as null, stays as
 * it was. Parameters of a request may come next to `params`.
 */
export type ChangeOf<Payload> = (Partial<Payload> & (Payload extends {
    readonly params: ModelParams;
} ? ModelParams : unknown)) | null | undefined;

export declare const HOOK_EVENTS: readonly HookEvent[];

/** The events at which a gate's stop is acted on, derived from the table. */
export declare const RESERVED_EVENTS: ReadonlySet<HookEvent>;

export declare function isHookEvent(name: string): name is HookEvent;

/** What every handler is handed besides its payload. */
export interface HandlerContext {
    /** Fires when the handler's deadline passes or the session stops waiting. */
    readonly signal: AbortSignal;
}

export interface GateDecision {
    readonly stop: boolean;
    readonly reason?: string | undefined;
}

/** What every handler may say of itself. */
export interface HandlerTraits {
    /** Its payload goes to another process as a copy; without it, what it is handed is frozen. */
    readonly isRemote?: true;
    /** The one tool that it looks at, where it says so; only for telling that there is none. */
    readonly match?: string | undefined;
    /** The one argument of that tool that it looks at; for the same. */
    readonly matchArgument?: string | undefined;
}

/**
 * What a feature binds to an event. `observe` sees, and nobody waits for it; `transform` returns what it changes; `gate` may
 * stop. What any of them is handed is frozen. Nothing or null returned is not a change. A handler that throws, misses its
 * deadline or returns what does not fit is a `handler` fault and changes nothing; a gate then lets the thing pass, unless
 * it declares `onFailure: "block"`.
 */
export type HookHandler<E extends HookEvent = HookEvent, Context = HandlerContext> = HandlerTraits & ({
    readonly kind: "observe";
    readonly run: (payload: PayloadOf<E>, context: Context) => void | Promise<void>;
} | {
    readonly kind: "transform";
    readonly run: (payload: PayloadOf<E>, context: Context) => ChangeOf<PayloadOf<E>> | Promise<ChangeOf<PayloadOf<E>>>;
} | {
    readonly kind: "gate";
    readonly onFailure?: FailurePolicy | undefined;
    readonly run: (payload: PayloadOf<E>, context: Context) => GateDecision | null | undefined | Promise<GateDecision | null | undefined>;
});

export interface ToolEnterContext {
    readonly tool: string;
    readonly callId: string;
    readonly args: JsonValue;
}

export interface ToolExitContext extends ToolEnterContext {
    readonly result: ToolResult;
    /** What went wrong, where the result is an error; a stage may recover by returning another result. */
    readonly error?: string | undefined;
}

/** Replaces the arguments, or blocks the call; nothing or null is not a change. */
export type EnterOutcome = {
    readonly args: JsonValue;
} | GateDecision | null | undefined;

/** The forms in which a tool's result may be returned: content may be a text, and so may a block of it. */
export type ToolResultForm = string | {
    readonly content: string | readonly (string | ToolResult["content"][number] | {
        readonly type: "text";
        readonly text: string;
    } | {
        readonly type: "json";
        readonly value: JsonValue;
    })[];
    readonly isError?: boolean;
};

/** What an exit stage returns: the result that replaces the tool's; nothing or null is not a change. */
export type ExitOutcome = ToolResultForm | null | undefined;

/** The two halves of an interceptor around one tool execution. What they are handed is frozen. */
export interface InterceptorStage<Context = HandlerContext> {
    /** What it is handed goes to another process as a copy. */
    readonly isRemote?: true;
    readonly enter?: ((context: ToolEnterContext, handler: Context) => EnterOutcome | Promise<EnterOutcome>) | undefined;
    readonly exit?: ((context: ToolExitContext, handler: Context) => ExitOutcome | Promise<ExitOutcome>) | undefined;
}

/** The payload of each event. */
export interface EventPayloads {
    readonly "session:start": LifecyclePayload;
    readonly "session:end": LifecyclePayload;
    readonly "turn:start": LifecyclePayload;
    readonly "turn:end": LifecyclePayload;
    readonly "tool:before": ToolBeforePayload;
    readonly "tool:after": ToolAfterPayload;
    readonly "chat:params": ChatParamsPayload;
    readonly "chat:message": ChatMessagePayload;
    readonly "shell:env": ShellEnvPayload;
    readonly "input:submit": InputPayload;
    readonly "context:build": ContextPayload;
    readonly "compact:build": CompactBuildPayload;
    readonly "compact:before": CompactBeforePayload;
}

/** Any JSON value. */
export type Json = JsonValue;

/** Which session it is. */
export interface LifecyclePayload {
    /** The session's id, as the log's file name has it. */
    readonly sessionId: string;
    /** At a turn's start and end: whether the model goes on because a gate at the end of the turn before said so. Absent: it does not. */
    readonly again?: boolean;
    readonly delegate?: DelegateName;
}

/** The call as it stands. */
export interface ToolBeforePayload {
    /** The tool's name. */
    readonly name: string;
    /** The call's id, the same in `tool:after`. */
    readonly callId: string;
    /** The arguments as they stand: the model's, or what an earlier transform made of them. They are held against the tool's schema and the permissions afterwards. */
    readonly args: Json;
    readonly delegate?: DelegateName;
}

/** The call and what came of it. */
export interface ToolAfterPayload {
    /** The tool's name. */
    readonly name: string;
    /** The call's id. */
    readonly callId: string;
    /** The arguments that the tool got. */
    readonly args: Json;
    /** What the model will read of the result; where another addon changed the call and this one may not make it, how large that is. A changed text is cut to the same budget. */
    readonly text: string;
    /** Whether the call failed or was refused. */
    readonly isError: boolean;
    readonly delegate?: DelegateName;
}

/** Who is asked, and how. */
export interface ChatParamsPayload {
    /** Who is asked, e.g. `anthropic`. */
    readonly provider: string;
    /** The model's name there. A command switches it with `setModel`. */
    readonly model: string;
    /** The parameters of the request. One of them that is returned beside `params` counts as one in it. */
    readonly params: ModelParams;
    readonly delegate?: DelegateName;
}

/** What the model said. */
export interface ChatMessagePayload {
    /** The model's message. Its calls may be left out, not added or changed: `tool:before` is where a call is changed, and where that is checked. */
    readonly message: AssistantMessage;
    readonly delegate?: DelegateName;
}

/** The command and its variables. */
export interface ShellEnvPayload {
    /** The command line that is about to be judged and run. */
    readonly command: string;
    /** Variables laid over the environment of the command. To change others than the harmless ones an addon needs the grant `files` with `execute`. */
    readonly env: Environment;
    readonly delegate?: DelegateName;
}

/** The line. */
export interface InputPayload {
    /** The person's line; of a delegate's session the objective that it was given. Never blank. */
    readonly text: string;
    readonly delegate?: DelegateName;
}

/** What the model is about to be shown. */
export interface ContextPayload {
    /** The messages of this request, oldest first. What a transform changes holds for this request only. The first message stays a user's, each call is followed by its outcome and each outcome follows its call, and the outcomes that the model has not seen yet stay. At least 1 item. */
    readonly messages: readonly Message[];
    readonly delegate?: DelegateName;
}

/** The summary and why there is one. */
export interface CompactBuildPayload {
    /** `asked`: a person asked for it. `full`: the context window is nearly full. */
    readonly reason: "asked" | "full";
    /** The text that replaces the transcript. Never blank. */
    readonly summary: string;
    readonly delegate?: DelegateName;
}

/** Why it is condensed. */
export interface CompactBeforePayload {
    /** `asked`: a person asked for it. `full`: the context window is nearly full. */
    readonly reason: "asked" | "full";
    readonly delegate?: DelegateName;
}

/** The delegate whose session it is; absent in the session that the person talks to. */
export type DelegateName = string;

/** The parameters of a request. One that is not there is left to the provider. */
export interface ModelParams {
    /** How long the answer may be. From 1 to 10000000 tokens. */
    readonly maxOutputTokens?: number;
    /** How freely the next word is chosen. A model that takes none, or none while it thinks, is not sent it. From 0 to 2. */
    readonly temperature?: number;
    /** How hard the model thinks before it answers. */
    readonly thinking?: "off" | "low" | "medium" | "high" | "xhigh" | "max";
}

/** Values by the names of variables. */
export type Environment = {
    readonly [key: string]: string;
};

/** One message of the conversation. */
export type Message = UserMessage | AssistantMessage | ToolMessage;

/** What the person said, or a notice for the model. */
export interface UserMessage {
    /** Whose message it is. */
    readonly role: "user";
    /** Its parts, in order. At most 10000 items. */
    readonly content: readonly UserBlock[];
}

/** What the model said. */
export interface AssistantMessage {
    /** Whose message it is. */
    readonly role: "assistant";
    /** Its parts, in order. At most 10000 items. */
    readonly content: readonly AssistantBlock[];
}

/** The outcome of one call, as the model reads it. */
export interface ToolMessage {
    /** Whose message it is. */
    readonly role: "tool";
    /** The id of the call that it answers. */
    readonly callId: string;
    /** The tool's name. */
    readonly name: string;
    /** What the model reads of the result. */
    readonly text: string;
    /** Whether the call failed or was refused. */
    readonly isError: boolean;
    /** What the model sees of it besides the text. At most 100 items. */
    readonly images?: readonly ImageBlock[];
}

/** A part of what the person said. */
export type UserBlock = TextBlock | ImageBlock;

/** A part of what the model said. */
export type AssistantBlock = TextBlock | ThinkingBlock | ToolCallBlock;

/** A text. */
export interface TextBlock {
    /** Which part it is. */
    readonly kind: "text";
    /** The text. */
    readonly text: string;
}

/** A picture or a document that the person attached or that a tool shows. */
export interface ImageBlock {
    /** Which part it is. */
    readonly kind: "image";
    /** E.g. `image/png`; `application/pdf` of a document. */
    readonly mediaType: string;
    /** Its bytes in base64. */
    readonly data: string;
}

/** The model's reasoning. */
export interface ThinkingBlock {
    /** Which part it is. */
    readonly kind: "thinking";
    /** The reasoning; empty where it is `redacted`. */
    readonly text: string;
    /** Who made it; it goes back to them and to nobody else. */
    readonly provider: string;
    /** The provider's proof of the text. */
    readonly signature?: string;
    /** Reasoning that only the provider can read. */
    readonly redacted?: string;
}

/** One call that the model asks for. */
export interface ToolCallBlock {
    /** Which part it is. */
    readonly kind: "tool_call";
    /** The call's id, which its outcome names. */
    readonly id: string;
    /** The tool's name. */
    readonly name: string;
    /** The arguments. */
    readonly input: Json;
    /** The arguments as they came, where they are not JSON; `input` is `{}` then. */
    readonly unparsed?: string;
    /** What is wrong with them. */
    readonly problem?: string;
}

/** Texts for the model, which sees nothing else of the session. */
export interface SampleRequest {
    readonly messages: readonly {
        readonly role: "user" | "assistant";
        readonly text: string;
    }[];
    readonly system?: string | undefined;
    readonly maxTokens: number;
    readonly temperature?: number | undefined;
}

export interface SampleAnswer {
    readonly text: string;
    /** As `provider/model`. */
    readonly model: string;
    /** It ended at its limit of tokens. */
    readonly isCut: boolean;
}

/** Asks the model once. Rejects with why there is no answer, or with `Aborted`. */
export type SamplingService = (request: SampleRequest, signal: AbortSignal) => Promise<SampleAnswer>;

export interface ExecOutcome {
    readonly stdout: string;
    readonly stderr: string;
    readonly code: number | null;
    /** Bytes that it printed in all: of very much output, the texts hold only both ends. */
    readonly totalBytes?: number;
}

export type DiagnosticSeverity = "info" | "warning" | "error";

/** The parts of a console that are granted one by one. */
export type UiPart = "status" | "render" | "ask";

/** What a feature may have shown: the host decides how it looks. */
export type UiShape = {
    readonly kind: "text" | "markdown";
    readonly title?: string;
    readonly text: string;
} | {
    readonly kind: "table";
    readonly title?: string;
    readonly columns: readonly string[];
    readonly rows: readonly (readonly string[])[];
} | {
    readonly kind: "list";
    readonly title?: string;
    readonly items: readonly string[];
    readonly isNumbered?: boolean;
}
/** The next one with this label takes its place where the console can. */
 | {
    readonly kind: "progress";
    readonly label: string;
    readonly done: number;
    readonly total: number;
} | {
    readonly kind: "keyValue";
    readonly title?: string;
    readonly entries: readonly {
        readonly key: string;
        readonly value: string;
    }[];
};

/** What a tool returns; a plain string, or any other JSON value, is short for a result with that one block. */
export interface AddonToolResult {
    readonly content: readonly ({
        readonly kind: "text";
        readonly text: string;
    } | {
        readonly kind: "json";
        readonly value: JsonValue;
    }
    /** A picture (PNG, JPEG, GIF, WebP) or a PDF in base64, of at most 3,750,000 bytes; the model sees it. */
     | {
        readonly kind: "image";
        readonly data: string;
    })[];
    /** The call failed, and `content` says why. Not a fault of the addon: a failure that is to be expected is told so. */
    readonly isError?: boolean;
}

export interface ToolRunContext extends HandlerContext {
    readonly callId: string;
    /** The workspace, absolute. */
    readonly cwd: string;
    /** Shows the person what the call is doing, in its row; the last text counts, and the model does not see it. */
    readonly progress: (text: string) => void;
}

/** A capability that something needs: its kind and which part of it, e.g. `{ kind: "files", write: true }`. */
export type CapabilityNeed = {
    readonly [Kind in HostCapability["kind"]]: {
        readonly kind: Kind;
    } & Partial<Omit<Extract<HostCapability, {
        readonly kind: Kind;
    }>, "kind">>;
}[HostCapability["kind"]];

/** A tool for the model. Its arguments have been checked against `parameters` when `run` is called. */
export interface AddonTool<Args = JsonObject> {
    readonly name: string;
    readonly description: string;
    /** A JSON Schema of an object. */
    readonly parameters: JsonSchema;
    /** If one is not granted, only this tool is not installed; the rest of the addon is. The manifest must request them too. */
    readonly requiredCapabilities?: readonly CapabilityNeed[];
    /** For an MCP server: it lists or reads the server's resources, and the model reaches it through one pair of tools for all servers. */
    readonly resources?: "list" | "read" | undefined;
    /**
     * The model reads a throw as an error. It also counts as a fault, and three within five minutes put the addon in quarantine:
     * for a failure that is to be expected, return `{ content, isError: true }`.
     */
    readonly run: (args: Args, context: ToolRunContext) => AddonToolResult | JsonValue | Promise<AddonToolResult | JsonValue>;
}

/** Actions on the session. Each rejects with a `HostRefused`: `unavailable` if this run mode does not offer it. */
export interface SessionHandles {
    /** Gives the model a message, as a steering line does. */
    readonly sendMessage: (text: string) => Promise<void>;
    readonly setModel: (name: string) => Promise<void>;
    readonly setThinking: (level: string) => Promise<void>;
    /** Runs a shell line through the same gate as the tool `bash`; the arguments reach it quoted. */
    readonly exec: (command: string, args?: readonly string[]) => Promise<ExecOutcome>;
    /** A handle draws nothing: use {@link AddonUi.render} to show shapes. */
    readonly render?: undefined;
}

export interface FetchRequest {
    readonly method?: "GET" | "POST";
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
}

export interface FetchAnswer {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly text: string;
}

/** What the host does for an addon, each by its grant. The promises reject with a `HostRefused`. */
export interface AddonHostServices extends PlainServices {
    /** Adds a line to the addon's report. Needs no grant. */
    readonly diagnostic: (severity: DiagnosticSeverity, text: string) => void;
    /** Adds a line to the addon's log. Needs no grant; what an addon prints goes there as well. */
    readonly log: (text: string) => void;
    readonly fetch: (url: string, request?: FetchRequest) => Promise<FetchAnswer>;
}

/** The parts of the console that this session offers to the addon, as far as its grants reach. */
export type UiOffers = {
    readonly [Part in UiPart]: boolean;
};

export interface AskOptions {
    /** When the question is withdrawn, in milliseconds: from 1,000 to 600,000, by default 300,000. */
    readonly timeoutMs?: number;
}

/**
 * The person's console, each part by the grant `ui`. Everything appears under the addon's name. Where there is no console
 * (`-p`, `--json`, a delegate, no terminal) the promises reject with a `HostRefused` of the kind `unavailable`.
 */
export interface AddonUi {
    /** What is available here. Never rejects for lack of a console or of a grant: the parts are then false. */
    readonly offers: () => Promise<UiOffers>;
    /** Shows a short text in the status line, replacing the previous one with this id; the empty text removes it. */
    readonly status: (text: string, id?: string) => Promise<void>;
    readonly render: (shape: UiShape) => Promise<void>;
    /** One of the choices; undefined if the person dismissed the question or did not answer in time. */
    readonly select: <Choice extends string>(question: string, choices: readonly Choice[], options?: AskOptions) => Promise<Choice | undefined>;
    /** Undefined is neither yes nor no: nobody answered. */
    readonly confirm: (question: string, options?: AskOptions) => Promise<boolean | undefined>;
    /** A line of input. With `isSecret` it is hidden while it is typed, and masked in what the session later shows and logs. */
    readonly input: (question: string, options?: AskOptions & {
        readonly isSecret?: boolean;
    }) => Promise<string | undefined>;
}

/** What a command receives. */
export interface CommandContext extends HandlerContext {
    /** The text after the name, trimmed. */
    readonly args: string;
    /** The workspace, absolute. */
    readonly cwd: string;
    readonly handles: SessionHandles;
    /** Shows text to the person; never reaches the model. `console.log` does the same while a command runs. */
    readonly say: (text: string) => void;
}

/** A slash command: a person types its name. */
export interface CommandSpec {
    readonly summary: string;
    /** Shown in help after the name. */
    readonly argumentHint?: string;
    readonly run: (context: CommandContext) => void | Promise<void>;
}

/** A background task: the host starts it, times it and stops it through the signal. */
export interface AddonTask {
    readonly id: string;
    readonly description: string;
    /** `session` (the default): runs from the session's start. `onDemand`: when the person asks. */
    readonly activation?: "session" | "onDemand";
    /** `never` is the default. */
    readonly restart?: "never" | "onFailure";
    /** How long it may take to end once its signal fires, in milliseconds: by default 1,000, at most 5,000. */
    readonly graceMs?: number;
    /** If one is not granted, only this task is not installed; the rest of the addon is. The manifest must request them too. */
    readonly requiredCapabilities?: readonly CapabilityNeed[];
    readonly run: (context: HandlerContext) => void | Promise<void>;
}

/** What `register` receives: it records, and the host commits what was recorded once `register` has ended. */
export interface AddonSurface {
    /** The addon's id. */
    readonly id: string;
    /** Works from the first event on; while the addon registers, everything but `log` and `diagnostic` is refused. */
    readonly host: AddonHostServices;
    readonly handles: SessionHandles;
    readonly ui: AddonUi;
    readonly on: <E extends HookEvent>(event: E, handler: HookHandler<E>) => void;
    /** `name` is a tool's name, or `*`. */
    readonly interceptTool: (name: string, stage: InterceptorStage) => void;
    /** `name` without the slash. */
    readonly addCommand: (name: string, spec: CommandSpec) => void;
    /** The author declares the type of the arguments to match the schema. */
    readonly addTool: <Args = JsonObject>(tool: AddonTool<Args>) => void;
    readonly addTask: (task: AddonTask) => void;
    /** What was recorded so far; later calls do not change it. */
    readonly manifest: () => RegisteredManifest;
}

/** What every contribution is recorded with. */
export interface Recorded {
    /** The addon it belongs to. */
    readonly addon: string;
}

export interface RecordedHandler extends Recorded {
    readonly event: HookEvent;
    readonly handler: HookHandler;
}

export interface RecordedInterceptor extends Recorded, InterceptorStage {
    readonly match: string;
}

export interface RecordedCommand extends Recorded, CommandSpec {
    readonly name: string;
}

export interface RecordedTool extends Recorded, AddonTool<never> {
}

export interface RecordedTask extends Recorded, AddonTask {
}

/** What an addon registered, in its order. */
export interface RegisteredManifest {
    readonly subscriptions: readonly RecordedHandler[];
    readonly interceptors: readonly RecordedInterceptor[];
    readonly commands: readonly RecordedCommand[];
    readonly tools: readonly RecordedTool[];
    readonly tasks: readonly RecordedTask[];
    /** What an MCP server says about using it. */
    readonly instructions?: string | undefined;
}

/** What an addon's module exports, directly or as its default; a default function is its `register`. */
export interface AddonModule {
    readonly register: (surface: AddonSurface) => void | Promise<void>;
    /** If absent, derived from the path. */
    readonly id?: string | undefined;
    readonly version?: string | undefined;
    /** `block`: what the addon guards, including by interceptors, stays closed while it fails or is in quarantine. */
    readonly onFailure?: FailurePolicy | undefined;
}

/** What a handler does with its payload. */
export type HandlerRun<Payload, Result> = (payload: Payload, context: HandlerContext) => Result | Promise<Result>;

export interface ObserveHandler<Payload> {
    readonly kind: "observe";
    readonly run: HandlerRun<Payload, void>;
}

export interface TransformHandler<Payload> {
    readonly kind: "transform";
    readonly run: HandlerRun<Payload, ChangeOf<Payload>>;
}

export interface GateHandler<Payload> {
    readonly kind: "gate";
    readonly onFailure?: FailurePolicy;
    readonly run: HandlerRun<Payload, GateDecision | null | undefined>;
}

/** Sees the payload and changes nothing. */
export declare function observe<Payload>(run: HandlerRun<Payload, void>): ObserveHandler<Payload>;

/** Returns the payload, or only the keys of it that it changes; undefined or null is not a change. */
export declare function transform<Payload>(run: HandlerRun<Payload, ChangeOf<Payload>>): TransformHandler<Payload>;

/** May stop what is about to happen: return `stop("why")`, or nothing. With `onFailure: "block"` a failure stops it too. */
export declare function gate<Payload>(run: HandlerRun<Payload, GateDecision | null | undefined>, options?: {
    readonly onFailure?: FailurePolicy;
}): GateHandler<Payload>;

/** The answer of a gate or an interceptor that stops; whoever was stopped reads the reason. */
export declare function stop(reason: string): GateDecision;

/**
 * `denied`: the grant is missing. `unavailable`: this session does not offer it, or not now. `limit`: too much or too fast.
 * `params`: the request was wrong. `cancelled`: the call was cancelled. `failed`: it was attempted. The same in Python.
 */
export type RefusalKind = "denied" | "unavailable" | "limit" | "params" | "cancelled" | "failed";

/** What the promises of `surface.host` and `surface.handles` reject with. An unhandled one does not end the addon. */
export declare class HostRefused extends Error {
    readonly name = "HostRefused";
    readonly kind: RefusalKind;
    constructor(kind: RefusalKind, message: string);
}

/** The location of this very module, in the sources and the bundle: the runner maps imports of the kit to it. */
export declare const KIT_URL: string;

/** What the host does at one request, by its grant. */
export interface PlainServices {
    /** A short line for the person, never for the model. Needs the grant alert. */
    readonly alert: (text: string) => Promise<void>;
    /** A notice that the model reads at its next call, labelled with its origin. Needs the grant model_notification. */
    readonly notify: (text: string) => Promise<void>;
    /** Reads a text file of the workspace. Needs the grant files with read. */
    readonly readFile: (path: string) => Promise<string>;
    /** Writes a text file of the workspace, whole or not at all. Needs the grant files with write. */
    readonly writeFile: (path: string, text: string) => Promise<void>;
    /** The value of a secret. Needs the grant secret with this id. */
    readonly secret: (id: string) => Promise<string>;
    /** The work items of this folder. Needs the grant work_items with read. */
    readonly workItemList: (status?: WorkItemStatus) => Promise<readonly WorkItem[]>;
    /** What was done to the work items after a step, oldest first, at most 200 steps; without a step, what the last one did. Needs the grant work_items with read. */
    readonly workItemChanges: (after?: number) => Promise<readonly WorkItemChange[]>;
    /** Creates a work item and returns its id. Needs the grant work_items with write. */
    readonly workItemCreate: (title: string, brief?: string, priority?: WorkItemPriority, deps?: WorkItemIds) => Promise<string>;
    /** Adds a comment to a work item. Needs the grant work_items with write. */
    readonly workItemComment: (id: string, text: string) => Promise<void>;
    /** Sets the status of a work item. Needs the grant work_items with write. */
    readonly workItemMove: (id: string, to: WorkItemStatus, reason?: string) => Promise<void>;
    /** Makes a work item depend on others; a cycle is refused. Needs the grant work_items with write. */
    readonly workItemDepend: (id: string, on: WorkItemIds) => Promise<void>;
    /** The last 50 entries of the memory that contain each of the words; without words, the last 50 of all. Needs the grant memory with read. */
    readonly memorySearch: (words?: string, scope?: MemoryScope) => Promise<readonly MemoryEntry[]>;
    /** Remembers one line, under the addon's name; the person is notified. Needs the grant memory with write. */
    readonly memoryAdd: (text: string, scope?: MemoryScope) => Promise<void>;
    /** Replaces a whole entry with a line, or removes it if the text is empty; the person is notified. Needs the grant memory with write. */
    readonly memoryReplace: (old: string, text: string, scope?: MemoryScope) => Promise<void>;
    /** Starts a session that works in the background, and returns its id. Needs the grant sessions with spawn. */
    readonly sessionSpawn: (agent: string, objective: string, context?: string, limits?: SessionLimits, outlives?: boolean) => Promise<string>;
    /** The addon's own sessions. Needs the grant sessions with spawn. */
    readonly sessionList: () => Promise<readonly SpawnedSession[]>;
    /** Waits until a session of the addon has ended, and returns how. Needs the grant sessions with spawn. */
    readonly sessionWait: (id: string) => Promise<SpawnedSession>;
    /** Stops a running session of the addon. Needs the grant sessions with spawn. */
    readonly sessionStop: (id: string) => Promise<void>;
    /** Sends a message to a running session of the addon, which reads it at its next model call. Needs the grant sessions with message. */
    readonly sessionMessage: (id: string, text: string) => Promise<void>;
    /** Continues an ended session of the addon with this message. Needs the grant sessions with restore. */
    readonly sessionRestore: (id: string, text: string) => Promise<void>;
}

export type WorkItemStatus = "open" | "blocked" | "done" | "failed";

export interface WorkItem {
    readonly id: string;
    readonly title: string;
    readonly brief: string;
    readonly priority: WorkItemPriority;
    /** Ids of those that must be done first. */
    readonly deps: readonly string[];
    readonly status: WorkItemStatus;
    /** Its result, or why it failed or is blocked. */
    readonly summary?: string;
    readonly comments: readonly WorkItemComment[];
    readonly postedBy: string;
    /** ISO 8601. */
    readonly postedAt: string;
}

export type WorkItemPriority = "low" | "normal" | "high";

export interface WorkItemComment {
    readonly by: string;
    /** ISO 8601. */
    readonly at: string;
    readonly text: string;
}

export interface WorkItemChange {
    /** Later steps are larger. */
    readonly step: number;
    /** ISO 8601. */
    readonly at: string;
    /** A feature, or a session. */
    readonly by: string;
    readonly id: string;
    readonly what: "created" | "commented" | "depends" | "open" | "blocked" | "done" | "failed";
}

export type WorkItemIds = readonly string[];

/** This folder's, or the person's. */
export type MemoryScope = "project" | "user";

export interface MemoryEntry {
    readonly scope: MemoryScope;
    readonly text: string;
}

/** What it may use for each message that it is given. */
export interface SessionLimits {
    /** Model calls. */
    readonly turns?: number;
    /** Everything that its models read and write. */
    readonly tokens?: number;
    readonly dollars?: number;
    /** From 1 to 86400. */
    readonly seconds?: number;
}

export interface SpawnedSession {
    readonly id: string;
    readonly agent: string;
    readonly state: "working" | "done" | "failed" | "stopped";
    /** Model calls. */
    readonly turns: number;
    readonly tokens: number;
    /** Dollars, as far as prices are known. */
    readonly cost: number;
    /** What it said last; once it has ended, its report. */
    readonly said: string;
}

/** What a surface acts through; a surface without them only records. */
export interface SurfaceDeps {
    readonly host?: AddonHostServices;
    readonly handles?: SessionHandles;
    readonly ui?: AddonUi;
    /** Hears of what does not fit, which is then left out. Without it, as in an author's tests, recording that throws. */
    readonly onUnfit?: ((part: UnfitPart) => void) | undefined;
    /** Has the session's model answer. */
    readonly sample?: SamplingService | undefined;
    /** Takes another registration in the place of this one. */
    readonly onRenew?: ((register: (surface: RecordingSurface) => void) => void) | undefined;
}

/** Something that cannot be recorded. */
export interface UnfitPart {
    readonly kind: "tool" | "command" | "hook" | "task";
    /** Of a hook its event, or `intercept:` and the tool's name. */
    readonly name: string;
    /** Names the call and what does not fit. The stack of an error leads to the author's line. */
    readonly why: Error | string;
}

/** A surface for the addon `id`. Authors' own tests create one too, and look at its `manifest()`. */
export declare function createSurface(id: string, deps?: SurfaceDeps): RecordingSurface;

/** Nothing registered. */
export declare function emptyManifest(): RegisteredManifest;

/** Records what an addon registers. */
export declare class RecordingSurface implements AddonSurface {
    #private;
    readonly id: string;
    readonly host: AddonHostServices;
    readonly handles: SessionHandles;
    readonly ui: AddonUi;
    /** Has the session's model answer, by the grant `sampling`. Rejects with a `HostRefused`. */
    readonly sample: SamplingService;
    constructor(id: string, { host, handles, ui, sample, onUnfit, onRenew }?: SurfaceDeps);
    /** From now on every recording method throws: nobody would see what is recorded after `register` has ended. */
    seal(): void;
    readonly on: <E extends HookEvent>(event: E, handler: HookHandler<E>) => void;
    readonly interceptTool: (name: string, stage: InterceptorStage) => void;
    readonly addCommand: (name: string, spec: CommandSpec) => void;
    readonly addTool: <Args = JsonObject>(tool: AddonTool<Args>) => void;
    readonly addTask: (task: AddonTask) => void;
    /** Names something that the addon would contribute if it could. */
    readonly leaveOut: (kind: UnfitPart["kind"], name: string, reason: string) => void;
    /** For the prompt: what an MCP server says about using it. */
    readonly instruct: (text: string) => void;
    /** What the addon contributes has changed since it registered: `register` records all of it anew. Only for an MCP server. */
    readonly renew: (register: (surface: RecordingSurface) => void) => void;
    readonly manifest: () => RegisteredManifest;
}

/** Any JSON value. */
export type JsonValue = null | boolean | number | string | JsonValue[] | {
    [key: string]: JsonValue;
};

/** A JSON object: string keys, JSON values. */
export type JsonObject = {
    [key: string]: JsonValue;
};

/** A JSON Schema for an object of named arguments. */
export type JsonSchema = JsonObject;

export type ToolContentBlock = {
    readonly kind: "text";
    readonly text: string;
} | {
    readonly kind: "json";
    readonly value: JsonValue;
};

/** A tool's return. Build one with `textResult`, `failureResult` or `jsonResult`. */
export interface ToolResult {
    readonly content: readonly ToolContentBlock[];
    readonly isError: boolean;
}

export {};
