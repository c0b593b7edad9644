import { homeFolder } from "indusagi/core";
import type { UserContent } from "../conductor/contract.ts";
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

function remindOfStdin(): void {
  process.stderr.write(
    "indus: reading the task from standard input; end it with Ctrl+D, or start with </dev/null\n",
  );
}
