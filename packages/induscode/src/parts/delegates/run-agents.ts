// `indus agents`: which delegates can be given work in this folder, what each can use and where it comes from.

import { homeFolder } from "indusagi/core";
import { gatherAgents } from "../../briefing/agent-files.ts";
import type { SubagentProfile } from "../../briefing/contract.ts";
import { type Invocation, workingDirectory } from "../../cli/invocation.ts";
import { noticeLine } from "../../cli/notice-line.ts";
import { EXIT_FAULT, EXIT_OK } from "../../cli/problem.ts";
import { printableLine } from "../../console/printable-line.ts";
import { heldNamesHere } from "../../session/features/held-names-here.ts";
import { indusHome } from "../../store/home.ts";

async function agentsHere(line: Invocation): Promise<ReturnType<typeof gatherAgents>> {
  const cwd = workingDirectory(line);
  const home = indusHome(line.env);
  const { refusal: heldBack } = await heldNamesHere(home);
  return gatherAgents({ cwd, home: homeFolder(line.env), indusHome: home, heldBack });
}

/** The output of `/agents`. */
export async function agentsReport(line: Invocation): Promise<string> {
  const { profiles, diagnostics } = await agentsHere(line);
  const lines = [...profiles.map(describe), ...diagnostics.map(({ message }) => `  ! ${message}`)];
  return lines.join("\n") || "No delegates here.";
}

/** Exit code 1 if a file does not describe a delegate. */
export async function runAgents(line: Invocation): Promise<number> {
  const { profiles, diagnostics } = await agentsHere(line);
  if (line.flags.json) {
    const notices = diagnostics.map(({ message }) => message);
    process.stdout.write(`${JSON.stringify({ agents: profiles, notices }, undefined, 2)}\n`);
  } else {
    for (const profile of profiles) process.stdout.write(`${describe(profile)}\n`);
    for (const { message } of diagnostics) process.stderr.write(noticeLine(message));
  }
  return diagnostics.some(({ kind }) => kind === "agent-invalid") ? EXIT_FAULT : EXIT_OK;
}

function describe({ name, purpose, source, origin, model, ...limits }: SubagentProfile): string {
  const { toolCollection = "all", tools, withheldTools, maxTurns } = limits;
  const uses = [
    `tools ${tools === undefined ? toolCollection : tools.join(" ") || "none"}`,
    ...(tools !== undefined && toolCollection !== "all" ? [`of ${toolCollection}`] : []),
    ...(withheldTools === undefined ? [] : [`without ${withheldTools.join(" ")}`]),
    ...(model === undefined ? [] : [`model ${model}`]),
    ...(maxTurns === undefined ? [] : [`at most ${maxTurns} model calls`]),
  ];
  const whose = { project: " (this repository's)", user: " (yours)", builtin: "", path: "" }[origin];
  // Each on its own line: the name of a file or tool can contain anything a repository likes.
  return `${name}  ${printableLine(purpose)}\n    ${printableLine(`${uses.join(", ")}  from ${source}${whose}`)}`;
}
