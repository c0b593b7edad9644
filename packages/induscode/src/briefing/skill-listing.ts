// The block in which the prompt lists skills. Descriptions come from files that anybody may have written, so nothing in
// them may end the block or begin another: & < > " ' are escaped everywhere.

import type { SkillCard } from "./contract.ts";

/** About 6,000 tokens: a listing is paid for in every request, and what it leaves out can still be called by name. */
const MAX_LISTING_BYTES = 24_000;

/** The `<available_skills>` block (seed 003): one entry for each card, in their order. */
export function renderSkillListing(cards: readonly SkillCard[]): string {
  return ["<available_skills>", ...cards.map(renderEntry), "</available_skills>"].join("\n");
}

/** The cards, in their order, whose entries fit into `maxBytes` together, and the ones that do not. */
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
 * What `/skill:<name> arguments` says to the model: which skill, and after it what the person typed, as they typed it. It
 * stands for itself, because a skill that only people may call is in no listing.
 */
export function skillInvocation({ name, location }: SkillCard, args: string): string {
  const asked = args.trim();
  return [
    `<skill name="${escapeXml(name)}" location="${escapeXml(location)}" />`,
    "",
    `Read the skill at this location and follow it.${asked === "" ? "" : " What it is asked to do:"}`,
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
