// The author's kit by itself: what a surface records, what it refuses, and what does not compile.

import { expect, test } from "vitest";
import {
  createSurface,
  EVENT_TRAITS,
  emptyManifest,
  gate,
  HOOK_EVENTS,
  HostRefused,
  observe,
  RESERVED_EVENTS,
  stop,
  transform,
} from "./index.ts";

const nothing = (): undefined => undefined;

test("a surface records in order, and stamps each with its addon", async () => {
  const surface = createSurface("mine");
  const handler = observe<{ readonly sessionId: string }>(() => undefined);
  const before = surface.manifest();
  surface.on("session:start", handler);
  surface.interceptTool("*", { enter: () => undefined });
  surface.addCommand("c", { summary: "s", run: nothing });
  surface.addTool({ name: "t", description: "d", parameters: {}, run: () => "x" });
  surface.addTask({ id: "k", description: "d", run: nothing });
  expect(before).toEqual(emptyManifest());
  expect(surface.manifest()).toEqual({
    subscriptions: [{ addon: "mine", event: "session:start", handler }],
    interceptors: [{ addon: "mine", match: "*", enter: expect.any(Function) }],
    commands: [{ addon: "mine", name: "c", summary: "s", run: expect.any(Function) }],
    tools: [{ addon: "mine", name: "t", description: "d", parameters: {}, run: expect.any(Function) }],
    tasks: [{ addon: "mine", id: "k", description: "d", run: expect.any(Function) }],
  });
});

test("objects of classes are recorded with their methods", async () => {
  class Both {
    readonly summary = "s";
    readonly description = "d";
    readonly parameters = {};
    readonly name = "t";
    readonly id = "k";
    readonly #mine = "mine";
    enter(): { readonly args: string } {
      return { args: this.#mine };
    }
    run(): string {
      return this.#mine;
    }
  }
  const surface = createSurface("a");
  surface.interceptTool("*", new Both());
  surface.addTool(new Both());
  const { interceptors, tools } = surface.manifest();
  const signal = new AbortController().signal;
  const context = { callId: "c", cwd: "/", progress: () => undefined, signal };
  expect(interceptors[0]?.enter?.({ tool: "t", callId: "c", args: {} }, { signal })).toEqual({
    args: "mine",
  });
  expect(tools[0]?.run({} as never, context)).toBe("mine");
});

test("what a tool or a task needs is a list of capabilities", () => {
  const surface = createSurface("mine");
  const tool = { name: "t", description: "d", parameters: { type: "object" }, run: () => "ok" };
  const task = { id: "k", description: "d", run: nothing };
  const requiredCapabilities = [{ kind: "files", write: true }] as const;
  surface.addTool({ ...tool, requiredCapabilities });
  surface.addTask({ ...task, requiredCapabilities });
  expect([surface.manifest().tools[0], surface.manifest().tasks[0]]).toMatchObject([
    { requiredCapabilities },
    { requiredCapabilities },
  ]);
  const wrong = ["files"] as never;
  expect(() => surface.addTool({ ...tool, requiredCapabilities: wrong })).toThrow(
    'addTool("t"): requiredCapabilities must be a list of capabilities such as { kind: "files", write: true }; got "files"',
  );
  expect(() => surface.addTask({ ...task, requiredCapabilities: "files" as never })).toThrow('got "files"');
});

test("a surface's methods work when destructured, and throw once it is sealed", () => {
  const surface = createSurface("mine");
  const { addCommand } = surface;
  addCommand("c", { summary: "s", run: nothing });
  surface.seal();
  expect(() => addCommand("d", { summary: "s", run: nothing })).toThrow(
    "record everything before register returns",
  );
  expect(surface.manifest().commands).toHaveLength(1);
});

test("a surface without a host refuses every service, and ignores log lines and diagnostics", async () => {
  const { host, handles } = createSurface("mine");
  host.log("l");
  host.diagnostic("info", "d");
  const asked = [
    host.alert("a"),
    host.notify("n"),
    host.readFile("f"),
    host.writeFile("f", ""),
    host.fetch("u"),
  ];
  const acted = [
    host.secret("s"),
    handles.exec("c"),
    handles.setModel("m"),
    handles.setThinking("t"),
    handles.sendMessage("x"),
  ];
  for (const settled of await Promise.allSettled([...asked, ...acted]))
    expect(settled).toMatchObject({
      status: "rejected",
      reason: { name: "HostRefused", kind: "unavailable" },
    });
  expect(handles.render).toBeUndefined();
});

test("a surface made with a host and handles hands out those", async () => {
  const { host, handles } = createSurface("plain");
  const surface = createSurface("mine", {
    host: { ...host, readFile: async (path) => `text of ${path}` },
    handles,
  });
  expect(await surface.host.readFile("a")).toBe("text of a");
});

test("observe, transform, gate and stop make handlers of their kind and a decision", () => {
  const run = (): undefined => undefined;
  expect(observe(run)).toEqual({ kind: "observe", run });
  expect(transform(run)).toEqual({ kind: "transform", run });
  expect(gate(run)).toEqual({ kind: "gate", run });
  expect(gate(run, { onFailure: "block" })).toEqual({ kind: "gate", run, onFailure: "block" });
  expect(stop("why")).toEqual({ stop: true, reason: "why" });
  expect(new HostRefused("denied", "no")).toMatchObject({
    name: "HostRefused",
    kind: "denied",
    message: "no",
  });
});

test("the kit exports the table of events", () => {
  expect(HOOK_EVENTS).toEqual(Object.keys(EVENT_TRAITS));
  expect([...RESERVED_EVENTS].sort()).toEqual(["compact:before", "input:submit", "tool:before"]);
});

test("a handler is typed by its event, and a wrong one does not compile", () => {
  const surface = createSurface("mine");
  surface.on(
    "tool:before",
    gate(({ name }) => (name.startsWith("b") ? stop("no") : undefined)),
  );
  surface.on(
    "input:submit",
    transform((payload) => ({ text: payload.text.trim() })),
  );
  surface.on(
    "chat:params",
    transform((payload) => ({ ...payload, temperature: 0 })),
  );
  surface.on(
    "chat:params",
    transform(({ params }) => ({ params: { ...params, thinking: "low" } })),
  );
  surface.on(
    "tool:before",
    transform(() => null),
  );
  surface.on(
    "tool:before",
    gate(() => null),
  );
  surface.interceptTool("bash", { enter: () => null, exit: () => ({ content: "text" }) });
  surface.interceptTool("bash", { exit: () => ({ content: [{ type: "text", text: "a" }] }) });
  const ofCommand = observe(({ command }: { readonly command: string }) => void command);
  // @ts-expect-error there is no command in this event
  surface.on("input:submit", ofCommand);
  const toWords = transform<{ readonly words: number }>(() => ({ words: 1 }));
  // @ts-expect-error a transform answers the event's payload
  surface.on("input:submit", toWords);
  // @ts-expect-error a gate does not answer a boolean
  gate(() => true);
  // @ts-expect-error there is no such event
  expect(() => surface.on("tool:never", observe(nothing))).toThrow(/the event must be one of/);
  surface.addTool({ name: "t", description: "d", parameters: {}, run: ({ path }) => String(path) });
  const run = ({ n }: { readonly n: number }): number => n + 1;
  surface.addTool({ name: "u", description: "d", parameters: {}, run });
  expect(surface.manifest().tools).toHaveLength(2);
});
