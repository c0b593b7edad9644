// The conversation: `indus` on a terminal, or lines from a pipe.

import type { Dialogue } from "../console/dialogue.ts";
import { createDialogue, runPlainConsole } from "../console/index.ts";
import { usesColour } from "./colour.ts";
import type { CommandLine } from "./flags.ts";
import { indusHome } from "./home.ts";
import { NoModel } from "./model-choice.ts";
import { Problem } from "./problem.ts";
import { VERSION } from "./version.ts";
import { type WiredSession, wireSession, workingDirectory } from "./wire.ts";

export async function runConsole(line: CommandLine): Promise<number> {
  const { flags, words, attachments } = line;
  if (words.length > 0 || attachments.length > 0) {
    throw new Problem(`a task on the command line needs -p: indus -p ${JSON.stringify(words.join(" "))}`, 2);
  }
  const cwd = workingDirectory(flags);
  const { stdin: input, stdout: output } = process;
  const isTerminal = input.isTTY === true && output.isTTY === true;
  const dialogue = createDialogue({ input, output, isTerminal, colour: usesColour(output) });
  let session: WiredSession;
  try {
    session = await wireSession({
      flags,
      cwd,
      home: indusHome(process.env),
      env: process.env,
      ask: dialogue.ask,
      leave: dialogue.leave,
    });
  } catch (error) {
    dialogue.close();
    if (error instanceof NoModel && process.env.INDUS_STARTED_BY === "npm-start")
      return rehearse(line, dialogue);
    throw error;
  }
  const { conductor, commands, notices } = session;
  const { model, sessionId } = conductor.status();
  const greeting = [
    `indus ${VERSION}  ${model}  ${cwd}`,
    `session ${sessionId}  /help for commands`,
    ...notices,
    "",
  ];
  try {
    return await runPlainConsole({ dialogue, conductor, commands, cwd, greeting });
  } finally {
    await conductor.close();
  }
}

// A stranger who typed the README's first command has no key yet: they see the product work instead of an error.
async function rehearse(line: CommandLine, dialogue: Dialogue): Promise<number> {
  dialogue.line("No model is configured and no local model server was found, so here is the rehearsal.\n");
  return (await import("./run-rehearsal.ts")).runRehearsal(line);
}
