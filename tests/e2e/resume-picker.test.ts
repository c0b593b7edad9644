// Finding a session from within a console and going on with it: `/resume`, and `-r` without an id, in both consoles.

import { renameSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { createSharedWorkplace } from "../support/indus.ts";
import { LONG_ONLY } from "../support/long-form.ts";
import type { RecordedRequest } from "../support/model-server.ts";
import { openRichConsole, RICH_IDLE } from "../support/open-console.ts";
import { createServedShared } from "../support/served-workplace.ts";
import { openTerminal } from "../support/terminal.ts";
import { until } from "../support/until.ts";

const MODEL = ["--model", "anthropic/x"] as const;
const sent = (request: RecordedRequest | undefined): string => JSON.stringify(request?.body.messages);
const idOf = (log = ""): string => basename(log, ".jsonl");

describe("/resume in lines", () => {
  it("lists the sessions by numbers, searches what was said, and goes on with one in the same process", async () => {
    const { run, server, logs } = await createServedShared((_request, index) => ({
      text: `answer ${index}`,
    }));
    await run(["-p", "about apples", ...MODEL]);
    await run(["-p", "about pears", ...MODEL]);
    const [apples, pears] = logs();
    const stdin = [
      "/resume",
      "/resume 2",
      "go on",
      "/resume pears",
      "/resume 1",
      "and here",
      "/resume nowhere said",
    ];
    const { stdout } = await run([...MODEL], { stdin: `${stdin.join("\n")}\n` });
    expect(stdout).toMatch(
      / {4}1 {2}about pears {2}\(0 min ago, 1 turn[^\n]*complete\)[^\n]*\n[^\n]*answer 1\n {4}2 {2}about apples/,
    );
    expect(stdout).toContain(`You are now in ${idOf(apples)}: about apples`);
    expect(stdout).toMatch(/› about apples\n\nanswer 0\n/);
    expect(stdout).toContain(`You are now in ${idOf(pears)}: about pears`);
    expect(stdout).toContain('No session contains "nowhere said".');
    expect(sent(server.requests[2])).toMatch(/about apples.*answer 0.*go on/);
    expect(sent(server.requests[3])).toMatch(/about pears.*answer 1.*and here/);
    expect(logs()).toHaveLength(2);
    for (const each of logs()) expect((await run(["session", "verify", idOf(each)])).code).toBe(0);
  });

  it(
    "takes the beginning of an id, and says so where it is this session or there is none",
    LONG_ONLY,
    async () => {
      const { run, logs } = await createServedShared(() => ({ text: "yes" }));
      expect((await run([...MODEL], { stdin: "/resume\n" })).stdout).toContain(
        "No sessions in this folder yet.",
      );
      await run(["-p", "about apples", ...MODEL]);
      const id = idOf(logs()[0]);
      const { stdout } = await run([...MODEL], { stdin: `/resume ${id}\n/resume ${id}\n` });
      expect(stdout).toContain(`You are now in ${id}: about apples`);
      expect(stdout).toContain("You are already in that session.");
      const begun = await run([...MODEL], { stdin: `/resume ${id.slice(0, 8)}\n` });
      expect(begun.stdout).toContain(`You are now in ${id}: about apples`);
    },
  );

  it(
    "names the sessions whose ids begin alike, and keeps its list where a number is not in it",
    LONG_ONLY,
    async () => {
      const { run, logs } = await createServedShared(() => ({ text: "yes" }));
      for (const fruit of ["apples", "pears"]) await run(["-p", `about ${fruit}`, ...MODEL]);
      const ids = logs().map(idOf).sort();
      for (const [at, log] of logs().entries())
        renameSync(log, join(dirname(log), `20261125-13000000${at}-aaaa.jsonl`));
      const stdin = [
        "/resume 20261125-13",
        "/resume",
        "/resume 99",
        "/resume 0",
        "/resume nowhere",
        "/resume 2",
      ];
      const { stdout } = await run([...MODEL], { stdin: `${stdin.join("\n")}\n` });
      expect(stdout).toContain(
        '"20261125-13" is ambiguous (20261125-130000001-aaaa or 20261125-130000000-aaaa): give more of the id',
      );
      expect(stdout).toContain("Session 99 not found: the list has numbers 1 to 2.");
      expect(stdout).toContain("Session 0 not found: the list has numbers 1 to 2.");
      expect(stdout).toContain(`You are now in ${ids[0]}: about apples`);
    },
  );

  it("searches a word with which an id happens to begin", LONG_ONLY, async () => {
    const { run, logs } = await createServedShared(() => ({ text: "yes" }));
    await run(["-p", "about apples", ...MODEL]);
    const [log = ""] = logs();
    renameSync(log, join(dirname(log), "fixed-pears.jsonl"));
    await run(["-p", "what was fixed", ...MODEL]);
    const { stdout } = await run([...MODEL], { stdin: "/resume fixed\n" });
    expect(stdout).toContain("1  what was fixed");
    expect(stdout).not.toContain("about apples");
  });

  it("begins with -r without an id; with -p that is a mistake", LONG_ONLY, async () => {
    const { run } = await createServedShared(() => ({ text: "yes" }));
    await run(["-p", "about apples", ...MODEL]);
    expect((await run([...MODEL, "-r"], { stdin: "" })).stdout).toContain("1  about apples");
    const refused = await run(["-p", "x", ...MODEL, "-r"]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("-r needs an id here")]);
  });
});

describe("in the rich console", () => {
  it("-r without an id shows the list with previews; what is typed is searched for in what was said", async () => {
    const place = createSharedWorkplace();
    for (const fruit of ["apples", "pears"]) {
      const { type, waitFor, left } = await openRichConsole(() => ({ text: `what to know of ${fruit}` }), {
        place,
      });
      type(`about ${fruit === "apples" ? "the red ones" : "others"}\r`);
      await waitFor(`what to know of ${fruit}`);
      await waitFor(RICH_IDLE);
      type("/quit\r");
      await left;
    }
    const { type, answer, waitFor, server } = await openRichConsole(() => ({ text: "Yes." }), {
      place,
      args: ["-r"],
      idle: /Which session\?[\s\S]*❯ about others/,
    });
    await waitFor("… what to know of pears");
    await answer("apples");
    await waitFor(/find: apples[\s\S]*❯ about the red ones[\s\S]*what to know of apples/);
    type("\r");
    await waitFor(
      /› about the red ones[\s\S]*what to know of apples[\s\S]*You are now in [\w-]+: about the red ones/,
    );
    await waitFor(RICH_IDLE);
    type("go on\r");
    await waitFor("Yes.");
    expect(sent(server.requests[0])).toMatch(/about the red ones.*what to know of apples.*go on/);
  });

  it(
    "what was typed while indus started chooses nothing in the list of -r, and stands in the line",
    LONG_ONLY,
    async () => {
      const place = createSharedWorkplace();
      const first = await openRichConsole([{ text: "Red they are." }], { place });
      first.type("about apples\r");
      await first.waitFor("Red they are.");
      await first.waitFor(RICH_IDLE);
      first.type("/quit\r");
      await first.left;
      const { type, answer, waitFor, screen } = openTerminal({
        ...{
          console: "rich",
          place,
          url: "http://127.0.0.1:1",
          args: ["--model", "anthropic/scripted", "-r"],
        },
      });
      type("plums\x1b[B\n\n");
      await waitFor(/Which session\?[\s\S]*find: ▏\n❯ about apples/);
      await until(() => !screen().includes("pause to answer"));
      expect(screen()).not.toContain("This is ");
      await answer("\r"); // is an answer again
      await waitFor(/You are now in [\w-]+: about apples[\s\S]*› plums/);
    },
  );

  it(
    "what is typed on before the list is there stays in the line, and chooses nothing",
    LONG_ONLY,
    async () => {
      const { type, waitFor, screen } = await openRichConsole([{ text: "Heard." }]);
      type("one\r");
      await waitFor("Heard.");
      await waitFor(RICH_IDLE);
      type("/tree\rpe");
      await waitFor(/find: ▏\n❯ /);
      expect(screen()).not.toContain("find: pe");
      type("\x1b");
      await waitFor(/not answered[\s\S]*\n\n› pe\n *anthropic/);
    },
  );
});
