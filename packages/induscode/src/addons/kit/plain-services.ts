// Generated from addon-protocol.schema.json by `npm run protocol`: do not edit. The services of the host that are one request each.

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
  readonly workItemCreate: (
    title: string,
    brief?: string,
    priority?: WorkItemPriority,
    deps?: WorkItemIds,
  ) => Promise<string>;
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
  readonly sessionSpawn: (
    agent: string,
    objective: string,
    context?: string,
    limits?: SessionLimits,
    outlives?: boolean,
  ) => Promise<string>;
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

/** The fields that each sends, in the order of its arguments, and the field of the answer that it gives. */
export const PLAIN_SERVICES: {
  readonly [Name in keyof PlainServices]: { readonly takes: readonly string[]; readonly gives?: string };
} = {
  alert: { takes: ["text"] },
  notify: { takes: ["text"] },
  readFile: { takes: ["path"], gives: "text" },
  writeFile: { takes: ["path", "text"] },
  secret: { takes: ["id"], gives: "value" },
  workItemList: { takes: ["status"], gives: "items" },
  workItemChanges: { takes: ["after"], gives: "changes" },
  workItemCreate: { takes: ["title", "brief", "priority", "deps"], gives: "id" },
  workItemComment: { takes: ["id", "text"] },
  workItemMove: { takes: ["id", "to", "reason"] },
  workItemDepend: { takes: ["id", "on"] },
  memorySearch: { takes: ["words", "scope"], gives: "entries" },
  memoryAdd: { takes: ["text", "scope"] },
  memoryReplace: { takes: ["old", "text", "scope"] },
  sessionSpawn: { takes: ["agent", "objective", "context", "limits", "outlives"], gives: "id" },
  sessionList: { takes: [], gives: "sessions" },
  sessionWait: { takes: ["id"], gives: "session" },
  sessionStop: { takes: ["id"] },
  sessionMessage: { takes: ["id", "text"] },
  sessionRestore: { takes: ["id", "text"] },
};

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
