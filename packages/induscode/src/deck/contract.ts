// What the session sees of its tools. Shapes only.

import type { Shell, ToolContext } from "indusagi/capabilities";
import type { JsonValue } from "indusagi/core";
import type { ToolCall, ToolDescriptor, ToolOutcome, ToolState } from "indusagi/runtime";
import type { ExecOutcome, PermissionAnswer, Ruling } from "../feature/contract.ts";

/** Who changed something of a call on its way, and where. */
export interface CallChange {
  /** An event of the table, or `intercept:enter` and `intercept:exit`. */
  readonly at: string;
  readonly feature: string;
  readonly version?: string;
  /** What changed where that is not plain: the names of environment variables. */
  readonly detail?: string;
}

/** A file as the model saw it last: what `edit` and `write` hold it against before they change it. */
export interface SeenFile {
  /** Absolute. */
  readonly path: string;
  /** Whole milliseconds. */
  readonly mtimeMs: number;
  readonly size: number;
}

/** What a person allowed "for this session": one command in its folder, one host, one delegate, or files. */
export type SessionApproval =
  | {
      readonly kind: "execute";
      readonly tool: string;
      readonly command: string;
      readonly cwd: string;
      /** What features set for it, by name; absent where nothing was set. */
      readonly variables?: Readonly<Record<string, string>>;
      /** Outside of the sandbox; absent: as commands run there, in it where there is one. */
      readonly outside?: true;
    }
  | { readonly kind: "network"; readonly tool: string; readonly host: string }
  | { readonly kind: "delegate"; readonly tool: string; readonly agent: string }
  /** `place` is a folder with everything in it, or one file. */
  | {
      readonly kind: "read" | "write";
      readonly tool: string;
      readonly place: string;
      readonly whole: boolean;
    };

/** What a person allowed for longer than a session: the very thing that was shown, or commands that begin so. */
export type KeptAnswer = {
  /** The real path of the folder that it holds in; absent: it holds everywhere. */
  readonly folder?: string;
} & ({ readonly approval: SessionApproval } | { readonly rule: string });

/** What was decided about one call, and because of what. */
export interface CallDecision {
  readonly tool: string;
  /** Of the model's call; of a command of the person or of a feature it is the host's. */
  readonly callId?: string;
  readonly outcome: "allowed" | "refused";
  /** What the person answered, where they were asked. */
  readonly answer?: PermissionAnswer["kind"];
  /** The feature that runs a command of its own. */
  readonly by?: string;
  /** The features that changed the call. */
  readonly changedBy?: readonly string[];
  /** The first of its parts, those that kept it from passing before others. */
  readonly rulings: readonly Ruling[];
  /** What would have let it pass, where it was refused and something would. */
  readonly change?: string;
  /** How many parts more there are. */
  readonly more?: number;
}

/** An outcome with the text the model reads and which of the four ends it was. */
export interface BoundaryOutcome extends ToolOutcome {
  readonly text: string;
  readonly state: ToolState;
  /** The arguments that the tool got, where features rewrote the model's. */
  readonly finalInput?: JsonValue;
  readonly changes?: readonly CallChange[];
  /** The files that the call read or wrote, as they were then. */
  readonly files?: readonly SeenFile[];
}

/** The operating system's sandbox around the model's commands. */
export interface CommandSandbox {
  /**
   * Whether it is in force here, found out with the first question: `absent` where commands run as if none had been asked
   * for; a refusal where the person asked for one and there is none.
   */
  readonly state: () => Promise<"in force" | "absent" | { readonly refusal: string }>;
  /** Runs commands in it, in the working directory and below. */
  readonly shell: Shell;
  /** Around a call that changes something elsewhere: what it makes is not taken for the work of a job in the sandbox. */
  readonly outside: <T>(run: () => Promise<T>) => Promise<T>;
}

/** Runs a tool with its final arguments, or answers in its place. */
export type Perform = (
  call: ToolCall,
  tool: {
    /** Whose it is; empty where nobody brought it. */
    readonly feature: string;
    readonly context: ToolContext;
    readonly run: (context: ToolContext) => Promise<ToolOutcome>;
  },
) => Promise<ToolOutcome>;

/** Runs one call through the boundary. Never rejects. */
export type Boundary = (call: ToolCall, signal: AbortSignal) => Promise<BoundaryOutcome>;

/** What a turn shows the model of the tools, and the boundary that runs their calls. */
export interface Deck {
  /** The same list for a whole turn; those that come later are after the others. */
  readonly descriptors: readonly ToolDescriptor[];
  /** From here on the tools are shown that are there now. */
  readonly beginTurn: () => void;
  /** The feature whose tool it is, or was in this session. */
  readonly ownerOf: (tool: string) => string | undefined;
  readonly run: Boundary;
  /**
   * Runs a command line of a person, or of the feature `by`, through the gate of the `bash` tool. Rejects with the reason when
   * it is refused.
   */
  readonly exec: (
    command: string,
    signal: AbortSignal,
    by?: string,
    progress?: (tail: string) => void,
  ) => Promise<ExecOutcome>;
  /** Whether a call starts a process and then mostly waits for it. */
  readonly waits: (call: ToolCall) => boolean;
  /** Loads what the first call will need. Worth doing while the model thinks; never rejects. */
  readonly warmUp: () => Promise<void>;
}
