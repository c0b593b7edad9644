// One call on its way through the boundary, and what is known of it so far.

import type { ToolContext, ToolResult } from "indusagi/capabilities";
import type { JsonValue } from "indusagi/core";
import type { ToolCall, ToolState } from "indusagi/runtime";
import type { Deed } from "../../feature/deeds.ts";
import type { SessionHooks } from "../../feature/dispatch/hooks.ts";
import type { CallTime } from "../../feature/dispatch/time-budget.ts";
import type { Attribution } from "../../feature/handler.ts";
import type { Access, ToolContribution } from "../../feature/tool.ts";
import type { CallChange, CommandSandbox } from "../contract.ts";
import type { PermissionDecision } from "../permissions/permissions.ts";
import type { Leaving } from "../permissions/resolved-access.ts";
import type { BoundaryDeps } from "./boundary-deps.ts";
import type { CallOrder } from "./call-order.ts";
import { errorResult, type Stop } from "./ended.ts";
import { type NotingContext, noteCall } from "./note-call.ts";

/** Whose call it is, and how its tool runs. */
export interface Sender {
  readonly contribution: ToolContribution;
  /** Runs the tool itself, with its final arguments. */
  readonly run: (args: JsonValue, context: ToolContext) => Promise<ToolResult>;
  readonly signal: AbortSignal;
  /** The order that the call takes its place in; absent for one that waits for no other. */
  readonly order?: CallOrder;
  /** The feature that makes the call; absent for calls by the model or the person. */
  readonly by?: string | undefined;
  /** A person's commands run as the person would run them. */
  readonly isPersons?: boolean;
  /** For all other commands; those of features leave it if they may. */
  readonly sandbox?: CommandSandbox | undefined;
}

/** A step on the way. It may stop the call; what it finds out, it leaves on the passage. */
export interface Stage {
  readonly name: string;
  /** Whether it concerns the call at all; absent: it concerns all. */
  readonly applies?: (passage: Passage) => boolean;
  readonly pass: (passage: Passage) => Promise<Stop | undefined> | Stop | undefined;
}

/** A call that features answer for. */
export interface AnsweredCall {
  /** Without duplicates: those that changed it, preceded by the one that the session works for. */
  readonly by: readonly string[];
  readonly changers: readonly string[];
  readonly deeds: readonly Deed[];
}

type Command = Extract<Access, { kind: "execute" }>;

/** The decision that lets a call run. */
export type Permit = Extract<PermissionDecision, { kind: "allow" }>;

/** What all calls of a session share. */
export interface BoundarySession extends BoundaryDeps {
  /** True once for each name of something that is told only once. */
  readonly isNews: (name: string) => boolean;
}

/** Each field that can be written is written by one stage, and read by later ones. */
export class Passage {
  readonly session: BoundarySession;
  readonly sender: Sender;
  readonly noting: NotingContext;
  /** The same from start to end, whatever is installed meanwhile. */
  readonly hooks: Pick<SessionHooks, "dispatcher" | "chain">;
  /** The time that features have for it, together. */
  readonly time: CallTime;
  /** The arguments as they were sent. */
  readonly sent: JsonValue;
  /** Its arguments are fitted to the schema: what features rewrite is compared with these. */
  call: ToolCall;
  /** Arguments that the tool does not take. */
  ignored: readonly string[] = [];
  /** Nothing that has a place in the order runs beside it. */
  isAlone = false;
  /** Frees its place in the order. */
  leave: (() => void) | undefined;

  /** As they are by now. */
  args: JsonValue;
  /** The features that changed the arguments, in order. */
  readonly changedBy: Attribution[] = [];
  readonly changes: CallChange[] = [];
  /** The accesses that no deny rule is about. */
  notDenied: readonly Access[] | undefined;

  /** What the final arguments touch, with what is known of the sandbox and of variables by now. */
  accesses: readonly Access[] = [];
  /** Its commands run in this. */
  confined: CommandSandbox | undefined;
  leaving: Leaving | undefined;
  answered: AnsweredCall | undefined;
  /** The variables that features set for its command. */
  env: Readonly<Record<string, string>> | undefined;
  /** No tool runs without one. */
  permit: Permit | undefined;
  /** Why the host did not run it: no feature turns that into a call that ran. */
  stop: Stop | undefined;
  ranMs = 0;

  result: ToolResult = errorResult("The tool returned no result.");
  output: JsonValue = "";
  /** What the model reads. */
  text = "";
  /** A feature changed the result. */
  isRewritten = false;

  readonly #touched = new Map<JsonValue, readonly Access[]>();

  constructor(call: ToolCall, sender: Sender, session: BoundarySession) {
    this.session = session;
    this.sender = sender;
    this.call = call;
    this.sent = call.input;
    this.args = call.input;
    const { dispatcher, chain } = session.hooks;
    this.hooks = { dispatcher, chain };
    this.time = session.hooks.callTime();
    const { onProgress } = session;
    const watch = onProgress && ((tail: string) => onProgress(call.id, tail));
    this.noting = noteCall(session.context(sender.signal), watch);
  }

  get context(): ToolContext {
    return this.noting.context;
  }

  /** The feature that makes the call, or that the session works for. */
  get responsible(): string | undefined {
    return this.sender.by ?? this.session.author;
  }

  /** The command that it runs, if it runs one. */
  get command(): Command | undefined {
    return this.accesses.find((access) => access.kind === "execute");
  }

  get state(): ToolState {
    if (this.stop) return this.stop.state;
    if (!this.result.isError) return "ok";
    return this.sender.signal.aborted ? "cancelled" : "failed";
  }

  /**
   * What a call with these arguments would touch, read once for each. Features in this process are handed frozen arguments: none can
   * change them afterwards.
   */
  touched(args: JsonValue): readonly Access[] {
    let touched = this.#touched.get(args);
    if (touched === undefined) {
      touched = this.sender.contribution.accesses(args, this.context.cwd, this.context.home);
      this.#touched.set(args, touched);
    }
    return touched;
  }

  /** What a feature may see of a result depends on whose deed it is. */
  maySee(feature: string): boolean {
    const { answered } = this;
    if (answered === undefined || answered.changers.length === 0) return true;
    return this.session.authority.refusal([feature], answered.deeds) === undefined;
  }

  /** Tells the session of a decision. */
  tell({ record }: PermissionDecision): void {
    if (record) this.session.onDecision?.(record);
  }

  note(at: string, changedBy: readonly Attribution[]): void {
    for (const by of changedBy) this.changes.push({ at, ...by });
  }
}

/** What leaves the sandbox runs without anything of the same message beside it, which could change what it finds. */
export function leavesByChoice(touched: readonly Access[]): boolean {
  return touched.some((access) => access.kind === "execute" && access.outside !== undefined);
}

/** Lets a call through the stages, in order, up to the one that stops it. */
export async function passThrough(stages: readonly Stage[], passage: Passage): Promise<Stop | undefined> {
  for (const { applies, pass } of stages) {
    const stop = applies === undefined || applies(passage) ? await pass(passage) : undefined;
    if (stop) return stop;
  }
  return undefined;
}
