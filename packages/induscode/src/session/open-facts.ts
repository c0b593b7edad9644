// What a session is opened with, and what it is once it is open.

import type { Fs } from "indusagi/capabilities";
import type { OpenScope, SecretMask } from "indusagi/core";
import type { ModelParams } from "indusagi/llmgateway";
import type { ToolDescriptor } from "indusagi/runtime";
import type { ServerNote, SubagentProfile } from "../briefing/contract.ts";
import type { GatheredBriefing } from "../briefing/gather.ts";
import type { SessionPart } from "../cli/part.ts";
import type { Conductor, Entry } from "../conductor/contract.ts";
import type { CostBudget } from "../conductor/cost.ts";
import type { ContextFold } from "../conductor/fold.ts";
import type { OpenedLog, SessionLog } from "../conductor/log.ts";
import type { ModelResolver } from "../conductor/model-in-use.ts";
import type { WhereToWrite } from "../conductor/unwritten.ts";
import type { CallDecision, CommandSandbox, Perform, SessionApproval } from "../deck/contract.ts";
import type { PermissionRequest, Permissions } from "../deck/permissions/permissions.ts";
import type { FenceOptions } from "../feature/dispatch/fence.ts";
import type { SessionHooks } from "../feature/dispatch/hooks.ts";
import type { TaskSupervisor } from "../feature/dispatch/tasks.ts";
import type { FeatureRegistry } from "../feature/registry.ts";
import type { SessionHandles } from "../feature/services.ts";
import type { SessionUi } from "../feature/ui.ts";
import type { SessionNotices } from "./notices.ts";

/** What a prompt says about tools. */
export interface ToolsInPrompt {
  /** Described in each request. */
  readonly described: readonly ToolDescriptor[];
  /** Known only by name. */
  readonly named: readonly ToolDescriptor[];
  readonly serverNotes: readonly ServerNote[];
}

/** A session's prompt and the documents it shows. */
export interface SessionWords {
  /** The system prompt for these tools at a given time. */
  readonly compose: (tools: ToolsInPrompt, clock: number) => string;
  readonly folderDocs: GatheredBriefing["folderDocs"];
}

/** Where it works. */
export interface SessionPlace {
  /** The working directory, as a real path. */
  readonly cwd: string;
  /** What `~` means. */
  readonly personHome: string;
  /** What its commands inherit, except for the variables in `withhold`. */
  readonly env: NodeJS.ProcessEnv;
  /** Where granted secrets are read from. */
  readonly secretEnv: NodeJS.ProcessEnv;
  readonly withhold: readonly string[];
  /** What its tools read and write; default: this machine's files. */
  readonly files?: Fs | undefined;
}

/** What it may never do, whatever its permissions say. */
export interface SessionLimits {
  /** Its permission mode is read-only. */
  readonly isReadOnly: () => boolean;
  /** No plan is approved yet, so nothing may change. */
  readonly isPlanning?: () => boolean;
  /** Features cannot use the network through the host. */
  readonly isOffline: boolean;
}

/** Its log, and where the next ones are. */
export interface LogFacts {
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
}

/** The model that it asks, and how long. */
export interface ModelFacts {
  readonly resolveModel: ModelResolver;
  readonly modelName: string;
  readonly fallbackModels: readonly string[];
  readonly params: ModelParams;
  readonly maxTurns?: number | undefined;
  readonly budget?: CostBudget | undefined;
}

export interface SessionFacts {
  /** The available features; another session may use the same registry. */
  readonly registry: FeatureRegistry;
  readonly place: SessionPlace;
  readonly limits: SessionLimits;
  readonly logs: LogFacts;
  readonly model: ModelFacts;
  readonly secrets: SecretMask;
  /** Where the person reads what no call reports. */
  readonly notices: Pick<SessionNotices, "tell" | "alert" | "diagnostic" | "fault">;
  readonly fence: Omit<FenceOptions, "onFault" | "session">;
  /** Somebody watches while calls run. */
  readonly showsProgress: boolean;
  /** How many bytes of MCP servers' tools each request may have. */
  readonly toolBytes?: number | undefined;
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
  readonly join: (made: MadeSession) => readonly SessionPart[];
  /** Stands between its calls and their tools: a replayed session runs no commands. */
  readonly perform?: Perform | undefined;
  /** What it may do; a "this session" answer is recorded in the session. */
  readonly permissions: (onApproval: (approval: SessionApproval) => void) => Permissions;
  /** How sessions of delegates differ from it; absent when it has none. */
  readonly delegates?: DelegateFacts | undefined;
  /** The delegate that works in it; absent for a session of the person's. */
  readonly delegate?: DelegateHere | undefined;
}

/** Whose session it is, where it is a delegate's. */
export interface DelegateHere {
  readonly name: string;
  /** Whether it has this tool of the session that it works for. */
  readonly hasTool: (name: string) => boolean;
  /** The feature that it works for, which is responsible for its calls. */
  readonly author?: string | undefined;
}

export interface DelegateFacts {
  readonly words: (profile: SubagentProfile) => SessionWords;
  readonly nextLog: () => SessionLog;
  /** An earlier run's session. Throws a `LogError`. */
  readonly openLog: (id: string) => OpenedLog;
  /** Model calls for one objective; a profile can only lower it. */
  readonly maxTurns: number;
}

/** How one delegate's session is opened. */
export interface OpenDelegate {
  /** Lowers the profile's limit of model calls per line. */
  readonly maxTurns?: number | undefined;
  readonly model?: string | undefined;
  /** Nobody can be asked: the person is looking at something else. */
  readonly isUnattended: boolean;
  readonly author?: string | undefined;
  /** The session of an earlier run to continue. */
  readonly continues?: string | undefined;
}

/** What its parts may use of it. */
export interface MadeSession {
  readonly conductor: Conductor;
  readonly scope: OpenScope;
  readonly tasks: TaskSupervisor;
  readonly explain: Permissions["explain"];
  /** Decides about something that is not a call, and notes it; may ask. Resolves to the reason if it is refused. */
  readonly permits: (request: PermissionRequest, signal: AbortSignal) => Promise<string | undefined>;
  /** Rules that allow as well, until the returned function is called. */
  readonly lend: Permissions["lend"];
  /** A delegate's session: with its own conversation and log, but with this one's features and permissions. Idle. Throws a `LogError`. */
  readonly openDelegate: (profile: SubagentProfile, how: OpenDelegate) => Session;
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
