// A call to be decided, and the decision. Types only.

import type { FsScope } from "indusagi/capabilities";
import type { JsonValue } from "indusagi/core";
import type { Decision } from "../../feature/decision.ts";
import type { OutsideFolder } from "../../feature/permission.ts";
import type { Access } from "../../feature/tool.ts";
import type { CallDecision, KeptAnswer } from "../contract.ts";
import type { Leaving, ResolvedAccess } from "./resolved-access.ts";

export interface PermissionRequest {
  readonly tool: string;
  readonly callId?: string;
  /** The arguments that the tool would get, if a call is decided. */
  readonly input?: JsonValue;
  readonly accesses: readonly Access[];
  /** The features that changed the call; what each is allowed to do is settled before anybody is asked. */
  readonly changedBy?: readonly string[] | undefined;
  /** Its commands run in the sandbox of this machine, in the working directory. */
  readonly confined?: boolean | undefined;
  /** Its command runs outside of a sandbox that is in force here. */
  readonly leaving?: Leaving | undefined;
  /** The feature that runs a command of its own. */
  readonly by?: string | undefined;
  /** The delegate that makes the call; absent for the session's own agent. */
  readonly delegate?: string;
  /** Nobody is asked about it: the delegate works in the background. */
  readonly isUnattended?: boolean | undefined;
}

/** An access that rules and mode leave open. */
export interface Open {
  /** Absent when the question is about a call that touches nothing. */
  readonly access?: ResolvedAccess | undefined;
  /** About the whole access. */
  readonly reason: string;
  /** Because of an ask rule, which only an answer settles. */
  readonly isAsked: boolean;
}

/** Under which conditions a call passes. */
export interface Passing {
  /** It passes only inside the sandbox that it would leave. */
  readonly stays?: true | undefined;
  /** Staying, it reaches this host as well. */
  readonly host?: string | undefined;
  /** Staying, it reads this folder as well, or changes it. */
  readonly folder?: OutsideFolder | undefined;
  /** It passes because it only looks, or writes what may be written: nobody allowed it. */
  readonly isHarmless?: true | undefined;
}

export interface Decided extends Decision, Passing {
  /** The first open access, if the outcome is to ask. */
  readonly open?: Open;
}

/** What was decided about one access. */
export interface OneDecided extends Pick<Decided, "rulings" | "open" | "stays" | "isHarmless"> {}

export interface KeptAnswers {
  readonly answers: readonly KeptAnswer[];
  /** The file. */
  readonly place: string;
  /** Stores one more. A rejection is shown to the person; the answer then holds for the session. */
  readonly add: (answer: KeptAnswer) => Promise<void>;
}

/** The outcome of a call. `record` gives the reasons, for the log. */
export type PermissionDecision =
  /** `files`: which files the call may touch; a path may lead elsewhere by the time it is opened. */
  | ({
      readonly kind: "allow";
      readonly files?: FsScope | undefined;
      readonly record?: CallDecision;
    } & Passing)
  /** `reason` completes "was not run, because …". */
  | { readonly kind: "refuse"; readonly reason: string; readonly record?: CallDecision };
