// The end of a session that goes on, shown again as it was: what was asked, answered and done.

import type { ConductorEvent, UserContent } from "../../conductor/contract.ts";
import { plural } from "../../console/figures.ts";
import { span } from "../screen/spans.ts";
import type { Transcript } from "./transcript.ts";

/** What is shown again, and how many messages lie before it. */
export interface Past {
  readonly events: readonly ConductorEvent[];
  readonly before: number;
}

export function replay(transcript: Transcript, { events, before }: Past): void {
  if (before > 0)
    transcript.say([[span(`… ${plural(before, "message")} before this, in the session's log`, "dim")]]);
  for (const event of events) {
    if (event.kind === "entry" && event.entry.type === "user") {
      const { typed, content, via } = event.entry;
      transcript.sent(textOf(typed ?? content), via === "steer" ? "joined the task" : undefined);
    } else if (event.kind !== "entry" || event.entry.type !== "delegate") transcript.show(event); // what works now has its row
  }
  transcript.endSubmit();
}

/** Of the lines that wait those that an editor can hold: a picture stays where it is. */
export function editableOf(waiting: readonly UserContent[]): readonly UserContent[] {
  return waiting.filter((line) => line.every(({ kind }) => kind === "text"));
}

/** What a person said, as it is shown. */
export function textOf(content: UserContent): string {
  return content.map((block) => (block.kind === "text" ? block.text : "[image]")).join("\n");
}
