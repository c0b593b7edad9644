// `permissions.json` with two concurrent writers, and when it is damaged.

import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { addKeptAnswer, changeKeptAnswers, readKeptAnswers } from "./answers-file.ts";

const homeFolder = (): string => mkdtempSync(join(tmpdir(), "indus-kept-file-"));
const EACH = 15;

const rulesIn = (home: string): readonly string[] =>
  readKeptAnswers(home).answers.map((answer) => ("rule" in answer ? answer.rule : ""));

it("keeps every answer of two programs that write at the same time (twin: whoever read before the other wrote loses one)", async () => {
  const home = homeFolder();
  const writer = (name: string) =>
    promisify(execFile)(process.execPath, [
      "--no-warnings",
      "--conditions=indus-source",
      "--input-type=module",
      "-e",
      `const { addKeptAnswer } = await import(${JSON.stringify(import.meta.resolve("./answers-file.ts"))});
       for (let at = 0; at < ${EACH}; at++) await addKeptAnswer(${JSON.stringify(home)}, { rule: "bash(${name}" + at + ")" });`,
    ]);
  await Promise.all([writer("a"), writer("b"), addKeptAnswer(home, { rule: "bash(c)" })]);
  const expected = ["a", "b"].flatMap((name) =>
    Array.from({ length: EACH }, (_, at) => `bash(${name}${at})`),
  );
  expect([...rulesIn(home)].sort()).toEqual([...expected, "bash(c)"].sort());

  const path = readKeptAnswers(home).path;
  const [one, other] = [readFileSync(path, "utf8"), readFileSync(path, "utf8")].map((text) =>
    JSON.parse(text),
  );
  for (const [each, rule] of [
    [one, "bash(x)"],
    [other, "bash(y)"],
  ] as const)
    writeFileSync(path, JSON.stringify({ ...each, answers: [...each.answers, { rule }] }));
  expect(rulesIn(home)).not.toContain("bash(x)");
});

it.each([
  [
    "cut off",
    '{ "version": 1, "answers": [\n  { "rule": "bash(a)" }',
    /permissions\.json could not be read: .+; you are asked again about what it allows$/,
  ],
  [
    "of another version",
    '{ "version": 99, "answers": [{ "rule": "bash(a)" }] }',
    /expected \{ "version": 1, "answers": \[\.\.\.\] \}/,
  ],
  [
    "with something else in it",
    '{ "version": 1, "answers": [{ "rule": "bash(a)" }, { "rule": 7 }] }',
    /ignored invalid entries: 1$/,
  ],
])(
  "a file %s is said in one line, and no answer writes over it (twin: a whole one is changed)",
  async (_, text, problem) => {
    const home = homeFolder();
    const { path } = readKeptAnswers(home);
    writeFileSync(path, text);
    expect(readKeptAnswers(home).problems).toEqual([expect.stringMatching(problem)]);
    await expect(addKeptAnswer(home, { rule: "bash(b)" })).rejects.toThrow();
    await expect(changeKeptAnswers(home, () => [])).rejects.toThrow();
    expect(readFileSync(path, "utf8")).toBe(text);
    writeFileSync(path, '{ "version": 1, "answers": [{ "rule": "bash(a)" }] }');
    await addKeptAnswer(home, { rule: "bash(b)" });
    expect(rulesIn(home)).toEqual(["bash(a)", "bash(b)"]);
  },
);
