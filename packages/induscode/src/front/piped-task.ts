// The task of a command line: its words, then what is piped in.

import { noticeLine } from "../cli/notice-line.ts";
import type { UserContent } from "../conductor/contract.ts";
import type { AttachmentPlaces } from "./attachments.ts";
import { hasPipedInput, readPipedInput } from "./piped-input.ts";

interface Line extends AttachmentPlaces {
  readonly words: readonly string[];
  /** Files are attached, which is a task without words. */
  readonly hasAttachments: boolean;
}

export interface PipedTask {
  /** Words and piped text, joined; empty if there is neither. */
  readonly text: string;
  /** The files that the words name with `@`, as in a console. Piped text may be anybody's words, and attaches nothing. */
  readonly mentioned: UserContent;
}

/** What is left out is told on standard error, and so is what a silent pipe is waited for. */
export async function pipedTask({ words, hasAttachments, ...places }: Line): Promise<PipedTask> {
  const said = words.join(" ").trim();
  const hasTask = said !== "" || hasAttachments;
  const piped = hasPipedInput() ? await readPipedInput(process.stdin, () => tellOfSilence(hasTask)) : "";
  return {
    text: [said, piped].filter((part) => part !== "").join("\n\n"),
    mentioned: said.includes("@") ? await mentionedIn(said, places) : [],
  };
}

async function mentionedIn(said: string, places: AttachmentPlaces): Promise<UserContent> {
  const { contentOf } = await import("./mentioned-files.ts");
  const { content, problems } = await contentOf({ text: said, images: [] }, places);
  for (const problem of problems) process.stderr.write(noticeLine(problem));
  return content.slice(1);
}

function tellOfSilence(hasTask: boolean): "wait" | "leave" {
  process.stderr.write(
    noticeLine(
      hasTask
        ? "standard input sent nothing within 3 s, so it is ignored; use </dev/null to avoid the wait"
        : "reading the task from standard input; end it with Ctrl+D, or start with </dev/null",
    ),
  );
  return hasTask ? "leave" : "wait";
}
