// The session's contract: entries (the only memory of what the model saw), events for whoever shows the session,
// and the conductor that owns both. Shapes only.

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
import type { ToolState } from "indusagi/runtime";
import type { CallDecision, SeenFile, SessionApproval } from "../deck/contract.ts";
import type { Attribution, ExecOutcome, FeatureFaultKind, HookEvent } from "../feature/contract.ts";

export type UserContent = readonly (TextBlock | ImageBlock)[];

export type { ToolState };

/** A document that the model was shown next to its prompt. */
export interface ShownDocument {
  /** Absolute. */
  readonly path: string;
  /** The folder whose visit brought it. */
  readonly folder: string;
  /** Stands for its text. */
  readonly digest: string;
}

/** Who changed something that the model sees, and at which event. */
export interface Change extends Attribution {
  readonly at: string;
  /** What changed, where the entry does not show it: the names of environment variables. */
  readonly detail?: string;
}

/** Stands in an entry whose content features changed. */
export interface Changed {
  readonly changes?: readonly Change[];
}

/** A tool that came, went or became another, with the feature whose it is. */
export interface ToolChange {
  readonly tool: string;
  readonly how: "added" | "removed" | "changed";
  /** Absent where this process never knew it. */
  readonly feature?: string;
}

export interface CheckpointEntry {
  readonly type: "checkpoint";
  /** Paths from the working folder. A state is `absent`, `unkept`, or the digest of the content and the mode: `<sha256>:644`. */
  readonly files: readonly { readonly path: string; readonly before: string; readonly after: string }[];
  readonly more?: number;
}

export type EntryBody =
  /** Line 1 of every log, and again where its format changes. */
  | {
      readonly type: "session";
      /** 2 of a line that stands before the first `jump`: a version that knows no jumps would take the log for another. */
      readonly v: 1 | 2 | 3;
      readonly id: string;
      readonly cwd: string;
      readonly version: string;
      /** Of a fork: whose entries it begins with, and the last of them. */
      readonly parent?: { readonly session: string; readonly entry: number };
    }
  /** What stands before the messages of every following request, until the next such entry. */
  | ({
      readonly type: "prompt";
      readonly model: string;
      readonly system: string;
      readonly tools: readonly ToolDescriptor[];
      readonly params: ModelParams;
      /** The moment that the prompt was written for; absent in logs of earlier versions. */
      readonly clock?: number;
      /** How its tools differ from those of the prompt before it; absent where they do not, and in earlier logs. */
      readonly toolChanges?: readonly ToolChange[];
    } & Changed)
  /** `typed` is the person's own line, where features changed it; `queued` the number of the entry with which it waited. */
  | ({
      readonly type: "user";
      readonly content: UserContent;
      readonly via: "submit" | "steer";
      readonly typed?: UserContent;
      readonly queued?: number;
    } & Changed)
  /** A line that waits for the next model call. It is not in view before a `user` entry, or a `veto`, names it. */
  | { readonly type: "queued"; readonly content: UserContent }
  /** A gate stopped something before the model could see it, or the `person` took a line back. */
  | {
      readonly type: "veto";
      readonly event: HookEvent;
      readonly by: Attribution;
      readonly reason: string;
      readonly queued?: number;
    }
  /** For the next request only: in the messages, `remove` from `from` on give way to `insert`. */
  | ({
      readonly type: "context";
      readonly from: number;
      readonly remove: number;
      readonly insert: readonly Message[];
    } & Changed)
  /** Written before each model call: `sha256` of the request, rebuilt by `indus session verify`. */
  | { readonly type: "request"; readonly digest: string }
  /**
   * `original` is the model's own message, where features changed it. `interrupted`: what was shown of an answer that never
   * ended; nobody counted its tokens.
   */
  | ({
      readonly type: "assistant";
      readonly message: AssistantMessage;
      readonly stop: StopReason | "interrupted";
      readonly usage: Usage;
      /** What the provider said of its limits. */
      readonly limits?: readonly RateLimit[];
      /** Dollars, where the model's price is known. */
      readonly cost?: number;
      readonly original?: AssistantMessage;
    } & Changed)
  /** `text` is what the model reads; `output` the tool's own projection (seed 001), when it is more than the text. */
  /** `input` is what the tool got, where features rewrote the model's arguments; `files` what the call saw of files. */
  | ({
      readonly type: "tool";
      readonly callId: string;
      readonly name: string;
      readonly state: ToolState;
      readonly text: string;
      readonly output?: JsonValue;
      readonly input?: JsonValue;
      readonly files?: readonly SeenFile[];
      /** What the model sees of the result besides the text. */
      readonly images?: readonly ImageBlock[];
      readonly status?: string;
      /** Dollars that the models of a delegate cost, where the call ran one. */
      readonly cost?: number;
      readonly durationMs: number;
      /** Whose the tool is; absent in logs of earlier versions. */
      readonly feature?: string;
    } & Changed)
  /** Text the host put before the model; `origin` says who asked for it, `documents` which files it shows. */
  | {
      readonly type: "notice";
      readonly origin: string;
      readonly text: string;
      readonly documents?: readonly ShownDocument[];
    }
  /** The person allowed something for the rest of this session. */
  | { readonly type: "approval"; readonly approval: SessionApproval }
  /** A plan is to be agreed on before anything changes, from here on or no more. */
  | { readonly type: "plan"; readonly isPlanning: boolean }
  /** What was decided about a call, by which rule; absent in logs of earlier versions. */
  | { readonly type: "decision"; readonly decision: CallDecision }
  /**
   * Replaces everything before it in the model's view, but for what came from the entry `keeps` on. `origin` is `host`, or
   * `digest` where no model wrote it.
   */
  | ({
      readonly type: "summary";
      readonly origin: string;
      readonly text: string;
      readonly keeps?: number;
      readonly usage: Usage;
      readonly cost?: number;
      readonly original?: string;
    } & Changed)
  /** The outcomes of these entries are no longer in the model's view: it reads how to see each again. */
  | { readonly type: "blank"; readonly outcomes: readonly number[] }
  /**
   * A delegate in the background began, or ended and cost so many dollars since it began. Its own log is `session`. `by` is the
   * feature whose session it is, and `deed` what the feature did with it.
   */
  | {
      readonly type: "delegate";
      readonly id: string;
      readonly agent: string;
      readonly session: string;
      readonly status: "working" | "done" | "failed" | "stopped";
      readonly cost?: number;
      readonly by?: string;
      readonly deed?: "spawn" | "message" | "restore";
    }
  /** What a turn changed in the working folder, where checkpoints are on; `more`: how many files besides. */
  | CheckpointEntry
  /** The person had files taken back to how they were before a line, or that undone; `from` is the session that it was said in. */
  | { readonly type: "rewind"; readonly from: string; readonly files: CheckpointEntry["files"] }
  /** The name that the person gave the session, or the model `by`, which read `asked` and nothing else. */
  | {
      readonly type: "title";
      readonly text: string;
      readonly by?: string;
      readonly asked?: string;
      readonly usage?: Usage;
      readonly cost?: number;
    }
  /** Empties the model's view; the lines before it stay in the log. */
  | { readonly type: "clear" }
  /**
   * The conversation goes on after the entry `to`; what came since is on a branch of its own. `summary` says what happened
   * there, for the model.
   */
  | ({
      readonly type: "jump";
      readonly to: number;
      readonly summary?: string;
      readonly usage?: Usage;
      readonly cost?: number;
    } & Changed)
  | {
      readonly type: "end";
      readonly how: "complete" | "aborted" | "turn_budget" | "faulted";
      /** Dollars that the session cost so far, as far as prices are known. */
      readonly cost?: number;
      /** Lines that the person sent so far; absent in earlier logs. */
      readonly turns?: number;
      readonly fault?: { readonly kind: string; readonly message: string };
    };

/** One line of the log: its number (from 0, no gaps in an undamaged file), wall-clock milliseconds, its body. */
export type Entry = EntryBody & { readonly n: number; readonly at: number };

export type ConductorFaultKind =
  | "model"
  | "log"
  | "turn_budget"
  | "config"
  | "listener"
  | "busy"
  | "vetoed"
  /** What a feature has to say that is not a fault of it. */
  | "feature"
  | FeatureFaultKind
  /** The program ended in the middle of it. */
  | "broken";
export type ConductorFault = Fault<ConductorFaultKind>;

/** Which call it is. */
export interface CallFacts {
  readonly callId: string;
  readonly name: string;
  /** One line that says what the call is about: a path, a pattern, a command. Untrusted text. */
  readonly title: string;
}

/** What a session tells its listeners, in order. An entry is durable before its event is sent. */
export type ConductorEvent =
  | { readonly kind: "entry"; readonly entry: Entry }
  | { readonly kind: "delta"; readonly delta: ModelDelta }
  /** `input` are the arguments as the model wrote them. Untrusted. */
  | ({ readonly kind: "tool_start"; readonly input: JsonValue } & CallFacts)
  | ({
      readonly kind: "tool_end";
      /** The arguments that the tool got, where features rewrote the model's. */
      readonly input?: JsonValue;
      readonly state: ToolState;
      readonly durationMs: number;
      /** How the call ended in the tool's own words, where it says so: `exit code 1`. Untrusted text. */
      readonly status?: string;
      /** The JSON of the tool's result (seed 001, `details`): of `edit` its path, replacements and diff. Untrusted. */
      readonly details?: JsonValue;
    } & CallFacts)
  /**
   * A call's tool runs, and this is the last of what it has brought so far; only where whoever opened the session looks on.
   * Before the first of them the call waits: for a question, a feature, its turn. Untrusted.
   */
  | { readonly kind: "tool_progress"; readonly callId: string; readonly tail: string }
  /** What a delegate does in the session of this id. */
  | {
      readonly kind: "delegate";
      readonly agent: string;
      readonly sessionId: string;
      readonly event: DelegateEvent;
    }
  /** For the person, never for the model. `owner` is the feature that speaks; without one it is the host. */
  | { readonly kind: "alert"; readonly text: string; readonly owner?: string }
  | { readonly kind: "fault"; readonly fault: ConductorFault };

/** What a session tells of the delegates that work for it, from their start to their end; of their entries the replies, with
 * what they cost, of their deltas the waits. */
export type DelegateEvent =
  | Extract<ConductorEvent, { readonly kind: "tool_start" | "tool_end" | "alert" | "fault" }>
  | { readonly kind: "delta"; readonly delta: Extract<ModelDelta, { readonly kind: "retry" }> }
  | { readonly kind: "entry"; readonly entry: Extract<Entry, { readonly type: "assistant" }> }
  /** The first of them. The objective is the model's words: untrusted. */
  | { readonly kind: "delegate_start"; readonly objective: string }
  /** The last of them. */
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
       * failed, or fell silent, which this request alone may have brought about.
       */
      readonly lacksModel?: "certain" | "likely";
    };

/** What one model was used for, or all delegates together: these have no usage here, it stands in their own logs. */
export interface ModelCost {
  readonly name: string;
  readonly calls: number;
  /** Calls whose price is not known. */
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
  /** Of the next model call. */
  readonly params: ModelParams;
  /** Totals over the session's replies. */
  readonly usage: Usage;
  /** What those cost, by `provider/model` in the order of first use, and last what delegates cost. */
  readonly costs: readonly ModelCost[];
  /** What the provider said of its limits with the last reply. */
  readonly limits: readonly RateLimit[];
  /** Tokens the last request and its reply held together; 0 before the first. */
  readonly contextTokens: number;
}

export interface NoticeOptions {
  readonly maxBytes?: number;
  /** The documents that its text shows. */
  readonly documents?: readonly ShownDocument[];
  /** A compaction took it out of view: it comes back as far as there is room. */
  readonly isAgain?: boolean;
}

/** `pieces: false` says that whoever listens has no use for an answer while it comes; what nobody hears costs nothing. */
export type Subscribe = (
  listener: (event: ConductorEvent) => void,
  options?: { readonly pieces?: boolean },
) => Disposer;

/** Owns one session: its log, its loop, its queue. */
export interface Conductor {
  readonly status: () => SessionStatus;
  /** What the next request holds by the provider's own count; undefined where it says none in time, or while calls run. */
  readonly countTokens: (signal: AbortSignal) => Promise<number | undefined>;
  /** Opens the session for features: `session:start`. Before the first submit, once. */
  readonly start: () => Promise<void>;
  /** Runs one submit to its end. Never rejects. A second submit during a run ends with a `busy` fault. */
  readonly submit: (input: SubmitInput) => Promise<SubmitEnd>;
  /** Queues a line that joins the running submit at its next model call; with no run it waits for the next one. */
  readonly steer: (content: UserContent) => void;
  /** The lines that wait, in the order in which they were typed. */
  readonly waiting: () => readonly UserContent[];
  /** The person wants these of {@link waiting} back: they join nothing. */
  readonly takeBack: (lines: readonly UserContent[]) => void;
  /**
   * Runs a person's command line through the gate of the `bash` tool, for at most ten minutes; `abort` or `signal` ends
   * it. Rejects with the reason when it is refused. `progress` hears the last of its output while it runs.
   */
  readonly exec: (
    command: string,
    signal?: AbortSignal,
    by?: string,
    progress?: (tail: string) => void,
  ) => Promise<ExecOutcome>;
  /** Ends the running submit and commands within 100 ms; no-op when idle. */
  readonly abort: () => void;
  readonly subscribe: Subscribe;
  /** Switches to `provider/model` from the next model call on. */
  readonly setModel: (name: string) => Promise<ConductorFault | undefined>;
  /** How hard the model thinks from the next call on. */
  readonly setThinking: (level: ThinkingLevel) => void;
  /** Tells listeners something transient: for the person, never for the model, never in the log. */
  readonly announce: (
    event: Extract<ConductorEvent, { readonly kind: "alert" | "fault" | "delegate" | "tool_progress" }>,
  ) => void;
  /**
   * Queues a notice that the model reads at its next call, labelled with its origin. Rate-limited, and cut to `maxBytes`
   * (default 4 KiB). False when it was dropped, which listeners hear as a fault.
   */
  readonly notify: (origin: string, text: string, options?: NoticeOptions) => boolean;
  /** Logs what the person allowed for this session; before the first line of a session it waits for that line. */
  readonly noteApproval: (approval: SessionApproval) => void;
  /** Logs what was decided about a call, in the same way. */
  readonly noteDecision: (decision: CallDecision) => void;
  /** Logs that the session begins or ceases to plan, in the same way. */
  readonly notePlanning: (isPlanning: boolean) => void;
  /** Logs what became of a delegate in the background. */
  readonly noteDelegate: (delegate: Omit<Extract<EntryBody, { readonly type: "delegate" }>, "type">) => void;
  /** Logs that files were taken back. */
  /** Gives the session a name. */
  readonly noteTitle: (title: Omit<Extract<EntryBody, { readonly type: "title" }>, "type">) => void;
  readonly noteRewind: (rewind: Extract<EntryBody, { readonly type: "rewind" }>) => void;
  /** What is logged so far survives a power cut. Rejects with a `LogError`. */
  readonly secure: () => Promise<void>;
  /** Replaces the model's view with a summary that the model writes. Idle only. */
  readonly compact: (instructions: string) => Promise<ConductorFault | undefined>;
  /** Empties the model's view. Idle only. */
  readonly clear: () => ConductorFault | undefined;
  /** Goes on after entry `to`; what came since stays on its branch, of which a summary is made for the model on request. Idle only. */
  readonly jump: (
    to: number,
    options?: { readonly summarise?: boolean },
  ) => Promise<ConductorFault | undefined>;
  /** Starts a new log; the old one stays. Idle only. */
  readonly renew: () => ConductorFault | undefined;
  /**
   * Goes on in a fork of the session, without the person's last `back` lines and what came of them; the session stays. Answers that
   * line, the first that is left out. Idle only.
   */
  readonly fork: (back: number) => { readonly fault: ConductorFault } | { readonly left: string };
  /** Goes on with the session of this id, or a fork of it where it is in use; this one stays. `told` is for the person. Idle only. */
  readonly goOn: (
    id: string,
  ) =>
    | { readonly fault: ConductorFault }
    | { readonly entries: readonly Entry[]; readonly told: readonly string[] };
  /** Ends a running submit, syncs and closes the log. */
  readonly close: () => Promise<void>;
  /** The program ends now, and nobody asked it to: the log says so and is closed. Throws a `LogError`. */
  readonly breakOff: (why: string) => void;
}
