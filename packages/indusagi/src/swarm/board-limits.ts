// How much a board takes; what is larger is refused by name, never cut.

import { BoardError, type EnvelopeBody, type TicketDraft, type TicketPriority } from "./contract.ts";

export const MAX_TITLE_CHARS = 200;
export const MAX_TEXT_BYTES: number = 64 * 1024;
export const MAX_DEPS = 100;
export const MAX_TICKETS = 100_000;
/** What is sent to the coordinator of what a member did, in characters (seed 000). */
export const MAX_SUMMARY_CHARS = 280;
const MAX_NAME_CHARS = 100;
const PRIORITIES: readonly TicketPriority[] = ["low", "normal", "high"];

export function checkedName(what: string, name: string): string {
  if (typeof name === "string" && name.trim() !== "" && name.length <= MAX_NAME_CHARS) return name;
  throw new BoardError(
    "validation",
    `${what}: expected 1 to ${MAX_NAME_CHARS} characters, found ${shown(name)}`,
  );
}

export function checkedText(what: string, text: string): string {
  if (typeof text !== "string")
    throw new BoardError("validation", `${what}: expected text, found ${shown(text)}`);
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_TEXT_BYTES) return text;
  throw new BoardError("validation", `${what}: expected at most ${MAX_TEXT_BYTES} bytes, found ${bytes}`);
}

export function checkDraft({ title, brief = "", priority = "normal", deps = [] }: TicketDraft): void {
  if (
    typeof title !== "string" ||
    title.trim() === "" ||
    title.length > MAX_TITLE_CHARS ||
    /[\n\r]/.test(title)
  )
    throw new BoardError(
      "validation",
      `title: expected one line of 1 to ${MAX_TITLE_CHARS} characters, found ${shown(title)}`,
    );
  checkedText(`the brief of ${shown(title)}`, brief);
  if (!PRIORITIES.includes(priority))
    throw new BoardError(
      "validation",
      `the priority of ${shown(title)}: expected ${PRIORITIES.join(", ")}, found ${shown(priority)}`,
    );
  if (deps.length > MAX_DEPS)
    throw new BoardError(
      "validation",
      `${shown(title)} depends on ${deps.length} tickets; at most ${MAX_DEPS}`,
    );
}

export function checkBody(body: EnvelopeBody): void {
  checkedText("the message", JSON.stringify(body));
}

function shown(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 80) ?? "nothing";
}
