// Long sessions on each wire, through the real command, against a server that refuses what the real provider refuses: tools,
// thinking, pictures, outcomes that fail, waits, cut answers, a process that is killed, a session that goes on and one that is
// compacted. Not one request may be refused, and the prompt cache must hold nearly all of what is sent.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { WireName } from "../../packages/indusagi/src/llmgateway/wires/table.ts";
import { createSharedWorkplace, type Workplace } from "../support/indus.ts";
import { firstOf, LONG_ONLY, rows } from "../support/long-form.ts";
import type { CacheUse } from "../support/prompt-cache.ts";
import { type StrictServer, type StrictTurn, startStrictServer } from "../support/strict/server.ts";

const MODELS: Readonly<Record<WireName, string>> = {
  chat: "deepseek-v4",
  gemini: "gemini-3.1-pro-preview",
  messages: "claude-opus-5-5",
  responses: "gpt-6.1-sol",
};
const OTHERS: readonly (readonly [WireName, string])[] = [
  ["gemini", "gemini-2.5-flash"],
  ["messages", "claude-haiku-4-5"],
  ["messages", "claude-sonnet-5-5"],
  // As Bedrock and resellers name them.
  ["messages", "us.anthropic.claude-opus-5-5-v1:0"],
  ["messages", "anthropic/claude-sonnet-4.5"],
];
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

interface Scene extends Workplace {
  readonly server: StrictServer;
  readonly args: readonly string[];
}

async function scene(
  wire: WireName,
  model: string,
  script: Parameters<typeof startStrictServer>[0],
  contextWindow = 1_000_000,
): Promise<Scene> {
  const server = await startStrictServer(script);
  onTestFinished(() => server.close());
  const place = createSharedWorkplace();
  const base = wire === "gemini" ? "/v1beta" : "/v1";
  const strict = {
    wire,
    baseUrl: server.url + base,
    apiKey: "key-of-strict-1234",
    models: { [model]: { contextWindow } },
  };
  writeFileSync(join(place.home, "models.json"), JSON.stringify({ providers: { strict } }));
  place.file("a.txt", "a line of text that is read\n".repeat(30));
  place.bytes("dot.png", PNG);
  return { ...place, server, args: ["--model", `strict/${model}`, "--thinking", "high"] };
}

/** A reply of the session's `at`-th request: every kind of it in turn, and different in each session. */
function varied(at: number): StrictTurn {
  const calls = [
    { name: "read", input: { path: "a.txt", offset: (at % 7) + 1, limit: 12 } },
    { name: "read", input: { path: at % 3 === 0 ? "dot.png" : "missing.txt" } },
    { name: "ls", input: {} },
    { name: "todo_set", input: { items: [{ id: `${at}`, text: "go on", status: "active" }] } },
  ];
  return {
    ...(at % 4 === 3 ? {} : { thinking: `Step ${at}: "there" — and\nwhat follows.` }),
    ...(at % 3 === 1 ? { text: `I look, ${at}.` } : {}),
    calls: calls.slice(at % 2, (at % 2) + 1 + (at % 3)),
  };
}

const share = (uses: readonly CacheUse[]): number => {
  const sum = (field: keyof CacheUse): number => uses.reduce((total, use) => total + use[field], 0);
  return sum("read") / sum("total");
};

const WIRES = Object.entries(MODELS) as [WireName, string][];

// The other wires' requests of a few turns are read by the same servers in tests/e2e/gemini, responses and token-counts.
describe.each(rows(WIRES, ([wire]) => wire === "messages"))("%s", (wire, model) => {
  it(
    "takes every request of 50 turns, 50 after a resume and 50 after a compaction, and reads 93 % of each from the cache",
    LONG_ONLY,
    async () => {
      const { run, server, args } = await scene(wire, model, (at, body) =>
        JSON.stringify(body).includes("Use these headings")
          ? { thinking: "I sum up.", text: "THE SUMMARY" }
          : (at < 102 ? at : at - 1) % 51 < 50
            ? varied(at)
            : { thinking: "Enough.", text: "done" },
      );
      const first = await run(["-p", ...args, "read it often"]);
      expect([first.code, server.refusals]).toEqual([0, []]);
      expect(server.bodies).toHaveLength(51);
      const again = await run(["-p", ...args, "-c", "and again"]);
      expect([again.code, server.refusals]).toEqual([0, []]);
      expect(server.bodies).toHaveLength(102);
      const shares = [share(server.cache.slice(0, 51)), share(server.cache.slice(51))];
      for (const each of shares) expect(each).toBeGreaterThan(0.93);
      // A session that goes on begins where the other ended: what it sends first was there already, but for its line.
      const resumed = server.cache[51];
      expect((resumed?.total ?? 0) - (resumed?.read ?? 0)).toBeLessThan(3_000);
      expect(resumed?.read).toBe(server.cache[50]?.total); // the same bytes before the answer and the new line
      // The picture went along.
      expect(JSON.stringify(server.bodies.at(-1))).toContain(PNG.toString("base64"));
      const { code } = await run([...args, "-c"], { stdin: "/compact\nand once more\n/quit\n" });
      expect([code, server.refusals, server.bodies.length]).toEqual([0, [], 154]);
      expect(JSON.stringify(server.bodies[103])).toContain("THE SUMMARY");
      expect(share(server.cache.slice(103))).toBeGreaterThan(0.93);
    },
  );

  it("takes what follows a compaction, a wait, a cut answer and a killed process", async () => {
    let summaries = 0;
    const { run, server, args } = await scene(
      wire,
      model,
      (at, body) => {
        const isSummary = JSON.stringify(body).includes("Use these headings");
        if (isSummary) {
          summaries++;
          return { thinking: "I sum up.", text: `THE SUMMARY ${summaries}` };
        }
        if (at === 5) return { trouble: "busy" };
        if (at === 8) return { ...varied(at), trouble: "cut" };
        if (at === 12)
          return {
            thinking: "I wait.",
            calls: [
              { name: "bash", input: { command: "touch there; exec sleep 600" } },
              { name: "ls", input: {} },
            ],
          };
        if (at === 58) return { text: "done" };
        return varied(at);
      },
      16_000,
    );
    await run(["-p", "--permission-mode", "bypass", ...args, "read it often"], {
      onStart: (child) => {
        const timer = setInterval(() => {
          if (server.bodies.length < 13) return;
          clearInterval(timer);
          child.kill("SIGKILL");
        }, 50);
        child.on("close", () => clearInterval(timer));
      },
    });
    const again = await run(["-p", ...args, "-c", "and again"]);
    expect([again.code, again.stdout, server.refusals]).toEqual([0, "done\n", []]);
    // Outcomes gave way, or a summary took the place of everything.
    expect(JSON.stringify(server.bodies)).toMatch(/\[To make room, |THE SUMMARY/);
    expect(share(server.cache)).toBeGreaterThan(0.93);
  });
});

it.each(
  rows(
    OTHERS,
    firstOf(([wire]) => wire),
  ),
)("%s: a session of %s", async (wire, model) => {
  const { run, server, args } = await scene(wire, model, (at) => (at < 20 ? varied(at) : { text: "done" }));
  expect([(await run(["-p", ...args, "go"])).code, server.refusals]).toEqual([0, []]);
  expect((await run(["-p", ...args, "-c", "--thinking", "off", "go on"])).code).toBe(0);
  expect(server.refusals).toEqual([]);
});
