// The block that lists skills in the prompt. Anybody may have written the files' descriptions, so nothing in them may end
// the block or start another: & < > " ' are escaped everywhere.

import type { SkillCard } from "./contract.ts";

/** About 6,000 tokens: every request pays for the listing, and skills left out can still be invoked by name. */
const MAX_LISTING_BYTES = 24_000;

/** The `<available_skills>` block: one entry per card, in order. */
export function renderSkillListing(cards: readonly SkillCard[]): string {
  return ["<available_skills>", ...cards.map(renderEntry), "</available_skills>"].join("\n");
}

/** The cards, in order, with entries that together fit into `maxBytes`, and those that do not fit. */
export function fitSkillListing(
  cards: readonly SkillCard[],
  maxBytes: number = MAX_LISTING_BYTES,
): { readonly listed: readonly SkillCard[]; readonly dropped: readonly SkillCard[] } {
  const listed: SkillCard[] = [];
  const dropped: SkillCard[] = [];
  let usedBytes = 0;
  for (const card of cards) {
    const bytes = Buffer.byteLength(renderEntry(card));
    const fits = usedBytes + bytes <= maxBytes;
    if (fits) usedBytes += bytes;
    (fits ? listed : dropped).push(card);
  }
  return { listed, dropped };
}

/**
 * What `/skill:<name> arguments` tells the model: which skill, followed by the person's text as typed. It is self-contained,
 * because a skill that only people may invoke is in no listing.
 */
export function skillInvocation({ name, location }: SkillCard, args: string): string {
  const asked = args.trim();
  return [
    `<skill name="${escapeXml(name)}" location="${escapeXml(location)}" />`,
    "",
    `Read the skill at this location and follow it.${asked === "" ? "" : " The request:"}`,
    ...(asked === "" ? [] : ["", asked]),
  ].join("\n");
}

/** `text` with its five markup characters as entities. */
function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

function renderEntry({ name, description, location }: SkillCard): string {
  return [
    "  <skill>",
    `    <name>${escapeXml(name)}</name>`,
    `    <description>${escapeXml(description)}</description>`,
    `    <location>${escapeXml(location)}</location>`,
    "  </skill>",
  ].join("\n");
}
