// A session that fills its window, through the real command: what gives way first, how the model sees it again, and what a summary
// brings back.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { ScriptedTurn } from "../support/model-server.ts";
import { createServedShared } from "../support/served-workplace.ts";

it("outcomes give way and are read again; then a summary, which brings checklist and files back", async () => {
  const used = (answer: ScriptedTurn, input = 3_000): ScriptedTurn => ({ ...answer, usage: { input } });
  const read = (path: string, input?: number): ScriptedTurn =>
    used({ calls: [{ name: "read", input: { path } }] }, input);
  const item = { id: "a", text: "find the leak", status: "active" };
  const place = await createServedShared(({ rawBody }, index) => {
    if (rawBody.includes("Use these headings")) return { text: "THE SUMMARY" };
    switch (index) {
      case 0:
        return used({ calls: [{ name: "todo_set", input: { items: [item] } }] });
      case 1:
        return read("one.txt");
      case 2:
        return read("two.txt");
      case 3:
        return read("small.txt", 19_000); // 16,000 is four fifths of the window
      case 4:
        return read(/outcome:\d+/.exec(rawBody)?.[0] ?? "no outcome is named");
      case 5:
        return read("small.txt", 19_900);
      default:
        return { text: "done" };
    }
  });
  const card = { models: { "openai/scripted": { contextWindow: 20_000 } } };
  writeFileSync(join(place.home, "models.json"), JSON.stringify(card));
  place.file("one.txt", "the first file\n".repeat(1_200));
  place.file("two.txt", "the second file\n".repeat(1_200));
  place.file("small.txt", "the small file\n");
  const { code, stdout, stderr } = await place.run(["-p", "--model", "openai/scripted", "find the leak"]);
  expect([code, stdout]).toEqual([0, "done\n"]);
  expect(stderr).toMatch(/Context was full: dropped 2 old tool results \(~[\d.]+k? tokens\)/);
  expect(stderr).toMatch(/Compacted \d+ messages: [\d.]+k? → [\d.]+k? tokens/);
  const sent = place.server.requests.map(({ rawBody }) => rawBody);
  const [, , , before = "", blank = "", again = ""] = sent;
  expect(before).toContain("the first file");
  expect(blank).not.toContain("the first file");
  expect(blank).toContain("the small file"); // what it asked for last
  expect(again).toContain("the first file");
  const last = sent.at(-1) ?? "";
  expect(last).toContain("THE SUMMARY");
  expect(last).toMatch(/The checklist:.*\[~\] a: find the leak/);
  expect(last).toMatch(/The file [^"]*small\.txt, unchanged since you saw it:/);
  expect((await place.run(["session", "verify"])).code).toBe(0);
});
