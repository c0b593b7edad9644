// Lists that open while somebody is typing: keys meant for the line never choose an item.

import { describe, expect, test } from "vitest";
import { key, typed } from "../../../../../tests/support/keys.ts";
import type { Key } from "../contract.ts";
import { span } from "../screen/spans.ts";
import { type Asking, createAsking } from "./asking.ts";
import { QUIET_MS } from "./guard.ts";

interface Scene {
  readonly asking: Asking;
  /** Like the console; returns who took the key. */
  readonly press: (pressed: Key) => "list" | "line";
  readonly wait: (ms: number) => void;
  readonly pick: () => Promise<string | undefined>;
  readonly resize: (columns: number, rows: number) => void;
  /** What was printed above. */
  readonly printed: () => string;
}

function scene(unread: () => readonly Key[] = () => []): Scene {
  let nowMs = 10_000;
  let size = { columns: 80, rows: 24 };
  const printed: string[] = [];
  let keys = 0;
  const asking = createAsking({
    painter: () => "",
    size: () => size,
    say: (rows) => printed.push(...rows.map((row) => row.map(({ text }) => text).join(""))),
    editor: { text: () => "", put: () => undefined },
    now: () => nowMs,
    keys: () => keys,
    allRead: async () => unread().forEach(press),
    draw: () => undefined,
    onOpen: () => undefined,
    onClose: () => undefined,
  });
  function press(pressed: Key): "list" | "line" {
    keys += 1;
    const isLists = asking.press(pressed);
    if (!isLists && pressed.name === "enter") asking.sent();
    return isLists ? "list" : "line";
  }
  return {
    asking,
    press,
    wait: (ms) => {
      nowMs += ms;
    },
    resize: (columns, rows) => {
      size = { columns, rows };
      asking.fit();
    },
    printed: () => printed.join("\n"),
    pick: async () => (await asking.pick("Which?", () => [{ label: "first" }, { label: "second" }]))?.label,
  };
}

const enter = key("enter");

test("a list that was asked for with the last key takes keys at once", async () => {
  const { press, pick } = scene();
  press(enter);
  const chosen = pick();
  expect([press(key("down")), press(enter)]).toEqual(["list", "list"]);
  expect(await chosen).toBe("second");
});

test("a list that a choice leads to takes keys at once as well", async () => {
  const { press, pick } = scene();
  press(enter);
  const first = pick();
  press(enter);
  await first;
  const next = pick();
  expect(press(enter)).toBe("list");
  expect(await next).toBe("first");
});

test.each([
  ["was typed on since it was asked for", [enter, typed("x")]],
  ["opens without a key of the person's", [typed("x")]],
])("where the person %s, keys go to the line until there was a pause", async (_, before) => {
  const { press, pick, wait, asking } = scene();
  for (const each of before) press(each);
  const chosen = pick();
  wait(QUIET_MS - 1);
  expect([press(typed("y")), press(enter)]).toEqual(["line", "line"]);
  expect(asking.rows(80).join("\n")).toContain("what you type still goes to your line");
  asking.close();
  wait(QUIET_MS);
  expect([press(key("down")), press(enter)]).toEqual(["list", "list"]);
  expect(await chosen).toBe("second");
});

test("Esc leaves a list although it takes no other key yet", async () => {
  const { press, pick } = scene();
  press(typed("x"));
  const chosen = pick();
  expect(press(key("escape"))).toBe("list");
  expect(await chosen).toBeUndefined();
});

test("a line for somebody who has stopped waiting is not asked for", async () => {
  const { asking } = scene();
  await expect(asking.readLine("Which folder?", AbortSignal.abort())).rejects.toThrow("Cancelled.");
  expect([asking.isReading(), asking.prompt()]).toEqual([false, undefined]);
});

test.each([["and is read before it opens"], ["and is read only after it has opened"]])(
  "what was typed before a list opens by itself, %s, chooses nothing",
  async (when) => {
    const isEarly = when.includes("before");
    const { asking, press, wait, pick } = scene(() => (isEarly ? [typed("x")] : []));
    press(enter);
    asking.opensByItself();
    wait(QUIET_MS);
    const chosen = asking.inTurn(pick);
    await new Promise(setImmediate);
    expect(press(enter)).toBe("line");
    wait(QUIET_MS);
    expect(press(enter)).toBe("list");
    expect(await chosen).toBe("first");
  },
);

test("the twin: of a list that was asked for, the same key chooses", async () => {
  const { asking, press, wait, pick } = scene();
  press(enter);
  wait(QUIET_MS);
  const chosen = asking.inTurn(pick);
  await new Promise(setImmediate);
  expect(press(enter)).toBe("list");
  expect(await chosen).toBe("first");
});

describe("a question in a window that becomes too small for it", () => {
  const command = `touch ${"a".repeat(200)}; rm -rf zzz`;
  const rows = [[span("? bash asks for permission")], [span("  run   │ "), span(command)]];
  const choices = [
    { key: "y", label: "yes", answer: "yes" },
    { key: "n", label: "no", answer: "no" },
  ];

  test.each([
    ["lower", 80, 9],
    ["narrower", 20, 20],
  ])("%s: is printed whole, once, and takes no key that is pressed just then", async (_, columns, height) => {
    const { asking, press, wait, resize, printed } = scene();
    const answer = asking.choose(rows, choices, undefined);
    wait(QUIET_MS);
    press(key("down"));
    expect(printed()).toBe("");
    resize(columns, height);
    resize(columns, height);
    expect(printed()).toBe(`? bash asks for permission\n  run   │ ${command}`);
    expect(asking.rows(columns).join("\n")).toContain("the question is");
    expect(press(typed("y"))).toBe("line");
    wait(QUIET_MS);
    expect(press(typed("y"))).toBe("list");
    expect(await answer).toBe("yes");
    expect(printed().match(/rm -rf/g)).toHaveLength(1);
  });

  test("keeps the line that is being typed into it", async () => {
    const { asking, press, wait, resize } = scene();
    const answer = asking.typeIn(rows, { isSecret: true, signal: new AbortController().signal });
    wait(QUIET_MS);
    press(typed("se"));
    resize(80, 8);
    expect([press(typed("cret")), press(enter)]).toEqual(["list", "list"]);
    expect(await answer).toBe("secret");
  });
});
