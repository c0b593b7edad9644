// A session as a file: its format, its text, its name.

import { writeOutput } from "../../cli/write-output.ts";
import { branchOf } from "../../conductor/branch.ts";
import type { Entry } from "../../conductor/contract.ts";
import { storyMarkdown } from "./markdown.ts";
import { storyPage } from "./page.ts";
import { storyOf } from "./story.ts";

const ENDINGS: Readonly<Record<string, string>> = { html: "html", markdown: "md", json: "json" };
const FORMATS: Readonly<Record<string, string>> = {
  html: "html",
  htm: "html",
  md: "markdown",
  markdown: "markdown",
  json: "json",
};

/** By the file's extension. */
export function formatOf(file = ""): string {
  const ending = /\.([a-z]+)$/i.exec(file)?.[1]?.toLowerCase() ?? "";
  return FORMATS[ending] ?? "html";
}

/** What the file is called unless a person names it. */
export function nameOf(id: string, format: string): string {
  return `${id}.${ENDINGS[format]}`;
}

/** `entries` without the secrets known now. */
export async function exportedText(entries: readonly Entry[], format: string): Promise<string> {
  const story = storyOf(branchOf(entries));
  if (format === "json") return `${JSON.stringify({ format: 1, ...story, entries }, undefined, 2)}\n`;
  return format === "markdown" ? storyMarkdown(story) : storyPage(story);
}

/** Says where it is. Throws a `Problem`; `flag` is what the person writes before the name of a file. */
export function writeExport(to: string, text: string, name: string, flag?: string): string {
  writeOutput(to, text, name, flag);
  return `Written: ${to}\nKnown secrets are masked. It contains the complete conversation: read it before you share it.`;
}
