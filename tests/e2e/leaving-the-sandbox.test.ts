// What leaves the command sandbox, through the real command: nothing unasked while what runs inside can exchange what it opens, and
// nothing by a rule about the inside. Each with the twin in which the guard is off, or the rule says that it covers leaving.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createSandbox } from "../../packages/induscode/src/addons/sandbox/sandbox.ts";
import { commandWithout } from "../support/guard-off.ts";
import { createSharedWorkplace, type Workplace } from "../support/indus.ts";
import { isLong, LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import { startModelServer } from "../support/model-server.ts";
import { lacks } from "../support/needs.ts";
import { PATIENCE_MS } from "../support/until.ts";

const isConfined = createSandbox().strong() !== undefined;
const KEY = "canary-of-the-key";

interface Scene {
  readonly place: Workplace;
  readonly results: readonly string[];
}

type Call = { readonly name: string; readonly input: object };

const bash = (command: string, outside?: string): Call => ({
  name: "bash",
  input: { command, ...(outside === undefined ? {} : { outside }) },
});

/** One run; each list of calls is one message of the model, which ends once a result contains the key. */
async function play(
  messages: (place: Workplace) => readonly (readonly Call[])[],
  args: readonly string[],
  command?: string,
): Promise<Scene> {
  let left: (readonly Call[])[] = [];
  const server = await startModelServer(
    ({ rawBody }) => {
      const calls = rawBody.includes(KEY) ? undefined : left.shift();
      return calls ? { calls } : { text: "Done." };
    },
    { record: false },
  );
  onTestFinished(() => server.close());
  const place = createSharedWorkplace(server.url, command === undefined ? {} : { command });
  for (const folder of [join(place.home, "keys"), join(place.cwd, ".git")]) mkdirSync(folder);
  writeFileSync(join(place.home, "keys/key"), `${KEY}\n`);
  place.file("d/key", "plain\n");
  left = [...messages(place)];
  await place.run(["-p", "go", "--model", "anthropic/x", "--permission-mode", "auto", ...args], {
    deadlineMs: 1_800_000,
  });
  const results = place.entries().flatMap((entry) => (entry.type === "tool" ? [entry.text] : []));
  return { place, results };
}

/** In one command. */
const READS = 1_000;
/** The twin needs three of them. */
const LINES = isLong ? 30 : 1;

describe.skipIf(lacks("Landlock", isConfined))("a command that asks to leave the sandbox", () => {
  const digits = (name: string): string => `for ${name} in 0 1 2 3 4 5 6 7 8 9; do `;
  /** No two calls are the same: one that fails in the same way again and again would end the task. */
  const reads = (at: number) =>
    bash(
      `${digits("a")}${digits("b")}${digits("c")}grep -e canary -e line${at} d/key; done; done; done`,
      "it looks",
    );
  /** A job in the sandbox exchanges the folder all the time. */
  const race =
    (lines: number) =>
    ({ home }: Workplace): readonly (readonly Call[])[] => {
      const swap = `ln -s ${home}/keys l; while :; do mv d e; mv l d; mv d l; mv e d; done`;
      const job = { name: "process", input: { action: "start", command: swap } };
      return [[job], ...Array.from({ length: lines }, (_, at) => [reads(at)])];
    };

  it(`only looks, so it stays, and ${READS * LINES} reads never show what a job leads it to`, {
    timeout: LINES * PATIENCE_MS,
  }, async () => {
    const { results } = await play(race(LINES), []);
    expect(results).toHaveLength(LINES + 1);
    expect(results.join("\n")).not.toContain(KEY);
    if (isLong) expect(results.join("\n")).toContain("it asked to run outside but ran inside");
  });

  it("the twin: where being harmless is enough to leave, it reads the key", LONG_ONLY, async () => {
    const command = commandWithout([
      {
        file: "deck/permissions/part-rules.ts",
        guard: "if (leaves && open === undefined && !looksAtNothing(part))",
        instead: "if (leaves && tool === String() && !looksAtNothing(part))",
      },
    ]);
    const { results } = await play(race(100), [], command);
    expect(results.join("\n")).toContain(KEY);
  });

  it("runs after what else the model asked for at the same time, on what is there then", async () => {
    const { place, results } = await play(
      ({ home }) => [
        [
          bash(`sleep 0.3; mv d e; ln -s ${home}/keys d`),
          bash("cat d/key", "it looks"),
          bash("echo x > d/authorized_keys", "it writes"),
        ],
      ],
      [],
    );
    expect(results).toHaveLength(3);
    expect(results[1]).toContain("Refused: bash was not run, because it asks to run outside");
    expect(results[2]).toContain("Refused");
    expect(existsSync(join(place.home, "keys/authorized_keys"))).toBe(false);
  });

  it("says what stayed inside and what to do", async () => {
    const { results } = await play(() => [[bash("cat d/key", "it looks")]], []);
    expect(results[0]).toContain("plain");
    expect(results[0]).toContain("sandbox: it asked to run outside but ran inside");
    expect(results[0]).toContain("outside(COMMAND)");
  });
});

describe.skipIf(lacks("Landlock", isConfined))("a rule that allows a command", () => {
  const messages = ({ home }: Workplace): readonly (readonly Call[])[] => [
    [{ name: "write", input: { path: "check.sh", content: `cp ${home}/keys/key taken\n` } }],
    [bash("sh check.sh", "the test needs it")],
  ];

  it.each(rows(["bash(sh check.sh)", "Bash(sh:*)", "bash"], theFirst))(
    "does not let it leave: %s; what the model wrote into it is refused there",
    async (rule) => {
      const { place, results } = await play(messages, ["--allow", rule]);
      expect(results[1]).toContain(`the rule "${rule}" does not apply; only a rule outside(…) does`);
      expect(existsSync(join(place.cwd, "taken"))).toBe(false);
    },
  );

  it("lets it if it says so (the twin)", LONG_ONLY, async () => {
    const { place } = await play(messages, ["--allow", "outside(sh check.sh)"]);
    expect(readFileSync(join(place.cwd, "taken"), "utf8")).toContain(KEY);
  });
});
