// How a person is asked about a call, and what they may answer.

import type { JsonValue } from "indusagi/core";
import type { Ruling } from "./decision.ts";
import type { Access } from "./tool.ts";

/** Asked when the rules and the mode leave a tool call undecided. */
export interface PermissionQuestion {
  readonly tool: string;
  /** The call itself; absent when there is none yet. */
  readonly call?: AskedCall;
  /** The workspace's folder: what lies in it is shown by its path from there. */
  readonly folder: string;
  readonly accesses: readonly Access[];
  /** Why the host asks, in one sentence. */
  readonly reason: string;
  /** What was decided, part by part. */
  readonly rulings?: readonly Ruling[];
  /** What a "this session" answer would allow, as a rule, e.g. `bash(npm test)`. */
  readonly sessionRule: string;
  /** What a lasting answer would keep; absent when none is accepted. */
  readonly keep?: KeepOffer | undefined;
  /** A mode of the session in which this passes without a question; absent when none does, or none that may be chosen. */
  readonly mode?: OfferedMode | undefined;
  /** The host that an answer can let the command reach inside of the sandbox, instead of leaving it; absent when none is offered. */
  readonly host?: string | undefined;
  /** The folder, as a real path, that an answer can let the command read inside of the sandbox, instead of leaving it. */
  readonly readable?: string | undefined;
  /** The same of a folder that it could also change; never both. */
  readonly writable?: string | undefined;
  /** Why the previous answer could not be accepted. */
  readonly problem?: string | undefined;
}

/** The call a question is about; another call of the same tool may be running at the same time. */
export interface AskedCall {
  readonly id: string;
  /** The delegate that makes it; absent for the session's own agent. */
  readonly delegate?: string | undefined;
  /** The arguments the tool would get. */
  readonly input: JsonValue;
  /** A unified diff of the file it would overwrite; only the size when that is too long or the file is not text. */
  readonly overwrites?: string | { readonly bytes: number };
  /** How many places in the file contain the text, for an edit that replaces all of them. */
  readonly places?: number;
}

/** What can be kept from this question. */
export interface KeepOffer {
  /** Exactly this call, in the form in which it is kept. */
  readonly exact: string;
  /** How the command begins, e.g. `npm test *`; the person may enter another. Absent when only the exact call is kept. */
  readonly prefix?: string | undefined;
  /** The folder that "here" means. */
  readonly folder: string;
}

/** The modes that a question can offer. */
export type OfferedMode = "acceptEdits" | "auto";

export type PermissionAnswer =
  | { readonly kind: "once" }
  /** This call, and from now on the mode that the question offers. */
  | { readonly kind: "mode" }
  | { readonly kind: "session" }
  /** It runs inside of the sandbox and reaches the question's host; if it lasts, so do the commands after it: in this session, or in this folder. */
  | { readonly kind: "host"; readonly lasts: GrantSpan }
  /** The same with the question's folder, to read in, or to change as well. */
  | { readonly kind: "folder"; readonly lasts: GrantSpan }
  /** In this folder or everywhere; `pattern` is how the command begins, absent for the exact call. */
  | { readonly kind: "always"; readonly where: "here" | "everywhere"; readonly pattern?: string | undefined }
  /** Interrupted: the person left the question without an answer. */
  | { readonly kind: "no"; readonly reason?: string | undefined; readonly isInterrupted?: true };

/** A folder outside of the workspace that an answer lets commands in the sandbox read, and change if it says so. */
export interface OutsideFolder {
  /** A real path. */
  readonly path: string;
  /** Absent: nothing in it can be changed. */
  readonly isWritable?: true | undefined;
  /** Which folder was judged, as the system identifies one; absent: whichever is there. */
  readonly identity?: string | undefined;
}

/** How long commands in the sandbox reach a host, or read or change a folder. */
export type GrantSpan = "once" | "session" | "here";

/** Asks the person one question; questions come one at a time. Rejects only when the signal fires. */
export type PermissionAsker = (
  question: PermissionQuestion,
  signal: AbortSignal,
) => Promise<PermissionAnswer>;
