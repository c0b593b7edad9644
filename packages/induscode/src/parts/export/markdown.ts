// A story as Markdown: what a person said is a heading; a call is one line with its result in a folded fence.

import { beginningOf, printable } from "indusagi/core";
import { formatDuration } from "../../console/figures.ts";
import type { Story, StoryItem } from "./story.ts";

export function storyMarkdown(story: Story): string {
  const { id, folder, models, turns, files } = story;
  const head = [
    `# ${oneLine(story.title) || "A session"}`,
    `Session \`${id}\` in \`${folder}\`, with ${models.join(", ") || "no model"}.`,
  ];
  const told = turns.flatMap(({ said, changes, items }, at) => [
    `## ${at + 1}. ${beginningOf(oneLine(said), 80) || "(no text)"}`,
    ...(said.includes("\n") || said.length > 80 ? [quoted(said)] : []),
    ...changed(changes),
    ...items.flatMap(itemText),
  ]);
  const list = files.map(
    ({ path, writers, by }) =>
      `- \`${path}\`: turn ${writers.map(({ turn, tools }) => `${turn} (${tools.join(", ")})`).join(", ")}${by.length > 0 ? `; changed by ${by.join(", ")}` : ""}`,
  );
  const changedFiles = list.length > 0 ? ["## Files that were written", list.join("\n")] : [];
  return `${printable([...head, ...told, ...changedFiles].join("\n\n"))}\n`;
}

function itemText(item: StoryItem): readonly string[] {
  const changes = changed(item.changes);
  if (item.kind === "answer") return [...(item.text.trim() === "" ? [] : [item.text.trim()]), ...changes];
  if (item.kind === "note")
    return [`*${oneLine(item.label)}*`, ...(item.text === "" ? [] : [quoted(item.text)]), ...changes];
  const state = item.state === "ok" ? "" : `, ${item.state}`;
  const whose = item.feature === "" ? "" : `, from ${item.feature}`;
  const title = `**${item.name}** ${oneLine(item.title)} (${formatDuration(item.ms)}${state}${whose})`;
  return [title, item.diff === "" ? fenced(item.text, "") : fenced(item.diff, "diff"), ...changes];
}

function changed(changes: readonly string[]): readonly string[] {
  return changes.length === 0 ? [] : [`*changed by ${oneLine(changes.join(", "))}*`];
}

function quoted(text: string): string {
  return text
    .trim()
    .split("\n")
    .map((line) => `> ${plain(line)}`)
    .join("\n");
}

/** In a fence that is longer than any inside it. */
export function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`{3,}/g), ([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.trimEnd()}\n${fence}`;
}

export function oneLine(text: string): string {
  return plain(text.replaceAll(/\s+/g, " ").trim());
}

/** Text from people and programs is not markup; an answer is Markdown, as the model wrote it. */
function plain(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
