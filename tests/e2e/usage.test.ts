// `indus usage`: what sessions used, by the real command, over logs that it wrote and over logs that are written here.

import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { UsageRow } from "../../packages/induscode/src/parts/usage/usage-sum.ts";
import { LONG_ONLY } from "../support/long-form.ts";
import { createServedShared } from "../support/served-workplace.ts";
import { openTerminal } from "../support/terminal.ts";

const MODEL = ["--model", "anthropic/scripted"] as const;
const USAGE = { input: 1_000, output: 100, cacheRead: 3_000, cacheWrite: 50 } as const;
const REPLY = 0.0455; // of the input, read from a cache or not, each token costs the same here

interface Told {
  readonly rows: readonly UsageRow[];
  readonly total: UsageRow;
  readonly logs: number;
  readonly problems: readonly string[];
}

async function twoTasks() {
  const place = await createServedShared([
    { calls: [{ name: "ls", input: {} }], usage: USAGE },
    { text: "done", usage: USAGE },
    { text: "more", usage: USAGE },
  ]);
  const price = { input: 10, output: 50 };
  writeFileSync(
    join(place.home, "models.json"),
    JSON.stringify({ models: { "anthropic/scripted": { price } } }),
  );
  await place.run(["-p", "go", ...MODEL]);
  await place.run(["-p", "more", ...MODEL]);
  const usage = async (...args: readonly string[]): Promise<Told> =>
    JSON.parse((await place.run(["usage", "--json", ...args])).stdout) as Told;
  return { ...place, usage };
}

const ALL = {
  requests: 3,
  inputTokens: 3_000,
  outputTokens: 300,
  cacheReadTokens: 9_000,
  cacheWriteTokens: 150,
  calls: 1,
};

describe("what sessions used", () => {
  it.each([
    ["day", /^\d{4}-\d\d-\d\d$/],
    ["folder", /\/work$/],
    ["model", /^anthropic\/scripted$/],
  ])("by %s: tokens read, cached and written, cost and time", async (by, name) => {
    const { usage } = await twoTasks();
    const { rows, total, logs } = await usage("--by", by);
    expect([rows.length, logs]).toEqual([1, 2]);
    expect(rows[0]?.name).toMatch(name);
    for (const row of [rows[0], total]) {
      expect(row).toMatchObject(ALL);
      expect(row?.dollars).toBeCloseTo(3 * REPLY);
      expect(row?.modelMs).toBeGreaterThanOrEqual(0);
    }
  });

  it(
    "by addon: the calls of its tools, what the model read of them, what it changed",
    LONG_ONLY,
    async () => {
      const { usage, file, run } = await twoTasks();
      file(
        "a.ts",
        [
          'import { transform } from "induscode/addons";',
          "export function register(s) {",
          '  s.addTool({ name: "spell", description: "x", parameters: { type: "object" }, run: () => "abra ".repeat(80) });',
          '  s.on("input:submit", transform(({ text }) => ({ text: text + "!" })));',
          "}",
        ].join("\n"),
      );
      const cassette = [
        '{"cassette":1,"about":"x"}',
        '{"turn":1,"reply":{"message":{"role":"assistant","content":[{"kind":"tool_call","id":"c","name":"spell","input":{}}]},"usage":{"outputTokens":9,"thinkingTokens":4}}}',
        '{"turn":2,"reply":{"message":{"role":"assistant","content":[{"kind":"text","text":"Done."}]}}}',
      ];
      file("c.jsonl", `${cassette.join("\n")}\n`);
      const args = [
        "-p",
        "cast",
        "--addon",
        "a.ts",
        "--grant",
        "a",
        "--cassette",
        "c.jsonl",
        "--allow",
        "spell",
      ];
      expect((await run(args)).code).toBe(0);
      const { rows, total } = await usage("--by", "addon");
      expect(rows.find(({ name }) => name.endsWith("a"))).toMatchObject({
        calls: 1,
        resultTokens: 100,
        changes: 1,
      });
      expect(rows.map(({ calls }) => calls)).toEqual([1, 1]);
      expect(total.thinkingTokens).toBe(4);
    },
  );

  it("counts what a fork shares once, and what is in the trash", LONG_ONLY, async () => {
    const { usage, run, logs, server } = await twoTasks();
    const before = await usage();
    const [first = ""] = logs();
    expect((await run(["-p", "on", "-r", basename(first, ".jsonl"), "--fork", ...MODEL])).code).toBeLessThan(
      2,
    );
    const requests = server.requests.length;
    const after = await usage();
    expect([after.logs, before.total.requests]).toEqual([3, 3]);
    expect(after.total.calls).toBe(before.total.calls);
    await run(["sessions", "rm", basename(first, ".jsonl")]);
    expect((await usage()).total).toEqual(after.total);
    expect(requests).toBeGreaterThan(3);
  });

  it("leaves out what is older, and names a log that it cannot read", async () => {
    const { usage, home, run, logs } = await twoTasks();
    expect((await usage("--since", "1h")).total.requests).toBe(3);
    const [log = ""] = logs();
    const old = '"type":"assistant","message":{"role":"assistant","content":[]},"stop":"complete"';
    const tokens = '"usage":{"inputTokens":5,"outputTokens":0,"cacheReadTokens":0,"cacheWriteTokens":0}';
    appendFileSync(log, `{"n":99,"at":1000,${old},${tokens}}\n`);
    expect((await usage("--since", "1h")).total.requests).toBe(3);
    expect((await usage()).total).toMatchObject({ requests: 4, unpriced: 1 });
    mkdirSync(join(home, "sessions/x-00000000"), { recursive: true });
    writeFileSync(
      join(home, "sessions/x-00000000/new.jsonl"),
      `{"n":0,"at":1,"type":"session","v":9,"id":"n"}\n{"n":1,"at":1000,${old},${tokens}}\n`,
    );
    const { code, stderr } = await run(["usage"]);
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/cannot be read: 1 \(.*new\.jsonl: it has format 9/),
    ]);
    expect(await usage()).toMatchObject({ problems: [expect.any(String)], total: { requests: 4 } });
  });

  it("books everything to one folder, though a line that raised a log's format named none", async () => {
    const { usage, logs } = await twoTasks();
    const log = logs()[0] ?? "";
    const [head = "", ...rest] = readFileSync(log, "utf8").split("\n");
    const raised = head.replace('"v":1', '"v":2').replace(/"cwd":"[^"]*"/, '"cwd":""');
    writeFileSync(log, [head, raised, ...rest].join("\n"));
    expect((await usage("--by", "folder")).rows.map(({ requests }) => requests)).toEqual([3]);
  });

  it("says that there is nothing", async () => {
    const place = await createServedShared([]);
    expect(await place.run(["usage"])).toMatchObject({ code: 0, stdout: "No usage yet.\n" });
    expect((await place.run(["usage", "--since", "soon"])).code).toBe(2);
    expect((await place.run(["usage", "--by", "moon"])).code).toBe(2);
  });

  it("is a table in a pipe, with bars on a terminal", LONG_ONLY, async () => {
    const place = await twoTasks();
    const { stdout } = await place.run(["usage", "--by", "model"]);
    expect(stdout).toMatch(/^model +requests +read +cached .*\nanthropic\/scripted +3 +3\.0k +9\.0k .*\n/);
    expect(stdout).not.toContain("█");
    const args = ["usage", "--by", "model"];
    const terminal = openTerminal({ console: "none", place, url: place.server.url, args, columns: 140 });
    expect(await terminal.left).toBe(0);
    expect(terminal.screen()).toMatch(/anthropic\/scripted .* █{20}/);
  });

  it("fits a terminal: bars go, then columns without a figure; what else is not shown in full is named", async () => {
    const place = await createServedShared([]);
    const folders = [`/${"deep/".repeat(40)}end`, "/work"];
    mkdirSync(join(place.home, "sessions/x-00000000"), { recursive: true });
    for (const [at, cwd] of folders.entries()) {
      const usage = { inputTokens: 2_000, outputTokens: 90, cacheReadTokens: 6_000, cacheWriteTokens: 40 };
      const bodies = [
        { type: "session", v: 1, id: `s${at}`, cwd, version: "1" },
        { type: "request", digest: "d" },
        {
          type: "assistant",
          message: { role: "assistant", content: [] },
          stop: "complete",
          usage,
          cost: 0.5,
        },
        { type: "tool", callId: "c", name: "ls", state: "ok", text: "", durationMs: 3_000 },
      ];
      const lines = bodies.map((body, n) => `${JSON.stringify({ n, at: 42_000 * n, ...body })}\n`);
      writeFileSync(join(place.home, `sessions/x-00000000/s${at}.jsonl`), lines.join(""));
    }
    const shown = async (columns: number): Promise<readonly string[]> => {
      const args = ["usage", "--by", "folder"];
      const terminal = openTerminal({ console: "none", place, url: place.server.url, args, columns });
      expect(await terminal.left).toBe(0);
      return terminal.screen().split("\n");
    };
    expect((await shown(400))[1]).toMatch(/^(?:\/deep)+\/end +1 .* 3\.0 s {2}█{20}$/);
    expect((await shown(80)).slice(0, 5)).toEqual([
      "folder                 requests  read  cached  written   cost      models  tools",
      "/deep/deep…p/deep/end         1  2.0k    6.0k       90  $0.50      42.0 s  3.0 s",
      "/work                         1  2.0k    6.0k       90  $0.50      42.0 s  3.0 s",
      "total                         2  4.0k   12.0k      180  $1.00  1 min 24 s  6.0 s",
      "Not shown in full: folder, to cache; --json has all.",
    ]);
    expect((await shown(100))[0]).toMatch(/ to cache .* tools$/); // nobody was thinking
  });
});
