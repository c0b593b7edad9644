// The frozen shape in which tools are written, and the only two seams through which a tool can touch the machine.
// Types only.

import type { OutputBudget } from "../../core/clamp.ts";
import type { Disposer } from "../../core/disposable.ts";
import type { SessionScope } from "../../core/session-scope.ts";
import type { ImageBlock, JsonSchema, JsonValue, ToolDescriptor } from "../../llmgateway/contract.ts";
import type { ToolCall, ToolOutcome } from "../../runtime/contract.ts";

/** The result of `stat()`: `isSymlink` describes the entry itself, everything else the target of a link. */
export interface FsEntryInfo {
  readonly isFile: boolean;
  readonly isDirectory: boolean;
  /** True when the path itself is a symbolic link; the other fields describe its target. */
  readonly isSymlink: boolean;
  readonly size: number;
  /** Epoch milliseconds with fraction; the read gate rounds down. */
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

/** What a backend offers for searches, beyond the single steps of its seam. */
export interface FsSearch {
  /** Content search by a native program, with the portable walker's results and order; undefined if there is none. */
  readonly grep: (query: GrepQuery, signal: AbortSignal) => Promise<GrepResult | undefined>;
  /** True if the seam's paths are this machine's own, unguarded: a search thread can open them itself. */
  readonly opensPaths?: boolean;
}

export interface GrepQuery {
  readonly root: string;
  readonly pattern: string;
  readonly ignoreCase: boolean;
  readonly maxHits: number;
  /**
   * True: files ignored by `.gitignore` are left out. A native search gets this only if every ignore file is a regular file and
   * its rules mean the same to that program as to git.
   */
  readonly respectGitignore?: boolean;
  /** With `respectGitignore`, for a native search: `root` is in a repository, so the ignore files of the folders above it apply. */
  readonly isInRepository?: boolean;
  /** True: `root` is a single regular file, searched whatever its size and content. */
  readonly isFile?: boolean;
  /** Milliseconds after which the search ends with what it has found. */
  readonly maxMs?: number;
}

export interface GrepHit {
  /** Absolute path. */
  readonly path: string;
  /** From 1. */
  readonly line: number;
  /** As shown: of a very long line, what is around its first match. */
  readonly text: string;
  /** Where in the line its first match begins, in UTF-16 units. */
  readonly at: number;
}

/** What a search encountered but did not search, by reason. Absent means none, or unknown if the search ended early. */
export interface SearchOmissions {
  /** Files left out by ignore rules. */
  readonly ignored?: number;
  /** Files and folders that could not be read. */
  readonly unreadable?: number;
  /** Files over the size limit of a search. */
  readonly tooLarge?: number;
  /** Files with a NUL in their opening bytes. */
  readonly binary?: number;
  /** Pipes, sockets and devices. */
  readonly special?: number;
  /** Files and folders whose names are not UTF-8. */
  readonly undecoded?: number;
  /** Very long lines, of which only the beginning was searched. */
  readonly cutLines?: number;
  /** Files changed or swapped while they were being searched. */
  readonly changed?: number | undefined;
}

export interface GrepResult extends SearchOmissions {
  readonly hits: readonly GrepHit[];
  readonly truncated: boolean;
  /** The time ran out before everything was searched. */
  readonly timedOut?: boolean;
}

/** One operation on one path, as named in a refusal. */
export interface FileAttempt {
  /** A verb: "read", "create the folder". */
  readonly operation: string;
  /** As the caller gave it. */
  readonly path: string;
  readonly right: "read" | "write";
}

/** Why something is not allowed at the real place a path leads to; undefined if it is allowed. */
export type PlaceCheck = (realPath: string, attempt: FileAttempt) => Error | undefined;

/**
 * The only filesystem seam. Paths are absolute strings already resolved by the caller; the backend does not interpret them.
 * Every method rejects with a Node system error (`code` set) on failure.
 */
export interface Fs {
  /** Strict UTF-8: rejects with code `ERR_ENCODING_INVALID_ENCODED_DATA` on other bytes. */
  readonly readText: (path: string) => Promise<string>;
  readonly readBytes: (path: string, range?: ReadRange) => Promise<Uint8Array>;
  /** Atomic: temporary file next to the target, fsync, rename, fsync of the directory. Mode and links are kept. */
  readonly writeFile: (path: string, data: string | Uint8Array) => Promise<void>;
  readonly stat: (path: string) => Promise<FsEntryInfo>;
  readonly readDir: (path: string) => Promise<readonly DirChild[]>;
  readonly mkdir: (path: string, options?: { readonly recursive?: boolean }) => Promise<void>;
  readonly rm: (path: string, options?: RemoveOptions) => Promise<void>;
  readonly exists: (path: string) => Promise<boolean>;
  /** The real path of the longest existing ancestor, with the missing rest appended. */
  readonly realPath: (path: string) => Promise<string>;
  /** Optional native search; if absent, the portable walker is used. */
  readonly search?: FsSearch | undefined;
  /**
   * The same files, but each is opened before `check` is called with its real place, and the operation acts on what was opened.
   * Absent if only this process changes files.
   */
  readonly checked?: ((check: PlaceCheck) => Fs) | undefined;
}

export interface ShellLaunchOptions {
  readonly cwd: string;
  /** Merged onto the person's environment, from which known credentials have been removed. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** The tag by which a backend finds every process the command starts; created if absent. */
  readonly mark?: string;
  /** For each process of the command; a backend applies those that it can. */
  readonly limits?: ProcessLimits | undefined;
}

/** What one process may use. */
export interface ProcessLimits {
  readonly memoryMb: number;
  readonly processorSeconds: number;
}

export type ShellStream = "stdout" | "stderr";

/**
 * Receives output as it arrives, through a pipe that the backend reads. Nothing more of that stream is read until a returned
 * promise settles, so a slow listener slows the command down and never fills memory. Must not throw or reject.
 */
export type OutputListener = (stream: ShellStream, chunk: Uint8Array) => Promise<void> | undefined;

export interface ShellSpawnOptions extends ShellLaunchOptions {
  /** Absent: the output is discarded. */
  readonly onOutput?: OutputListener;
}

export interface ShellExecOptions extends ShellLaunchOptions {
  readonly timeoutMs?: number | undefined;
  /** Piped to standard input. */
  readonly input?: string;
  readonly signal: AbortSignal;
  /** Receives output as it arrives; the command does not wait for it. Must not throw. */
  readonly onOutput?: ((chunk: Uint8Array) => void) | undefined;
  /** Receives what `isShown` makes of each stream, whole, as soon as it cannot change any more. Must not throw. */
  readonly onShown?: ((stream: ShellStream, text: string) => void) | undefined;
  /** Bytes kept of each stream, half from the head and half from the tail; default 256 KiB. */
  readonly maxCaptureBytes?: number;
  /** Each stream is kept as a terminal would show it at the end, with binary data by name; then the limit counts bytes of JSON. */
  readonly isShown?: boolean;
}

export interface ShellExecResult {
  readonly stdout: string;
  readonly stderr: string;
  /** Exit code; null if a signal ended it. */
  readonly code: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly aborted: boolean;
  /** Bytes that both streams produced together, whether kept or not. */
  readonly totalBytes: number;
  /** Number of processes that had left the command's group and were ended with it; absent if none. */
  readonly ended?: number | undefined;
  /** The backend's remark on how the command ran, for whoever reads the result; absent if none. */
  readonly note?: string | undefined;
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
   * Calls the listener for the one exit, even if the process has already finished. With `onOutput` it comes after the last
   * output, or soon after the exit if a process left running holds the pipe.
   */
  readonly onExit: (listener: (exit: ShellExit) => void) => Disposer;
}

/** The only command seam. */
export interface Shell {
  readonly exec: (command: string, options: ShellExecOptions) => Promise<ShellExecResult>;
  /** Starts a background command. It does not keep the host running, and ends with it. */
  readonly spawn: (command: string, options: ShellSpawnOptions) => ShellHandle;
}

/** What the read gate remembers about a file. */
export interface ReadStateRecord {
  readonly mtimeMs: number;
  readonly size: number;
  readonly contentHash?: string | undefined;
  readonly readAt: number;
}

/** What a host puts on `framework.readState` to have files read before they are changed. */
export interface ReadStateHandle {
  readonly get: (path: string) => ReadStateRecord | undefined;
  readonly set: (path: string, record: ReadStateRecord) => void;
  readonly has: (path: string) => boolean;
}

/** The wire name of the read-state handle. */
export const READ_STATE_HANDLE_KEY = "readState";

/** How a call reports what is not part of its result. */
export interface CallReport {
  /** How the call ended, in a few words chosen by the tool: `exit code 1`. The last one counts. */
  readonly status: (text: string) => void;
  /** Dollars spent on model calls that the tool made itself. */
  readonly cost: (dollars: number) => void;
  /** Present if a person is watching: the latest output of the call so far. It is shown and not stored. */
  readonly progress?: ((tail: string) => void) | undefined;
  /** Present if a person may watch: what the call changed in a file, as a unified diff. The model does not see it. */
  readonly diff?: (text: string) => void;
  /** Shows the model a picture next to the result. */
  readonly picture: (image: ImageBlock) => void;
  /** The task ends with this call: the model is not called again. */
  readonly end?: () => void;
}

/** Optional handles that the host injects. A missing handle disables its feature. */
export interface Framework {
  readonly readState?: ReadStateHandle | undefined;
  readonly report?: CallReport;
  /** What else the calling session provides: its checklist, its jobs. */
  readonly session?: SessionScope | undefined;
}

/** What a `run` works with: the machine, its limits, its session. `contextId` stays the same throughout a conversation. */
export interface ToolContext {
  readonly contextId: number;
  readonly cwd: string;
  /** The meaning of `~`; default: the home folder of the process's environment. */
  readonly home?: string | undefined;
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
