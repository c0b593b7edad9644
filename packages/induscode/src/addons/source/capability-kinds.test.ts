import { describe, expect, it } from "vitest";
import { expectedNeed, readNeed } from "./capability-kinds.ts";

describe("a capability that a program names", () => {
  it("is taken with what it leaves out", () => {
    expect(readNeed({ kind: "files", read: true })).toEqual({
      kind: "files",
      read: true,
      write: false,
      execute: false,
    });
    expect(readNeed({ kind: "network", hosts: ["a.example"] })).toEqual({
      kind: "network",
      purpose: "",
      hosts: ["a.example"],
    });
  });

  it.each([
    [{ kind: "network" }, "expected network with purpose (a string), hosts (a list of strings)"],
    [
      { kind: "files" },
      "expected files with read (true or false), write (true or false), execute (true or false)",
    ],
    [{ kind: "secret", id: 3 }, "expected secret with id (a string)"],
    [{ kind: "alert", loud: true }, undefined],
    [{ kind: "filez" }, "expected kind to be one of contribute_tool, "],
    [null, "expected kind to be one of contribute_tool, "],
    ["files", "expected kind to be one of contribute_tool, "],
  ])("%j is answered with what was expected", (value, expected) => {
    if (expected === undefined) expect(readNeed(value)).toEqual({ kind: "alert" });
    else {
      expect(readNeed(value)).toBeUndefined();
      expect(expectedNeed(value)).toContain(expected);
    }
  });
});
