// Size limits of a board; anything larger is refused with an error that names it, never truncated.

import { isoNow } from "../core/clock.ts";
import { createId } from "../core/ids.ts";
import {
  type Activity,
  BoardError,
  type Envelope,
  type EnvelopeBody,
  type Ticket,
  type TicketDraft,
  type TicketPriority,
  type TicketStatus,
  type WorkUse,
} from "./contract.ts";

export const MAX_TITLE_CHARS = 200;
export const MAX_TEXT_BYTES: number = 64 * 1024;
const MAX_DEPS = 100;
const MAX_TICKETS = 100_000;
/** After this many claims expire without a report, a ticket fails: whatever ended them would end the next one too. */
export const MAX_LAPSES = 10;
/** The longest report to the coordinator about a member's work, in characters. */
export const MAX_SUMMARY_CHARS = 280;
const MAX_NAME_CHARS = 100;
const PRIORITIES: readonly TicketPriority[] = ["low", "normal", "high"];

export function checkedName(what: string, name: string): string {
  if (typeof name === "string" && name.trim() !== "" && name.length <= MAX_NAME_CHARS && !/\0/.test(name))
    return name;
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

function checkDraft(draft: TicketDraft): void {
  const { title, brief = "", priority = "normal", deps = [], agent } = draft;
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
  if (agent !== undefined) checkedName(`the agent of ${shown(title)}`, agent);
  checkedText(`the brief of ${shown(title)}`, brief);
  if (!PRIORITIES.includes(priority))
    throw new BoardError(
      "validation",
      `the priority of ${shown(title)}: expected ${PRIORITIES.join(", ")}, found ${shown(priority)}`,
    );
  checkDeps(shown(title), deps.length);
}

export function checkDeps(who: string, count: number): void {
  if (count > MAX_DEPS)
    throw new BoardError("validation", `${who} would depend on ${count} tickets; the limit is ${MAX_DEPS}`);
}

/** Validates a post to a board that already has `there` tickets. Returns the new ids by the keys other drafts can use for them. */
export function checkDrafts(drafts: readonly TicketDraft[], there: number): ReadonlyMap<string, string> {
  if (drafts.length === 0) throw new BoardError("validation", "expected at least one ticket, found none");
  if (there + drafts.length > MAX_TICKETS)
    throw new BoardError("validation", `a board has at most ${MAX_TICKETS} tickets`);
  const ids = new Map<string, string>();
  for (const draft of drafts) {
    checkDraft(draft);
    if (draft.key === undefined) continue;
    const key = checkedName("key", draft.key);
    if (ids.has(key)) throw new BoardError("validation", `duplicate key ${JSON.stringify(key)}`);
    ids.set(key, createId("tkt"));
  }
  return ids;
}

export function checkedLease(leaseMs: number): number {
  if (leaseMs > 0) return leaseMs;
  throw new BoardError("validation", `leaseMs: expected more than 0, found ${leaseMs}`);
}

/** The part of an activity that records what the work used. */
export function checkedUse(used: WorkUse | undefined): { readonly used?: WorkUse } {
  if (used === undefined) return {};
  const { turns, tokens, dollars, durationMs } = used;
  for (const [name, amount] of Object.entries({ turns, tokens, dollars, durationMs }))
    if (!(Number.isFinite(amount) && amount >= 0))
      throw new BoardError("validation", `used.${name}: expected 0 or more, found ${shown(amount)}`);
  return { used: { turns, tokens, dollars, durationMs } };
}

/** The sum of both. */
export function sumOfUse(one: WorkUse | undefined, other: WorkUse): WorkUse {
  if (!one) return other;
  return {
    turns: one.turns + other.turns,
    tokens: one.tokens + other.tokens,
    dollars: one.dollars + other.dollars,
    durationMs: one.durationMs + other.durationMs,
  };
}

/** The reason recorded when a ticket fails because nobody finished it. */
export function givenUp(last: string | undefined): string {
  return `abandoned: ${MAX_LAPSES} claims expired without a report, the last one by ${last ?? "nobody"}`;
}

/** The error for a claim that is no longer valid. */
export function overClaim({ id, status, assignee }: Ticket): BoardError {
  const now = status === "claimed" ? `${assignee} has claimed it since` : `it is ${status}`;
  return new BoardError("conflict", `the claim on ${id} is no longer valid: ${now}`);
}

export function noTicket(id: string): BoardError {
  return new BoardError("not_found", `ticket not found: ${JSON.stringify(String(id).slice(0, 80))}`);
}

export function notFirst(): BoardError {
  return new BoardError("conflict", "the board already has tickets");
}

/** The activity that records a decision about a ticket. */
export function checkedMove(id: string, to: Exclude<TicketStatus, "claimed">, reason?: string): Decision {
  const kind = KIND_OF[to];
  if (kind === undefined)
    throw new BoardError(
      "validation",
      `expected ${Object.keys(KIND_OF).join(", ")}, found ${JSON.stringify(to)}`,
    );
  return { kind, id, summary: reason === undefined ? undefined : checkedText("reason", reason) };
}

export type Decision = Extract<Activity, { readonly kind: (typeof KIND_OF)[keyof typeof KIND_OF] }>;

const KIND_OF = {
  open: "ticket_opened",
  blocked: "ticket_blocked",
  done: "ticket_done",
  failed: "ticket_failed",
} as const;

export function envelopeOf(from: string, to: string, body: EnvelopeBody, atMs: number): Envelope {
  checkedText("the message", JSON.stringify(body));
  const ts = isoNow(atMs);
  return { ...body, id: createId("env"), from: checkedName("from", from), to: checkedName("to", to), ts };
}

function shown(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 80) ?? "nothing";
}
