// Forks of a session: by a flag, by a command, and where another process has it open.

import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import { readLog } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import type { RecordedRequest } from "../support/model-server.ts";
import { createServedShared } from "../support/served-workplace.ts";
import { until } from "../support/until.ts";

const MODEL = ["--model", "anthropic/x"] as const;
const sent = (request: RecordedRequest | undefined): string => JSON.stringify(request?.body.messages);
const idOf = (log: string): string => basename(log, ".jsonl");

describe("a session that another process has open", () => {
  it("is forked with a word, and both go on", async () => {
    const release = Promise.withResolvers<void>();
    const { run, server, logs } = await createServedShared((request) =>
      sent(request).includes("slow") && !sent(request).includes("me too")
        ? { text: "late", trouble: { kind: "held", until: release.promise } }
        : { text: "quick" },
    );
    await run(["-p", "begin", ...MODEL]);
    const [log = ""] = logs();
    const first = run(["-p", "slow", "-c", ...MODEL]);
    await until(() => server.requests.length === 2);
    const before = readFileSync(log);
    const second = await run(["-p", "me too", "-c", ...MODEL]);
    expect(second).toMatchObject({ code: 0, stdout: "quick\n" });
    expect(second.stderr).toMatch(
      new RegExp(
        `this is [\\w-]+, a fork of the session ${idOf(log)}, which is in use by process \\d+; both can continue`,
      ),
    );
    expect(readFileSync(log)).toEqual(before);
    expect(sent(server.requests.at(-1))).toMatch(/begin.*slow.*me too/);
    release.resolve();
    expect((await first).stdout).toBe("late\n");
    expect(logs()).toHaveLength(2);
    for (const each of logs()) expect((await run(["session", "verify", idOf(each)])).code).toBe(0);
  });

  it("is refused with --no-fork", async () => {
    const release = Promise.withResolvers<void>();
    const { run, server, logs } = await createServedShared(() => ({
      text: "late",
      trouble: { kind: "held", until: release.promise },
    }));
    const first = run(["-p", "slow", ...MODEL]);
    await until(() => server.requests.length === 1);
    const second = await run(["-p", "me too", "-c", "--no-fork", ...MODEL]);
    expect(second.code).toBe(1);
    expect(second.stderr).toContain("is in use by process");
    release.resolve();
    expect((await first).stdout).toBe("late\n");
    expect(logs()).toHaveLength(1);
  });
});

describe("--fork", () => {
  it.each(rows(["anthropic/x", "openai/x"], theFirst))(
    "leaves the session as it is, and sends what that would have sent (%s)",
    async (model) => {
      const { run, server, logs } = await createServedShared((_request, index) =>
        index === 0 ? { calls: [{ name: "ls", input: {} }] } : { text: "yes" },
      );
      await run(["-p", "look", "--model", model]);
      const [log = ""] = logs();
      const before = readFileSync(log);
      const last = server.requests.at(-1)?.rawBody ?? "";
      await run(["-p", "the same line", "-r", idOf(log), "--fork", "--model", model]);
      const forked = server.requests.at(-1)?.rawBody ?? "";
      expect(readFileSync(log)).toEqual(before);
      await run(["-p", "the same line", "-r", idOf(log), "--model", model]);
      expect(server.requests.at(-1)?.rawBody).toBe(forked);
      const shared = last.indexOf('"messages"');
      expect(forked.slice(0, shared)).toBe(last.slice(0, shared));
      const [head] = readLog(logs().find((each) => each !== log) ?? "");
      expect(head).toMatchObject({ n: 0, type: "session", parent: { session: idOf(log) } });
      for (const each of logs()) expect((await run(["session", "verify", idOf(each)])).code).toBe(0);
    },
  );

  it("goes with a session to fork, and not with --no-fork", async () => {
    const { run } = await createServedShared([]);
    const alone = await run(["-p", "x", "--fork", ...MODEL]);
    expect([alone.code, alone.stderr]).toEqual([2, expect.stringContaining("--fork and --no-fork need -c")]);
    expect((await run(["-p", "x", "-c", "--fork", "--no-fork", ...MODEL])).code).toBe(2);
    expect((await run(["-p", "x", "-c", "--fork", ...MODEL])).stderr).toContain("no sessions in ");
  });
});

describe("/fork", () => {
  it("goes on in a copy; with a number from before that many lines", LONG_ONLY, async () => {
    const { run, server, logs } = await createServedShared(() => ({ text: "ok" }));
    const stdin = "line one\nline two\n/fork\nline three\n/fork 2\nline four\n/fork 9\n/fork x\n";
    const { stdout } = await run([...MODEL], { stdin });
    const [first = "", second = "", third = ""] = logs();
    expect(logs()).toHaveLength(3);
    expect(stdout).toContain(`a fork of ${idOf(first)}. Files are unchanged.`);
    expect(stdout).toContain(`a fork of ${idOf(second)}, before "line two".`);
    expect(stdout).toContain("You have entered fewer than 9 lines in this session");
    expect(stdout).toContain("Usage: /fork, or /fork N");
    expect(sent(server.requests[2])).toMatch(/line one.*line two.*line three/);
    expect(sent(server.requests[3])).toMatch(/line one.*line four/);
    expect(sent(server.requests[3])).not.toMatch(/line two|line three/);
    expect(readLog(first).filter(({ type }) => type === "user")).toHaveLength(2);
    expect(readLog(third).filter(({ type }) => type === "user")).toHaveLength(2);
    for (const each of logs()) expect((await run(["session", "verify", idOf(each)])).code).toBe(0);
  });

  it("says so where nothing was said yet", async () => {
    const { run, logs } = await createServedShared([]);
    expect((await run([...MODEL], { stdin: "/fork\n" })).stdout).toContain("There is nothing to fork yet");
    expect(logs()).toEqual([]);
  });
});
