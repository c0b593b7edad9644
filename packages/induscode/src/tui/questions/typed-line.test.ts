import { expect, test } from "vitest";
import { key, typed } from "../../../../../tests/support/keys.ts";
import { QUIET_MS } from "./guard.ts";
import { createTypedLine } from "./typed-line.ts";

function ask(shownMs: number, isSecret = false) {
  let nowMs = 10_000;
  const answers: string[] = [];
  const question = createTypedLine({
    rows: () => ["?"],
    isSecret,
    onAnswer: (answer) => answers.push(answer),
    onLeave: () => answers.push("left"),
    now: () => nowMs,
  });
  nowMs += shownMs;
  const wait = (ms: number): void => {
    nowMs += ms;
  };
  const shown = (): string =>
    question
      .choiceLines(80)
      .map((line) => line.map(({ text }) => text).join(""))
      .join("\n");
  return { question, answers, wait, shown };
}

test("a typed line can be corrected and is sent with Enter; a paste is part of it", () => {
  const { question, answers, shown } = ask(QUIET_MS);
  for (const each of [typed("a"), key("paste", { text: "👩‍👩‍👧" }), key("backspace"), typed("b")])
    question.press(each);
  expect(shown()).toContain("❯ ab▏");
  question.press(key("enter"));
  expect(answers).toEqual(["ab"]);
});

test("a secret begun too early is not sent by its Enter", () => {
  const { question, answers } = ask(20, true);
  expect(question.press(typed("t"))).toBe(false); // it stands in the editor
  expect(question.press(key("enter"))).toBe(true);
  expect(answers).toEqual([]);
  const twin = ask(20);
  expect(twin.question.press(key("enter"))).toBe(false); // a line that is no secret is sent
});

test("what is typed ahead goes to the line, its Enter too (twin: after a pause it is the answer)", () => {
  const early = ask(20);
  for (const letter of "rm -rf") expect(early.question.press(typed(letter))).toBe(false);
  expect(early.question.press(key("enter"))).toBe(false);
  expect(early.answers).toEqual([]);
  const late = ask(20);
  late.wait(QUIET_MS);
  late.question.press(typed("x"));
  late.question.press(key("enter"));
  expect(late.answers).toEqual(["x"]);
});

test("a secret is shown as dots alone (twin: another line is shown)", () => {
  const secret = ask(QUIET_MS, true);
  const open = ask(QUIET_MS);
  for (const { question } of [secret, open]) question.press(typed("hunter2"));
  expect(secret.shown()).toContain("•••••••");
  expect(secret.shown()).not.toContain("hunter2");
  expect(open.shown()).toContain("hunter2");
  secret.question.press(key("enter"));
  expect(secret.answers).toEqual(["hunter2"]);
});

test("no escape that is pasted reaches the screen", () => {
  const { question, shown } = ask(QUIET_MS);
  question.press(key("paste", { text: "\x1b[2Jx\u202e" }));
  expect(shown()).not.toMatch(/[\u001b\u202e]/);
});

test("Esc and Ctrl+C leave it at any moment", () => {
  const first = ask(0);
  first.question.press(key("escape"));
  const second = ask(0);
  second.question.press(key("c", { ctrl: true }));
  expect([first.answers, second.answers]).toEqual([["left"], ["left"]]);
});
