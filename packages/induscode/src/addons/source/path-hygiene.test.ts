import { describe, expect, it } from "vitest";
import * as fc from "../../../../../tests/support/fast-check.ts";
import { expandPath, INVISIBLE_CODE_POINTS, resolvePath, scrubInvisible } from "./path-hygiene.ts";

describe("scrubInvisible", () => {
  it.each(INVISIBLE_CODE_POINTS.map((code) => [code.toString(16).padStart(4, "0"), code] as const))(
    "strips U+%s wherever it stands",
    (_name, code) => {
      const character = String.fromCodePoint(code);
      expect(scrubInvisible(`${character}/a${character}b${character}`)).toBe("/ab");
    },
  );

  it("trims ordinary blanks at the ends and keeps them inside", () => {
    expect(scrubInvisible(" \t\r\n my addon \v\f")).toBe("my addon");
  });

  it("keeps characters beyond the basic plane whole", () => {
    expect(scrubInvisible("/addons/🦀/𝒳")).toBe("/addons/🦀/𝒳");
  });

  it("changes nothing when it is applied again", () => {
    const characters = [...INVISIBLE_CODE_POINTS.map((code) => String.fromCodePoint(code)), ..." \n\t/a🦀"];
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...characters) }), (text) => {
        const once = scrubInvisible(text);
        expect(scrubInvisible(once)).toBe(once);
      }),
    );
  });
});

describe("expandPath", () => {
  it.each([
    ["~", "/home/someone"],
    ["~/addons", "/home/someone/addons"],
    ["\u200b~/addons ", "/home/someone/addons"],
    ["/a/~/b", "/a/~/b"],
    ["~other/addons", "~other/addons"],
    ["a~", "a~"],
  ])("%j becomes %j", (raw, expanded) => {
    expect(expandPath(raw, "/home/someone")).toBe(expanded);
  });

  it("keeps the text where there is no home folder", () => {
    expect(expandPath("~/addons", "")).toBe("~/addons");
  });
});

describe("resolvePath", () => {
  it.each([
    ["addons/x", "/ws/addons/x"],
    ["./a/../b", "/ws/b"],
    ["../up", "/up"],
    ["/abs/./x", "/abs/x"],
    ["~/x", "/home/someone/x"],
    ["\ufeff /abs ", "/abs"],
  ])("%j is %j", (raw, absolute) => {
    expect(resolvePath(raw, { base: "/ws", home: "/home/someone" })).toBe(absolute);
  });

  it("counts from the working directory where no base is given", () => {
    expect(resolvePath("x")).toBe(`${process.cwd()}/x`);
  });
});
