import { describe, expect, test } from "vitest";
import { openTestDialogue } from "../../../../tests/support/test-terminal.ts";
import { until } from "../../../../tests/support/until.ts";
import { createPlainUi } from "./plain-ui.ts";

const never = new AbortController().signal;
const NAME = "project:notes";

function open() {
  const { terminal, dialogue } = openTestDialogue();
  return { terminal, dialogue, ui: createPlainUi(dialogue) };
}

test("what is typed ahead is no answer: the question is put once the keyboard has been quiet", async () => {
  const { terminal, dialogue, ui } = open();
  const line = dialogue.nextLine(() => undefined);
  await terminal.type("y");
  const answer = ui.ask(NAME, { kind: "confirm", question: "Sure?" }, never);
  await terminal.type("es, but later\r"); // continues the line as it was begun
  expect(await line).toBe("yes, but later");
  expect(terminal.screen()).not.toContain("Sure?");
  await until(() => terminal.screen().includes("Sure?"));
  await terminal.type("n\r");
  expect(await answer).toBe(false);
});

test("the twin: put at once, the rest of a line that was being typed would be its answer", async () => {
  const { terminal, dialogue } = open();
  void dialogue.nextLine(() => undefined);
  await terminal.type("I sa");
  const answer = dialogue.confirm(["Sure?"]); // a question by the host hides the line and waits for a complete one
  await terminal.settle();
  await terminal.type("y\r");
  expect(await answer).toBe("yes");
});

describe("a secret", () => {
  test("is shown as dots, can be corrected with Backspace, and is the answer", async () => {
    const { terminal, ui } = open();
    const answer = ui.ask(NAME, { kind: "input", question: "Token?", isSecret: true }, never);
    await terminal.settle();
    await terminal.type("hunter22\x7f");
    expect(terminal.raw()).not.toContain("hunter2");
    expect(terminal.screen()).toContain("(not shown) › •••••••");
    await terminal.type("\r");
    expect(await answer).toBe("hunter2");
  });

  test("what is typed before its question could be read is not used, and never shown", async () => {
    const { terminal, dialogue } = openTestDialogue(0);
    const ask = { kind: "input", question: "Token?", isSecret: true } as const;
    const answer = createPlainUi(dialogue).ask(NAME, ask, never);
    await until(() => terminal.screen().includes("(not shown) ›"));
    await terminal.type("fix the bug\r");
    expect(terminal.raw()).not.toContain("fix the bug");
    expect(terminal.screen()).toContain("(typed before this could be read: discarded)");
    await terminal.read();
    await terminal.type("hunter22\r");
    expect(await answer).toBe("hunter22");
  });

  test("a paste is part of it and sends nothing; Ctrl+C leaves it", async () => {
    const { terminal, ui } = open();
    const answer = ui.ask(NAME, { kind: "input", question: "Token?", isSecret: true }, never);
    await terminal.settle();
    await terminal.type("\x1b[200~pa\nsted\x1b[201~");
    expect(terminal.raw()).not.toContain("sted");
    await terminal.type("\x03");
    expect(await answer).toBeUndefined();
  });
});

test.each([true, false])(
  "a question is taken away with its signal (secret: %s), and the next line is the console's",
  async (isSecret) => {
    const { terminal, dialogue, ui } = open();
    const controller = new AbortController();
    const answer = ui.ask(NAME, { kind: "input", question: "Token?", isSecret }, controller.signal);
    await terminal.settle();
    controller.abort();
    await expect(answer).rejects.toThrow("Cancelled.");
    const line = dialogue.nextLine(() => undefined);
    await terminal.type("hello\r");
    expect(await line).toBe("hello");
  },
);

test("a progress bar prints a line for each tenth, and one at its end", async () => {
  const { terminal, ui } = open();
  for (let done = 0; done <= 1_000; done++)
    ui.render(NAME, { kind: "progress", label: "index", done, total: 1_000 });
  await terminal.settle();
  expect(terminal.screen().match(/index/g)).toHaveLength(11);
  expect(terminal.screen()).toContain("1000/1000");
});

test("the status is said when it changed, and is gone with its addon", () => {
  const { ui } = open();
  ui.status(NAME, "a", "one");
  ui.status(NAME, "b", "two");
  expect(ui.changedStatus()).toBe("▌ project:notes one\n▌ project:notes two");
  expect(ui.changedStatus()).toBeUndefined();
  ui.status(NAME, "a", "");
  expect(ui.changedStatus()).toBe("▌ project:notes two");
  ui.clear(NAME);
  expect(ui.changedStatus()).toBeUndefined();
});
