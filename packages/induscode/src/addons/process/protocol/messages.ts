// Generated from addon-protocol.schema.json by `npm run protocol`: do not edit. Types and tables of the addon protocol.

import type { JsonValue } from "indusagi/core";

/** The version of the protocol that this program speaks. */
export const PROTOCOL_VERSION = 1;

/** The codes of error answers. */
export const ERROR_CODES = {
  /** The line is not JSON. */
  parse: -32700,
  /** It is JSON, but no JSON-RPC 2.0 message. */
  request: -32600,
  /** There is no such method. */
  method: -32601,
  /** The parameters do not fit the method. */
  params: -32602,
  /** It was tried and failed; the message says why. */
  failed: -32603,
  /** The grant for it is missing. */
  denied: -32001,
  /** This session, or this moment, does not offer it. */
  unavailable: -32002,
  /** Too many, too much or too fast. */
  limit: -32003,
  /** The request was cancelled. */
  cancelled: -32800,
} as const;

/** What the host sends. A method whose result is undefined is a notification. */
export interface HostToAddon {
  /** The first request, once: the addon registers and answers what it contributes. Nothing it does while it answers may have an effect, because the answer is cached by content. An error answer may carry the data {"kind": "load"} or {"kind": "register"}: which of the two failed. */
  readonly describe: { readonly params: DescribeParams; readonly result: Registration };
  /** One handler of the registration is to handle an event. */
  readonly event: { readonly params: EventParams; readonly result: EventResult };
  /** The first half of an interceptor, before a tool runs. */
  readonly enter: { readonly params: EnterParams; readonly result: EnterResult };
  /** The second half of an interceptor, after a tool ran. */
  readonly exit: { readonly params: ExitParams; readonly result: ExitResult };
  /** The model called a tool of this addon; its arguments fit the tool's schema. */
  readonly tool: { readonly params: ToolParams; readonly result: ToolResult };
  /** The person typed a command of this addon. It ends with the answer. */
  readonly command: { readonly params: CommandParams; readonly result: Empty };
  /** A background task is to run. The answer comes when it has ended. */
  readonly "task/start": { readonly params: TaskParams; readonly result: Empty };
  /** A running background task is to end soon; its task/start is answered when it has. */
  readonly "task/stop": { readonly params: TaskParams; readonly result: Empty };
  /** A notification: nobody waits for this request any more. Answer it with the error code -32800, or with a result; what does neither is killed. */
  readonly cancel: { readonly params: RequestReference; readonly result: undefined };
  /** The last request: the process should answer and end by itself. */
  readonly dispose: { readonly params: Empty; readonly result: Empty };
}

/** What an addon sends. A method whose result is undefined is a notification. */
export interface AddonToHost {
  /** A notification, to be sent at once for each request that is not answered at once. A request without answer or acknowledgement for 3 s means that the addon is unresponsive. */
  readonly ack: { readonly params: RequestReference; readonly result: undefined };
  /** A notification: the addon does not wait any more for this request of its own. It is answered all the same, with the error code -32800 or with a result. */
  readonly cancel: { readonly params: RequestReference; readonly result: undefined };
  /** A line for the addon's log file. Needs no grant. */
  readonly log: { readonly params: LogParams; readonly result: Empty };
  /** A line of the addon's report, shown by `indus addons`. Needs no grant. */
  readonly diagnostic: { readonly params: DiagnosticParams; readonly result: Empty };
  /** A line for the person about a running call. Of a command it is shown; of anything else it needs the grant alert. */
  readonly progress: { readonly params: ProgressParams; readonly result: Empty };
  /** A short line for the person, never for the model. Needs the grant alert. */
  readonly alert: { readonly params: TextParams; readonly result: Empty };
  /** A notice that the model reads at its next call, labelled with its origin. Needs the grant model_notification. */
  readonly notify: { readonly params: TextParams; readonly result: Empty };
  /** Runs a shell line through the same gate as the tool bash. Needs the grant files with execute. */
  readonly exec: { readonly params: ExecParams; readonly result: ExecOutcome };
  /** Reads a text file of the workspace. Needs the grant files with read. */
  readonly readFile: { readonly params: ReadFileParams; readonly result: TextParams };
  /** Writes a text file of the workspace, whole or not at all. Needs the grant files with write. */
  readonly writeFile: { readonly params: WriteFileParams; readonly result: Empty };
  /** One HTTP request, made by the host. Needs the grant network for the host of the address; a redirect to another host is refused. */
  readonly fetch: { readonly params: FetchParams; readonly result: FetchResult };
  /** The value of a secret. Needs the grant secret with this id. */
  readonly secret: { readonly params: SecretParams; readonly result: SecretResult };
  /** The work items of this folder. Needs the grant work_items with read. */
  readonly workItemList: { readonly params: WorkItemListParams; readonly result: WorkItemListResult };
  /** What was done to the work items after a step, the oldest first, 200 steps at most; without a step, what the last one did. Needs the grant work_items with read. */
  readonly workItemChanges: {
    readonly params: WorkItemChangesParams;
    readonly result: WorkItemChangesResult;
  };
  /** Creates a work item and answers its id. Needs the grant work_items with write. */
  readonly workItemCreate: { readonly params: WorkItemCreateParams; readonly result: WorkItemCreateResult };
  /** Adds a comment to a work item. Needs the grant work_items with write. */
  readonly workItemComment: { readonly params: WorkItemCommentParams; readonly result: Empty };
  /** Says how a work item stands. Needs the grant work_items with write. */
  readonly workItemMove: { readonly params: WorkItemMoveParams; readonly result: Empty };
  /** Makes a work item wait for others; a circle is refused. Needs the grant work_items with write. */
  readonly workItemDepend: { readonly params: WorkItemDependParams; readonly result: Empty };
  /** The last 50 entries of what is remembered that hold each of the words; without words, of all. Needs the grant memory with read. */
  readonly memorySearch: { readonly params: MemorySearchParams; readonly result: MemorySearchResult };
  /** Remembers one line, under the addon's name; the person is told. Needs the grant memory with write. */
  readonly memoryAdd: { readonly params: MemoryAddParams; readonly result: Empty };
  /** Puts a line in the place of a whole entry, or removes it with the empty text; the person is told. Needs the grant memory with write. */
  readonly memoryReplace: { readonly params: MemoryReplaceParams; readonly result: Empty };
  /** Gives the model a message, as a steering line does. Allowed while a command of this addon runs; otherwise needs the grant model_notification. */
  readonly sendMessage: { readonly params: TextParams; readonly result: Empty };
  /** Switches the model. Allowed while a command of this addon runs. */
  readonly setModel: { readonly params: SetModelParams; readonly result: Empty };
  /** Sets how hard the model thinks. Allowed while a command of this addon runs. */
  readonly setThinking: { readonly params: SetThinkingParams; readonly result: Empty };
  /** What the console of this session shows of an addon, as far as its grants reach: nothing where nobody sits at a terminal. Needs no grant. */
  readonly "ui/offers": { readonly params: Empty; readonly result: UiOffers };
  /** Puts a short text under the addon's name into the status line, in the place of the one with this id before; an empty text takes it away. Needs the grant ui with status. Without a console it is refused as unavailable, as the four below. */
  readonly "ui/status": { readonly params: StatusParams; readonly result: Empty };
  /** Shows a shape to the person, under the addon's name, never to the model. Needs the grant ui with render. */
  readonly "ui/render": { readonly params: RenderParams; readonly result: Empty };
  /** Asks the person, under the addon's name, which of some choices. Needs the grant ui with ask. */
  readonly "ui/select": { readonly params: SelectParams; readonly result: SelectResult };
  /** Asks the person, under the addon's name, yes or no. Needs the grant ui with ask. */
  readonly "ui/confirm": { readonly params: ConfirmParams; readonly result: ConfirmResult };
  /** Asks the person, under the addon's name, for a line. Needs the grant ui with ask. */
  readonly "ui/input": { readonly params: InputParams; readonly result: InputResult };
}

/** An object of which nothing is asked. */
export type Empty = Readonly<Record<string, never>>;

/** Any JSON value. */
export type Json = JsonValue;

export interface RequestReference {
  readonly id: RequestId;
}

/** The id of a JSON-RPC request. */
export type RequestId = number | string;

/** The wire name of an event. */
export type Event =
  | "session:start"
  | "session:end"
  | "turn:start"
  | "turn:end"
  | "tool:before"
  | "tool:after"
  | "chat:params"
  | "chat:message"
  | "shell:env"
  | "input:submit"
  | "context:build"
  | "compact:build"
  | "compact:before";

/** What an addon may ask for. The further keys of each kind stand in docs/guide/addons.md. */
export interface Capability {
  readonly kind:
    | "contribute_tool"
    | "contribute_hook"
    | "background_task"
    | "model_notification"
    | "alert"
    | "files"
    | "work_items"
    | "memory"
    | "sessions"
    | "network"
    | "secret"
    | "ui";
  readonly [key: string]: JsonValue;
}

export interface CapabilityRequest {
  readonly capability: Capability;
  readonly required: boolean;
  /** At most 4096 characters. */
  readonly reason: string;
}

export interface DescribeParams {
  readonly protocol: ProtocolRange;
  /** The id derived from the addon's path. */
  readonly id: string;
  /** The workspace, absolute. */
  readonly cwd: string;
  readonly grants: readonly Capability[];
}

/** The versions that the host speaks. An addon that speaks none of them answers with the error code of `params`. */
export interface ProtocolRange {
  readonly min: number;
  readonly max: number;
}

/** What an addon contributes. Handlers, interceptors and so on are referred to by their place in these lists, from 0. */
export interface Registration {
  /** The version that the addon speaks. */
  readonly protocol: number;
  /** At most 100 characters. */
  readonly id?: string;
  /** At most 100 characters. */
  readonly version?: string;
  /** Of the whole addon: with "block" what it guards stays closed while it fails or is in quarantine. That covers its gates, whatever each says by itself, its transforms of tool:before, input:submit and compact:before, and its interceptors. */
  readonly onFailure?: "allow" | "block";
  /** At most 200 items. */
  readonly handlers?: readonly HandlerCard[];
  /** At most 200 items. */
  readonly interceptors?: readonly InterceptorCard[];
  /** At most 200 items. */
  readonly commands?: readonly CommandCard[];
  /** At most 200 items. */
  readonly tools?: readonly ToolCard[];
  /** At most 200 items. */
  readonly tasks?: readonly TaskCard[];
  /** What it asks for. Only what its manifest asks for as well can be granted; the rest is reported. At most 200 items. */
  readonly capabilities?: readonly CapabilityRequest[];
}

export interface HandlerCard {
  readonly event: Event;
  readonly kind: "observe" | "transform" | "gate";
  /** What a gate does that fails; "allow" unless the settings say otherwise. */
  readonly onFailure?: "allow" | "block";
}

export interface InterceptorCard {
  /** A tool's name, or *. At most 64 characters. */
  readonly match: string;
  readonly enter: boolean;
  readonly exit: boolean;
}

export interface CommandCard {
  /** At most 64 characters. */
  readonly name: string;
  /** At most 4096 characters. */
  readonly summary: string;
  /** At most 200 characters. */
  readonly argumentHint?: string;
}

export interface ToolCard {
  /** At most 64 characters. */
  readonly name: string;
  /** At most 16384 characters. */
  readonly description: string;
  /** A JSON Schema of an object. */
  readonly parameters: { readonly [key: string]: JsonValue };
  /** Without one of them this tool is not installed, and the rest of the addon is. At most 20 items. */
  readonly requiredCapabilities?: readonly Capability[];
}

export interface TaskCard {
  /** At most 64 characters. */
  readonly id: string;
  /** At most 4096 characters. */
  readonly description: string;
  /** "session" (the default): runs from the session's start. "onDemand": when the person asks. */
  readonly activation?: "session" | "onDemand";
  /** "never" is the default. */
  readonly restart?: "never" | "onFailure";
  /** How long it may take to end, in milliseconds; 1000 unless said otherwise. The host waits 5000 at the most. From 0 to 60000. */
  readonly graceMs?: number;
  /** Without one of them this task is not installed, and the rest of the addon is. At most 20 items. */
  readonly requiredCapabilities?: readonly Capability[];
}

export interface EventParams {
  /** Its place among the registration's handlers. */
  readonly handler: number;
  readonly event: Event;
  /** What the event carries, see docs/reference/events.md. */
  readonly payload: { readonly [key: string]: JsonValue };
}

/** Of an observer nothing; of a transform the payload, or the keys of it that it changes; of a gate whether it stops. Nothing and null are no change. */
export interface EventResult {
  readonly payload?: { readonly [key: string]: JsonValue };
  readonly stop?: boolean;
  readonly reason?: string;
}

export interface EnterParams {
  readonly interceptor: number;
  readonly tool: string;
  readonly callId: string;
  readonly args: Json;
}

/** Nothing or null for no change, `args` to replace the arguments, or `stop` to block the call. */
export interface EnterResult {
  readonly args?: Json;
  readonly stop?: boolean;
  readonly reason?: string;
}

export interface ExitParams {
  readonly interceptor: number;
  readonly tool: string;
  readonly callId: string;
  readonly args: Json;
  readonly result: ToolResult;
  /** What went wrong, where the result is an error. */
  readonly error?: string;
}

/** Nothing or null for no change, or the result that replaces the tool's. */
export interface ExitResult {
  readonly result?: ToolResult;
}

export interface ToolParams {
  readonly name: string;
  readonly callId: string;
  readonly args: Json;
  readonly cwd: string;
}

export interface ToolResult {
  /** A text stands for one block of it. At most 1000 items. */
  readonly content: readonly ContentBlock[] | string;
  /** false unless said otherwise. */
  readonly isError?: boolean;
}

/** Either a text, or a JSON value. */
export interface ContentBlock {
  readonly kind?: "text" | "json";
  /** The same as `kind`, which goes first. */
  readonly type?: "text" | "json";
  /** Of the kind text. */
  readonly text?: string;
  /** Of the kind json. */
  readonly value?: Json;
}

export interface CommandParams {
  /** Without the slash. */
  readonly name: string;
  /** The text behind the name. */
  readonly args: string;
  readonly cwd: string;
}

export interface TaskParams {
  readonly id: string;
}

export interface LogParams {
  readonly text: string;
}

export interface DiagnosticParams {
  readonly severity: "info" | "warning" | "error";
  readonly text: string;
}

export interface ProgressParams {
  /** The request that it is about. */
  readonly id: RequestId;
  readonly text: string;
}

export interface TextParams {
  readonly text: string;
}

export interface ExecParams {
  /** A line for the shell. */
  readonly command: string;
  /** Handed to it quoted, never as part of the line. */
  readonly args?: readonly string[];
}

export interface ExecOutcome {
  readonly stdout: string;
  readonly stderr: string;
  /** null where a signal ended it. */
  readonly code: number | null;
}

export interface ReadFileParams {
  /** Absolute, or relative to the workspace. */
  readonly path: string;
}

export interface WriteFileParams {
  readonly path: string;
  readonly text: string;
}

export interface FetchParams {
  readonly url: string;
  readonly method?: "GET" | "POST";
  readonly headers?: { readonly [key: string]: string };
  readonly body?: string;
}

export interface FetchResult {
  readonly status: number;
  readonly headers: { readonly [key: string]: string };
  readonly text: string;
}

export type WorkItemStatus = "open" | "blocked" | "done" | "failed";

export type WorkItemPriority = "low" | "normal" | "high";

export type WorkItemIds = readonly string[];

export interface WorkItemComment {
  readonly by: string;
  /** ISO 8601. */
  readonly at: string;
  readonly text: string;
}

export interface WorkItem {
  readonly id: string;
  readonly title: string;
  readonly brief: string;
  readonly priority: WorkItemPriority;
  /** Ids of those that must be done before. */
  readonly deps: readonly string[];
  readonly status: WorkItemStatus;
  /** What came of it, or why it failed or is blocked. */
  readonly summary?: string;
  readonly comments: readonly WorkItemComment[];
  readonly postedBy: string;
  /** ISO 8601. */
  readonly postedAt: string;
}

export interface WorkItemChange {
  /** Later ones are larger. */
  readonly step: number;
  /** ISO 8601. */
  readonly at: string;
  /** A feature, or a session. */
  readonly by: string;
  readonly id: string;
  readonly what: "created" | "commented" | "depends" | "open" | "blocked" | "done" | "failed";
}

export interface WorkItemListParams {
  readonly status?: WorkItemStatus;
}

export interface WorkItemListResult {
  readonly items: readonly WorkItem[];
}

export interface WorkItemChangesParams {
  readonly after?: number;
}

export interface WorkItemChangesResult {
  readonly changes: readonly WorkItemChange[];
}

export interface WorkItemCreateParams {
  /** At most 200 characters. */
  readonly title: string;
  /** At most 65536 characters. */
  readonly brief?: string;
  readonly priority?: WorkItemPriority;
  readonly deps?: WorkItemIds;
}

export interface WorkItemCreateResult {
  readonly id: string;
}

export interface WorkItemCommentParams {
  /** At most 100 characters. */
  readonly id: string;
  /** At most 65536 characters. */
  readonly text: string;
}

export interface WorkItemMoveParams {
  /** At most 100 characters. */
  readonly id: string;
  readonly to: WorkItemStatus;
  /** At most 65536 characters. */
  readonly reason?: string;
}

export interface WorkItemDependParams {
  /** At most 100 characters. */
  readonly id: string;
  readonly on: WorkItemIds;
}

/** Of this folder, or of the person. */
export type MemoryScope = "project" | "user";

export interface MemoryEntry {
  readonly scope: MemoryScope;
  readonly text: string;
}

export interface MemorySearchParams {
  /** At most 500 characters. */
  readonly words?: string;
  readonly scope?: MemoryScope;
}

export interface MemorySearchResult {
  readonly entries: readonly MemoryEntry[];
}

export interface MemoryAddParams {
  /** At most 500 characters. */
  readonly text: string;
  readonly scope?: MemoryScope;
}

export interface MemoryReplaceParams {
  /** At most 1000 characters. */
  readonly old: string;
  /** At most 500 characters. */
  readonly text: string;
  readonly scope?: MemoryScope;
}

export interface SecretParams {
  readonly id: string;
}

export interface SecretResult {
  readonly value: string;
}

export interface SetModelParams {
  readonly name: string;
}

export interface SetThinkingParams {
  readonly level: string;
}

/** Each part is false where the grant for it is missing, and where no console is. */
export interface UiOffers {
  readonly status: boolean;
  readonly render: boolean;
  readonly ask: boolean;
}

export interface StatusParams {
  /** Which of the addon's items, of three at the most. At most 64 characters. */
  readonly id?: string;
  /** At most 200 characters. */
  readonly text: string;
}

export interface RenderParams {
  readonly shape: UiShape;
}

/** What can be shown. How it looks is the host's: every text is plain, and what a terminal would act on is spelled out. One shape has 32 KiB as JSON at the most. */
export type UiShape = TextShape | MarkdownShape | TableShape | ListShape | ProgressShape | KeyValueShape;

export interface TextShape {
  readonly kind: "text";
  /** At most 100 characters. */
  readonly title?: string;
  /** At most 16384 characters. */
  readonly text: string;
}

export interface MarkdownShape {
  readonly kind: "markdown";
  /** At most 100 characters. */
  readonly title?: string;
  /** At most 16384 characters. */
  readonly text: string;
}

export interface TableShape {
  readonly kind: "table";
  /** At most 100 characters. */
  readonly title?: string;
  /** At least 1 item. At most 12 items. */
  readonly columns: readonly string[];
  /** Each with a text for each column; what is missing is empty. At most 100 items. */
  readonly rows: readonly (readonly string[])[];
}

export interface ListShape {
  readonly kind: "list";
  /** At most 100 characters. */
  readonly title?: string;
  /** At most 100 items. */
  readonly items: readonly string[];
  readonly isNumbered?: boolean;
}

/** How far something is. The next one with the same label takes its place where the console can; when done reaches total it is finished. */
export interface ProgressShape {
  readonly kind: "progress";
  /** At most 100 characters. */
  readonly label: string;
  /** From 0 to 1000000000000. */
  readonly done: number;
  /** From 0 to 1000000000000. */
  readonly total: number;
}

export interface KeyValueShape {
  readonly kind: "keyValue";
  /** At most 100 characters. */
  readonly title?: string;
  /** At most 100 items. */
  readonly entries: readonly KeyValueEntry[];
}

export interface KeyValueEntry {
  /** At most 80 characters. */
  readonly key: string;
  /** At most 500 characters. */
  readonly value: string;
}

export interface SelectParams {
  /** At most 1000 characters. */
  readonly question: string;
  /** At least 1 item. At most 20 items. */
  readonly choices: readonly string[];
  /** When the question is taken away, in milliseconds; 300000 unless said otherwise. From 1000 to 600000. */
  readonly timeoutMs?: number;
}

export interface SelectResult {
  /** The place of what was chosen, from 0. */
  readonly choice?: number;
  readonly unanswered?: Unanswered;
}

/** The person left the question open, or did not answer in time. */
export type Unanswered = "dismissed" | "expired";

export interface ConfirmParams {
  /** At most 1000 characters. */
  readonly question: string;
  /** From 1000 to 600000. */
  readonly timeoutMs?: number;
}

export interface ConfirmResult {
  readonly isConfirmed?: boolean;
  readonly unanswered?: Unanswered;
}

export interface InputParams {
  /** At most 1000 characters. */
  readonly question: string;
  /** What is typed is not shown, and what the session writes or shows from then on has it masked. */
  readonly isSecret?: boolean;
  /** From 1000 to 600000. */
  readonly timeoutMs?: number;
}

export interface InputResult {
  readonly text?: string;
  readonly unanswered?: Unanswered;
}
