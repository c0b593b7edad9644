// What a conversation relied on is there again when it goes on: the real command, ended and started again.

import { existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createSharedWorkplace, readLog } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import { type RecordedRequest, type ScriptedTurn, startModelServer } from "../support/model-server.ts";
import { createPromptCache } from "../support/prompt-cache.ts";
import { createServedShared } from "../support/served-workplace.ts";
import { openTerminal } from "../support/terminal.ts";

const MODEL = ["--model", "anthropic/x"] as const;
const calls = (name: string, input: unknown): ScriptedTurn => ({ calls: [{ name, input }] });
const says = (text: string): ScriptedTurn => ({ text });
const sent = (request: RecordedRequest | undefined): string => JSON.stringify(request?.body.messages);

/** The log's lines, each changed or dropped: how an older version, or an accident, would have left them. */
function rewriteLog(path: string, change: (entry: Record<string, unknown>) => unknown): void {
  const lines = readLog(path).map((entry) => JSON.stringify(change({ ...entry })));
  writeFileSync(path, `${lines.join("\n")}\n`);
}

it("a background command ended with the process that ran it: person and model are told, once", async () => {
  const { run, server } = await createServedShared([
    calls("process", { action: "start", command: "sleep 600" }),
    says("started"),
    says("go on"),
    says("and on"),
  ]);
  await run(["-p", "serve it", "--permission-mode", "bypass", ...MODEL]);
  const told = /Ended with the process that ran this session before: .{0,4}sleep 600/g;
  expect((await run(["-p", "is it up?", "-c", ...MODEL])).stderr).toMatch(told);
  expect((await run(["-p", "and now?", "-c", ...MODEL])).stderr).not.toMatch(told);
  expect(sent(server.requests.at(-1)).match(told)).toHaveLength(1);
});

it("another model than before is said, unless it was named for this run", async () => {
  const { run } = await createServedShared([says("one"), says("two"), says("three"), says("four")]);
  await run(["-p", "first", ...MODEL]);
  const said =
    /The last request of this session went to anthropic\/x; it continues with (anthropic\/\S+)\. To have the former again: --model anthropic\/x,/;
  const other = await run(["-p", "second", "-c"]);
  expect(other.stderr).toMatch(said);
  expect((await run(["-p", "third", "-c"])).stderr).not.toContain("it continues with");
  expect((await run(["-p", "fourth", "-c", ...MODEL])).stderr).not.toContain("it continues with");
});

describe("the checklist", () => {
  const items = [{ id: "a", text: "find the leak", status: "active" }];

  it("is what it was", async () => {
    const { run, server } = await createServedShared([
      calls("todo_set", { items }),
      says("noted"),
      calls("todo_read", {}),
      says("go on"),
    ]);
    await run(["-p", "plan", ...MODEL]);
    await run(["-p", "what is left?", "-c", ...MODEL]);
    expect(sent(server.requests[3])).toContain(
      '1 item: 0 pending, 1 active, 0 done\\n[~] a: find the leak"}]',
    );
  });

  it.each([
    ["-c in the console", ["-c"], "what is left?\n"],
    ["-c in JSON mode", ["--json", "what is left?", "-c"], undefined],
    ["-r", ["-p", "what is left?", "-r", "20"], undefined],
  ])("also with %s", async (_way, args, stdin) => {
    const { run, server } = await createServedShared([
      calls("todo_set", { items }),
      says("noted"),
      calls("todo_read", {}),
      says("go on"),
    ]);
    await run(["-p", "plan", ...MODEL]);
    await run([...args, ...MODEL], stdin === undefined ? {} : { stdin });
    expect(sent(server.requests[3])).toContain("[~] a: find the leak");
  });

  it("also when it was given as a text of JSON, and not when it was refused", async () => {
    const { run, server } = await createServedShared([
      calls("todo_set", JSON.stringify({ items: JSON.parse(JSON.stringify(items)) })),
      calls("todo_set", { items: [{ id: "" }] }),
      says("noted"),
      calls("todo_read", {}),
      says("go on"),
    ]);
    await run(["-p", "plan", ...MODEL]);
    await run(["-p", "what is left?", "-c", ...MODEL]);
    expect(sent(server.requests[4])).toContain("[~] a: find the leak");
  });

  it("is empty in another session of the same folder (the twin)", LONG_ONLY, async () => {
    const { run, server } = await createServedShared([
      calls("todo_set", { items }),
      says("noted"),
      calls("todo_read", {}),
      says("go on"),
    ]);
    await run(["-p", "plan", ...MODEL]);
    await run(["-p", "what is left?", ...MODEL]);
    expect(sent(server.requests[3])).toContain("The checklist is empty.");
  });
});

describe("the files that were read", () => {
  const edit = calls("edit", { path: "a.txt", oldText: "one", newText: "two" });

  /** Reads a.txt, ends, does `meanwhile`, goes on with an edit; answers what the model was told of it. */
  async function editAfter(
    meanwhile: (place: { readonly file: string; readonly log: string }) => void,
    before: readonly ScriptedTurn[] = [calls("read", { path: "a.txt" }), says("read")],
  ): Promise<{ readonly told: string; readonly text: string }> {
    const { run, server, file, logs } = await createServedShared([...before, edit, says("done")]);
    const path = file("a.txt", "one\n");
    await run(["-p", "read it", ...MODEL]);
    meanwhile({ file: path, log: logs()[0] ?? "" });
    await run(["-p", "edit it", "-c", ...MODEL]);
    return { told: sent(server.requests.at(-1)), text: readFileSync(path, "utf8") };
  }

  it("may be edited when they are as they were", async () => {
    const { told, text } = await editAfter(() => undefined);
    expect(told).toContain("Edited a.txt: 1 replacement.");
    expect(text).toBe("two\n");
  });

  it.each(
    rows(
      [
        ["changed in size", (file: string) => writeFileSync(file, "one and more\n")],
        ["changed in time", (file: string) => utimesSync(file, new Date(), new Date(Date.now() + 60_000))],
        ["replaced by an older copy of the same size", (file: string) => utimesSync(file, 1_000, 1_000)],
      ],
      theFirst,
    ),
  )("may not when they were %s", async (_what, change) => {
    const { told, text } = await editAfter(({ file }) => change(file));
    expect(told).toContain("File has been modified since read");
    expect(text).toMatch(/^one/);
  });

  it("are those of what was written and edited as well", LONG_ONLY, async () => {
    const { told } = await editAfter(
      () => undefined,
      [
        calls("read", { path: "a.txt" }),
        calls("edit", { path: "a.txt", oldText: "one", newText: "one, one" }),
        calls("write", { path: "a.txt", content: "one" }),
        says("written"),
      ],
    );
    expect(told).toContain("Edited a.txt: 1 replacement.");
  });

  it(
    "are not known from a log of an earlier version, which opens all the same (the twin)",
    LONG_ONLY,
    async () => {
      const { told, text } = await editAfter(({ log }) => rewriteLog(log, ({ files: _, ...entry }) => entry));
      expect(told).toContain("File has not been read yet. Read it first before writing to it.");
      expect(text).toBe("one\n");
    },
  );

  it("are those of this session alone", LONG_ONLY, async () => {
    const { run, server, file } = await createServedShared([
      calls("read", { path: "a.txt" }),
      says("read"),
      edit,
      says("done"),
    ]);
    file("a.txt", "one\n");
    await run(["-p", "read it", ...MODEL]);
    await run(["-p", "edit it", ...MODEL]);
    expect(sent(server.requests.at(-1))).toContain("File has not been read yet.");
  });
});

describe("what a session forgets", () => {
  const edit = calls("edit", { path: "a.txt", oldText: "one", newText: "two" });

  it.each(
    rows(
      [
        ["/clear", "File has not been read yet"],
        ["/new", "File has not been read yet"],
        ["/help", "Edited a.txt"], // the twin
      ],
      theFirst,
    ),
  )("after %s the model is told: %s", async (command, told) => {
    const { run, server, file } = await createServedShared([
      { calls: [{ id: "r", name: "read", input: { path: "a.txt" } }] },
      says("read"),
      edit,
      says("done"),
    ]);
    file("a.txt", "one\n");
    await run([...MODEL], { stdin: `read it\n${command}\nedit it\n` });
    expect(sent(server.requests.at(-1))).toContain(told);
  });

  it("it forgets as well when it goes on: a cleared view stays cleared", LONG_ONLY, async () => {
    const { run, server, file } = await createServedShared([
      calls("todo_set", { items: [{ id: "a", text: "find the leak", status: "active" }] }),
      calls("read", { path: "a.txt" }),
      says("read"),
      edit,
      calls("todo_read", {}),
      says("done"),
    ]);
    file("a.txt", "one\n");
    await run([...MODEL], { stdin: "read it\n/clear\n" });
    await run(["-p", "edit it", "-c", ...MODEL]);
    expect(sent(server.requests.at(-1))).toContain("File has not been read yet");
    expect(sent(server.requests.at(-1))).toContain("The checklist is empty.");
  });
});

describe("the bytes of the request", () => {
  it.each(rows(["anthropic/x", "openai/x"], theFirst))(
    "%s: the first one after -c begins with the last one before",
    async (model) => {
      const { run, server, file } = await createServedShared([
        { thinking: "hm", ...calls("read", { path: "a/b.txt" }) },
        { thinking: "so", text: "It says one." },
        says("And more."),
        says("And still more."),
      ]);
      file("a/b.txt", "one");
      file("AGENTS.md", "rules ".repeat(2_000));
      file("a/AGENTS.md", "rules of a");
      await run(["-p", "look", "--model", model]);
      await run(["-p", "and now", "-c", "--model", model]);
      await run(["-p", "and again", "-c", "--model", model]);
      const cache = createPromptCache();
      const uses = server.requests.map((request) => cache.take(request));
      const newest = (at: number): number => (uses[at]?.total ?? 0) - (uses[at]?.read ?? 0);
      expect(uses[1]?.total).toBeGreaterThan(20_000);
      expect(uses[2]?.read).toBe(uses[1]?.total); // everything before the answer to it
      expect(uses[3]?.read).toBe(uses[2]?.total);
      expect(newest(2)).toBeLessThan(500);
      // The prompt in force is the logged one: going on writes no other.
      expect(
        server.requests
          .map(({ body }) => JSON.stringify(body.tools))
          .every((one, _at, [first]) => one === first),
      ).toBe(true);
    },
  );

  it.each(rows(["anthropic/x", "openai/x"], theFirst))(
    "%s: a prompt with another clock costs the cache (the twin)",
    LONG_ONLY,
    async (model) => {
      const { run, server, file, logs } = await createServedShared([says("one"), says("two")]);
      file("AGENTS.md", "rules ".repeat(2_000));
      await run(["-p", "look", "--model", model]);
      rewriteLog(logs()[0] ?? "", ({ clock: _, ...entry }) => entry);
      await run(["-p", "and now", "-c", "--model", model]);
      const cache = createPromptCache();
      const [first, second] = server.requests.map((request) => cache.take(request));
      expect(second?.read).toBeLessThan((first?.total ?? 0) / 2);
    },
  );

  it("one prompt entry stands in the log, and every request is explained", async () => {
    const { run, entries } = await createServedShared([says("one"), says("two")]);
    await run(["-p", "look", ...MODEL]);
    await run(["-p", "and now", "-c", ...MODEL]);
    expect(entries().filter(({ type }) => type === "prompt")).toHaveLength(1);
    expect((await run(["session", "verify"])).code).toBe(0);
  });

  it("another prompt keeps the clock, and what changed in it is logged", LONG_ONLY, async () => {
    const { run, entries, file } = await createServedShared([says("one"), says("two")]);
    await run(["-p", "look", ...MODEL]);
    file("AGENTS.md", "a rule that came later");
    await run(["-p", "and now", "-c", ...MODEL]);
    const prompts = entries().flatMap((entry) => (entry.type === "prompt" ? [entry] : []));
    const clockIn = (system: string | undefined): string | undefined =>
      /^Current time: .*$/m.exec(system ?? "")?.[0];
    expect(prompts).toHaveLength(2);
    expect(clockIn(prompts[1]?.system)).toBe(clockIn(prompts[0]?.system));
    expect(prompts[1]?.system).toContain("a rule that came later");
  });
});

describe("what was allowed for the session", () => {
  const runs = (command: string): ScriptedTurn => calls("bash", { command });

  /** A session on a terminal in which `mkfifo one` was allowed for the session. */
  async function allowed(script: readonly ScriptedTurn[]) {
    const server = await startModelServer([runs("mkfifo one"), says("touched"), ...script]);
    onTestFinished(server.close);
    const place = createSharedWorkplace(server.url);
    const open = (args: readonly string[]) =>
      openTerminal({
        console: "plain",
        place,
        url: server.url,
        args: ["--model", "anthropic/scripted", ...args],
      });
    const first = open([]);
    await first.waitFor(/\n› ?$/);
    first.type("go\r");
    await first.waitFor("mkfifo one");
    await first.waitFor("this session");
    await first.answer("s\r");
    await first.waitFor("touched");
    return { server, place, open, first };
  }

  it("still is after -c, and only that; it is said once", async () => {
    const { place, open, first, server } = await allowed([
      runs("mkfifo one"),
      says("again"),
      runs("mkfifo two"),
    ]);
    first.type("/quit\r");
    await first.left;
    rmSync(join(place.cwd, "one"));
    const second = open(["-c"]);
    await second.waitFor("still allowed from earlier in this session: bash(mkfifo one)");
    await second.waitFor(/\n› ?$/);
    second.type("again\r");
    await second.waitFor("again");
    await second.waitFor(/— 2 turns/);
    expect(existsSync(join(place.cwd, "one"))).toBe(true);
    expect(sent(server.requests.at(-1))).not.toContain("Refused");
    second.type("more\r");
    await second.waitFor("mkfifo two");
    await second.waitFor("this session");
    await second.answer("n\r");
    second.type("\x03");
  });

  it("also without a terminal; a new session was allowed nothing (the twin)", LONG_ONLY, async () => {
    const { place, first, server } = await allowed([
      runs("mkfifo one"),
      says("again"),
      runs("mkfifo one"),
      says("refused"),
    ]);
    first.type("/quit\r");
    await first.left;
    const resumed = await place.run(["-p", "again", "-c", ...MODEL]);
    expect(resumed.stderr).toContain("still allowed from earlier in this session: bash(mkfifo one)");
    expect(sent(server.requests[3])).not.toContain("Refused");
    await place.run(["-p", "again", ...MODEL]);
    expect(sent(server.requests[5])).toContain(
      "Refused: bash was not run, because no rule allows this command",
    );
  });

  it("ends with the session: /new asks again", LONG_ONLY, async () => {
    const { first } = await allowed([runs("mkfifo one"), says("never")]);
    first.type("/new\r");
    await first.waitFor("New session:");
    first.type("go\r");
    await first.waitFor(/mkfifo one[\s\S]*mkfifo one[\s\S]*this session/);
    await first.answer("n\r");
    first.type("\x03");
  });
});

describe("the documents of deeper folders", () => {
  const read = calls("read", { path: "a/x.txt" });
  const shown = (request: RecordedRequest | undefined): number =>
    sent(request).split("rules of a").length - 1;

  it("that are in view are not shown again after -c, and are where they changed", async () => {
    const { run, server, file } = await createServedShared([
      read,
      says("1"),
      read,
      says("2"),
      read,
      says("3"),
    ]);
    file("a/AGENTS.md", "rules of a");
    file("a/x.txt", "x");
    await run(["-p", "look", ...MODEL]);
    await run(["-p", "look again", "-c", ...MODEL]);
    expect([1, 3].map((at) => shown(server.requests[at]))).toEqual([1, 1]);
    file("a/AGENTS.md", "other rules of a");
    await run(["-p", "and again", "-c", ...MODEL]);
    expect(sent(server.requests[5])).toContain("other rules of a");
  });

  it(
    "would be shown twice by a session that does not know what was shown (the twin)",
    LONG_ONLY,
    async () => {
      const { run, server, file, logs } = await createServedShared([read, says("1"), read, says("2")]);
      file("a/AGENTS.md", "rules of a");
      file("a/x.txt", "x");
      await run(["-p", "look", ...MODEL]);
      rewriteLog(logs()[0] ?? "", ({ documents: _, ...entry }) => entry);
      await run(["-p", "look again", "-c", ...MODEL]);
      expect(shown(server.requests[3])).toBe(2);
    },
  );

  it("are in view again as soon as a summary took them out, in the very next request", async () => {
    const full = { usage: { input: 190_000 } };
    const { run, server, file, entries } = await createServedShared([
      read,
      { ...calls("ls", { path: "b" }), ...full },
      says("SUMMARY"),
      says("done"),
      read,
      says("read again"),
    ]);
    file("a/AGENTS.md", "rules of a");
    file("a/x.txt", "x");
    file("b/y.txt", "y");
    await run(["-p", "look", ...MODEL]);
    expect(sent(server.requests[3])).toContain("[summary of the session so far]");
    expect(shown(server.requests[3])).toBe(1);
    const after = entries().slice(entries().findIndex(({ type }) => type === "summary"));
    const rules = after.filter(
      (each) => each.type === "notice" && JSON.stringify(each).includes("rules of a"),
    );
    expect(rules).toHaveLength(1);
    await run(["-p", "look again", "-c", ...MODEL]); // what the summary brought back counts as shown
    expect(shown(server.requests[5])).toBe(1);
    expect((await run(["session", "verify"])).code).toBe(0);
  });
});
