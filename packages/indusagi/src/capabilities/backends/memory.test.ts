import { expect, test } from "vitest";
import type { JsonValue } from "../../core/schema/json-schema.ts";
import { editTool } from "../files/edit.ts";
import { lsTool } from "../files/ls.ts";
import { readTool } from "../files/read.ts";
import { writeTool } from "../files/write.ts";
import type { DefinedTool } from "../kernel/contract.ts";
import { findTool } from "../search/find.ts";
import { grepTool } from "../search/grep.ts";
import { bashTool } from "../shell/bash.ts";
import { makeMemoryContext } from "./memory.ts";

test("the built-in tools work without a machine", async () => {
  const context = await makeMemoryContext("/ws", {
    files: { "/ws/src/sum.ts": "export const sum = (a, b) => a - b;\n" },
    script: { "npm test": { stdout: "1 failing\n", code: 1 } },
  });
  const call = async (tool: DefinedTool, input: JsonValue): Promise<unknown> => {
    const { output, isError } = await tool.invoke({ id: "call", name: tool.name, input }, context);
    return isError ? { output } : output;
  };
  expect(await call(grepTool(), { pattern: "a - b" })).toBe(
    "src/sum.ts:1: export const sum = (a, b) => a - b;",
  );
  await call(editTool(), { path: "src/sum.ts", oldText: "a - b", newText: "a + b" });
  await call(writeTool(), { path: "test/sum.ts", content: "check\n" });
  expect(await context.fs.readText("/ws/src/sum.ts")).toBe("export const sum = (a, b) => a + b;\n");
  expect(await call(findTool(), { query: "sum*" })).toContain("test/sum.ts");
  expect(await call(lsTool(), {})).toContain("2 entries in .");
  expect(await call(readTool(), { path: "test/sum.ts" })).toContain("     1\tcheck");
  expect(await call(bashTool(), { command: "npm test" })).toEqual({
    output: expect.stringContaining("1 failing"),
  });
  expect(context.shell.calls.map(({ command, cwd }) => [command, cwd])).toEqual([["npm test", "/ws"]]);
});
