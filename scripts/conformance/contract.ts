// What the conformance suite is asked and what it answers. Shapes only.

import type { JsonValue } from "indusagi/core";
import type { Registration } from "../../packages/induscode/src/addons/process/protocol/messages.ts";

/** The program of the author, run as it is: the suite confines nothing. */
export interface ProgramUnderTest {
  readonly argv: readonly string[];
  readonly cwd: string;
}

export interface ConformanceOptions {
  /** How long a request may be neither acknowledged nor answered, in milliseconds. */
  readonly acknowledgeMs: number;
  /** How long it may be without an answer before the suite gives up. */
  readonly answerMs: number;
  /** How long an answer may take after a cancellation. */
  readonly cancelGraceMs: number;
  /** How long the program may take to end. */
  readonly endMs: number;
  /** How many times as long as it says a task of its own may take to end. */
  readonly times: number;
  /** How long a line it must take. */
  readonly bigLineBytes: number;
  /** Hears of each check when it is done. */
  readonly onResult?: (result: CheckResult) => void;
}

/** `skipped`: an earlier check failed that it stands on, or the addon has nothing that it could be tried on. */
export interface CheckResult {
  readonly name: string;
  readonly title: string;
  readonly outcome: "passed" | "failed" | "skipped";
  /** What was expected and found, or why it was skipped. */
  readonly detail?: string;
  readonly ms: number;
}

export interface ConformanceReport {
  readonly results: readonly CheckResult[];
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** What came of a request. */
export type Answer =
  | { readonly kind: "result"; readonly result: JsonValue }
  | { readonly kind: "error"; readonly code: number; readonly message: string }
  /** There was none; `why` says what was found instead. */
  | { readonly kind: "none"; readonly why: string };

/** What is noticed in every session, for the checks at the end. */
export interface Observations {
  /** On standard output, and no message. */
  readonly stray: string[];
  /** Messages that are not of the protocol. */
  readonly wrong: string[];
  /** Requests that were neither acknowledged nor answered in time. */
  readonly slow: string[];
  /** Calls that failed already; another check need not tell it again. */
  readonly brokenCalls: Set<string>;
}

/** What a check may use. */
export interface CheckContext {
  readonly options: ConformanceOptions;
  readonly observations: Observations;
  /** Starts the program anew and has it describe itself, unless told otherwise. */
  readonly open: (options?: OpenOptions) => Promise<Session>;
  /** What the first session's `describe` answered. Not known before the handshake has passed. */
  readonly registration: () => Registration;
  readonly register: (registration: Registration) => void;
}

export interface OpenOptions {
  readonly describes?: boolean;
  /** What the suite, as the host, answers to the addon's requests. */
  readonly host?: "grants" | "refuses";
}

/** The outcome of a check's body: undefined is a pass. */
export type Verdict = undefined | { readonly failed: string } | { readonly skipped: string };

export interface Check {
  readonly name: string;
  readonly title: string;
  /** `vital`: what stands on it is skipped when it fails. `summary`: looks at what was noticed, and stands on nothing. */
  readonly kind?: "vital" | "summary";
  readonly run: (context: CheckContext) => Promise<Verdict>;
}

/** One run of the program. */
export interface Session {
  readonly ask: (method: string, params: JsonValue) => Promise<Answer>;
  /** Sends a request and hands over its id, for a cancellation. */
  readonly begin: (
    method: string,
    params: JsonValue,
  ) => { readonly id: number; readonly answer: Promise<Answer> };
  readonly notify: (method: string, params: JsonValue) => void;
  /** Bytes as they are. */
  readonly write: (text: string) => void;
  /** The line of a request that `write` will send, with its answer. */
  readonly prepare: (
    method: string,
    params: JsonValue,
  ) => { readonly line: string; readonly answer: Promise<Answer> };
  readonly closeInput: () => void;
  /** How it ended; undefined while it runs. */
  readonly ended: () => string | undefined;
  /** Whether a signal ended it, as a crash does. */
  readonly crashed: () => boolean;
  /** Whether it ended within so many milliseconds. */
  readonly endsWithin: (ms: number) => Promise<boolean>;
  /** Methods of the requests that it sent. */
  readonly requested: readonly string[];
  /** Messages that are not of the protocol, in this session. */
  readonly wrong: string[];
  /** Requests that were neither acknowledged nor answered in time, in this session. */
  readonly slow: string[];
  /** The last of what it wrote to standard error. */
  readonly errorText: () => string;
  readonly stop: () => Promise<void>;
}
