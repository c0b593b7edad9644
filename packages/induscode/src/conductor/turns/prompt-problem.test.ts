import { expect, it } from "vitest";
import { promptProblem } from "./prompt-problem.ts";

it("says what is wrong with what cannot be written as JSON, too", () => {
  const circle: unknown[] = [];
  circle.push({ kind: circle });
  expect(promptProblem([{ kind: "x", n: 1n }])).toMatch(
    /^block 0 of the prompt cannot be sent: .* found .*BigInt/,
  );
  expect(promptProblem(circle)).toMatch(/^block 0 of the prompt cannot be sent: .* found .*circular/i);
  expect(promptProblem([{ kind: "text", text: "a" }])).toBeUndefined();
});
