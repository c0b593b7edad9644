// What reading a command line answers. Shapes only.

/** One word of a command. */
export interface ShellWord {
  /** As it is written. */
  readonly text: string;
  /** What the program gets; absent where only the run can tell, and then it may be no word or several. */
  readonly value?: string;
}

/** A file that the shell itself opens for a command. */
export interface ShellFile {
  readonly kind: "read" | "write";
  /** Every place that may be meant; absent where it is not known. */
  readonly paths?: readonly string[];
}

/** `NAME=value` in front of a command, or alone. */
export interface ShellVariable {
  readonly name: string;
  readonly value?: string;
}

/** One command of a line. */
export interface ShellPart {
  /** As it is written, without what stands around it. */
  readonly text: string;
  /** The program and its arguments; empty where variables are set, or files opened, and no program runs. */
  readonly words: readonly ShellWord[];
  readonly variables: readonly ShellVariable[];
  /** Where it may run; absent where that is not known. */
  readonly folders?: readonly string[];
  readonly files: readonly ShellFile[];
  /** The command that starts it: `sudo`, `xargs`, `find -exec`, `sh -c`. */
  readonly within?: string;
  /** A function of the same line, whose body is read where it stands. */
  readonly isFunction?: boolean;
  /** So many of the parts that follow are what it runs. */
  readonly inner?: number;
  /** It does nothing of its own: what it runs decides. */
  readonly isTransparent?: boolean;
  /** Which command it starts is made of what only the run knows. */
  readonly isHidden?: boolean;
  /** Why what it does is not known from the line; absent where it is. */
  readonly unclear?: string;
}

/** A whole line, read. */
export interface CommandReading {
  /** Every command that the line may start, in the order in which they are written. */
  readonly parts: readonly ShellPart[];
  /** Why the line as a whole is not understood; rules that allow cover none of it then. */
  readonly unclear?: string;
  /** Why it may start processes without end, as a fork bomb does. */
  readonly endless?: string;
}

/** Where a line is read. */
export interface ReadingPlace {
  readonly cwd: string;
  readonly home: string;
}

/** What a harmless command looks at. */
export interface Looks {
  /** Paths as they are written; `.` is the folder that it runs in. */
  readonly files: readonly string[];
  /** It reads whatever lies below, or comes out of a history: a rule on files cannot see which. */
  readonly isDeep?: boolean;
  /** It asks git, whose settings may run programs. */
  readonly isGit?: boolean;
}
