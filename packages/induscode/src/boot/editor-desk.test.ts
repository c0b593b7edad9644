import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openDesk } from "./editor-desk.ts";

it("a line with words after an @ that no file can have is sent as it is", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "indus-desk-"));
  writeFileSync(join(cwd, "a.txt"), "the text");
  const desk = await openDesk({
    ...{ cwd, home: join(cwd, "home"), personHome: cwd, env: {}, isVi: false },
    mask: (text) => text,
  });
  const long = "x".repeat(300); // ENAMETOOLONG
  const text = `see @a.txt @${long} @a.txt/b @missing`;
  const { content, problems } = await desk.contentOf({ text, shown: text, images: [] });
  expect(problems).toEqual([]);
  expect(content[0]).toEqual({ kind: "text", text });
  expect(JSON.stringify(content.slice(1))).toContain("the text");
  expect(desk.imageAt(`/${long}.png`)).toBeUndefined();
});
