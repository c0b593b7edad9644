// What is wrong with a request that could not be written. Types say it before; a program in JavaScript has none.

import type { ModelRequest, ModelResult } from "./contract.ts";

/** The fault of a request that is not a {@link ModelRequest}; if it is one, throws `error`, which came of something else. */
export function malformed({ messages }: ModelRequest, provider: string, error: unknown): ModelResult {
  const problem = Array.isArray(messages)
    ? firstOf(messages, "messages", messageProblem)
    : expected("messages", "a list of messages", messages);
  if (problem === undefined) throw error;
  const message = `The request to ${provider} is malformed: ${problem}.`;
  return { ok: false, fault: { kind: "request", message } };
}

function messageProblem(message: unknown, where: string): string | undefined {
  const { role, content, text } = fieldsOf(message);
  if (role === "tool")
    return typeof text === "string" ? undefined : expected(`${where}.text`, "a string", text);
  if (role !== "user" && role !== "assistant")
    return expected(`${where}.role`, '"user", "assistant" or "tool"', role);
  if (!Array.isArray(content)) return expected(`${where}.content`, "a list of blocks", content);
  return firstOf(content, `${where}.content`, blockProblem);
}

function blockProblem(block: unknown, where: string): string | undefined {
  const { kind, text } = fieldsOf(block);
  if (typeof kind !== "string") return expected(`${where}.kind`, "a string", kind);
  return kind === "text" && typeof text !== "string"
    ? expected(`${where}.text`, "a string", text)
    : undefined;
}

function firstOf(
  items: readonly unknown[],
  where: string,
  problemOf: (item: unknown, where: string) => string | undefined,
): string | undefined {
  for (const [at, item] of items.entries()) {
    const problem = problemOf(item, `${where}[${at}]`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function expected(where: string, what: string, found: unknown): string {
  return `${where}: expected ${what}, found ${JSON.stringify(found)?.slice(0, 60) ?? "nothing"}`;
}
