// `indus export [id]`: a session as one page, as Markdown or as JSON, without the known secrets.

import { resolve } from "node:path";
import type { Invocation } from "../../cli/invocation.ts";
import { EXIT_OK } from "../../cli/problem.ts";
import { writeOutput } from "../../cli/write-output.ts";
import { branchOf } from "../../conductor/branch.ts";
import { loggedSession } from "../replay/logged-session.ts";
import { storyMarkdown } from "./markdown.ts";
import { storyPage } from "./page.ts";
import { storyOf } from "./story.ts";

interface Own {
  readonly output?: string | undefined;
  readonly format?: string | undefined;
}

const ENDINGS: Readonly<Record<string, string>> = { html: "html", markdown: "md", json: "json" };
const FORMATS: Readonly<Record<string, string>> = {
  html: "html",
  htm: "html",
  md: "markdown",
  markdown: "markdown",
  json: "json",
};

export async function runExport(line: Invocation<Own>): Promise<number> {
  const { flags, words, startedIn } = line;
  const { cwd, id, entries: masked } = await loggedSession(line, words[1], "exported", { orDelegate: true });
  const story = storyOf(branchOf(masked));
  const ending = /\.([a-z]+)$/i.exec(flags.output ?? "")?.[1]?.toLowerCase() ?? "";
  const format = flags.format ?? FORMATS[ending] ?? "html";
  const text =
    format === "json"
      ? `${JSON.stringify({ format: 1, ...story, entries: masked }, undefined, 2)}\n`
      : format === "markdown"
        ? storyMarkdown(story)
        : await storyPage(story);
  if (flags.output === "-") {
    process.stdout.write(text);
    return EXIT_OK;
  }
  const name = `${id}.${ENDINGS[format]}`;
  const to = flags.output === undefined ? resolve(cwd, name) : resolve(startedIn, flags.output);
  writeOutput(to, text, name);
  process.stdout.write(
    `Written: ${to}\nKnown secrets are masked. It contains the whole conversation: read it before you share it.\n`,
  );
  return EXIT_OK;
}
