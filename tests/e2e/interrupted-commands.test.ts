// A command that a signal ends, at once, while it works, and twice: never 0, nothing of it goes on, nothing of its own is left,
// and the terminal is as it was.

import type { ChildProcess } from "node:child_process";
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createWorkplace, type Workplace } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import { openTerminal } from "../support/terminal.ts";
import { until, untilHolds } from "../support/until.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
type Signal = (typeof SIGNALS)[number];

const HANGS = `console.error("it hangs");
export async function register() { await new Promise(() => setInterval(() => 0, 1_000)); }
`;
const CALLS = 'export function register(s) { s.addCommand("go", { summary: "x", run: () => undefined }); }\n';
const turn = (number: number, content: unknown): string =>
  `${JSON.stringify({ turn: number, reply: { message: { role: "assistant", content: [content] } } })}\n`;
const CASSETTE =
  '{"cassette":1,"about":"a command that lasts"}\n' +
  turn(1, {
    kind: "tool_call",
    id: "c1",
    name: "bash",
    input: { command: "touch ../began; exec sleep 6001" },
  }) +
  turn(2, { kind: "text", text: "Done." });

interface Work {
  readonly args: readonly string[];
  readonly lay: (place: Workplace) => unknown;
  /** Whether it is in the middle of its work. */
  readonly isAtWork: (place: Workplace) => boolean;
}

const temporary = (place: Workplace): string => join(place.home, "tmp");
const printed = ({ home }: Workplace): boolean =>
  readdirSync(home, { recursive: true, encoding: "utf8" }).some(
    (path) => path.endsWith(".log") && readFileSync(join(home, path), "utf8").includes("it hangs"),
  );
const hanging = (place: Workplace): unknown => place.file("a.ts", HANGS);
const lasting = (place: Workplace): unknown => {
  place.file("a.ts", CALLS);
  return place.file("a.cassette.jsonl", CASSETTE);
};

/** What may take long. */
const WORKS: Readonly<Record<string, Work>> = {
  "addon check": { args: ["addon", "check", "a.ts"], lay: hanging, isAtWork: printed },
  "addon test that loads": {
    args: ["addon", "test", "a.ts"],
    lay: (place) => [lasting, hanging].map((lay) => lay(place)),
    isAtWork: printed,
  },
  "addon test in a call": {
    args: ["addon", "test", "a.ts", "--permission-mode", "bypass"],
    lay: lasting,
    isAtWork: (place) => globSync("indus-addon-tests-*/*/began", { cwd: temporary(place) }).length > 0,
  },
  "addon dev": { args: ["addon", "dev", "a.ts"], lay: hanging, isAtWork: printed },
  addons: { args: ["addons", "--addon", "a.ts", "--grant", "a"], lay: hanging, isAtWork: printed },
};

/** The processes that work for this place: each has its folders in its environment or on its command line. */
function processesOf({ home }: Workplace): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const facts = ["environ", "cmdline"].map((name) => readFileSync(`/proc/${pid}/${name}`, "latin1"));
      return [...facts, readlinkSync(`/proc/${pid}/cwd`)].some((fact) => fact.includes(home));
    } catch {
      return false; // it has ended, or is another person's
    }
  });
}

/** Looks again where a look throws: folders come and go while compiled modules are stored. */
function untilAtWork(work: Work, place: Workplace): Promise<unknown> {
  return untilHolds(() => expect(work.isAtWork(place)).toBe(true));
}

interface Ended {
  readonly code: number;
  readonly said: string;
  readonly place: Workplace;
}

async function interrupt(
  work: Work,
  signals: readonly Signal[],
  when: "at once" | "at work",
): Promise<Ended> {
  const place = createWorkplace();
  mkdirSync(temporary(place));
  work.lay(place);
  let child: ChildProcess | undefined;
  const { code, stdout, stderr } = await place.run(work.args, {
    env: { TMPDIR: temporary(place) },
    onStart: (started) => {
      child = started;
      const send = (): void => signals.forEach((signal) => void started.kill(signal));
      if (when === "at once") send();
      else void untilAtWork(work, place).then(send);
    },
  });
  const signal = child?.signalCode;
  return { code: code ?? 128 + (signal ? constants.signals[signal] : 0), said: stdout + stderr, place };
}

async function expectNothingLeft(place: Workplace): Promise<void> {
  await until(() => processesOf(place).length === 0);
  expect(globSync("indus-check-*", { cwd: temporary(place) })).toEqual([]);
}

describe.skipIf(process.platform !== "linux").each(rows(Object.keys(WORKS), (name) => name === "addons"))(
  "%s",
  (name) => {
    const work = WORKS[name] as Work;

    it.each(rows(SIGNALS, (signal) => signal === "SIGTERM"))(
      "%s ends it at work, as a shell says it",
      async (signal) => {
        const { code, said, place } = await interrupt(work, [signal], "at work");
        expect(code).toBe(128 + constants.signals[signal]);
        expect(said).not.toContain("defect of indus");
        await expectNothingLeft(place);
      },
    );

    it("a second one, at once, and one before it has begun", LONG_ONLY, async () => {
      const twice = await interrupt(work, ["SIGINT", "SIGINT"], "at work");
      expect(twice.code).toBe(130);
      await expectNothingLeft(twice.place);
      const early = await interrupt(work, ["SIGTERM"], "at once");
      expect(early.code).toBe(143);
      await expectNothingLeft(early.place);
    });
  },
);

describe.skipIf(process.platform !== "linux")("addon test", () => {
  it("says that it was stopped, its log has its end, and the next test begins", LONG_ONLY, async () => {
    const work = WORKS["addon test in a call"] as Work;
    const { said, place } = await interrupt(work, ["SIGINT"], "at work");
    expect(said).toMatch(/^problem a signal stopped the test before its end$/m);
    const [log = ""] = globSync("indus-addon-tests-*/*/.indus/**/*.jsonl", { cwd: temporary(place) });
    expect(place.entriesOf(join(temporary(place), log)).at(-1)).toMatchObject({
      type: "end",
      how: "aborted",
    });
    place.file("a.cassette.jsonl", CASSETTE.replace("exec sleep 6001", "true"));
    const again = await place.run([...work.args], { env: { TMPDIR: temporary(place) } });
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining("2 of 2 turns") });
  });

  it("twin: killed, its log has no end, and the next test begins all the same", LONG_ONLY, async () => {
    const work = WORKS["addon test in a call"] as Work;
    const { place } = await interrupt(work, ["SIGKILL" as Signal], "at work");
    const [log = ""] = globSync("indus-addon-tests-*/*/.indus/**/*.jsonl", { cwd: temporary(place) });
    expect(place.entriesOf(join(temporary(place), log)).some(({ type }) => type === "end")).toBe(false);
    place.file("a.cassette.jsonl", CASSETTE.replace("exec sleep 6001", "true"));
    const again = await place.run([...work.args], { env: { TMPDIR: temporary(place) } });
    expect(again.code).toBe(0);
  });
});

/** They are through before a signal can arrive, unless what they read is large. */
describe
  .skipIf(process.platform !== "linux")
  .each(rows([["agents"], ["doctor"], ["models"], ["session", "verify"]], theFirst))("%s %s", (...words) => {
  it.each(rows(SIGNALS, theFirst))("ends with what %s says, or was done before", async (signal) => {
    const place = createWorkplace();
    const cassette = place.file("c.jsonl", CASSETTE.replace("exec sleep 6001", "true"));
    expect(
      await place.run(["-p", "go", "--permission-prompt", "none", "--cassette", cassette]),
    ).toMatchObject({ code: 0 });
    let child: ChildProcess | undefined;
    const { code } = await place.run(
      words.filter((word) => word !== undefined),
      {
        onStart: (started) => {
          child = started;
          started.stdout?.once("data", () => started.kill(signal));
        },
      },
    );
    expect([0, null]).toContain(code);
    expect([null, signal]).toContain(child?.signalCode);
    await until(() => processesOf(place).length === 0);
  });
});

describe("on a terminal", () => {
  it.each(rows(["addon check", "addon test in a call"], theFirst))(
    "%s gives it back as it was",
    LONG_ONLY,
    async (name) => {
      const work = WORKS[name] as Work;
      const place = createWorkplace();
      mkdirSync(temporary(place));
      work.lay(place);
      const env = { TMPDIR: temporary(place) };
      const terminal = openTerminal({
        console: "none",
        place,
        url: "",
        args: work.args,
        env,
        columns: 1_000,
        underShell: true,
      });
      await untilAtWork(work, place);
      terminal.signal("SIGTERM");
      await terminal.left;
      expect(terminal.screen()).toContain("left: 143");
      const [before, after] = [...terminal.screen().matchAll(/^modes: (.+)$/gm)].map(([, modes]) => modes);
      expect(after).toBe(before);
      if (existsSync("/proc")) await until(() => processesOf(place).length === 0);
    },
  );
});
