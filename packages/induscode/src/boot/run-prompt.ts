// `indus prompt`: the system prompt of a session in this folder, part by part, with what each costs and where it came from.

import { printable } from "indusagi/core";
import { featuresHere } from "./features-here.ts";
import type { CommandLine } from "./flags.ts";
import { noticeLine } from "./notice-line.ts";
import { EXIT_OK } from "./problem.ts";
import { createSessionBriefing } from "./session-briefing.ts";

export async function runPrompt({ flags }: CommandLine): Promise<number> {
  const { cwd, home, features } = await featuresHere(flags);
  const briefing = createSessionBriefing({ flags, cwd, home });
  const parts = briefing.describe(features.tools.map(({ tool }) => tool.descriptor()));
  if (flags.json)
    process.stdout.write(`${JSON.stringify({ parts, notices: briefing.notices }, undefined, 2)}\n`);
  else {
    for (const { id, tokens, sources, text } of parts) {
      const from = sources.length === 0 ? "" : `  from ${sources.join(", ")}`;
      process.stdout.write(printable(`== ${id}  about ${tokens} tokens${from}\n${text}\n\n`));
    }
    for (const notice of briefing.notices) process.stderr.write(noticeLine(notice));
  }
  return EXIT_OK;
}
