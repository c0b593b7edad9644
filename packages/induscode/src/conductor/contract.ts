// The session's contract: entries (the only memory of what the model saw), events for
// whoever shows the session, and the conductor that owns both. Types only.

import type { Disposer, Fault, JsonValue } from "indusagi/core";
import type {
  AssistantMessage,
  ImageBlock,
  Message,
  ModelDelta,
  ModelParams,
  RateLimit,
  StopReason,
  TextBlock,
  ThinkingLevel,
  ToolDescriptor,
  Usage,
} from "indusagi/llmgateway";
import type { ToolCall, ToolState } from "indusagi/runtime";
import type { CallDecision, CallOutcome, SeenFile, SessionApproval, StartMode } from "../deck/contract.ts";
import type { HookEvent } from "../feature/events.ts";
import type { Attribution } from "../feature/handler.ts";
import type { FeatureDiagnostic, FeatureFaultKind } from "../feature/install-report.ts";
import type { ExecOutcome } from "../feature/services.ts";

export type UserContent = readonly (TextBlock | ImageBlock)[];

export type { ToolState };

/** A document shown to the model next to its prompt. */
export interface ShownDocument {
  /** Absolute. */
  readonly path: string;
  /** The folder whose visit brought it in. */
  readonly folder: string;
  /** The digest of its text. */
  readonly digest: string;
}

/** Who changed something that the model sees, and at which event. */
export interface Change extends Attribution {
  readonly at: string;
  /** What changed, if the entry does not show it: names of environment variables. */
  readonly detail?: string;
}

/** Part of every entry whose content features changed. */
export interface Changed {
  readonly changes?: readonly Change[] | undefined;
}

/** A tool that was added, removed or changed, with the feature that owns it. */
export interface ToolChange {
  readonly tool: string;
  readonly how: "added" | "removed" | "changed";
  /** Absent if this process never knew it. */
  readonly feature?: string | undefined;
}

export interface CheckpointEntry {
  readonly type: "checkpoint";
  /** Paths relative to the working folder. A state is `absent`, `unkept`, or the digest of the content and the mode: `<sha256>:644`. */
  readonly files: readonly { readonly path: string; readonly before: string; readonly after: string }[];
  /** How many more files were changed. */
  readonly more?: number | undefined;
  /** Looking failed: other files may have changed. */
  readonly isIncomplete?: true;
}

export interface ModeEntry {
  readonly type: "mode";
  /** `plan` lasts until the next such entry; the mode after it may be the one before. */
  readonly mode: StartMode;
  /** The person by a key or a command, by an answer to a permission question, or to a plan; the model, which only begins a plan; the start. */
  readonly by: "person" | "answer" | "plan" | "model" | "start";
}

export type EntryBody =
  /** Line 1 of every log, repeated where the log's format changes. */
  | {
      readonly type: "session";
      /** 2 in a line before the first `jump`: a version that does not know jumps would misread the log. */
      readonly v: 1 | 2 | 3;
      readonly id: string;
      readonly cwd: string;
      readonly version: string;
      /** For a fork: the session whose entries it begins with, and the last of them. */
      readonly parent?: { readonly session: string; readonly entry: number };
    }
  /** What precedes the messages of every following request, until the next such entry. */
  | ({
      readonly type: "prompt";
      readonly model: string;
      readonly system: string;
      readonly tools: readonly ToolDescriptor[];
      readonly params: ModelParams;
      /** The time that the prompt was written for; absent in logs of earlier versions. */
      readonly clock?: number;
      /** How its tools differ from those of the previous prompt; absent if they do not, and in earlier logs. */
      readonly toolChanges?: readonly ToolChange[];
    } & Changed)
  /** `typed` is the person's own line if features changed it; `queued` is the number of the entry in which it waited. */
  | ({
      readonly type: "user";
      readonly content: UserContent;
      readonly via: "submit" | "steer";
      readonly typed?: UserContent | undefined;
      readonly queued?: number;
    } & Changed)
  /** A line that waits for the next model call. A `user` entry that names it brings it into view; a `veto` that names it drops it. */
  | { readonly type: "queued"; readonly content: UserContent }
  /** A gate stopped something before the model could see it, or the `person` took a line back. */
  | {
      readonly type: "veto";
      readonly event: HookEvent;
      readonly by: Attribution;
      readonly reason: string;
      readonly queued?: number;
    }
  /** For the next request only: in the messages, `remove` items starting at `from` are replaced by `insert`. */
  | ({
      readonly type: "context";
      readonly from: number;
      readonly remove: number;
      readonly insert: readonly Message[];
    } & Changed)
  /**
   * Written before each model call: `sha256` of the request, rebuilt by `indus session verify`. `asksFor` where it is not for the
   * next answer.
   */
  | { readonly type: "request"; readonly digest: string; readonly asksFor?: "summary" }
  /**
   * `original` is the model's own message if features changed it. `interrupted`: the
   * part shown of an answer that never ended; its tokens were not counted.
   */
  | ({
      readonly type: "assistant";
      readonly message: AssistantMessage;
      readonly stop: StopReason | "interrupted";
      readonly usage: Usage;
      /** What the provider said about its limits. */
      readonly limits?: readonly RateLimit[];
      /** Dollars, if the model's price is known. */
      readonly cost?: number | undefined;
      readonly original?: AssistantMessage | undefined;
    } & Changed)
  /** `text` is what the model reads; `output` is the tool's own projection, if it holds more than the text. */
  /** `input` is what the tool received if that is not what the model sent; `files` is what the call saw of files. */
  | ({
      readonly type: "tool";
      readonly callId: string;
      readonly name: string;
      readonly state: ToolState;
      readonly text: string;
      readonly output?: JsonValue | undefined;
      readonly input?: JsonValue | undefined;
      readonly files?: readonly SeenFile[] | undefined;
      /** What the model sees of the result in addition to the text. */
      readonly images?: readonly ImageBlock[] | undefined;
      readonly status?: string | undefined;
      /** What it changed in a file, as a unified diff that the model does not see. */
      readonly diff?: string | undefined;
      /** Dollars that the models of a delegate cost, where the call ran one. */
      readonly cost?: number | undefined;
      readonly durationMs: number;
      /** The feature that owns the tool; absent in logs of earlier versions. */
      readonly feature?: string | undefined;
      /** The other program that made the call; absent for the model's own. The model's view has nothing of such a call. */
      readonly by?: string | undefined;
    } & Changed)
  /** Text that the host put before the model; `origin` says who asked for it, `documents` which files it shows. */
  | {
      readonly type: "notice";
      readonly origin: string;
      readonly text: string;
      readonly documents?: readonly ShownDocument[];
    }
  /** The person allowed something for the rest of this session. */
  | { readonly type: "approval"; readonly approval: SessionApproval }
  /** From here on the session's permission mode is another one. */
  | ModeEntry
  /** In logs of earlier versions: the mode `plan` starts or ends. */
  | { readonly type: "plan"; readonly isPlanning: boolean }
  /** The decision about a call, and the rule behind it; absent in logs of earlier versions. */
  | { readonly type: "decision"; readonly decision: CallDecision }
  /**
   * Replaces everything before it in the model's view, except what came from the
   * entry `keeps` on. `origin` is `host`, or `digest` if no model wrote it.
   */
  | ({
      readonly type: "summary";
      readonly origin: string;
      readonly text: string;
      readonly keeps?: number | undefined;
      readonly usage: Usage;
      readonly cost?: number | undefined;
      readonly original?: string | undefined;
    } & Changed)
  /** The outcomes of these entries are no longer in the model's view; it reads how to see each of them again. */
  | { readonly type: "blank"; readonly outcomes: readonly number[] }
  /**
   * A background delegate began, or ended and cost this many dollars since it began. Its own log is `session`. `by` is the feature
   * that owns the session, and `deed` what the feature did with it.
   */
  | {
      readonly type: "delegate";
      readonly id: string;
      readonly agent: string;
      readonly session: string;
      readonly status: "working" | "done" | "failed" | "stopped";
      readonly cost?: number | undefined;
      readonly by?: string | undefined;
      readonly deed?: "spawn" | "message" | "restore" | undefined;
    }
  /** What a turn changed in the working folder, if checkpoints are on. */
  | CheckpointEntry
  /**
   * The person had files restored to their state before a line, or undid that; `from` is the session in which the line was said.
   * `left`: files that stayed as the turns left them that only the conversation went back before.
   */
  | {
      readonly type: "rewind";
      readonly from: string;
      readonly files: CheckpointEntry["files"];
      readonly left?: CheckpointEntry["files"];
    }
  /** The session's name, given by the person or by the model `by`, which read only `asked`. */
  | {
      readonly type: "title";
      readonly text: string;
      readonly by?: string | undefined;
      readonly asked?: string;
      readonly usage?: Usage | undefined;
      readonly cost?: number | undefined;
    }
  /** A feature had the model `by` answer `asked`, a text of its own that the conversation has nothing of. */
  | {
      readonly type: "sample";
      readonly feature: string;
      readonly by: string;
      readonly asked: string;
      readonly text: string;
      readonly usage: Usage;
      readonly cost?: number | undefined;
    }
  /** Empties the model's view; the lines before it stay in the log. */
  | { readonly type: "clear" }
  /**
   * The conversation continues after the entry `to`; what came since is on a
   * branch of its own. `summary` tells the model what happened there.
   */
  | ({
      readonly type: "jump";
      readonly to: number;
      readonly summary?: string;
      readonly usage?: Usage | undefined;
      readonly cost?: number | undefined;
    } & Changed)
  | {
      readonly type: "end";
      /** `truncated`: the last answer was cut at its output limit; `refused`: the model or its filter refused to answer. */
      readonly how: "complete" | "truncated" | "refused" | "aborted" | "turn_budget" | "faulted";
      /** Dollars that the session has cost so far, as far as prices are known. */
      readonly cost?: number | undefined;
      /** Lines that the person has sent so far; absent in earlier logs. */
      readonly turns?: number;
      readonly fault?: { readonly kind: string; readonly message: string };
    };

/** One line of the log: its number (from 0, no gaps in an undamaged file), wall-clock milliseconds, and its body. */
export type Entry = EntryBody & { readonly n: number; readonly at: number };

export type ConductorFaultKind =
  | "model"
  | "log"
  | "turn_budget"
  | "repeated_failure"
  | "config"
  | "listener"
  | "busy"
  | "vetoed"
  /** A message of the host's, about the session or what features did in it. */
  | "feature"
  | FeatureFaultKind
  /** The program ended in the middle of it. */
  | "broken";
export type ConductorFault = Fault<ConductorFaultKind>;

/** Identifies a call. */
export interface CallFacts {
  readonly callId: string;
  readonly name: string;
  /** One line that describes the call: a path, a pattern, a command. Untrusted text. */
  readonly title: string;
}

/** What a session reports to its listeners, in order. An entry is durable before its event is sent. */
export type ConductorEvent =
  | { readonly kind: "entry"; readonly entry: Entry }
  | { readonly kind: "delta"; readonly delta: ModelDelta }
  /** `input` holds the arguments as the model wrote them. Untrusted. */
  | ({ readonly kind: "tool_start"; readonly input: JsonValue } & CallFacts)
  | ({
      readonly kind: "tool_end";
      /** The arguments that the tool received if they are not the model's. */
      readonly input?: JsonValue | undefined;
      readonly state: ToolState;
      readonly durationMs: number;
      /** How the call ended in the tool's own words, if it gave any: `exit code 1`. Untrusted text. */
      readonly status?: string | undefined;
      /** The JSON of the tool's result (its `details`): for `edit` its path, replacements and diff. Untrusted. */
      readonly details?: JsonValue | undefined;
      /** What the call changed in a file, where its details do not say it: a unified diff. Untrusted. */
      readonly diff?: string | undefined;
      /** Why a delegate's call failed or was refused, in one line; one of the session's own has an entry that says it. Untrusted text. */
      readonly reason?: string | undefined;
    } & CallFacts)
  /**
   * A call's tool is running, and this is the tail of its output so far; only sent if whoever opened the session watches. Until the
   * first of these the call waits: for a question, a feature, its turn. Untrusted.
   */
  | { readonly kind: "tool_progress"; readonly callId: string; readonly tail: string }
  /** A call has ended before one that precedes it; its `tool_end` follows that one's. */
  | {
      readonly kind: "tool_done";
      readonly callId: string;
      readonly state: ToolState;
      readonly durationMs: number;
    }
  /** What a delegate does in the session with this id. */
  | {
      readonly kind: "delegate";
      readonly agent: string;
      readonly sessionId: string;
      readonly event: DelegateEvent;
    }
  /** For the person, never for the model. `owner` is the feature that sends it; without one it is the host. */
  | { readonly kind: "alert"; readonly text: string; readonly owner?: string }
  | DiagnosticEvent
  | { readonly kind: "fault"; readonly fault: ConductorFault };

/** What a feature says of its own work. For the person, never for the model; nothing has to have failed. */
export interface DiagnosticEvent extends FeatureDiagnostic {
  readonly kind: "diagnostic";
  readonly owner: string;
}

/** What a session reports about its delegates, start to end: of their entries the replies with their cost; of their deltas the waits. */
export type DelegateEvent =
  | Extract<
      ConductorEvent,
      { readonly kind: `tool_${"start" | "progress" | "done" | "end"}` | "alert" | "diagnostic" | "fault" }
    >
  | { readonly kind: "delta"; readonly delta: Extract<ModelDelta, { readonly kind: "retry" }> }
  | { readonly kind: "entry"; readonly entry: Extract<Entry, { readonly type: "assistant" }> }
  /** Sent first. The objective is the model's words: untrusted. */
  | { readonly kind: "delegate_start"; readonly objective: string }
  /** Sent last. */
  | {
      readonly kind: "delegate_end";
      readonly state: Exclude<ToolState, "refused">;
      readonly durationMs: number;
    };

export interface SubmitInput {
  readonly content: UserContent;
}

/** How a submit ended; `text` is the last answer's text. */
export type SubmitEnd =
  | { readonly kind: "complete"; readonly text: string; readonly stop: StopReason }
  | { readonly kind: "aborted" }
  | {
      readonly kind: "faulted";
      readonly fault: ConductorFault;
      /**
       * Another line would end the same way: the key is refused, nobody answers, nothing more may be spent, … `likely`: the server
       * failed or fell silent, possibly because of this request alone.
       */
      readonly lacksModel?: "certain" | "likely" | undefined;
    };

/** What one model was used for, or all delegates together: usage of delegates is not included, it is in their own logs. */
export interface ModelCost {
  readonly name: string;
  readonly calls: number;
  /** Calls with an unknown price. */
  readonly unpriced: number;
  readonly usage: Usage;
  readonly dollars: number;
}

/** What `/model` and the status line show. */
export interface SessionStatus {
  readonly sessionId: string;
  readonly logPath: string;
  readonly model: string;
  readonly busy: boolean;
  /** Parameters of the next model call. */
  readonly params: ModelParams;
  /** Totals over the session's replies. */
  readonly usage: Usage;
  /** The cost of those replies, by `provider/model` in order of first use; delegates come last. */
  readonly costs: readonly ModelCost[];
  /** What the provider said about its limits with the last reply. */
  readonly limits: readonly RateLimit[];
  /** Tokens that the last request and its reply held together; 0 before the first. */
  readonly contextTokens: number;
}

export interface NoticeOptions {
  readonly maxBytes?: number;
  /** The documents that its text shows. */
  readonly documents?: readonly ShownDocument[];
  /** A compaction took it out of view: it is restored if there is room. */
  readonly isAgain?: boolean | undefined;
}

/** `pieces: false` says that the listener does not need partial answers; if nobody does, they cost nothing. */
export type Subscribe = (
  listener: (event: ConductorEvent) => void,
  options?: { readonly pieces?: boolean },
) => Disposer;

/** Another program that calls tools. */
export interface OtherCaller {
  /** Its name, for the log. */
  readonly by: string;
  /** Features whose tools it cannot call, in any spelling. */
  readonly without: ReadonlySet<string>;
}

/** Owns one session: its log, its loop, its queue. */
export interface Conductor {
  readonly status: () => SessionStatus;
  /** The size of the next request by the provider's own count; undefined if it gives none in time, or while calls run. */
  readonly countTokens: (signal: AbortSignal) => Promise<number | undefined>;
  /** Opens the session for features: `session:start`. Called once, before the first submit. */
  readonly start: () => Promise<void>;
  /** Runs one submit to its end. Never rejects. A second submit during a run ends with a `busy` fault. */
  readonly submit: (input: SubmitInput) => Promise<SubmitEnd>;
  /** Queues a line that joins the running submit at its next model call; if none is running, it waits for the next submit. */
  readonly steer: (content: UserContent) => void;
  /** The queued lines, in the order in which they were typed. */
  readonly waiting: () => readonly UserContent[];
  /** Removes these lines of {@link waiting} from the queue at the person's request. */
  readonly takeBack: (lines: readonly UserContent[]) => void;
  /**
   * Runs a person's command line through the gate of the `bash` tool, for at most ten minutes; `abort` or `signal` ends it. Rejects
   * with the reason if it is refused. `progress` receives the tail of its output while it runs.
   */
  readonly exec: (
    command: string,
    signal?: AbortSignal,
    by?: string,
    progress?: (tail: string) => void,
  ) => Promise<ExecOutcome>;
  /** What another program may call here: the tools that a model is offered now, but for those of the features `without`. */
  readonly tools: (without: ReadonlySet<string>) => readonly ToolDescriptor[];
  /**
   * Runs a call of another program through the boundary, beside the conversation, and logs it. `abort` ends it. Rejects with a
   * `LogError` where the log takes no more.
   */
  readonly call: (call: ToolCall, caller: OtherCaller, signal: AbortSignal) => Promise<CallOutcome>;
  /** Ends the running submit, commands and calls of other programs within 100 ms; no-op when idle. */
  readonly abort: () => void;
  readonly subscribe: Subscribe;
  /** Composes the system prompt anew for the next model call; if it is another one, that is logged before it is sent. */
  readonly recompose: () => void;
  /** Switches to `provider/model` with the next model call. `turn`: for the next turn alone. */
  readonly setModel: (name: string, span?: "turn") => Promise<ConductorFault | undefined>;
  /** How hard the model thinks, from the next call on. */
  readonly setThinking: (level: ThinkingLevel) => void;
  /** Sends listeners something transient: for the person, never for the model, never in the log. */
  readonly announce: (
    event: Extract<
      ConductorEvent,
      { readonly kind: "alert" | "diagnostic" | "fault" | "delegate" | "tool_progress" }
    >,
  ) => void;
  /**
   * Queues a notice that the model reads at its next call, labelled with its origin. Rate-limited, and cut to `maxBytes` (default 4
   * KiB). Returns false if it was dropped, which is reported to listeners as a fault.
   */
  readonly notify: (origin: string, text: string, options?: NoticeOptions) => boolean;
  /** Logs what the person allowed for this session; before the session's first line it waits for that line. */
  readonly noteApproval: (approval: SessionApproval) => void;
  /** Logs the decision about a call, in the same way. */
  readonly noteDecision: (decision: CallDecision) => void;
  /** Logs that the permission mode is another one, in the same way. */
  readonly noteMode: (change: Omit<ModeEntry, "type">) => void;
  /** Logs the state of a background delegate. */
  readonly noteDelegate: (delegate: Omit<Extract<EntryBody, { readonly type: "delegate" }>, "type">) => void;
  /** Gives the session a name. */
  readonly noteSample: (sample: Omit<Extract<EntryBody, { readonly type: "sample" }>, "type">) => void;
  readonly noteTitle: (title: Omit<Extract<EntryBody, { readonly type: "title" }>, "type">) => void;
  /** Logs that files were taken back. */
  readonly noteRewind: (rewind: Extract<EntryBody, { readonly type: "rewind" }>) => void;
  /** Makes everything logged so far survive a power cut. Rejects with a `LogError`. */
  readonly secure: () => Promise<void>;
  /** Replaces the model's view with a summary written by the model. Idle only. */
  readonly compact: (instructions: string) => Promise<ConductorFault | undefined>;
  /** Empties the model's view. Idle only. */
  readonly clear: () => ConductorFault | undefined;
  /** Continues after entry `to`; what came since stays on its branch, which is summarised for the model on request. Idle only. */
  readonly jump: (
    to: number,
    options?: { readonly summarise?: boolean },
  ) => Promise<ConductorFault | undefined>;
  /** Starts a new log; the old one stays. Idle only. */
  readonly renew: () => ConductorFault | undefined;
  /**
   * Continues in a fork of the session without the person's last `back` lines and what followed them; the session itself stays.
   * Returns the first line that is left out. Idle only.
   */
  readonly fork: (back: number) => { readonly fault: ConductorFault } | { readonly left: string };
  /** Continues the session with this id, or a fork of it if it is in use; this one stays. `told` is for the person. Idle only. */
  readonly goOn: (
    id: string,
  ) =>
    | { readonly fault: ConductorFault }
    | { readonly entries: readonly Entry[]; readonly told: readonly string[] };
  /** Ends a running submit, syncs and closes the log. */
  readonly close: () => Promise<void>;
  /** The program ends now, unasked: this is logged and the log is closed. Throws a `LogError`. */
  readonly breakOff: (why: string) => void;
}
