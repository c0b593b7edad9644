// What is different about what an MCP server contributes, for whoever is told, and for a call that was made before.

import { isSameJson } from "indusagi/core";
import { oneLine } from "../../feature/registration/one-line.ts";
import type { ToolCard } from "./protocol/messages.ts";
import type { ReadRegistration } from "./protocol/read-registration.ts";

const MAX_NAMED = 5;
const MAX_NAME_BYTES = 100;

type Contributed = Pick<ReadRegistration, "tools" | "commands">;

/** `mcp__x__a has a different description; mcp__x__b is new`; undefined if its tools and commands are the same. */
export function changesInWords(before: Contributed, after: Contributed): string | undefined {
  const [had, has] = [cardsOf(before), cardsOf(after)];
  const changed = [...has].flatMap(([name, card]) => {
    const earlier = had.get(name);
    if (earlier === undefined) return [`${name} is new`];
    const parts = [...new Set([...Object.keys(earlier), ...Object.keys(card)])];
    const other = parts.filter((part) => !isSameJson(earlier[part], card[part]));
    return other.length === 0 ? [] : [`${name} has a different ${other.join(", ")}`];
  });
  const gone = [...had.keys()].filter((name) => !has.has(name)).map((name) => `${name} is gone`);
  const all = [...changed, ...gone];
  const more = all.length - MAX_NAMED;
  if (all.length === 0) return undefined;
  return all.slice(0, MAX_NAMED).join("; ") + (more > 0 ? `; and ${more} more` : "");
}

/** Why a tool cannot be called as it was offered; undefined if it can, or if nothing changes. Its description may be another one. */
export function goneSince(
  card: ToolCard,
  now: Pick<ReadRegistration, "tools"> | undefined,
): string | undefined {
  if (now === undefined) return undefined;
  const found = now.tools.find(({ name }) => name === card.name);
  if (found === undefined)
    return `${card.name} was not called: its server has changed its tools, and does not offer it any more.`;
  if (found === card || isSameJson(found.parameters, card.parameters)) return undefined;
  return `${card.name} was not called: its server has changed its arguments. Call it as your tools describe it from now on.`;
}

type Card = Readonly<Record<string, unknown>>;

function cardsOf({ tools, commands }: Contributed): ReadonlyMap<string, Card> {
  const named: readonly (readonly [string, object])[] = [
    ...tools.map((card) => [card.name, card] as const),
    ...commands.map((card) => [`/${card.name}`, card] as const),
  ];
  const place = undefined; // where it stands in the list says nothing about it
  return new Map(named.map(([name, card]) => [oneLine(name, MAX_NAME_BYTES), { ...card, place }]));
}
