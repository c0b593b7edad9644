// The end of a continued session, shown again as it was: what was asked, answered and done.

import type { ConductorEvent, UserContent } from "../../conductor/contract.ts";
import { plural } from "../../console/figures.ts";
import { span } from "../screen/spans.ts";
import type { Transcript } from "./transcript.ts";

/** The part that is shown again, and how many messages precede it. */
export interface Past {
  readonly events: readonly ConductorEvent[];
  readonly before: number;
}

export function replay(transcript: Transcript, { events, before }: Past): void {
  if (before > 0)
    transcript.say([[span(`… ${plural(before, "earlier message")} in the session's log`, "dim")]]);
  for (const event of events) {
    if (event.kind === "entry" && event.entry.type === "user") {
      const { typed, content, via } = event.entry;
      transcript.sent(textOf(typed ?? content), via === "steer" ? "joined the task" : undefined);
    } else if (event.kind !== "entry" || event.entry.type !== "delegate") transcript.show(event); // what is still running has its own row
  }
  transcript.endSubmit();
}

/** Those of the waiting lines that an editor can hold: one with a picture stays where it is. */
export function editableOf(waiting: readonly UserContent[]): readonly UserContent[] {
  return waiting.filter((line) => line.every(({ kind }) => kind === "text"));
}

/** The shown text of what a person said. */
export function textOf(content: UserContent): string {
  return content.map((block) => (block.kind === "text" ? block.text : "[image]")).join("\n");
}
