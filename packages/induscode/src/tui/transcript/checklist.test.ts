import { expect, it } from "vitest";
import type { ConductorEvent } from "../../conductor/contract.ts";
import { createTranscript } from "./transcript.ts";

it("the checklist has the width of the terminal as it is, not as it was when the model set it", () => {
  const text = "read the whole log and find the first entry that is not explained";
  const input = { items: [{ text, status: "active" }] };
  const transcript = createTranscript({ columns: 30, now: () => 0, foldKey: undefined });
  const last = (): string =>
    transcript
      .live(0)
      .at(-1)
      ?.map((each) => each.text)
      .join("") ?? "";
  transcript.beginSubmit();
  const call = { callId: "a", name: "todo_set", input, title: "" };
  transcript.show({ kind: "tool_start", ...call } as unknown as ConductorEvent);
  transcript.show({
    ...{ kind: "tool_end", ...call, state: "ok", durationMs: 1 },
  } as unknown as ConductorEvent);
  expect(last()).toMatch(/^. read the whole log.*…$/);
  transcript.resize(120, 0);
  expect(last().slice(2)).toBe(text);
});
