// The tree of a session, as a person uses it: jumps in one file, from the plain console and the rich one, and what goes on from them.

import { readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import { readLog } from "../support/indus.ts";
import { LONG_ONLY } from "../support/long-form.ts";
import type { RecordedRequest } from "../support/model-server.ts";
import { openRichConsole, RICH_IDLE } from "../support/open-console.ts";
import { createServedShared } from "../support/served-workplace.ts";

const MODEL = ["--model", "anthropic/x"] as const;
const sent = (request: RecordedRequest | undefined): string => JSON.stringify(request?.body.messages);
const idOf = (log: string): string => basename(log, ".jsonl");

describe("/tree", () => {
  it("shows the turns, goes on from one of them in the same file, and comes back", async () => {
    const { run, server, logs } = await createServedShared((_request, index) => ({
      text: `answer ${index}`,
    }));
    const lines = [
      "line one",
      "line two",
      "/tree",
      "/tree 1",
      "line three",
      "/tree",
      "/tree 2",
      "line four",
      "/tree before 3",
    ];
    const { stdout } = await run([...MODEL], {
      stdin: `${[...lines, "/tree 9", "/tree what"].join("\n")}\n`,
    });
    const [log = "", ...others] = logs();
    expect(others).toEqual([]);
    expect(stdout).toMatch(
      / {4}1 ● line one {2}\(0 min ago\)\n {4}2 ● line two {2}← here {2}\(0 min ago\)\n/,
    );
    expect(stdout).toContain('The conversation continues after turn 1, "line one".');
    expect(stdout).toMatch(
      / {4}1 ● line one[^\n]*\n {4}2 {3}○ line two[^\n]*\n {4}3 ● line three[^\n]*← here/,
    );
    expect(stdout).toContain('before turn 3, "line three"');
    expect(stdout).toContain("The line was: line three");
    expect(stdout).toContain("Turn 9 not found: this session has 4.");
    expect(stdout).toContain("Usage: /tree, /tree N");
    expect(sent(server.requests[2])).toMatch(/line one.*answer 0.*line three/);
    expect(sent(server.requests[2])).not.toContain("line two");
    expect(sent(server.requests[3])).toMatch(/line one.*line two.*answer 1.*line four/);
    expect(sent(server.requests[3])).not.toContain("line three");
    const verified = await run(["session", "verify", idOf(log)]);
    expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining("explained")]);
  });

  it(
    "is followed by -c, by --fork and by /fork N, which write the same bytes before the new line",
    LONG_ONLY,
    async () => {
      const { run, server, logs } = await createServedShared((_request, index) => ({
        text: `answer ${index}`,
      }));
      await run([...MODEL], { stdin: "line one\nline two\n/tree 1\nline three\n" });
      const [log = ""] = logs();
      const last = server.requests.at(-1)?.rawBody ?? "";
      await run(["-p", "go on", "-r", idOf(log), "--fork", ...MODEL]);
      const forked = server.requests.at(-1)?.rawBody ?? "";
      await run(["-p", "go on", "-r", idOf(log), ...MODEL]);
      const gone = server.requests.at(-1);
      expect(gone?.rawBody).toBe(forked);
      expect(sent(gone)).toMatch(/line one.*answer 0.*line three.*go on/);
      expect(sent(gone)).not.toContain("line two");
      expect(forked.slice(0, last.indexOf('"messages"'))).toBe(last.slice(0, last.indexOf('"messages"')));
      await run(["-r", idOf(log), ...MODEL], { stdin: "/fork 2\nline four\n" });
      expect(sent(server.requests.at(-1))).toMatch(/line one.*line four/);
      expect(sent(server.requests.at(-1))).not.toMatch(/line two|line three|go on/);
      for (const each of logs()) expect((await run(["session", "verify", idOf(each)])).code).toBe(0);
    },
  );

  it("brings a summary of the branch that is left, when it is asked for one", LONG_ONLY, async () => {
    const { run, server } = await createServedShared((request) =>
      sent(request).includes("Do not call a tool") ? { text: "two failed because of X" } : { text: "yes" },
    );
    const { stdout } = await run([...MODEL], { stdin: "line one\nline two\n/tree 1 summary\nline three\n" });
    expect(stdout).toContain("The model has a summary of the turns that you left.");
    expect(sent(server.requests.at(-1))).toMatch(
      /line one.*summary of another branch.*two failed because of X.*line three/,
    );
    expect(sent(server.requests.at(-1))).not.toContain("line two");
  });

  it("says so where nothing was said yet", LONG_ONLY, async () => {
    const { run, logs } = await createServedShared([]);
    expect((await run([...MODEL], { stdin: "/tree\n/tree 1\n" })).stdout).toMatch(
      /(Nothing has been said in this session yet\.[\s\S]*){2}/,
    );
    expect(logs()).toEqual([]);
  });
});

describe("/compact undo", () => {
  it("brings all of it back into view, once, and not over what was said since", async () => {
    const { run, server, logs } = await createServedShared((request) =>
      sent(request).includes("Do not call a tool") ? { text: "all that matters" } : { text: "yes" },
    );
    const lines = [
      "/compact undo",
      "line one",
      "/compact",
      "/compact undo",
      "line two",
      "/compact",
      "line three",
    ];
    const { stdout } = await run([...MODEL], { stdin: `${[...lines, "/compact undo"].join("\n")}\n` });
    expect(stdout).toContain("No summary to undo.");
    expect(stdout).toContain("The summary is undone: the model sees everything again.");
    expect(stdout).toContain(
      "The conversation has continued since then, and undoing would hide the later turns. To go back anyway: /tree before 4",
    );
    expect(sent(server.requests[2])).toMatch(/line one.*yes.*line two/);
    expect(sent(server.requests[2])).not.toContain("all that matters");
    expect(sent(server.requests[4])).toMatch(/all that matters.*line three/);
    expect((await run(["session", "verify", idOf(logs()[0] ?? "")])).code).toBe(0);
  });
});

describe("in the rich console", () => {
  it("Esc twice lists the turns; one is found, and its line comes back to be written anew", async () => {
    const { type, waitFor, server } = await openRichConsole((_request, index) => ({
      text: `answer ${index}`,
    }));
    for (const [at, line] of ["line one", "line two"].entries()) {
      type(`${line}\r`);
      await waitFor(`answer ${at}`);
      await waitFor(RICH_IDLE);
    }
    type("\x1b");
    await waitFor("press Esc again to go back to an earlier turn");
    type("\x1b");
    await waitFor(/Where should the conversation continue\?[\s\S]*❯ +2 ● line two {2}← here/);
    type("one");
    await waitFor(/find: one[\s\S]*❯ +1 ● line one/);
    type("\r");
    await waitFor("❯ continue after this turn");
    type("\x1b[B");
    await waitFor("❯ go back before this turn, and rewrite it");
    type("\r");
    await waitFor(/\n› line one[^\n]*\n *anthropic\/scripted[^\n]*$/);
    type(" anew\r");
    await waitFor("answer 2");
    expect(sent(server.requests[2])).toContain("line one anew");
    expect(sent(server.requests[2])).not.toMatch(/line two|answer/);
  });

  it("draws what is left of the conversation after a jump", LONG_ONLY, async () => {
    const { type, waitFor } = await openRichConsole((_request, index) => ({ text: `answer ${index}` }));
    for (const [at, line] of ["line one", "line two"].entries()) {
      type(`${line}\r`);
      await waitFor(`answer ${at}`);
      await waitFor(RICH_IDLE);
    }
    type("/tree 1\r");
    await waitFor(
      /› line two[\s\S]*answer 1[\s\S]*› line one[\s\S]*answer 0[\s\S]*continues after turn 1, "line one"/,
    );
  });

  it("stays where it is when the list is left", LONG_ONLY, async () => {
    const { type, waitFor, server } = await openRichConsole((_request, index) => ({
      text: `answer ${index}`,
    }));
    type("line one\r");
    await waitFor("answer 0");
    await waitFor(RICH_IDLE);
    type("/tree\r");
    await waitFor("Where should the conversation continue?");
    type("\x1b");
    await waitFor("The conversation continues where it is.");
    await waitFor(RICH_IDLE);
    type("line two\r");
    await waitFor("answer 1");
    expect(sent(server.requests[1])).toMatch(/line one.*line two/);
  });
});

describe("a log with branches", () => {
  it(
    "is of format 2 from its first jump on; one of format 4 is refused and stays as it is",
    LONG_ONLY,
    async () => {
      const { run, logs, cwd } = await createServedShared(() => ({ text: "yes" }));
      await run([...MODEL], { stdin: "line one\n/tree 0\nline two\n" });
      const [log = ""] = logs();
      expect(readLog(log).flatMap((entry) => (entry.type === "session" ? [entry.v, entry.cwd] : []))).toEqual(
        [...[1, cwd], ...[2, cwd]],
      );
      const newer = readFileSync(log, "utf8").replace('"type":"session","v":2', '"type":"session","v":4');
      writeFileSync(log, newer);
      const refused = await run(["-p", "go on", "-r", idOf(log), ...MODEL]);
      expect(refused.code).not.toBe(0);
      expect(refused.stderr).toContain(
        "it has format 4, written by a newer indus; this indus reads formats up to 3",
      );
      expect(readFileSync(log, "utf8")).toBe(newer);
    },
  );
});
