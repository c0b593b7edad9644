import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { ORDER } from "./boundary.ts";

it("the order of a call's stages in ARCHITECTURE.md is the boundary's", () => {
  const page = readFileSync(new URL("../../../../../ARCHITECTURE.md", import.meta.url), "utf8");
  const [, list = ""] = /each through the boundary.*\n([\s\S]*?)\n +log tool entries/.exec(page) ?? [];
  const names = [...list.matchAll(/^ {13}(\S+(?: \S+)*)/gm)].map(([, name]) => name);
  expect(names).toEqual(ORDER);
});
