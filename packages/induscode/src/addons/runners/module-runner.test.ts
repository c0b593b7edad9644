// The module runner over real pipes: every method, what is printed, how it ends.

import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { describeModule } from "../loaders/module.ts";
import { createFolder, sourceAt } from "../test-folder.ts";
import { DESCRIBE, type Message, startProgram, type TestRunner } from "./test-runner.ts";

/** Starts the addon of one file, or of a folder whose entry is named. */
async function start(
  files: string | Readonly<Record<string, string>>,
  options: { readonly entry?: string; readonly unguarded?: boolean } = {},
): Promise<TestRunner> {
  const home = createFolder();
  const isOne = typeof files === "string";
  const { entry = "index.ts" } = options;
  const folder = createFolder(isOne ? { [entry]: files } : files);
  const path = join(folder, entry);
  const source = { ...sourceAt(path), path, root: isOne ? path : folder };
  const addon = await describeModule(source, { home });
  return startProgram(await addon.program({ hash: "", grants: [] }), options);
}

async function described(
  files: string | Readonly<Record<string, string>>,
  options: { readonly entry?: string } = {},
): Promise<TestRunner> {
  const runner = await start(files, options);
  const answer = await runner.request("describe", DESCRIBE);
  expect(answer).toHaveProperty("result");
  return runner;
}

const isNamed =
  (method: string) =>
  (message: Message): boolean =>
    message.method === method;

describe("describe", () => {
  test("answers what an addon registered, in its order", async () => {
    const runner = await start(`
      import { type AddonSurface, gate, observe, stop } from "induscode/addons";
      export const id = "mine";
      export const version = "1.2.3";
      export function register(surface: AddonSurface): void {
        surface.on("tool:before", gate(() => stop("no"), { onFailure: "block" }));
        surface.on("session:start", observe(() => {}));
        surface.interceptTool("bash", { enter: () => undefined });
        surface.addCommand("hello", { summary: "says hi", argumentHint: "[name]", run() {} });
        surface.addTool({ name: "t", description: "d", parameters: { type: "object" }, run: () => "x" });
        surface.addTask({ id: "k", description: "watches", activation: "onDemand", graceMs: 5, run() {} });
      }`);
    const { result } = await runner.request("describe", DESCRIBE);
    expect(result).toEqual({
      protocol: 1,
      id: "mine",
      version: "1.2.3",
      handlers: [
        { event: "tool:before", kind: "gate", onFailure: "block" },
        { event: "session:start", kind: "observe" },
      ],
      interceptors: [{ match: "bash", enter: true, exit: false }],
      commands: [{ name: "hello", summary: "says hi", argumentHint: "[name]" }],
      tools: [{ name: "t", description: "d", parameters: { type: "object" } }],
      tasks: [{ id: "k", description: "watches", activation: "onDemand", graceMs: 5 }],
    });
  });
});
void described;
void isNamed;
