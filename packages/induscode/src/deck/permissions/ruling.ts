// How a decision is told: which part of a call, what becomes of it, because of which rule, and where that rule stands. Shapes only.

/** What was decided about one part of a call. */
export interface Ruling {
  /** The command, or what is done to which file, host or delegate. */
  readonly what: string;
  readonly outcome: "allow" | "ask" | "deny";
  readonly why: string;
  /** The rule that decides, as the person wrote it; absent where the mode or a table does. */
  readonly rule?: string;
  /** The flag or the file and setting where the rule stands. */
  readonly place?: string;
}

/** A whole call, part by part. */
export interface Explanation {
  readonly outcome: "allow" | "ask" | "deny";
  readonly rulings: readonly Ruling[];
  /** What would let it pass. */
  readonly change?: string;
}
