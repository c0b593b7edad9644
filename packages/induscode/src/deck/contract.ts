// What the session sees of its tools. Types only.

import type { Shell, ToolContext } from "indusagi/capabilities";
import type { JsonValue } from "indusagi/core";
import type { ToolCall, ToolDescriptor, ToolOutcome, ToolState } from "indusagi/runtime";
import type { Ruling } from "../feature/decision.ts";
import type { OutsideFolder, PermissionAnswer } from "../feature/permission.ts";
import type { ExecOutcome } from "../feature/services.ts";

export type { StartMode } from "./permissions/modes.ts";

/** Who changed something in a call on its way, and where. */
export interface CallChange {
  /** An event of the table, or `intercept:enter` and `intercept:exit`. */
  readonly at: string;
  readonly feature: string;
  readonly version?: string | undefined;
  /** What changed, if that is not obvious: the names of environment variables. */
  readonly detail?: string;
}

/** A file as the model last saw it: `edit` and `write` compare it before they change the file. */
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
      /** The variables that features set for it, by name; absent if there are none. */
      readonly variables?: Readonly<Record<string, string>> | undefined;
      /** Outside the sandbox; absent: as commands normally run, in the sandbox if there is one. */
      readonly outside?: true | undefined;
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

/** What a person allowed for longer than a session: exactly what was shown, or commands with that beginning. */
export type KeptAnswer = {
  /** The real path of the folder where it applies; absent: it applies everywhere. */
  readonly folder?: string | undefined;
} & ({ readonly approval: SessionApproval } | { readonly rule: string });

/** The decision about one call, and the reasons for it. */
export interface CallDecision {
  readonly tool: string;
  /** The model's call id; for a command of the person or of a feature, the host's. */
  readonly callId?: string | undefined;
  readonly outcome: "allowed" | "refused";
  /** The person's answer, if they were asked. */
  readonly answer?: PermissionAnswer["kind"] | undefined;
  /** The feature that runs a command of its own. */
  readonly by?: string | undefined;
  /** The features that changed the call. */
  readonly changedBy?: readonly string[] | undefined;
  /** Its first parts; those that kept it from passing come first. */
  readonly rulings: readonly Ruling[];
  /** What would have let it pass, if it was refused and something would. */
  readonly change?: string | undefined;
  /** The number of further parts. */
  readonly more?: number | undefined;
}

/** An outcome with the text that the model reads, and which of the four ends it was. */
export interface BoundaryOutcome extends ToolOutcome {
  readonly text: string;
  readonly state: ToolState;
  /** The arguments that the tool got, if they are not the model's: converted to its types, or rewritten by features. */
  readonly finalInput?: JsonValue | undefined;
  readonly changes?: readonly CallChange[] | undefined;
  /** The files that the call read or wrote, as they were at that time. */
  readonly files?: readonly SeenFile[] | undefined;
}

/** The outcome of a call that may have ended before the boundary, in the loop. */
export type CallOutcome = ToolOutcome & Partial<BoundaryOutcome>;

/** The operating system's sandbox around the model's commands. */
export interface CommandSandbox {
  /**
   * Whether it is in force here, determined on the first question: `absent` when commands run as if nobody had asked for a sandbox; a
   * refusal when the person asked for one and there is none.
   */
  readonly state: () => Promise<"in force" | "absent" | { readonly refusal: string }>;
  /** Runs commands in it, in the working directory and below. */
  readonly shell: Shell;
  /** The same for one call, whose commands also reach this host; undefined if it cannot be granted here. */
  readonly shellTo: (host: string) => Shell | undefined;
  /** The folder at a real path, if an answer can let commands read it here, or change it. */
  readonly judge: (path: string, isWritable: boolean) => OutsideFolder | undefined;
  /** Whether its commands see a real path anyway. */
  readonly sees: (path: string) => boolean;
  /** The same as `shell` for one call, whose commands also read this folder, or change it. */
  readonly shellAt: (folder: OutsideFolder) => Shell | undefined;
  /** How many commands and jobs run in it now. */
  readonly running: () => number;
  /** Wraps a call that changes something elsewhere, so that what it makes is not attributed to a job in the sandbox. */
  readonly outside: <T>(run: () => Promise<T>, writes: readonly string[] | undefined) => Promise<T>;
}

/** Runs a tool with its final arguments, or answers in its place. */
export type Perform = (
  call: ToolCall,
  tool: {
    /** The owner; empty if nobody contributed it. */
    readonly feature: string;
    readonly context: ToolContext;
    readonly run: (context: ToolContext) => Promise<ToolOutcome>;
  },
) => Promise<ToolOutcome>;

/** Runs one call through the boundary. Never rejects. */
export type Boundary = (call: ToolCall, signal: AbortSignal) => Promise<BoundaryOutcome>;

/** The tools that a turn shows the model, and the boundary that runs their calls. */
export interface Deck {
  /** The same list for a whole turn, but for what MCP servers change about their own; tools added later come after the others. */
  readonly descriptors: readonly ToolDescriptor[];
  /** The tools of MCP servers that exceed their budget: the prompt names them, and the model finds their definitions. */
  readonly named: readonly ToolDescriptor[];
  /** The call that a call through one of the tools for servers stands for; otherwise the call itself. */
  readonly meant: (call: ToolCall) => ToolCall;
  /** From here on, the tools that exist now are shown. */
  readonly beginTurn: () => void;
  /** From here on, the tools that MCP servers have now are shown. */
  readonly beginRequest: () => void;
  /** The feature that owns the tool, in any spelling, or owned it earlier in this session. */
  readonly ownerOf: (tool: string) => string | undefined;
  readonly run: Boundary;
  /**
   * Runs a command line of a person, or of the feature `by`, through the permission checks of the `bash` tool. Rejects with the reason
   * when it did not run; the error's cause is the call's state.
   */
  readonly exec: (
    command: string,
    signal: AbortSignal,
    by?: string,
    progress?: (tail: string) => void,
  ) => Promise<ExecOutcome>;
  /** Whether a call starts a process and then mostly waits for it. */
  readonly waits: (call: ToolCall) => boolean;
  /** Loads what the first call will need. Useful while the model thinks; never rejects. */
  readonly warmUp: () => Promise<void>;
}
