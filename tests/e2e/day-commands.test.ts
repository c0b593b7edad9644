// Thirty commands of a day in projects of six languages, through the real command: what is asked about, what runs, and what a tool that
// wants the network is told.

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findBubblewrap } from "../../packages/induscode/src/addons/sandbox/bubblewrap.ts";
import { writeLevelRecord } from "../../packages/induscode/src/addons/sandbox/level-record.ts";
import { createSandbox } from "../../packages/induscode/src/addons/sandbox/sandbox.ts";
import { homePath } from "../../packages/induscode/src/store/home-files.ts";
import { DAY_COMMANDS, type DayCommand, OTHER_WANTS, ranLine, standIns } from "../support/day-commands.ts";
import { LONG_ONLY } from "../support/long-form.ts";
import { isInstalled, lacks } from "../support/needs.ts";
import { createServedWorkplace, type ServedWorkplace } from "../support/served-workplace.ts";

interface Outcome {
  readonly line: string;
  readonly state: string;
  readonly text: string;
}

/** One task in which the model runs these commands, one after the other. */
async function day(
  commands: readonly DayCommand[],
  args: readonly string[],
  prepare: (place: ServedWorkplace) => void = () => undefined,
): Promise<readonly Outcome[]> {
  const place = await createServedWorkplace((_, at) => {
    const command = commands[at]?.line;
    return command === undefined ? { text: "Done." } : { calls: [{ name: "bash", input: { command } }] };
  });
  place.file("src/money.txt", "a price\n");
  const git = { cwd: place.cwd, env: { PATH: process.env.PATH, HOME: place.home } };
  execFileSync("git", ["init", "-q", "."], git);
  for (const [key, value] of [
    ["user.name", "Ada"],
    ["user.email", "ada@example.invalid"],
  ] as const)
    execFileSync("git", ["config", key, value], git);
  const path = `${standIns(join(place.cwd, "../tools"), commands)}:${process.env.PATH}`;
  prepare(place);
  await place.run(["-p", "go", "--model", "anthropic/scripted", "--max-turns", "50", ...args], {
    env: { PATH: path },
  });
  const calls = place.entries().flatMap((entry) => (entry.type === "tool" ? [entry] : []));
  expect(calls).toHaveLength(commands.length);
  return calls.map(({ state, text }, at) => ({ line: commands[at]?.line ?? "", state, text }));
}

const asked = (outcomes: readonly Outcome[]): readonly string[] =>
  outcomes.flatMap(({ line, state }) => (state === "refused" ? [line] : []));
const wanting = (commands: readonly DayCommand[]): readonly string[] =>
  commands.flatMap(({ line, wants }) => (wants ? [line] : []));

/** Each program ran, and the model is told why those failed that want the network. */
function expectRan(outcomes: readonly Outcome[], commands: readonly DayCommand[]): void {
  for (const [at, { line, runs, wants }] of commands.entries()) {
    const { text = "" } = outcomes[at] ?? {};
    if (runs && !line.startsWith("git")) expect(text).toContain(ranLine(line));
    if (wants) expect(text, line).toMatch(/has no network access.*call again with "outside"/);
  }
}

const isThere = createSandbox().strong()?.level === "bubblewrap";
const hasLandlock = createSandbox({ prefer: "landlock" }).strong()?.level === "landlock";
const AUTO = ["--permission-mode", "auto"];

describe.skipIf(lacks("git", isInstalled("git")))("of thirty commands of a day in six languages", () => {
  expect(DAY_COMMANDS).toHaveLength(30);

  it.skipIf(lacks("bubblewrap", isThere))(
    "none is asked about with bubblewrap, all run, and what wants the network fails at once and is told why",
    async () => {
      const outcomes = await day(DAY_COMMANDS, AUTO);
      expect(asked(outcomes)).toEqual([]);
      expectRan(outcomes, DAY_COMMANDS);
      const failed = outcomes.flatMap(({ line, state }) => (state === "ok" ? [] : [line]));
      expect(failed).toEqual(wanting(DAY_COMMANDS));
    },
  );

  it.skipIf(lacks("Landlock", hasLandlock))(
    "none is asked about with Landlock in the mode auto, and every tool runs",
    LONG_ONLY,
    async () => {
      const outcomes = await day(DAY_COMMANDS, AUTO, ({ home }) =>
        writeLevelRecord(homePath(home, "sandboxLevel"), { level: "landlock", abi: 3 }, findBubblewrap()),
      );
      expect(asked(outcomes)).toEqual([]);
      expectRan(outcomes, DAY_COMMANDS);
    },
  );

  it("those are asked about that run what the project says, where nothing confines them", async () => {
    const outcomes = await day(DAY_COMMANDS, ["--sandbox", "off", "--permission-mode", "acceptEdits"]);
    expect(asked(outcomes)).toEqual(DAY_COMMANDS.flatMap(({ line, runs }) => (runs ? [line] : [])));
    expect(outcomes.flatMap(({ line, state }) => (state === "failed" ? [line] : []))).toEqual([]);
  });
});

it.skipIf(lacks("Landlock", isThere || hasLandlock))(
  "every other tool that tries again without a network fails at once, and is told why (twin: with the network, it tries again)",
  LONG_ONLY,
  async () => {
    expectRan(await day(OTHER_WANTS, AUTO), OTHER_WANTS);
    const twin = await day(OTHER_WANTS, [...AUTO, "--network", "on"]);
    for (const { state, text } of twin)
      expect([state, text]).toEqual(["ok", expect.stringContaining("trying again")]);
  },
);
