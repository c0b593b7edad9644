// The program's answer to a question, whatever its function does.

import { describeError } from "indusagi/core";
import type { Answer, Ask, Question } from "./sdk-options.ts";

/** Rejects only if the signal fires; an error, and an answer that is none, is a no that says so to the model. */
export async function programAnswer(ask: Ask, question: Question, signal: AbortSignal): Promise<Answer> {
  try {
    const answer: unknown = await ask(question, signal);
    if (isAnswer(answer)) return answer;
    return {
      kind: "no",
      reason: `the program's answer must have the kind "once", "session" or "no"; it was ${JSON.stringify(answer)}`,
    };
  } catch (error) {
    signal.throwIfAborted();
    return { kind: "no", reason: `the program could not answer: ${describeError(error)}` };
  }
}

const KINDS: readonly unknown[] = ["once", "session", "no"] satisfies readonly Answer["kind"][];

function isAnswer(value: unknown): value is Answer {
  return typeof value === "object" && value !== null && "kind" in value && KINDS.includes(value.kind);
}
