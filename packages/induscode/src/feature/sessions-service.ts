// A feature's own sessions, which work for the one it is in.

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
