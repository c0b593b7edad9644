// What a program says about its query or session.

import { isTable, type JsonValue } from "indusagi/core";
import { EXIT_USAGE, Problem } from "../../cli/problem.ts";
import type { UserContent } from "../../conductor/contract.ts";
import type { StartMode } from "../../deck/permissions/modes.ts";
import { parseRule } from "../../deck/permissions/rules.ts";
import {
  ANYTHING,
  checkFields,
  type Kind,
  type Kinds,
  LIST,
  OBJECT,
  SESSION_KINDS,
  TEXT,
  TEXTS,
  YES_OR_NO,
} from "../program/check-values.ts";
import type { ProgramOptions } from "../program/program-session.ts";
import type { CallerTool, Hook } from "./caller-tool.ts";
import type { SchemaLiteral } from "./from-schema.ts";

/** Asked when rules and mode leave a call undecided. */
export interface Question {
  readonly tool: string;
  /** The arguments that the tool would get. */
  readonly input: JsonValue;
  /** Why it is asked, in one sentence. */
  readonly reason: string;
  /** The delegate that makes the call; absent for the session's own agent. */
  readonly delegate?: string | undefined;
}

/** `session`: this call, and from now on the same without a question. */
export type Answer =
  | { readonly kind: "once" | "session" }
  | { readonly kind: "no"; readonly reason?: string | undefined };

/** Questions come one at a time. The signal fires when the answer is no longer needed; an error counts as no. */
export type Ask = (question: Question, signal: AbortSignal) => Answer | Promise<Answer>;

/** Where the session runs: here, or in a process of `indus` of its own, whose `command` is by default that of this package. */
export type Transport = "here" | "child" | { readonly command: string };

/** What a program says about its session. Settings of the person and of the folder apply to whatever it does not say. */
export interface SessionOptions<S extends SchemaLiteral | undefined = undefined> {
  /** The folder to work in; default: the process's. */
  readonly cwd?: string | undefined;
  /** The session's environment, with keys of models and `INDUS_HOME`; default: the process's. Never modified. */
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** `provider/model` or a part of it that means one model; here also a model of the program's own. */
  readonly model?: ProgramOptions["model"];
  /** What runs without a question; default: the settings' mode, otherwise `auto`. */
  readonly mode?: StartMode | undefined;
  /** Rules as after `--allow`: `bash(npm test)`. */
  readonly allow?: readonly string[] | undefined;
  /** Rules as after `--deny`; they override every other one. */
  readonly deny?: readonly string[] | undefined;
  /** Addons to trust for this session, as after `--grant`: by id or content hash. */
  readonly grant?: readonly string[] | undefined;
  /** Without it, what is undecided is refused, and the model reads why. */
  readonly ask?: Ask | undefined;
  /** Functions of the program that the model can call; only here. */
  readonly tools?: readonly CallerTool[] | undefined;
  /** Functions of the program that see, change or stop what happens; only here. */
  readonly hooks?: readonly Hook[] | undefined;
  /** The last answer of each task is a value that matches this JSON Schema. */
  readonly outputSchema?: S;
  /** Interrupts whatever runs within 100 ms. */
  readonly signal?: AbortSignal | undefined;
  /** The most model calls for one task. */
  readonly maxTurns?: number | undefined;
  /** Dollars, above 0: no model is asked any more once this much is spent. */
  readonly maxCost?: number | undefined;
  /** A session to continue, by its id. */
  readonly resume?: string | undefined;
  /** Answers are sent in pieces as well, as they come. */
  readonly pieces?: boolean | undefined;
  /** Default: `here`. */
  readonly transport?: Transport | undefined;
}

/** What a program says about one task. */
export interface QueryOptions<S extends SchemaLiteral | undefined = undefined> extends SessionOptions<S> {
  /** A text, or texts and images. */
  readonly prompt: string | UserContent;
}

const COMMAND: Kinds<{ readonly command: string }> = { command: TEXT };

const SIGNAL: Kind = {
  expected: "an AbortSignal",
  fits: (value) => value instanceof AbortSignal,
};

const SDK_KINDS: Kinds<SessionOptions> = {
  ...SESSION_KINDS,
  grant: TEXTS,
  tools: LIST,
  hooks: LIST,
  outputSchema: OBJECT,
  signal: SIGNAL,
  pieces: YES_OR_NO,
  transport: {
    expected: '"here", "child" or { command }',
    fits: (value) =>
      value === "here" || value === "child" || (isTable(value) && typeof value.command === "string"),
  },
};

type AnyOptions = SessionOptions<SchemaLiteral | undefined>;

/** Throws a {@link Problem} for an option that cannot be meant. */
export function checkOptions(options: AnyOptions): void {
  checkFields("openSession", options, SDK_KINDS);
  const { allow = [], deny = [], transport } = options;
  if (isTable(transport)) checkFields("transport", transport, COMMAND);
  for (const rule of [...allow, ...deny]) {
    const read = parseRule(rule);
    if ("problem" in read) throw new Problem(read.problem, EXIT_USAGE);
  }
}

/** The options of a query without its prompt. Throws a {@link Problem} for one that cannot be meant. */
export function optionsOfQuery<S extends SchemaLiteral | undefined>(
  options: QueryOptions<S>,
): SessionOptions<S> {
  checkFields("query", options, { prompt: ANYTHING, ...SDK_KINDS }); // a prompt that cannot be sent is a result
  const { prompt: _, ...others } = options;
  checkOptions(others);
  return others;
}

/** Where the session works, and with which variables. */
export function placeOf({ cwd = process.cwd(), env = process.env }: Pick<SessionOptions, "cwd" | "env">): {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
} {
  return { cwd, env };
}
