// Which cards of a registration fit the message that carries them all: one that does not costs that one alone, and is named.

import { type JsonValue, plainJson } from "indusagi/core";
import { DEFAULT_LIMITS } from "../process/protocol/limits.ts";
import type { Registration } from "../process/protocol/messages.ts";

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
const MAX_NAME = 100;
const MAX_REASON = 1_000;
const TOO_LARGE = "with it, what the addon registers would be too large for one message";

/** The same with plain copies of the cards that can be sent; the others are under `skipped`. */
export function withSendableCards({
  skipped: unfit = [],
  ...registration
}: UncheckedRegistration): Readonly<Record<string, unknown>> {
  const left = { bytes: DEFAULT_LIMITS.maxFrameBytes * SHARE, values: DEFAULT_LIMITS.maxValues * SHARE };
  const skipped = [...unfit];
  const sent: Record<string, unknown> = { ...registration };
  for (const [list, kind, nameField] of LISTS) {
    const cards = registration[list];
    if (!Array.isArray(cards)) continue;
    sent[list] = cards.flatMap((card: unknown): readonly JsonValue[] => {
      const read = plainJson(card);
      const problem = read.ok ? takeRoom(read.value, left) : read.problem;
      if (read.ok && problem === undefined) return [read.value];
      skipped.push(skippedCard(kind, fieldOf(card, nameField), `it cannot be sent: ${problem}`));
      return [];
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

/** Why there is no room for a card; undefined if there is, and now it is taken. */
function takeRoom(card: JsonValue, left: { bytes: number; values: number }): string | undefined {
  const bytes = Buffer.byteLength(JSON.stringify(card));
  const values = valuesIn(card);
  if (bytes > left.bytes || values > left.values) return TOO_LARGE;
  left.bytes -= bytes;
  left.values -= values;
  return undefined;
}

/** As the host's reader counts them: a list or an object is one, and one more for what it holds. */
function valuesIn(value: JsonValue): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((sum: number, item) => sum + valuesIn(item as JsonValue), 2);
}
