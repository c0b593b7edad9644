// How a decision about a call is reported: which part of it, the outcome, the rule behind it, and where that rule is
// written. The decider, `indus why`, the question and the log all use the same object. Shapes only.

/** Whose rule it is: the machine's, the person's, one folder's, a repository's, one run's, or a typed command's for its turn. */
export type RuleLayer = "managed" | "person" | "folder" | "repository" | "flags" | "command";

/** What decided: a rule of a layer, an answer in this session, the mode, or a built-in. */
export type DecidedBy = RuleLayer | "session" | "mode" | "built-in";

/** The decision about one part of a call. */
export interface Ruling {
  /** The command, or the action and its file, host or delegate. */
  readonly what: string;
  readonly outcome: "allow" | "ask" | "deny";
  readonly why: string;
  readonly layer: DecidedBy;
  /** The deciding rule, as the person wrote it; absent when the mode or a table decides. */
  readonly rule?: string;
  /** The flag, or the file and setting, where the rule is written. */
  readonly place?: string | undefined;
  /** The session's permission mode, where that decided. */
  readonly mode?: string;
}

/** A whole call, part by part. */
export interface Decision {
  readonly outcome: "allow" | "ask" | "deny";
  readonly rulings: readonly Ruling[];
  /** What would allow it. */
  readonly change?: string | undefined;
}
