// `indusagi/capabilities`: tools. The built-in ones, one of your own, and the machine they act on, which may be a memory.

import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  defineTool,
  type JsonSchema,
  makeLocalContext,
  makeMemoryContext,
  readTool,
  type Tool,
  type ToolBox,
  type ToolCall,
  type ToolDescriptor,
  type ToolOutcome,
  type ToolRunner,
  textResult,
  toolBox,
  type WebToolOptions,
  webSearchTool,
} from "indusagi/capabilities";

const cwd = mkdtempSync(join(tmpdir(), "indus-example-"));
writeFileSync(join(cwd, "a.txt"), "needle\n");
const box: ToolBox = toolBox("read-only", cwd);
const runner: ToolRunner = box.runner;
const signal = AbortSignal.timeout(60_000);
const call: ToolCall = { id: "1", name: "grep", input: { pattern: "needle" } };
const found: ToolOutcome = await runner.run(call, signal);
assert.match(String(found.output), /a\.txt/);
const grep: ToolDescriptor | undefined = box.descriptors().find(({ name }) => name === call.name);
assert.equal(grep?.parameters.type, "object");

const parameters: JsonSchema = {
  type: "object",
  properties: { text: { type: "string" } },
  required: ["text"],
};
const shout: Tool = {
  name: "shout",
  description: "Says it loudly.",
  parameters,
  run: async (input, { cwd: folder }) =>
    textResult(`${(input as { text: string }).text.toUpperCase()} in ${folder}`),
};
const said = await defineTool(shout).invoke(
  { id: "2", name: "shout", input: { text: "hi" } },
  makeLocalContext(cwd),
);
assert.equal(said.output, `HI in ${cwd}`);

// The same tool where nothing is real.
const memory = await makeMemoryContext("/m", { files: { "/m/b.txt": "hello" } });
const read = await readTool().invoke({ id: "3", name: "read", input: { path: "b.txt" } }, memory);
assert.match(String(read.output), /hello/);

const options: WebToolOptions = { env: {}, endpoints: { searxng: "https://search.example.com" } };
assert.equal(webSearchTool(options).name, "websearch");
process.stdout.write("capabilities: ok\n");
