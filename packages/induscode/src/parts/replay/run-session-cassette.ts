// `indus session cassette <id>`: the model's answers from a session as a cassette, without the known secrets.

import { resolve } from "node:path";
import { printable } from "indusagi/core";
import { cassetteHeader } from "indusagi/llmgateway";
import type { Invocation } from "../../cli/invocation.ts";
import { EXIT_OK, Problem } from "../../cli/problem.ts";
import { writeOutput } from "../../cli/write-output.ts";
import { branchOf, saidText } from "../../conductor/branch.ts";
import { counted } from "../../conductor/log-reader.ts";
import { asWord } from "../../deck/shell-quote.ts";
import { TASK_TOOL } from "../../feature/tool-names.ts";
import { loggedSession } from "../../session/logs/logged-session.ts";
import { replyIn, tapedLines } from "./tape.ts";

export async function runSessionCassette(
  line: Invocation<{ readonly output?: string | undefined }>,
): Promise<number> {
  const { flags, words, startedIn } = line;
  const { cwd, id, entries } = await loggedSession(line, words[2], "turned into a cassette");
  const turns = branchOf(entries).flatMap((entry) => replyIn(entry) ?? []);
  if (turns.length === 0) throw new Problem(`the session ${id} contains no answer of a model`);
  const lines = tapedLines(entries);
  const first = lines[0] === undefined ? "" : (saidText(lines[0].said).split("\n", 1)[0] ?? "");
  const tape = turns.map((reply, at) => `${JSON.stringify({ turn: at + 1, reply })}\n`);
  const text = `${cassetteHeader(`session ${id}: ${first}`)}${tape.join("")}`;
  if (flags.output === "-") {
    process.stdout.write(text);
    return EXIT_OK;
  }
  const name = `${id}.cassette.jsonl`;
  const to = flags.output === undefined ? resolve(cwd, name) : resolve(startedIn, flags.output);
  writeOutput(to, text, name);
  const hasDelegates = entries.some((entry) => entry.type === "tool" && entry.name === TASK_TOOL);
  const said = [
    `Written: ${to}`,
    `The cassette contains the model's ${counted(turns.length, "answer")} to your ${counted(lines.length, "prompt")}. Known secrets are masked; everything else that the model said is included.`,
    ...(hasDelegates
      ? ["Delegates' answers are not in the cassette; they are in the delegates' own logs."]
      : []),
    `To play it: indus -p ${asWord(first)} --cassette ${asWord(to)}`,
  ];
  process.stdout.write(`${printable(said.join("\n"))}\n`);
  return EXIT_OK;
}
