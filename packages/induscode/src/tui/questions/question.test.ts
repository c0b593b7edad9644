import { describe, expect, test } from "vitest";
import { key, typed } from "../../../../../tests/support/keys.ts";
import { QUIET_MS } from "./guard.ts";
import { createQuestion, type OpenQuestion } from "./question.ts";

interface Asked {
  readonly question: OpenQuestion;
  readonly answers: string[];
  readonly wait: (ms: number) => void;
}

/** A question that has stood on the screen for `shownMs`. */
function ask(shownMs: number): Asked {
  let nowMs = 10_000;
  const answers: string[] = [];
  const question = createQuestion({
    rows: () => ["?"],
    choices: [
      { key: "y", label: "yes", answer: "yes" },
      { key: "n", label: "no", answer: "no" },
    ],
    room: () => 2,
    onAnswer: (answer) => answers.push(answer),
    onLeave: () => answers.push("left"),
    now: () => nowMs,
  });
  nowMs += shownMs;
  return {
    question,
    answers,
    wait: (ms) => {
      nowMs += ms;
    },
  };
}

test("a key answers what has stood there for a while", () => {
  const { question, answers } = ask(QUIET_MS);
  expect(question.press(typed("y"))).toBe(true);
  expect(answers).toEqual(["yes"]);
});

test("what is typed ahead is no answer, however long it goes on; after a pause a key is", () => {
  const { question, answers, wait } = ask(20);
  for (const letter of "yes, you may") {
    expect(question.press(typed(letter))).toBe(false); // it goes to the line
    wait(100);
  }
  expect(answers).toEqual([]);
  expect(question.quietInMs()).toBeGreaterThan(0);
  wait(QUIET_MS);
  expect(question.quietInMs()).toBe(0);
  expect(question.press(typed("n"))).toBe(true);
  expect(answers).toEqual(["no"]);
});

test("the first key after a long pause is none where the question has just appeared", () => {
  const { question, answers, wait } = ask(0);
  expect(question.press(typed("y"))).toBe(false); // pressed before it could be seen
  expect(answers).toEqual([]);
  wait(QUIET_MS);
  expect(question.press(typed("n"))).toBe(true);
  expect(answers).toEqual(["no"]);
});

test("a question that opened behind the pager is read once that is closed", () => {
  const { question, answers, wait } = ask(QUIET_MS);
  question.appear();
  expect(question.press(typed("y"))).toBe(false);
  wait(QUIET_MS);
  question.press(typed("y"));
  expect(answers).toEqual(["yes"]);
});

test("the twin: with keys that always count, the same typing says yes", () => {
  const { question, answers, wait } = ask(20);
  for (const letter of "yes, you may") {
    wait(QUIET_MS); // as if the keyboard had been quiet before each key
    question.press(typed(letter));
  }
  expect(answers[0]).toBe("yes");
});

test("the first row is chosen already: Enter takes it", () => {
  const { question, answers } = ask(QUIET_MS);
  question.press(key("enter"));
  expect(answers).toEqual(["yes"]);
});

test.each([
  ["a paste", key("paste", { text: "y\n" })],
  ["several letters at once", typed("look")],
])("%s goes to the line, and the Enter that follows is no answer either, until a pause", (_, written) => {
  const { question, answers, wait } = ask(QUIET_MS);
  question.press(key("down")); // it takes keys
  expect(question.press(written)).toBe(false);
  expect(question.press(key("enter"))).toBe(false);
  expect(answers).toEqual([]);
  wait(QUIET_MS);
  question.press(key("enter"));
  expect(answers).toEqual(["no"]);
});

test.each([
  ["down and Enter", [key("down"), key("enter")]],
  ["up (around the end) and Enter", [key("up"), key("enter")]],
  ["the row's number", [typed("2")]],
  ["its letter", [typed("n")]],
  ["its letter in capitals", [typed("N")]],
])("%s choose the second row", (_, keys) => {
  const { question, answers } = ask(QUIET_MS);
  for (const each of keys) question.press(each);
  expect(answers).toEqual(["no"]);
});

describe("a choice with other forms", () => {
  const scene = (columns = 80, room = 5) => {
    const answers: string[] = [];
    let nowMs = 0;
    const question = createQuestion({
      rows: () => ["?"],
      choices: [
        { key: "y", label: "yes", answer: "yes" },
        {
          ...{ key: "a", label: "always here", answer: "here", edit: { label: "always …", answer: "edit" } },
          forms: [{ key: "s", label: "this session", answer: "session" }],
        },
        { key: "n", label: "no", answer: "no" },
      ],
      hint: "Esc stops",
      room: () => room,
      onAnswer: (answer) => answers.push(answer),
      onLeave: () => answers.push("left"),
      now: () => nowMs,
    });
    nowMs += QUIET_MS;
    const shown = () =>
      question.choiceLines(columns).map((line) =>
        line
          .map(({ text }) => text)
          .join("")
          .trimEnd(),
      );
    return { question, answers, shown };
  };

  test("shows the next one with the arrows to the side; Enter and its number take what is shown", () => {
    const { question, answers, shown } = scene();
    question.press(key("down"));
    expect(shown()).toEqual(["  1. [y] yes", "❯ 2. [a] always here  ←→", "  3. [n] no    Esc stops"]);
    question.press(key("right"));
    expect(shown()[1]).toBe("❯ 2. [s] this session  ←→");
    question.press(key("enter"));
    question.press(typed("2"));
    question.press(key("left"));
    question.press(key("enter"));
    expect(answers).toEqual(["session", "session", "here"]);
  });

  test("is answered in any of its forms by their letters, shown or not; Tab edits it", () => {
    const { question, answers } = scene();
    for (const each of [typed("s"), typed("a"), key("tab")]) question.press(each);
    expect(answers).toEqual(["session", "here", "edit"]);
  });

  test("has the hint below it where the last row has no room", () => {
    expect(scene(20).shown().slice(-2)).toEqual(["  3. [n] no", "  Esc stops"]);
  });

  test("is whole in a narrow window: it goes on in the next row", () => {
    expect(scene(18).shown()).toEqual([
      ...["❯ 1. [y] yes", "  2. [a] always", "     here  ←→", "  3. [n] no", "  Esc stops"],
    ]);
  });

  test("where its rows have no room, the chosen one is there, and an arrow to the others", () => {
    const { question, shown } = scene(18, 3);
    expect(shown()).toEqual(["❯ 1. [y] yes", "  2. [a] always", "↓    here  ←→"]);
    question.press(key("up"));
    expect(shown()).toEqual(["↑ 2. [a] always", "     here  ←→", "❯ 3. [n] no"]);
  });
});

test("Esc and Ctrl+C leave it open at any moment", () => {
  const first = ask(0);
  first.question.press(key("escape"));
  const second = ask(0);
  second.question.press(key("c", { ctrl: true }));
  expect([first.answers, second.answers]).toEqual([["left"], ["left"]]);
});
