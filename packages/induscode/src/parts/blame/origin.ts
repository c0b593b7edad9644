// What a line is traced to.

/** In the place of a turn's number: no line of the person's stands behind it. */
export const NO_TURN = 0;

/** One thing that a person said, and the session in which they said it. */
export interface Prompt {
  readonly session: string;
  /** The log that says it. */
  readonly log: string;
  readonly isDelegate: boolean;
  /** The number of the person's line on its branch, from 1; {@link NO_TURN} for a call of another program. */
  readonly turn: number;
  /** The line itself, cut; for such a call, who called. */
  readonly said: string;
  /** When the call ended, or the turn, in milliseconds since 1970. */
  readonly at: number;
}

/** A tool call, as far as its log explains it. */
export interface TracedCall {
  readonly callId: string;
  /** The number of the log's entry with its outcome. */
  readonly entry: number;
  readonly tool: string;
  readonly title: string;
  /** The addon that owns the tool; absent for a built-in one. */
  readonly addon?: string | undefined;
  /** The features that changed the call, each with the event: `guard at tool:before`. */
  readonly changedBy: readonly string[];
  /** Why it was allowed; absent in logs of earlier versions. */
  readonly allowed?: string | undefined;
}

/** `call` wrote the line. If it is not known which call did, it is one of `maybe` in that turn, or nothing that the log names. */
export type Origin = Prompt &
  (
    | { readonly kind: "call"; readonly call: TracedCall }
    | { readonly kind: "turn"; readonly maybe: readonly TracedCall[] }
  );

/** Undefined: nothing that a log tells of wrote the line. */
export type MaybeOrigin = Origin | undefined;
