// What a hook's command answered, by its exit code and its JSON, and what the answers of several make together.

import type { JsonObject } from "indusagi/core";
import { isTable } from "../table-value.ts";
import type { HookOutcome } from "./hook-run.ts";

export interface HookAnswer {
  /** Why the thing must not happen; it wins over everything else. */
  readonly deny?: string | undefined;
  /** Why a person should decide. */
  readonly ask?: string | undefined;
  readonly updatedInput?: JsonObject | undefined;
  /** For the model, in order. */
  readonly context: readonly string[];
  /** For the person. */
  readonly messages: readonly string[];
  /** What went wrong, for the addon's log. */
  readonly problems: readonly string[];
}

const NOTHING: HookAnswer = { context: [], messages: [], problems: [] };
/** Of the texts that one hook adds to what the model reads. */
const MAX_CONTEXT = 10_000;
const BLOCKS = 2;

interface Reading {
  /** What a failure does. */
  readonly onFailure: "block" | "allow";
  /** Plain output of a hook that ended well is for the model. */
  readonly takesText: boolean;
}

export function readAnswer(outcome: HookOutcome, { onFailure, takesText }: Reading): HookAnswer {
  const { code, stdout, stderr, problem } = outcome;
  if (code === BLOCKS)
    return { ...NOTHING, deny: cut(stderr.trim()) || "a hook blocked this without giving a reason" };
  if (code !== 0) {
    const why = problem ?? `it exited with code ${code}`;
    const said = stderr.trim() === "" ? why : `${why}: ${stderr.trim().slice(0, 500)}`;
    return {
      ...NOTHING,
      problems: [said],
      deny: onFailure === "block" ? `its hook failed: ${why}` : undefined,
    };
  }
  const text = stdout.trim();
  if (!text.startsWith("{")) return { ...NOTHING, context: takesText && text !== "" ? [cut(text)] : [] };
  try {
    const answer: unknown = JSON.parse(text);
    if (isTable(answer)) return fromJson(answer);
  } catch {
    // said below
  }
  const why = "its output starts like JSON but is not a valid JSON object";
  return { ...NOTHING, problems: [why], deny: onFailure === "block" ? `its hook failed: ${why}` : undefined };
}

function fromJson(answer: Readonly<Record<string, unknown>>): HookAnswer {
  const specific = isTable(answer.hookSpecificOutput) ? answer.hookSpecificOutput : {};
  const reason =
    text(specific.permissionDecisionReason) ??
    text(answer.reason) ??
    "a hook blocked this without giving a reason";
  // `approve` and `allow` say that the hook has no objection: what the person did not allow, it cannot.
  const decision = text(specific.permissionDecision) ?? text(answer.decision);
  const stops = answer.continue === false;
  const context = text(specific.additionalContext);
  const message = text(answer.systemMessage);
  return {
    deny: stops
      ? (text(answer.stopReason) ?? reason)
      : /^(?:deny|block)$/.test(decision ?? "")
        ? reason
        : undefined,
    ask: /^(?:ask|defer)$/.test(decision ?? "") ? reason : undefined,
    updatedInput: isTable(specific.updatedInput) ? (specific.updatedInput as JsonObject) : undefined,
    context: context === undefined ? [] : [cut(context)],
    messages: message === undefined ? [] : [message.slice(0, 1_000)],
    problems: [],
  };
}

/** In the order of the hooks: a refusal wins over a question, and of several changed inputs the last one holds. */
export function together(answers: readonly HookAnswer[]): HookAnswer {
  return {
    deny: answers.find(({ deny }) => deny !== undefined)?.deny,
    ask: answers.find(({ ask }) => ask !== undefined)?.ask,
    updatedInput: answers.findLast(({ updatedInput }) => updatedInput !== undefined)?.updatedInput,
    context: answers.flatMap(({ context }) => context),
    messages: answers.flatMap(({ messages }) => messages),
    problems: answers.flatMap(({ problems }) => problems),
  };
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

function cut(given: string): string {
  if (given.length <= MAX_CONTEXT) return given;
  return `${given.slice(0, MAX_CONTEXT)}\n[${given.length - MAX_CONTEXT} more characters from the hook were left out]`;
}
