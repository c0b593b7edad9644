// Which cards of a registration fit the message that carries them all: one that does not costs that one alone, and is named.

import { DEFAULT_LIMITS } from "../process/protocol/limits.ts";
import type { Registration } from "../process/protocol/messages.ts";
import { errorText } from "./error-text.ts";

export type SkippedCard = NonNullable<Registration["skipped"]>[number];

/** An answer to `describe` whose cards may be anything. */
export interface UncheckedRegistration {
  readonly [field: string]: unknown;
  readonly skipped?: readonly unknown[];
}

/** The lists whose cards an author fills, and the field that names a card. The others hold a few words each. */
const LISTS = [
  ["commands", "command", "name"],
  ["tools", "tool", "name"],
  ["tasks", "task", "id"],
] as const;
/** How much of the longest message they may take: what is cached of it must fit its file, too. */
const SHARE = 3 / 8;
/** A message may have 200, with those around a card. */
const MAX_LEVELS = 190;
const MAX_NAME = 100;
const MAX_REASON = 1_000;
const TOO_LARGE = "with it, what the addon registers would be too large for one message";

/** The same with plain copies of the cards that can be sent; the others are under `skipped`. */
export function withSendableCards({
  skipped: unfit = [],
  ...registration
}: UncheckedRegistration): Readonly<Record<string, unknown>> {
  const room = { bytes: DEFAULT_LIMITS.maxFrameBytes * SHARE, values: DEFAULT_LIMITS.maxValues * SHARE };
  const skipped = [...unfit];
  const sent: Record<string, unknown> = { ...registration };
  for (const [list, kind, nameField] of LISTS) {
    const cards = registration[list];
    if (!Array.isArray(cards)) continue;
    sent[list] = cards.flatMap((card: unknown): readonly unknown[] => {
      try {
        return [plainCopy(card, room)];
      } catch (error) {
        skipped.push(skippedCard(kind, fieldOf(card, nameField), `it cannot be sent: ${errorText(error)}`));
        return [];
      }
    });
  }
  return skipped.length === 0 ? sent : { ...sent, skipped };
}

/** As it may cross the pipe. */
export function skippedCard(kind: SkippedCard["kind"], name: unknown, reason: string): SkippedCard {
  const known = typeof name === "string" && name !== "" ? name : "without a name";
  return { kind, name: known.slice(0, MAX_NAME), reason: reason.slice(0, MAX_REASON) };
}

function fieldOf(card: unknown, field: string): unknown {
  return typeof card === "object" && card !== null && Object.hasOwn(card, field)
    ? (card as Readonly<Record<string, unknown>>)[field]
    : undefined;
}

interface Room {
  bytes: number;
  values: number;
}

/** The card as JSON, for which there is less room from now on. Throws what keeps it from being sent. */
function plainCopy(card: unknown, room: Room): unknown {
  const left = { values: room.values };
  requireJson(card, "", MAX_LEVELS, left);
  const text = JSON.stringify(card);
  const bytes = Buffer.byteLength(text);
  if (bytes > room.bytes) throw new Error(TOO_LARGE);
  room.bytes -= bytes;
  room.values = left.values;
  return JSON.parse(text);
}

/** Throws for what JSON would leave out or change without a word. Counts as the host's reader does: lists and objects twice. */
function requireJson(value: unknown, at: string, levels: number, left: { values: number }): void {
  if (--left.values < 0) throw new Error(TOO_LARGE);
  if (value === null || value === undefined || typeof value === "string" || typeof value === "boolean")
    return;
  if (typeof value === "number" && Number.isFinite(value)) return;
  if (typeof value !== "object") {
    const found = typeof value === "number" ? value : `a ${typeof value}`;
    throw new Error(`${at.slice(1)} is ${found}, which JSON does not have`);
  }
  if (levels === 0) throw new Error(`it contains itself, or is nested more than ${MAX_LEVELS} levels deep`);
  left.values--;
  for (const [key, item] of Object.entries(value)) requireJson(item, `${at}/${key}`, levels - 1, left);
}
