// The frozen authoring shape of a tool and the only two seams through which a tool may touch the machine
// (seed 001). Shapes only.

import type { OutputBudget } from "../../core/clamp.ts";
import type { Disposer } from "../../core/disposable.ts";
import type { SessionScope } from "../../core/session-scope.ts";
import type { ImageBlock, JsonSchema, JsonValue, ToolDescriptor } from "../../llmgateway/contract.ts";
import type { ToolCall, ToolOutcome } from "../../runtime/contract.ts";

/** `stat()`: describes the entry itself, then, for a link, what it points at. */
export interface FsEntryInfo {
  readonly isFile: boolean;
  readonly isDirectory: boolean;
  /** True when the path itself is a symbolic link; the other fields describe its target. */
  readonly isSymlink: boolean;
  readonly size: number;
  /** Epoch milliseconds, fraction kept; the read gate floors it. */
  readonly modifiedMs: number;
}

export interface DirChild {
  readonly name: string;
  /** False for a link to a directory: walks do not follow links. */
  readonly isDirectory: boolean;
  readonly isSymlink: boolean;
}

export interface RemoveOptions {
  readonly recursive?: boolean;
  readonly ignoreMissing?: boolean;
}

export interface ReadRange {
  /** First byte, from 0. */
  readonly start: number;
  /** At most this many bytes. */
  readonly maxBytes: number;
}

/** What a backend can do for searches, beyond the single steps of its seam. */
export interface FsSearch {
  /** Content search by a native program, with the portable walker's results in its order; undefined without one. */
  readonly grep: (query: GrepQuery, signal: AbortSignal) => Promise<GrepResult | undefined>;
  /** True when the seam's paths are this machine's own, unguarded: a thread of a search may open them itself. */
  readonly opensPaths?: boolean;
}

export interface GrepQuery {
  readonly root: string;
  readonly pattern: string;
  readonly ignoreCase: boolean;
  readonly maxHits: number;
  /**
   * True: what `.gitignore` files ignore is left out. A native search is asked for it only where every ignore file is
   * a regular file, and its rules mean the same to that program as to git.
   */
  readonly respectGitignore?: boolean;
  /** With it, for a native search: `root` is in a repository, so the ignore files of the folders above it count. */
  readonly isInRepository?: boolean;
  /** True: `root` is one regular file, and is searched whatever its size and content. */
  readonly isFile?: boolean;
  /** Milliseconds after which the search ends with what it has. */
  readonly maxMs?: number;
}

export interface GrepHit {
  /** Absolute path. */
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

/** What a search met and did not search, by reason. Absent stands for none, and for unknown when it ended early. */
export interface SearchOmissions {
  /** Files that ignore rules left out. */
  readonly ignored?: number;
  /** Files and folders that could not be read. */
  readonly unreadable?: number;
  /** Files over the size that a search reads. */
  readonly tooLarge?: number;
  /** Files with a NUL among their opening bytes. */
  readonly binary?: number;
  /** Pipes, sockets and devices. */
  readonly special?: number;
  /** Files and folders whose names are not UTF-8. */
  readonly undecoded?: number;
  /** Lines that were searched in their beginning only, being very long. */
  readonly cutLines?: number;
  /** Files that were changed or exchanged while they were searched. */
  readonly changed?: number;
}

export interface GrepResult extends SearchOmissions {
  readonly hits: readonly GrepHit[];
  readonly truncated: boolean;
  /** The time was over before everything was searched. */
  readonly timedOut?: boolean;
}

/** One operation on one path, as a refusal names it. */
export interface FileAttempt {
  /** A verb: "read", "make the folder". */
  readonly operation: string;
  /** As the caller gave it. */
  readonly path: string;
  readonly right: "read" | "write";
}

/** Why something may not be done at the real place that a path leads to; undefined when it may. */
export type PlaceCheck = (realPath: string, attempt: FileAttempt) => Error | undefined;

/**
 * The only filesystem seam. Paths are absolute strings that the caller has already resolved; the backend does no
 * path interpretation. Every method rejects with a Node system error (`code` set) on failure.
 */
export interface Fs {
  /** UTF-8, fatal: rejects with code `ERR_ENCODING_INVALID_ENCODED_DATA` on other bytes. */
  readonly readText: (path: string) => Promise<string>;
  readonly readBytes: (path: string, range?: ReadRange) => Promise<Uint8Array>;
  /** Atomic: temporary file next to the target, fsync, rename, fsync of the directory. Mode and links survive. */
  readonly writeFile: (path: string, data: string | Uint8Array) => Promise<void>;
  readonly stat: (path: string) => Promise<FsEntryInfo>;
  readonly readDir: (path: string) => Promise<readonly DirChild[]>;
  readonly mkdir: (path: string, options?: { readonly recursive?: boolean }) => Promise<void>;
  readonly rm: (path: string, options?: RemoveOptions) => Promise<void>;
  readonly exists: (path: string) => Promise<boolean>;
  /** The real path of the longest existing ancestor, with the missing rest appended. */
  readonly realPath: (path: string) => Promise<string>;
  /** Optional native search; absent means the portable walker. */
  readonly search?: FsSearch;
  /**
   * The same files, each opened before `check` is asked where it really is; what is then done is done to what was opened.
   * Absent where no one but this process changes files.
   */
  readonly checked?: (check: PlaceCheck) => Fs;
}

export interface ShellLaunchOptions {
  readonly cwd: string;
  /** Merged onto the person's environment, from which known credentials have been removed. */
  readonly env?: Readonly<Record<string, string>>;
  /** By what a backend finds every process that the command starts; one is made where none is given. */
  readonly mark?: string;
}

/**
 * Hears output as it comes, through a pipe that the backend reads. Nothing more of that stream is read until a returned
 * promise settles, so a slow listener slows the command down and never fills the memory. Must not throw or reject.
 */
export type OutputListener = (stream: "stdout" | "stderr", chunk: Uint8Array) => Promise<void> | undefined;

export interface ShellSpawnOptions extends ShellLaunchOptions {
  /** Absent: the output goes nowhere. */
  readonly onOutput?: OutputListener;
}

export interface ShellExecOptions extends ShellLaunchOptions {
  readonly timeoutMs?: number;
  /** Piped to standard input. */
  readonly input?: string;
  readonly signal: AbortSignal;
  /** Hears output as it comes; the command does not wait for it. Must not throw. */
  readonly onOutput?: (chunk: Uint8Array) => void;
  /** Bytes kept of each stream, half from the head and half from the tail; default 256 KiB. */
  readonly maxCaptureBytes?: number;
}

export interface ShellExecResult {
  readonly stdout: string;
  readonly stderr: string;
  /** Exit code; null when a signal ended it. */
  readonly code: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly aborted: boolean;
  /** Bytes that both streams produced together, kept or not. */
  readonly totalBytes: number;
  /** Processes that had left the command's group and were ended with it; absent for none. */
  readonly ended?: number;
  /** What the backend has to say of how the command ran, for whoever reads the result; absent for nothing. */
  readonly note?: string;
}

export interface ShellExit {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface ShellHandle {
  readonly pid: number | undefined;
  /** Signals the whole process group. */
  readonly kill: (signal?: NodeJS.Signals) => void;
  /**
   * Hears the one exit; a late subscriber to a finished process still hears it. With `onOutput` it comes after the last
   * output, or soon after the exit when a process left behind holds the pipe.
   */
  readonly onExit: (listener: (exit: ShellExit) => void) => Disposer;
}

/** The only command seam. */
export interface Shell {
  readonly exec: (command: string, options: ShellExecOptions) => Promise<ShellExecResult>;
  /** Starts a background command. It does not keep the host running, and ends with it. */
  readonly spawn: (command: string, options: ShellSpawnOptions) => ShellHandle;
}

/** What the read gate remembers of one file. */
export interface ReadStateRecord {
  readonly mtimeMs: number;
  readonly size: number;
  readonly contentHash?: string;
  readonly readAt: number;
}

/** The minimal handle a host may put on `framework.readState` to enable the read-before-edit gate. */
export interface ReadStateHandle {
  readonly get: (path: string) => ReadStateRecord | undefined;
  readonly set: (path: string, record: ReadStateRecord) => void;
  readonly has: (path: string) => boolean;
}

/** The wire name of the read-state handle, kept for parity with the seed's bag. */
export const READ_STATE_HANDLE_KEY = "readState";

/** Where a call says what is not part of its result. */
export interface CallReport {
  /** How the call ended, in a few words of the tool's own: `exit code 1`. The last one counts. */
  readonly status: (text: string) => void;
  /** Dollars that models cost which the call asked by itself. */
  readonly cost: (dollars: number) => void;
  /** Where somebody looks on: the last of what the call has brought so far. It is shown and forgotten. */
  readonly progress?: (tail: string) => void;
  /** Shows the model a picture next to the result. */
  readonly picture: (image: ImageBlock) => void;
  /** The task ends with this call: the model is not asked again. */
  readonly end?: () => void;
}

/** Optional handles that the host injects. An absent handle turns its feature off. */
export interface Framework {
  readonly readState?: ReadStateHandle;
  readonly report?: CallReport;
  /** What the session that calls has besides: its checklist, its jobs. */
  readonly session?: SessionScope;
}

/** What every `run` receives besides its input. `contextId` stays the same for one conversation. */
export interface ToolContext {
  readonly contextId: number;
  readonly cwd: string;
  /** What `~` stands for; default: the home folder of the process's environment. */
  readonly home?: string;
  readonly fs: Fs;
  readonly shell: Shell;
  readonly signal: AbortSignal;
  readonly budget: OutputBudget;
  readonly framework: Framework;
}

export type ToolContentBlock =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "json"; readonly value: JsonValue };

/** A tool's return. Build one with `textResult`, `failureResult` or `jsonResult`. */
export interface ToolResult {
  readonly content: readonly ToolContentBlock[];
  readonly isError: boolean;
}

/** A tool as its author writes it: four facts and one `run`. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  /** `input` is loosely coerced, not validated: parse permissively and answer bad input with a failure result. */
  readonly run: (input: JsonValue, context: ToolContext) => Promise<ToolResult>;
}

/** The facade-shaped output of {@link DefinedTool.execute}. */
export interface FacadeOutput {
  readonly content: readonly string[];
  readonly details: JsonValue;
  readonly isError: boolean;
}

/** A tool as the runtime sees it. */
export interface DefinedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  readonly descriptor: () => ToolDescriptor;
  /** Checks for cancellation, coerces the input, runs, projects the outcome. Never rejects. */
  readonly invoke: (call: ToolCall, context: ToolContext) => Promise<ToolOutcome>;
  readonly execute: (callId: string, input: JsonValue, context: ToolContext) => Promise<FacadeOutput>;
}

/** Supplies a fresh context for each dispatch. */
export type ContextFactory = () => ToolContext;
