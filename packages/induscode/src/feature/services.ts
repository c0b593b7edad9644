// How running feature code reaches its session: handles, sinks and services, each checked against the feature's grants.

import type { Fs, WebAnswer, WebRequest } from "indusagi/capabilities";
import type { SessionScope } from "indusagi/core";
import type { MemoryReader, MemoryStore } from "./memory-service.ts";
import type { SamplingService } from "./sampling-service.ts";
import type { FeatureSessions, SessionRight, SessionRights } from "./sessions-service.ts";
import type { FeatureUi, UiPart } from "./ui.ts";
import type { WorkItemReader, WorkItems } from "./work-items-service.ts";

export interface ExecOutcome {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
  /** Bytes that it printed in all: of very much output, the texts hold only both ends. */
  readonly totalBytes?: number;
}

/** The controlled channel through which a command acts on the session. */
export interface SessionHandles {
  /** The session's other parts, for built-in commands. */
  readonly session?: SessionScope;
  /** Gives the model a message, as a steering line does. */
  readonly sendMessage?: (text: string) => void;
  /** Switches the model; returns what went wrong, or undefined. */
  readonly setModel?: (name: string) => Promise<string | undefined>;
  readonly setThinking?: (level: string) => string | undefined;
  /** Runs a command through the same gate as the `bash` tool; rejects with the reason when it did not run, the cause of the error being the call's state. */
  readonly exec?: (
    command: string,
    args: readonly string[],
    /** `by` is the feature that runs it, for the question; what a feature claims here is ignored. */
    options?: {
      readonly signal?: AbortSignal;
      readonly by?: string;
      /** Receives the tail of its output while it runs, starting at once. */
      readonly progress?: (tail: string) => void;
    },
  ) => Promise<ExecOutcome>;
}

export type DiagnosticSeverity = "info" | "warning" | "error";

/** The only ways a running task or handler can be heard. The host bounds the texts. */
export interface FeatureSinks {
  /** Commits a notice that the model reads at its next call, labelled with its origin. Rate-limited. */
  readonly notifyModel: (text: string) => void;
  /** A short line for the person; not for the model and not logged. */
  readonly alert: (text: string) => void;
  /** A line in the feature's report. */
  readonly diagnostic: (severity: DiagnosticSeverity, text: string) => void;
}

/** The host's answer to a request for a service. */
export type ServiceAnswer<Service> =
  | { readonly ok: true; readonly service: Service }
  /** `denied`: the grant is missing. `unavailable`: this session has no such service. */
  | { readonly ok: false; readonly why: "denied" | "unavailable"; readonly reason: string };

/** The only way a feature reads and writes. Each service checks the feature's grants. */
export interface FeatureServices {
  /** Files of the workspace, read and written as granted; nothing outside it, and nothing that `keepsOff` matches. */
  readonly files: (options?: {
    readonly keepsOff?: (realPath: string, written: string) => boolean;
  }) => ServiceAnswer<Fs>;
  /** The value of a granted secret: the environment variable named `id`. */
  readonly secret: (id: string) => ServiceAnswer<string>;
  /** Runs shell lines through the same gate as the `bash` tool; that gate can still refuse each one. */
  readonly exec: () => ServiceAnswer<NonNullable<SessionHandles["exec"]>>;
  /** Requests to one host, written as in a URL; redirects to other hosts are refused. */
  readonly network: (host: string) => ServiceAnswer<NetworkService>;
  /** The work items of this folder. Loaded on first request. */
  readonly workItems: <Right extends AccessRight>(
    right: Right,
  ) => ServiceAnswer<Promise<Right extends "write" ? WorkItems : WorkItemReader>>;
  /** What is remembered about the person and this folder. Loaded on first request. */
  readonly memory: <Right extends AccessRight>(
    right: Right,
  ) => ServiceAnswer<Promise<Right extends "write" ? MemoryStore : MemoryReader>>;
  /** The feature's own sessions, which work for this one. Loaded on first request. */
  readonly sessions: <Right extends SessionRight>(
    right: Right,
  ) => ServiceAnswer<Promise<Pick<FeatureSessions, SessionRights[Right]>>>;
  /** The session's model, for texts of the feature's own. */
  readonly sampling: () => ServiceAnswer<SamplingService>;
  /** This part of the session's console. */
  readonly ui: (part: UiPart) => ServiceAnswer<FeatureUi>;
}

/** A session as one feature may reach it: each use is checked against what the feature was granted. */
export interface SessionReach {
  readonly sinks: FeatureSinks;
  readonly services: FeatureServices;
}

/** What a call brings with it; nothing where there is no session. */
export type CallReach = { readonly [Part in keyof SessionReach]?: SessionReach[Part] | undefined };

export type AccessRight = "read" | "write";

/** Sends one request; rejects only with `Aborted`, when its signal fires. */
export type NetworkService = (request: Omit<WebRequest, "staysOnHost">) => Promise<WebAnswer>;
