// How a decision about a call is reported: which part of it, what becomes of that, because of which rule, and where the rule is written.
// What decides, `indus why`, the question and the log have the same object. Shapes only.

/** Whose rule it is: what binds the machine, the person, one folder, a repository, or one run. */
export type RuleLayer = "managed" | "person" | "folder" | "repository" | "flags";

/** What decided: a rule of a layer, an answer of this session, the mode, or what is built in. */
export type DecidedBy = RuleLayer | "session" | "mode" | "built-in";

/** What was decided about one part of a call. */
export interface Ruling {
  /** The command, or what is done to which file, host or delegate. */
  readonly what: string;
  readonly outcome: "allow" | "ask" | "deny";
  readonly why: string;
  readonly layer: DecidedBy;
  /** The rule that decides, as the person wrote it; absent where the mode or a table does. */
  readonly rule?: string;
  /** The flag, or the file and the setting, where the rule is written. */
  readonly place?: string;
}

/** A whole call, part by part. */
export interface Decision {
  readonly outcome: "allow" | "ask" | "deny";
  readonly rulings: readonly Ruling[];
  /** What would let it pass. */
  readonly change?: string;
}
