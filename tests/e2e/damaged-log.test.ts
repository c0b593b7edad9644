// A session whose log was damaged goes on: the real command, a file that something happened to, and providers that refuse
// what real ones refuse.

import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import { rows, theFirst } from "../support/long-form.ts";
import type { RecordedRequest, ScriptedTurn } from "../support/model-server.ts";
import { refusalOf } from "../support/request-rules.ts";
import { createServedShared } from "../support/served-workplace.ts";

const MODELS = ["anthropic/x", "openai/x"] as const;
const idOf = (log: string): string => basename(log, ".jsonl");
const sent = (request: RecordedRequest | undefined): string => JSON.stringify(request?.body.messages);

/** A provider that answers what is valid and refuses the rest, as the real ones do. */
const strict = (request: RecordedRequest): ScriptedTurn => {
  const refusal = refusalOf(request.wire, request.body);
  if (refusal !== undefined) return { trouble: { kind: "status", status: 400, message: refusal } };
  const conversation = sent(request);
  if (conversation.includes("Write a summary")) return { text: "SUMMARY" };
  if (conversation.includes("go on")) return { text: "went on" };
  const calls = conversation.split("file number").length - 1;
  if (calls > 0) return { text: "looked" };
  return {
    text: "Let me look.",
    calls: [1, 2].map((at) => ({ id: `call_${at}`, name: "read", input: { path: `${at}.txt` } })),
  };
};

/** A session that read two files, and what is done to its log. */
async function damaged(model: string, damage: (log: string) => void) {
  const place = await createServedShared(strict);
  for (const at of [1, 2]) place.file(`${at}.txt`, `file number ${at}`);
  expect((await place.run(["-p", "look", "--model", model])).code).toBe(0);
  const log = place.logs()[0] ?? "";
  damage(log);
  return { ...place, log };
}

/** Zeroes one byte in the middle of the first line that holds `what`. */
const zeroIn =
  (what: string) =>
  (log: string): void => {
    const bytes = readFileSync(log);
    const at = bytes.indexOf(what);
    expect(at).toBeGreaterThan(0);
    bytes[at + 3] = 0;
    writeFileSync(log, bytes);
  };

const LINES: readonly (readonly [string, string])[] = [
  ["the call's answer", '"type":"assistant"'],
  ["one outcome", '"type":"tool"'],
  ["the person's line", '"type":"user"'],
  ["the prompt", '"type":"prompt"'],
  ["the first line", '"type":"session"'],
];

describe.each(rows(MODELS, theFirst))("%s", (model) => {
  it.each(rows(LINES, theFirst))("goes on, and says so, with a zeroed byte in %s", async (_what, marker) => {
    const { run, log, server } = await damaged(model, zeroIn(marker));
    const { code, stdout, stderr } = await run(["-p", "go on", "-c", "--model", model]);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: "went on\n",
      stderr: expect.stringContaining(`the session ${idOf(log)} has 1 damaged line, skipped; lacks 1 entry`),
    });
    expect(
      refusalOf(server.requests.at(-1)?.wire ?? "openai", server.requests.at(-1)?.body ?? {}),
    ).toBeUndefined();
    const verified = await run(["session", "verify"]);
    expect(verified.code).toBe(1);
    expect(verified.stdout).toContain("The log has 1 damaged line, skipped.");
  });

  it.each(rows(LINES.slice(0, 2), theFirst))(
    "can be compacted with a zeroed byte in %s",
    async (_what, marker) => {
      const { run, entriesOf, log } = await damaged(model, zeroIn(marker));
      const { code, stdout } = await run(["-c", "--model", model], { stdin: "/compact\ngo on\n" });
      expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining("went on") });
      const text = readFileSync(log, "utf8").replaceAll("\0", "");
      writeFileSync(
        log,
        text
          .split("\n")
          .filter((line) => line === "" || isJson(line))
          .join("\n"),
      );
      expect(entriesOf(log).some(({ type }) => type === "summary")).toBe(true);
    },
  );
});

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

describe("what is told", () => {
  it.each(
    rows<[string, (log: string) => void, string]>(
      [
        [
          "an outcome that is gone",
          zeroIn('"type":"tool"'),
          "has 1 damaged line, skipped; lacks 1 entry; to the model, 1 call is shown with the outcome as lost",
        ],
        [
          "calls that are gone",
          zeroIn('"type":"assistant"'),
          "has 1 damaged line, skipped; lacks 1 entry; to the model, 2 outcomes without their call are not shown",
        ],
        [
          "a torn end",
          (log) => appendFileSync(log, "x".repeat(400)),
          "ended with 400 bytes of an incomplete entry, cut off",
        ],
        [
          "an end of zeros",
          (log) => appendFileSync(log, "\0".repeat(4_096)),
          "ended with 4096 bytes of zeros, cut off",
        ],
      ],
      theFirst,
    ),
  )("%s", async (_what, damage, told) => {
    const { run, log } = await damaged("anthropic/x", damage);
    const first = await run(["-p", "go on", "-c", "--model", "anthropic/x"]);
    expect(first.code).toBe(0);
    expect(first.stderr).toContain(`indus: the session ${idOf(log)} ${told}\n`);
    if (!told.includes("cut off")) return;
    const second = await run(["-p", "go on", "-c", "--model", "anthropic/x"]);
    expect(second.stderr).not.toContain("the session"); // what was cut is gone
  });

  it.each(
    rows<[string, (log: string) => void]>(
      [
        ["a byte order mark", (log) => writeFileSync(log, `\ufeff${readFileSync(log, "utf8")}`)],
        ["blank lines", (log) => writeFileSync(log, readFileSync(log, "utf8").replaceAll("\n", "\n\n"))],
        ["a last line without its newline", (log) => writeFileSync(log, readFileSync(log, "utf8").trimEnd())],
      ],
      theFirst,
    ),
  )("nothing of %s: nothing is lost", async (_what, damage) => {
    const { run, log, server } = await damaged("anthropic/x", damage);
    const { code, stderr } = await run(["-p", "go on", "-c", "--model", "anthropic/x"]);
    expect(code).toBe(0);
    expect(stderr).not.toContain(idOf(log));
    expect(sent(server.requests.at(-1))).toMatch(/look.*file number 1.*file number 2.*looked.*go on/);
    expect((await run(["session", "verify"])).code).toBe(0);
  });
});

describe("what only reads a session", () => {
  it.each([[["export"]], [["session", "cassette"]]])("%j says what the log lost", async (command) => {
    const { run, log } = await damaged("anthropic/x", zeroIn('"type":"tool"'));
    const { code, stdout, stderr } = await run([...command, idOf(log), "-o", "-"]);
    expect([code, stderr]).toEqual([
      0,
      `indus: the session ${idOf(log)} has 1 damaged line, skipped; lacks 1 entry\n`,
    ]);
    expect(stdout).toContain("looked");
  });

  it.each([
    ["zeros", "\0".repeat(4_000), "it contains no readable entry; ended with 4000 bytes of zeros, cut off"],
    ["nothing", "", "it contains no readable entry"],
  ])("is refused a log of %s, and replaces nothing", async (_what, content, why) => {
    const { run, file, log } = await damaged("anthropic/x", (path) => writeFileSync(path, content));
    const good = file("good.md", "good");
    for (const command of [["export"], ["session", "cassette"]])
      expect(await run([...command, idOf(log), "-o", good])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`: ${why}\n`),
      });
    expect(readFileSync(good, "utf8")).toBe("good");
    expect(await run(["session", "verify", idOf(log)])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("The log contains no readable entry."),
    });
    expect((await run(["usage"])).stderr).toContain(
      `cannot be read: 1 (${log}: it contains no readable entry`,
    );
  });
});

it("a session that cannot be read is named by its verification", async () => {
  const { run, log } = await damaged("anthropic/x", (path) => {
    rmSync(path);
    mkdirSync(path);
  });
  expect(await run(["session", "verify", idOf(log)])).toMatchObject({
    code: 1,
    stderr: `indus: the session log ${log} cannot be verified: it is not a regular file\n`,
  });
});

describe("a session of a newer format", () => {
  const asNewer = (log: string): void =>
    writeFileSync(
      log,
      readFileSync(log, "utf8").replace('"v":1', '"v":4').concat('{"n":99,"at":1,"type":"mood"}\n'),
    );
  const WHY = "it has format 4, written by a newer indus; this indus reads formats up to 3";

  it("is refused by -r, -c and verify with one clear line, and not touched", async () => {
    const { run, log } = await damaged("anthropic/x", asNewer);
    const before = readFileSync(log, "utf8");
    const named = await run(["-p", "go on", "-r", idOf(log), "--model", "anthropic/x"]);
    expect(named).toMatchObject({
      code: 1,
      stdout: "",
      stderr: `indus: The session log ${log} cannot be read: ${WHY}. Update indus, or start a new session.\n`,
    });
    const newest = await run(["-p", "go on", "-c", "--model", "anthropic/x"]);
    expect(newest).toMatchObject({ code: 1, stderr: expect.stringContaining(`: ${WHY}`) });
    const verified = await run(["session", "verify"]);
    expect(verified).toMatchObject({ code: 1, stderr: expect.stringContaining(WHY) });
    expect(readFileSync(log, "utf8")).toBe(before);
    expect(existsSync(`${log}.lock`)).toBe(false);
  });
});

describe("a newer session that cannot be read", () => {
  it("is passed over with a word, and the one before goes on", async () => {
    const { run, logs, log } = await damaged("anthropic/x", () => undefined);
    await run(["-p", "look again", "--model", "anthropic/x"]);
    const newer = logs().find((each) => each !== log) ?? "";
    writeFileSync(newer, "\0".repeat(500));
    utimesSync(newer, new Date(), new Date(Date.now() + 60_000)); // its lines say no time
    const { code, stdout, stderr } = await run(["-p", "go on", "-c", "--model", "anthropic/x"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "went on\n" });
    expect(stderr).toContain(
      `indus: skipped the newer session ${idOf(newer)}: it contains no readable entry. Using ${idOf(log)}.\n`,
    );
  });

  it.skipIf(process.getuid?.() === 0)("also where it belongs to somebody else", async () => {
    const { run, logs, log } = await damaged("anthropic/x", () => undefined);
    await run(["-p", "look again", "--model", "anthropic/x"]);
    const newer = logs().find((each) => each !== log) ?? "";
    chmodSync(newer, 0);
    const { stderr } = await run(["-p", "go on", "-c", "--model", "anthropic/x"]);
    expect(stderr).toContain(`skipped the newer session ${idOf(newer)}: EACCES`);
  });

  it("the newest is the one that was written last, whatever the files' times say", async () => {
    const { run, logs, log, server } = await damaged("anthropic/x", () => undefined);
    await run(["-p", "another look", "--model", "anthropic/x"]);
    utimesSync(log, new Date(), new Date(Date.now() + 60_000)); // a backup touched the older one
    expect(logs()).toHaveLength(2);
    await run(["-p", "go on", "-c", "--model", "anthropic/x"]);
    expect(sent(server.requests.at(-1))).toContain("another look");
  });
});

describe("an entry of which only a newer version knows all is no damage", () => {
  const LATER: readonly (readonly [string, (n: number) => string, type: string])[] = [
    ["with a number and a time", (n) => `{"n":${n},"at":1,"type":"hologram","x":[1]}\n`, "hologram"],
    ["with a time in other words", (n) => `{"n":${n},"at":"noon","type":"hologram"}\n`, "hologram"],
    ["without either", () => '{"type":"hologram"}\n', "hologram"],
    ["without a line end", (n) => `{"n":${n},"at":1,"type":"hologram"}`, "hologram"],
    [
      "of a known type with a new kind of block",
      (n) => `{"n":${n},"at":1,"type":"user","content":[{"kind":"hologram","x":1}]}\n`,
      "user",
    ],
    [
      "of a known type with a new kind of message",
      (n) =>
        `{"n":${n},"at":1,"type":"assistant","message":{"role":"hologram"},"usage":{"inputTokens":1,"outputTokens":1,"cacheReadTokens":0,"cacheWriteTokens":0}}\n`,
      "assistant",
    ],
  ];

  it.each(rows(LATER, theFirst))(
    "%s: every way to read the log names it and goes on",
    async (_, line, type) => {
      const said = `has 1 entry written by a newer version, skipped: "${type}"`;
      const { run, log } = await damaged("anthropic/x", (path) =>
        appendFileSync(path, line(readFileSync(path, "utf8").split("\n").length - 1)),
      );
      for (const args of [["session", "verify"], ["export"], ["usage"]]) {
        const { code, stdout, stderr } = await run(args);
        expect([args, code]).toEqual([args, 0]);
        expect(stdout + stderr, args.join(" ")).toContain(said);
        expect(stdout + stderr).not.toMatch(/[1-9]\d* damaged line|incomplete entry/);
      }
      const { code, stdout, stderr } = await run(["-p", "go on", "-c", "--model", "anthropic/x"]);
      expect([code, stdout]).toEqual([0, "went on\n"]);
      expect(stderr).toContain(`the session ${idOf(log)} ${said}`);
      expect((await run(["session", "verify"])).code).toBe(0);
    },
  );

  it("a known type in a shape that is none is damage (the twin)", async () => {
    const { run } = await damaged("anthropic/x", (path) =>
      appendFileSync(
        path,
        `{"n":${readFileSync(path, "utf8").split("\n").length - 1},"at":1,"type":"user"}\n`,
      ),
    );
    const { code, stdout } = await run(["session", "verify"]);
    expect(code).toBe(1);
    expect(stdout).toContain("1 damaged line");
  });
});
