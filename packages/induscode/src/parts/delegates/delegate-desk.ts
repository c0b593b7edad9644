// What a session has for delegating work.

import { type SessionKey, sessionKey } from "indusagi/core";

/** What a delegate may use up for one objective. Absent limits are bounded by the session only. */
export interface DelegateLimits {
  /** Model calls. */
  readonly turns?: number;
  /** All tokens that its models read and wrote. */
  readonly tokens?: number;
  readonly dollars?: number;
  readonly seconds?: number;
}

/** One piece of work. */
export interface DelegateWork {
  /** The delegate's name. */
  readonly agent: string;
  readonly objective: string;
  /** What else the delegate needs to know. */
  readonly context?: string | undefined;
  /** The model to use instead of its profile's, or the session's. */
  readonly model?: string | undefined;
  readonly limits?: DelegateLimits | undefined;
  /** Called at its end with what it used, however it ended. */
  readonly took?: (used: DelegateUse) => void;
}

export interface DelegateUse {
  /** Model calls. */
  readonly turns: number;
  readonly tokens: number;
  /** Dollars, where prices are known. */
  readonly cost: number;
}

/** The text that the delegate reads. */
export function wordsOf({ objective, context }: DelegateWork): string {
  return context === undefined ? objective : `${objective}\n\nWhat you need to know:\n${context}`;
}

/** How it ended; `report` is what the model reads. */
export interface DelegateReport {
  readonly ok: boolean;
  readonly report: string;
  /** Model calls. */
  readonly turns: number;
  /** Dollars, where prices are known. */
  readonly cost: number;
  /** Why its model cannot be asked; any objective would end like this. */
  readonly lacksModel?: string;
}

export type DelegateState = "working" | "done" | "failed" | "stopped";

/** The current state of a delegate in the background. */
export interface BackgroundDelegate {
  /** `delegate-1`. */
  readonly id: string;
  readonly agent: string;
  readonly sessionId: string;
  /** The last request it was given. */
  readonly objective: string;
  readonly state: DelegateState;
  readonly turns: number;
  readonly tokens: number;
  readonly cost: number;
  readonly ageMs: number;
  /** Its last message; once it has ended, its report. */
  readonly said: string;
  /** The call that it makes; absent while it waits for its model. Untrusted text. */
  readonly doing?: string | undefined;
}

/** The delegate named by a call does not exist, or cannot do this now. The message says so. */
export class DelegateProblem extends Error {
  override readonly name = "DelegateProblem";
  readonly kind = "validation";
}

/** Delegates the work of one session. Each method throws or rejects with a {@link DelegateProblem} when it cannot. */
export interface DelegateDesk {
  /** Checks that each could begin, before any does. */
  readonly check: (work: readonly DelegateWork[]) => Promise<void>;
  /** Runs the work to its end. When the signal fires, rejects with `Aborted` once the delegate has ended. */
  readonly run: (work: DelegateWork, signal: AbortSignal) => Promise<DelegateReport>;
  /** Starts all or none in the background; the model gets a notice about how each ended. */
  readonly start: (work: readonly DelegateWork[]) => Promise<readonly BackgroundDelegate[]>;
  readonly list: () => readonly BackgroundDelegate[];
  readonly get: (id: string) => BackgroundDelegate;
  /** A line to a working delegate joins its next model call; an ended one continues with it. Returns its state from before. */
  readonly send: (id: string, message: string) => BackgroundDelegate;
  /** Ends its work; it can continue later. Returns its state from before. */
  readonly stop: (id: string) => Promise<BackgroundDelegate>;
  /** Waits until it has ended; the model gets no other notice of that end then. */
  readonly wait: (id: string, signal: AbortSignal) => Promise<BackgroundDelegate>;
}

/** Background work, for the person: the model's delegates, and addons' sessions as `project:x/session-1`. */
export type BackgroundDesk = Pick<DelegateDesk, "list" | "send" | "stop">;

/** Everything that works in the background of a session. */
export const BACKGROUND: SessionKey<BackgroundDesk> = sessionKey("background");

/** What a session delegates work through. */
export const DELEGATES: SessionKey<DelegateDesk> = sessionKey("delegates");

/** The maximum number of objectives in one call. */
export const MAX_TASKS = 8;
export const TASK_ACTIONS = ["run", "start", "list", "read", "send", "stop", "wait"] as const;
export const LIMITS = ["turns", "tokens", "dollars", "seconds"] as const;

export interface TaskToolFacts {
  /** Names of the available delegates. */
  readonly agents: readonly string[];
  /** Whether it needs the workspace to itself among the delegates of a call. */
  readonly worksAlone: (agent: string) => boolean;
  /** Whether none works in the background. */
  readonly oneByOne: boolean;
}
