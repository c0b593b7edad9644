import type { JsonObject, JsonValue } from "indusagi/core";
import { expect, it } from "vitest";
import { readRegistration, readServerRegistration } from "./read-registration.ts";

const read = (answer: JsonObject) => readRegistration({ protocol: 1, ...answer } as never);

it("an MCP server has tools, prompts and words, and no hooks or tasks, whatever its process says", () => {
  const tool = { name: "t", description: "d", parameters: {} };
  const answer = {
    protocol: 1,
    tools: [tool],
    commands: [{ name: "c", summary: "s" }],
    instructions: "words",
    onFailure: "deny",
    handlers: [{ event: "input:submit", kind: "transform" }],
    interceptors: [{ match: "*", enter: true, exit: true }],
    tasks: [{ id: "a", description: "" }],
    capabilities: [{ capability: { kind: "alert" }, required: true, reason: "x" }],
  } as never;
  const { notes, ...found } = readServerRegistration(answer);
  expect(found).toMatchObject({ tools: [tool], commands: [{ name: "c" }], instructions: "words" });
  expect(found).toMatchObject({ handlers: [], interceptors: [], tasks: [], capabilities: [], skipped: [] });
  expect(found.onFailure).toBeUndefined();
  expect(notes).toEqual(["an MCP server contributes no hooks and no tasks: they are left out"]);
  // The twin: as an addon's, all of it counts.
  const { handlers, interceptors, tasks } = readRegistration(answer);
  expect([handlers.length, interceptors.length, tasks.length]).toEqual([1, 1, 1]);
});

it("gives each card the index under which its addon knows it, whichever others are left out", () => {
  const gate = { event: "tool:before", kind: "gate" };
  const stage = { match: "*", enter: true, exit: false };
  const { handlers, interceptors, skipped } = read({
    handlers: [{ event: "tool:later", kind: "gate" }, gate, null, gate],
    interceptors: [{ match: 7 }, { ...stage, place: 9 }],
  });
  expect(handlers).toEqual([
    { ...gate, place: 1 },
    { ...gate, place: 3 },
  ]);
  expect(interceptors).toEqual([{ ...stage, place: 1 }]);
  expect(skipped).toEqual([
    { kind: "hook", name: "tool:later", reason: expect.stringContaining('found "tool:later"') },
    { kind: "hook", name: "handlers[2]", reason: "must be object, found null" },
    { kind: "hook", name: "interceptors[0]", reason: "enter is missing" },
  ]);
});

it.each<readonly [list: string, card: JsonValue, kind: string, name: string, reason: string]>([
  ["tools", { name: "t", description: "d" }, "tool", "t", "parameters is missing"],
  [
    "tools",
    { name: "t", description: "d", parameters: [] },
    "tool",
    "t",
    "parameters must be object, found array",
  ],
  ["tools", 7, "tool", "tools[0]", "must be object, found integer"],
  ["commands", { name: "c" }, "command", "c", "summary is missing"],
  ["commands", { summary: "s" }, "command", "commands[0]", "name is missing"],
  [
    "tasks",
    { id: "a", description: "", graceMs: -1 },
    "task",
    "a",
    "graceMs must be from 0 to 60000, found -1",
  ],
  [
    "interceptors",
    { match: "bash", enter: 1, exit: true },
    "hook",
    "intercept:bash",
    "enter must be boolean, found integer",
  ],
])("names what it leaves out of %s: %j", (list, card, kind, name, reason) => {
  const commands = [{ name: "good", summary: "s" }];
  const registration = read({ commands, [list]: list === "commands" ? [card, ...commands] : [card] });
  expect(registration.skipped).toEqual([{ kind, name, reason }]);
  expect(registration.commands.map((each) => each.name)).toEqual(["good"]);
});

it("names a list that is none, and how many cards are too many", () => {
  const command = (at: number): JsonObject => ({ name: `c${at}`, summary: "s" });
  const { tools, commands, skipped } = read({
    tools: "all of them",
    tasks: null,
    commands: Array.from({ length: 203 }, (_, at) => command(at)),
  });
  expect([tools.length, commands.length]).toEqual([0, 200]);
  expect(skipped).toEqual([
    { kind: "command", name: "3 more commands", reason: "an addon has at most 200, found 203" },
    { kind: "tool", name: "tools", reason: "tools must be a list" },
  ]);
});

it("passes on what the addon says that it leaves out, and notes what has no place in a report of parts", () => {
  const part = { kind: "tool", name: "mine", reason: "it holds itself" };
  const { skipped, notes, version, capabilities } = read({
    skipped: [part, "?"],
    version: 2,
    capabilities: [{ capability: {}, required: true, reason: "" }],
  });
  expect([skipped, version, capabilities]).toEqual([[part], undefined, []]);
  expect(notes).toEqual([
    "skipped[1] is left out: must be object, found string",
    "its version is left out: it must be a string, found 2",
    "capabilities[0] is left out: capability.kind is missing",
  ]);
});
