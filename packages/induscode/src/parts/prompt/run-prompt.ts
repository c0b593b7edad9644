// `indus prompt`: the system prompt of a session in this folder, part by part, with the cost and the origin of each.

import { printable } from "indusagi/core";
import type { Invocation } from "../../cli/invocation.ts";
import { noticeLine } from "../../cli/notice-line.ts";
import { EXIT_OK } from "../../cli/problem.ts";
import { definitionOf, NOTHING_OFFERED, offerTools } from "../../deck/offered-tools.ts";
import { toolsOfServers } from "../../deck/tools-of-servers.ts";
import { serverNotes } from "../../session/server-notes.ts";
import { featuresHere } from "../addons/features-here.ts";

export async function runPrompt(line: Invocation): Promise<number> {
  const { features, briefing, settings } = await featuresHere(line);
  const notices = briefing.diagnostics.map(({ message }) => message);
  const { tools, reports } = features.registry;
  const offered = offerTools(tools, NOTHING_OFFERED, settings.settings.addons?.toolBytes);
  const described = [...offered.described, ...toolsOfServers(offered, () => offered)];
  const parts = briefing.describe({
    described: described.map(({ tool }) => tool.descriptor()),
    named: offered.deferred.map(definitionOf),
    serverNotes: serverNotes(reports),
  });
  if (line.flags.json) process.stdout.write(`${JSON.stringify({ parts, notices }, undefined, 2)}\n`);
  else {
    for (const { id, tokens, sources, text } of parts) {
      const from = sources.length === 0 ? "" : `  from ${sources.join(", ")}`;
      process.stdout.write(printable(`== ${id}  about ${tokens} tokens${from}\n${text}\n\n`));
    }
    for (const notice of notices) process.stderr.write(noticeLine(notice));
  }
  return EXIT_OK;
}
