// The result of reading a command line. Types only.

/** One word of a command. */
export interface ShellWord {
  /** As written. */
  readonly text: string;
  /** What the program gets; absent if known only at run time, and then it may be no word or several. */
  readonly value?: string;
}

/** A file that the shell itself opens for a command. */
export interface ShellFile {
  readonly kind: "read" | "write";
  /** Every place that may be meant; absent if unknown. */
  readonly paths?: readonly string[];
  /** The word that says which, where the places are unknown. */
  readonly word?: ShellWord;
}

/** `NAME=value` before a command, or alone. */
export interface ShellVariable {
  readonly name: string;
  readonly value?: string;
}

/** One command of a line. */
export interface ShellPart {
  /** As written, without what surrounds it. */
  readonly text: string;
  /** The program and its arguments; empty if variables are set, or files opened, and no program runs. */
  readonly words: readonly ShellWord[];
  readonly variables: readonly ShellVariable[];
  /** Where it may run; absent if unknown. */
  readonly folders?: readonly string[] | undefined;
  readonly files: readonly ShellFile[];
  /** What it reads, where the line itself says that: a here-document, or what an `echo` before it writes. */
  readonly input?: string | undefined;
  /** A function of the same line, whose body is read where it is defined. */
  readonly isFunction?: boolean | undefined;
  /** The number of following parts that it runs. */
  readonly inner?: number | undefined;
  /** It does nothing itself: what it runs decides. */
  readonly isTransparent?: boolean | undefined;
  /** The command that it starts depends on values known only at run time. */
  readonly isHidden?: boolean | undefined;
  /** Why the line does not show what it does; absent if it does. */
  readonly unclear?: string | undefined;
}

/** A whole line, parsed. */
export interface CommandReading {
  /** Every command that the line may start, in written order. */
  readonly parts: readonly ShellPart[];
  /** Why the line as a whole is not understood; no allow rule covers any of it then. */
  readonly unclear?: string | undefined;
  /** Why there may be commands in it that are not among its parts. */
  readonly unread?: string | undefined;
  /** Why it may start processes endlessly, like a fork bomb. */
  readonly endless?: string | undefined;
}

/** Where a line is read. */
export interface ReadingPlace {
  readonly cwd: string;
  readonly home: string;
  /** bash runs the line, not in its POSIX mode; otherwise it may be any shell. */
  readonly isBash?: boolean | undefined;
}

/** What a harmless command looks at. */
export interface Looks {
  /** Paths as written; `.` is the folder that it runs in. */
  readonly files: readonly string[];
  /** It reads whatever is below, or comes from a history: a rule on files cannot see which. */
  readonly isDeep?: boolean | undefined;
  /** Given a folder, it also shows the files that links in it lead to. */
  readonly needsFiles?: boolean | undefined;
  /** It asks git, whose settings can run programs. */
  readonly isGit?: boolean;
}
