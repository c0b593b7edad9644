import { homeFolder } from "indusagi/core";
import type { UserContent } from "../conductor/contract.ts";
import { parseLine } from "../console/parse-line.ts";
import { readAttachments } from "./attachments.ts";
import { EXIT_USAGE, Problem } from "./problem.ts";
import { hasPipedInput, readStdinTask } from "./stdin-task.ts";
import type { Invocation } from "./working-directory.ts";

/** The task of a print run: the words of the command line, then standard input, then the attachments. */
export async function readTask({ words, attachments, env }: Invocation, cwd: string): Promise<UserContent> {
  const said = words.join(" ").trim();
  const piped = hasPipedInput() ? await readStdinTask(process.stdin, remindOfStdin) : "";
  const text = [said, piped].filter((part) => part !== "").join("\n\n");
  if (text === "" && attachments.length === 0) {
    throw new Problem('no task given: write indus -p "task", or pipe one in', EXIT_USAGE);
  }
  const attached = await readAttachments(attachments, { cwd, personHome: homeFolder(env) });
  return text === "" ? attached : [{ kind: "text", text }, ...attached];
}

/** Whether a task could be a command: only the session knows which exist. */
export function isCommandLine([first]: UserContent): boolean {
  return first?.kind === "text" && parseLine(first.text).kind === "command";
}

function remindOfStdin(): void {
  process.stderr.write(
    "indus: reading the task from standard input; end it with Ctrl+D, or start with </dev/null\n",
  );
}
