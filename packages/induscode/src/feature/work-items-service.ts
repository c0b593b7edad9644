// The work items of a folder, as a feature reads and changes them.

export type WorkItemStatus = "open" | "blocked" | "done" | "failed";

/** A task of this folder. Nobody claims one. */
export interface WorkItem {
  readonly id: string;
  readonly title: string;
  readonly brief: string;
  readonly priority: WorkItemPriority;
  /** Ids of those that must be done before it. */
  readonly deps: readonly string[];
  readonly status: WorkItemStatus;
  /** Its result, or why it failed or is blocked. */
  readonly summary?: string | undefined;
  readonly comments: readonly { readonly by: string; readonly at: string; readonly text: string }[];
  readonly postedBy: string;
  /** ISO 8601. */
  readonly postedAt: string;
}

export type WorkItemPriority = "low" | "normal" | "high";

/** A work item to create. */
export interface WorkItemDraft {
  readonly title: string;
  readonly brief?: string | undefined;
  /** Default `normal`. */
  readonly priority?: WorkItemPriority | undefined;
  readonly deps?: readonly string[] | undefined;
}

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

/** The work items of a folder and their changes. Rejects when it cannot be done. */
export interface WorkItemReader {
  /** The name recorded for changes made here. */
  readonly name: string;
  readonly list: (status?: WorkItemStatus) => Promise<readonly WorkItem[]>;
  /** The changes after this step, oldest first, at most 200 steps; without a step, those of the last one. */
  readonly changes: (after?: number) => Promise<readonly WorkItemChange[]>;
}

export interface WorkItems extends WorkItemReader {
  /** Returns its id. */
  readonly create: (draft: WorkItemDraft) => Promise<string>;
  readonly comment: (id: string, text: string) => Promise<void>;
  readonly move: (id: string, to: WorkItemStatus, reason?: string) => Promise<void>;
  /** It waits for these; a cycle is refused. */
  readonly depend: (id: string, on: readonly string[]) => Promise<void>;
}
