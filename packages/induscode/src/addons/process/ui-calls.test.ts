import { Aborted, type JsonValue } from "indusagi/core";
import { describe, expect, it } from "vitest";
import { createTestRemote } from "../../../../../tests/support/test-remote.ts";
import { sessionOf } from "../../../../../tests/support/test-session.ts";
import type { HostCapability } from "../../feature/descriptor.ts";
import type { SessionUi, UiAnswer, UiDialog } from "../../feature/ui.ts";

const signal = new AbortController().signal;
const ALL: HostCapability = { kind: "ui", status: true, render: true, ask: true };
const DENIED = -32001;
const UNAVAILABLE = -32002;
const LIMIT = -32003;
const PARAMS = -32602;

interface TestUi extends SessionUi {
  readonly seen: string[];
  readonly asked: { readonly dialog: UiDialog; readonly answer: (answer: UiAnswer) => void }[];
}

/** A console that records what it is told to show, and whose person answers when the test says so. */
function testUi(): TestUi {
  const seen: string[] = [];
  const asked: TestUi["asked"] = [];
  return {
    seen,
    asked,
    status: (feature, id, text) => void seen.push(`${feature} ${id}=${text}`),
    render: (feature, shape) => void seen.push(`${feature} ${shape.kind}`),
    clear: (feature) => void seen.push(`${feature} cleared`),
    ask: (_feature, dialog, until) =>
      new Promise((resolve, reject) => {
        asked.push({ dialog, answer: resolve });
        until.addEventListener("abort", () => reject(new Aborted()), { once: true });
      }),
  };
}

function open(grants: readonly HostCapability[] = [ALL], ui: TestUi | undefined = testUi()) {
  const remote = createTestRemote({ grants, host: ui ? { ui } : {} });
  const end = remote.calls.begin(1, { session: remote.session });
  const ask = async (method: string, params: JsonValue, during: number | undefined = 1): Promise<unknown> =>
    remote.calls.handle(method, params, { signal, during });
  return { ...remote, ui: ui as TestUi, end, ask };
}

const REQUESTS: readonly (readonly [string, JsonValue, "status" | "render" | "ask"])[] = [
  ["ui/status", { text: "3 open" }, "status"],
  ["ui/render", { shape: { kind: "text", text: "hi" } }, "render"],
  ["ui/select", { question: "which?", choices: ["a"] }, "ask"],
  ["ui/confirm", { question: "sure?" }, "ask"],
  ["ui/input", { question: "name?" }, "ask"],
];

describe.each(REQUESTS)("%s", (method, params, part) => {
  it("needs its own part of the grant", async () => {
    const without = { ...ALL, [part]: false } as HostCapability;
    await expect(open([without]).ask(method, params)).rejects.toMatchObject({
      code: DENIED,
      message: expect.stringContaining(`it lacks the grant ui with ${part}`),
    });
  });

  it("is refused at once where no console is, and the addon can test for it before", async () => {
    const none = createTestRemote({ grants: [ALL] });
    none.calls.begin(1, { session: none.session });
    const asking = async () => none.calls.handle(method, params, { signal, during: 1 });
    await expect(asking()).rejects.toMatchObject({ code: UNAVAILABLE });
    expect(await none.calls.handle("ui/offers", {}, { signal, during: 1 })).toEqual({
      status: false,
      render: false,
      ask: false,
    });
  });
});

it("tells what there is by the grants", async () => {
  const { ask } = open([{ kind: "ui", status: true, render: false, ask: true }]);
  expect(await ask("ui/offers", {})).toEqual({ status: true, render: false, ask: true });
  expect(await open([]).ask("ui/offers", {})).toEqual({ status: false, render: false, ask: false });
});

describe("answers", () => {
  it.each<[string, JsonValue, UiAnswer, JsonValue]>([
    ["ui/select", { question: "which?", choices: ["a", "b"] }, 1, { choice: 1 }],
    ["ui/confirm", { question: "sure?" }, false, { isConfirmed: false }],
    ["ui/input", { question: "name?" }, "", { text: "" }],
    ["ui/input", { question: "name?" }, undefined, { unanswered: "dismissed" }],
  ])("%s %j: %s", async (method, params, answer, result) => {
    const { ask, ui } = open();
    const asked = ask(method, params);
    ui.asked[0]?.answer(answer);
    expect(await asked).toEqual(result);
  });

  it("a question is taken away when its time is over", async () => {
    const { ask } = open();
    expect(await ask("ui/confirm", { question: "sure?", timeoutMs: 1000 })).toEqual({
      unanswered: "expired",
    });
  });

  it("a question is taken away with the call that asked", async () => {
    const { ask, end } = open();
    const asked = ask("ui/confirm", { question: "sure?" });
    end();
    await expect(asked).rejects.toMatchObject({ code: -32800, message: "the call that asked has ended" });
    await expect(ask("ui/confirm", { question: "again?" })).rejects.toMatchObject({ code: UNAVAILABLE });
  });
});

describe("a question goes to the session whose call it is", () => {
  it("of two sessions that call at once, the one named; without a name it is refused (twin: with one it is asked)", async () => {
    const { calls, ask, ui } = open();
    const other = testUi();
    const session = sessionOf({ ui: other });
    const endOther = calls.begin(2, { session });
    await expect(calls.handle("ui/confirm", { question: "?" }, { signal })).rejects.toMatchObject({
      code: PARAMS,
      message: expect.stringContaining("several sessions are calling this addon"),
    });
    void ask("ui/confirm", { question: "the other's" }, 2).catch(() => undefined);
    expect([ui.asked.length, other.asked.length]).toEqual([0, 1]);
    endOther();
    void calls.handle("ui/confirm", { question: "mine" }, { signal })?.valueOf();
    expect([ui.asked.length, other.asked.length]).toEqual([1, 1]);
  });

  it("between calls there is nobody to ask", async () => {
    const { calls, end } = open();
    end();
    await expect(calls.handle("ui/confirm", { question: "?" }, { signal })).rejects.toMatchObject({
      code: UNAVAILABLE,
    });
  });
});

describe("floods", () => {
  it("one question at a time, and ten a minute", async () => {
    const { ask, ui } = open();
    const first = ask("ui/confirm", { question: "1" });
    await expect(ask("ui/confirm", { question: "2" })).rejects.toMatchObject({ code: LIMIT });
    ui.asked[0]?.answer(true);
    await first;
    for (let n = 1; n < 10; n++) {
      const asked = ask("ui/confirm", { question: String(n) });
      ui.asked.at(-1)?.answer(true);
      await asked;
    }
    await expect(ask("ui/confirm", { question: "11" })).rejects.toMatchObject({ code: LIMIT });
    expect(ui.asked).toHaveLength(10);
  });

  it("three questions left open in a row end the asking for a minute", async () => {
    const { ask, ui } = open();
    for (let n = 0; n < 3; n++) {
      const asked = ask("ui/confirm", { question: String(n) });
      ui.asked.at(-1)?.answer(undefined);
      await asked;
    }
    await expect(ask("ui/confirm", { question: "4" })).rejects.toMatchObject({
      code: LIMIT,
      message: expect.stringContaining("left 3 questions of this addon unanswered"),
    });
  });

  it("sixty shapes a minute, three items in the status line", async () => {
    const { ask, ui } = open();
    const shape = { kind: "text", text: "x" };
    for (let n = 0; n < 60; n++) await ask("ui/render", { shape });
    await expect(ask("ui/render", { shape })).rejects.toMatchObject({ code: LIMIT });
    for (const id of ["a", "b", "c"]) await ask("ui/status", { id, text: id });
    await expect(ask("ui/status", { id: "d", text: "d" })).rejects.toMatchObject({ code: LIMIT });
    await ask("ui/status", { id: "a", text: "" });
    await ask("ui/status", { id: "d", text: "d" });
    expect(ui.seen.slice(-2)).toEqual(["project:tested a=", "project:tested d=d"]);
  });

  it("a shape has 32 KiB at the most, and a table no cells without a column", async () => {
    const { ask } = open();
    const rows = Array(100).fill(Array(4).fill("x".repeat(300)));
    const columns = ["a", "b", "c", "d"];
    await expect(ask("ui/render", { shape: { kind: "table", columns, rows } })).rejects.toMatchObject({
      code: LIMIT,
    });
    const crooked = { kind: "table", columns: ["a"], rows: [["1", "2"]] };
    await expect(ask("ui/render", { shape: crooked })).rejects.toMatchObject({ code: PARAMS });
  });
});

describe("what stands in the status line goes with the addon", () => {
  it("when its process ends", async () => {
    const { ask, ui, calls } = open();
    await ask("ui/status", { text: "3 open" });
    calls.gone();
    expect(ui.seen).toEqual(["project:tested =3 open", "project:tested cleared"]);
  });

  it("when it is ended with its session (the real process)", async () => {
    const { ask, ui, remote } = open();
    await remote.register();
    await ask("ui/status", { text: "3 open" });
    await remote.dispose();
    expect(ui.seen.at(-1)).toBe("project:tested cleared");
  });
});
