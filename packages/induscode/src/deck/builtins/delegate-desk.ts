// What a session has for handing on work.

import { type SessionKey, sessionKey } from "indusagi/core";

/** What a delegate may use up for one objective. What is absent is bounded by the session alone. */
export interface DelegateLimits {
  /** Model calls. */
  readonly turns?: number;
  /** All that its models read and wrote. */
  readonly tokens?: number;
  readonly dollars?: number;
  readonly seconds?: number;
}

/** One piece of work. */
export interface DelegateWork {
  /** The delegate's name. */
  readonly agent: string;
  readonly objective: string;
  /** What the delegate also needs to know. */
  readonly context?: string;
  /** Works with this one in the place of its profile's, or the session's. */
  readonly model?: string;
  readonly limits?: DelegateLimits;
  /** Hears what it took, at its end, however that is. */
  readonly took?: (used: DelegateUse) => void;
}

export interface DelegateUse {
  /** Model calls. */
  readonly turns: number;
  readonly tokens: number;
  /** Dollars, as far as prices are known. */
  readonly cost: number;
}

/** What the delegate reads. */
export function wordsOf({ objective, context }: DelegateWork): string {
  return context === undefined ? objective : `${objective}\n\nWhat you need to know:\n${context}`;
}

/** How it ended; `report` is what the model reads. */
export interface DelegateReport {
  readonly ok: boolean;
  readonly report: string;
  /** Model calls. */
  readonly turns: number;
  /** Dollars, as far as prices are known. */
  readonly cost: number;
  /** Any objective would end like this: why its model cannot be asked. */
  readonly lacksModel?: string;
}

export type DelegateState = "working" | "done" | "failed" | "stopped";

/** A delegate in the background, as it is now. */
export interface BackgroundDelegate {
  /** `delegate-1`. */
  readonly id: string;
  readonly agent: string;
  readonly sessionId: string;
  /** What it was asked last. */
  readonly objective: string;
  readonly state: DelegateState;
  readonly turns: number;
  readonly tokens: number;
  readonly cost: number;
  readonly ageMs: number;
  /** What it said last; once it has ended, its report. */
  readonly said: string;
}

/** Whoever a call names is not there, or cannot do it now. The message says so. */
export class DelegateProblem extends Error {
  override readonly name = "DelegateProblem";
  readonly kind = "validation";
}

/** Hands on the work of one session. Each method throws or rejects with a {@link DelegateProblem} where it cannot. */
export interface DelegateDesk {
  /** Whether each could begin, before any does. */
  readonly check: (work: readonly DelegateWork[]) => Promise<void>;
  /** Works to its end. Rejects with `Aborted` where the signal fires, once the delegate has ended. */
  readonly run: (work: DelegateWork, signal: AbortSignal) => Promise<DelegateReport>;
  /** Begins all or none in the background; the model reads how each ended as a notice. */
  readonly start: (work: readonly DelegateWork[]) => Promise<readonly BackgroundDelegate[]>;
  readonly list: () => readonly BackgroundDelegate[];
  readonly get: (id: string) => BackgroundDelegate;
  /** A line to one that works joins its next model call; one that has ended goes on with it. Answers how it was before. */
  readonly send: (id: string, message: string) => BackgroundDelegate;
  /** Ends its work; it can go on later. Answers how it was before. */
  readonly stop: (id: string) => Promise<BackgroundDelegate>;
  /** Waits until it has ended; the model hears nothing more of that end then. */
  readonly wait: (id: string, signal: AbortSignal) => Promise<BackgroundDelegate>;
}

/** What works in the background, for the person: the model's delegates, and addons' sessions as `project:x/session-1`. */
export type BackgroundDesk = Pick<DelegateDesk, "list" | "send" | "stop">;

/** All that works in the background of a session. */
export const BACKGROUND: SessionKey<BackgroundDesk> = sessionKey("background");

/** Whom a session hands work to. */
export const DELEGATES: SessionKey<DelegateDesk> = sessionKey("delegates");

/** Objectives of one call. */
export const MAX_TASKS = 8;
export const TASK_ACTIONS = ["run", "start", "list", "read", "send", "stop", "wait"] as const;
export const LIMITS = ["turns", "tokens", "dollars", "seconds"] as const;

export interface TaskToolFacts {
  /** Names of those whom work can be handed to. */
  readonly agents: readonly string[];
  /** Has the workspace to itself among those of a call. */
  readonly worksAlone: (agent: string) => boolean;
  /** None works in the background. */
  readonly oneByOne: boolean;
}
