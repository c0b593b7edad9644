import { expect, it } from "vitest";
import { text } from "../../../../../tests/support/scripted-conductor.ts";
import { type Line, span } from "../screen/spans.ts";
import { createTranscript } from "./transcript.ts";

const open = (columns: number) => createTranscript({ columns, now: () => 0, foldKey: undefined });
const shown = (lines: readonly Line[]): string =>
  lines
    .map((line) =>
      line
        .map((piece) => piece.text)
        .join("")
        .trimEnd(),
    )
    .join("\n");

it("rows of a line in columns go on below its last column, of an indented one below its beginning", () => {
  const transcript = open(40);
  const lines = [
    "  /tree [N]    show the turns of this session",
    "  what is indented and too long goes on there",
  ];
  transcript.say([...lines, "what is not goes on at the very left edge"].map((line) => [span(line)]));
  expect(shown(transcript.takeSettled())).toBe(
    [
      "  /tree [N]    show the turns of this",
      "               session",
      "  what is indented and too long goes on",
      "  there",
      "what is not goes on at the very left",
      "edge",
    ].join("\n"),
  );
});

it("where the last column is too far right, an earlier one counts", () => {
  const transcript = open(30);
  transcript.say([[span("  /rewind  [N|apply N|undo]  take files back")]]);
  expect(shown(transcript.takeSettled())).toBe("  /rewind  [N|apply N|undo]\n           take files back");
  transcript.say([[span("  /rewind [N|apply N|undo]  take files back")]]);
  expect(shown(transcript.takeSettled())).toBe("  /rewind [N|apply N|undo]\n    take files back");
});

it("what is said while an answer comes stands apart from both of its parts", () => {
  const transcript = open(40);
  transcript.beginSubmit();
  transcript.show(text("one\n\ntwo"));
  transcript.say([[span("said")]]);
  transcript.show(text("\n\nthree\n\n"));
  transcript.endSubmit();
  expect(shown(transcript.takeSettled()).replace(/\n{3,}/g, "\n\n")).toMatch(
    /^one\n\nsaid\n\ntwo\n\nthree\n*$/,
  );
});

it("a streaming answer that is laid out again still stands apart from what was before it", () => {
  const transcript = open(40);
  transcript.beginSubmit();
  transcript.say([[span("said")]]);
  transcript.show(text("one\n\ntwo\n"));
  const first = shown(transcript.takeSettled());
  expect(first).toBe("said\n\none\n\ntwo");
  expect(shown(transcript.resize(40, 20))).toBe(first);
});
