// What an addon in TypeScript or JavaScript is written against. Shapes only.

import type { JsonObject, JsonSchema, JsonValue } from "indusagi/core";
import type { FailurePolicy, HostCapability } from "../../feature/descriptor.ts";
import type { HookEvent } from "../../feature/events.ts";
import type { HandlerContext, HookHandler } from "../../feature/handler.ts";
import type { InterceptorStage } from "../../feature/interceptor.ts";
import type { DiagnosticSeverity, ExecOutcome } from "../../feature/services.ts";
import type { UiPart, UiShape } from "../../feature/ui.ts";
import type { PlainServices } from "./plain-services.ts";

/** What a tool returns; a plain string, or any other JSON value, is short for a result with that one block. */
export interface AddonToolResult {
  readonly content: readonly (
    | { readonly kind: "text"; readonly text: string }
    | { readonly kind: "json"; readonly value: JsonValue }
    /** A picture (PNG, JPEG, GIF, WebP) or a PDF in base64, of at most 3,750,000 bytes; the model sees it. */
    | { readonly kind: "image"; readonly data: string }
  )[];
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
  readonly [Kind in HostCapability["kind"]]: { readonly kind: Kind } & Partial<
    Omit<Extract<HostCapability, { readonly kind: Kind }>, "kind">
  >;
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
  readonly run: (
    args: Args,
    context: ToolRunContext,
  ) => AddonToolResult | JsonValue | Promise<AddonToolResult | JsonValue>;
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
export type UiOffers = { readonly [Part in UiPart]: boolean };

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
  readonly select: <Choice extends string>(
    question: string,
    choices: readonly Choice[],
    options?: AskOptions,
  ) => Promise<Choice | undefined>;
  /** Undefined is neither yes nor no: nobody answered. */
  readonly confirm: (question: string, options?: AskOptions) => Promise<boolean | undefined>;
  /** A line of input. With `isSecret` it is hidden while it is typed, and masked in what the session later shows and logs. */
  readonly input: (
    question: string,
    options?: AskOptions & { readonly isSecret?: boolean },
  ) => Promise<string | undefined>;
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

export interface RecordedTool extends Recorded, AddonTool<never> {}

export interface RecordedTask extends Recorded, AddonTask {}

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
