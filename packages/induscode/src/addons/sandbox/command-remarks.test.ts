import { expect, test } from "vitest";
import { CommandRemarks } from "./command-remarks.ts";

test("a remark for the session is made once, and one about a refusal once for each command", () => {
  const remarks = new CommandRemarks();
  const speak = (): readonly string[] => {
    for (let times = 0; times < 2; times++) {
      remarks.sayOnce("closed");
      remarks.sayRefused("example.com is refused");
    }
    return remarks.take();
  };
  expect(speak()).toEqual(["closed", "example.com is refused"]);
  expect(speak()).toEqual(["example.com is refused"]);
  expect(remarks.take()).toEqual([]);
});

test("no more refusals are told than a model reads", () => {
  const remarks = new CommandRemarks();
  for (let host = 0; host < 30; host++) remarks.sayRefused(`${host}`);
  expect(remarks.take()).toHaveLength(20);
});
