// What a session costs, through the real command: in the log, in --json, on the console, by model, with its delegates, and
// the limit that a person sets.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Workplace } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import type { Script } from "../support/model-server.ts";
import { createServedShared } from "../support/served-workplace.ts";

const MODEL = ["--model", "anthropic/scripted"] as const;
// A reply of the script: 1,000 tokens in and 100 out are one cent and a half cent.
const USAGE = { input: 1_000, output: 100 } as const;
const PRICE = { input: 10, output: 50 };
const REPLY = 0.015;

function price(place: Workplace, of: object = PRICE): void {
  const models = { "anthropic/scripted": { price: of } };
  writeFileSync(join(place.home, "models.json"), JSON.stringify({ models }));
}

const LOOK: Script = [
  { calls: [{ name: "ls", input: {} }], usage: USAGE },
  { text: "done", usage: USAGE },
];

describe("a session's cost", () => {
  it("is in each reply and at the end, in the log and in --json", async () => {
    const place = await createServedShared(LOOK);
    price(place);
    const { code, stdout } = await place.run(["--json", ...MODEL, "go"]);
    expect(code).toBe(0);
    const told = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const costs = (lines: readonly { readonly type: string; readonly cost?: number }[], type: string) =>
      lines.filter((line) => line.type === type).map(({ cost }) => cost);
    expect(costs(told, "assistant")).toEqual([REPLY, REPLY]);
    expect(costs(told, "end")).toEqual([2 * REPLY]);
    expect(costs(place.entries() as never, "end")).toEqual([2 * REPLY]);
    expect((await place.run(["session", "verify"])).code).toBe(0);
  });

  it(
    "is on the console after each task, by model with /cost, and goes on with the session",
    LONG_ONLY,
    async () => {
      const place = await createServedShared([
        ...(LOOK as readonly object[]),
        { text: "more", usage: USAGE },
      ]);
      price(place);
      const first = await place.run([...MODEL], { stdin: "go\n" });
      expect(first.stdout).toMatch(/— 2 turns, .*, 2\.0k tokens in, 200 out, \$0\.03\n/);
      const second = await place.run(["-c", ...MODEL], { stdin: "more\n/cost\n" });
      expect(second.stdout).toMatch(/— 1 turn, .*, 1\.0k tokens in, 100 out, \$0\.01\d?\n/);
      expect(second.stdout).toContain("anthropic/scripted  3 calls  3.0k tokens in, 300 out  $0.04");
    },
  );

  it("has what is kept in the prompt cache for an hour at its own price, where models.json asks for that", async () => {
    const usage = { ...USAGE, cacheWrite: 1_000, hourWrite: 1_000 };
    const place = await createServedShared([
      { text: "done", usage },
      { text: "done", usage: { ...usage, hourWrite: 0 } },
    ]);
    const of = { price: { ...PRICE, cacheRead: 1, cacheWrite: 12.5 } };
    const models = (cache: object): void =>
      writeFileSync(
        join(place.home, "models.json"),
        JSON.stringify({ models: { "anthropic/scripted": { ...of, ...cache } } }),
      );
    const costs: unknown[] = [];
    for (const cache of [{ cache: "1h" }, {}]) {
      models(cache);
      const { stdout } = await place.run(["--json", ...MODEL, "go"]);
      costs.push(JSON.parse(stdout.trim().split("\n").at(-1) ?? "").cost);
    }
    expect(costs).toEqual([REPLY + 0.02, REPLY + 0.0125]);
    const [hour = "", five = ""] = place.server.requests.map(({ rawBody }) => rawBody);
    expect(hour).toContain('"cache_control":{"type":"ephemeral","ttl":"1h"}');
    expect(hour).not.toContain('"cache_control":{"type":"ephemeral"}');
    expect(five).not.toContain('"ttl"'); // the twin
    models({ cache: "2h" });
    expect((await place.run(["models", "scripted"])).stderr).toContain(
      'cache must be "5m" or "1h"; it is ignored',
    );
  });

  it("is known of the model that a key alone stands for, and a limit can be kept with it", async () => {
    const place = await createServedShared([{ text: "done", usage: { input: 100_000, output: 10_000 } }]);
    const { code, stdout } = await place.run(["--json", "--max-cost", "1", "go"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout.trim().split("\n").at(-1) ?? "")).toMatchObject({ type: "end", cost: 0.3 });
    expect(place.server.requests[0]?.body.model).toBe("claude-sonnet-5-5");
  });

  it("counts what delegates cost, once", LONG_ONLY, async () => {
    const place = await createServedShared(({ rawBody }, index) => {
      if (rawBody.includes("You are the delegate")) return { text: "found", usage: USAGE };
      return index === 0
        ? { calls: [{ name: "task", input: { agent: "scout", objective: "look" } }], usage: USAGE }
        : { text: "done", usage: USAGE };
    });
    price(place);
    place.file(".indus/agents/scout.toml", 'description = "Looks."\nprompt = "Be brief."\n');
    const { stdout } = await place.run([...MODEL], { stdin: "go\n/cost\n" });
    expect(stdout).toMatch(/— 3 turns, .*, 3\.0k tokens in, 300 out, \$0\.0[45]/);
    expect(stdout).toMatch(/delegates +1 run +\$0\.01/);
    expect(stdout).toMatch(/total \$0\.0[45]/);
    const own = place.logs().find((log) => !log.includes("/delegates/")) ?? "";
    expect(place.entriesOf(own).find(({ type }) => type === "tool")).toMatchObject({ cost: REPLY });
  });

  it("is not claimed where the price is not known", async () => {
    const place = await createServedShared([{ text: "done", usage: USAGE }]);
    const { stdout } = await place.run([...MODEL], { stdin: "go\n/cost\n" });
    expect(stdout).toMatch(/— 1 turn, [^$]* tokens in, [\d.]+k? out\n/);
    expect(stdout).toContain("The price of anthropic/scripted is not known");
    expect(JSON.stringify(place.entries())).not.toContain('"cost"');
  });
});

describe("--max-cost", () => {
  it("stops before the next model call once so much was spent, and says why", async () => {
    const place = await createServedShared(LOOK);
    price(place);
    const { code, stdout, stderr } = await place.run(["-p", ...MODEL, "--max-cost", "0.01", "go"]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("Stopped: $0.01 spent, and the limit of this run is $0.01 (maxCost)");
    expect(place.server.requests).toHaveLength(1);
    expect(place.entries().at(-1)).toMatchObject({ type: "end", how: "faulted" });
  });

  it("lets a task through that stays below it; the setting is the same", async () => {
    const place = await createServedShared(LOOK);
    price(place);
    writeFileSync(join(place.home, "settings.json"), JSON.stringify({ maxCost: 0.02 }));
    expect(await place.run(["-p", ...MODEL, "go"])).toMatchObject({ code: 0, stdout: "done\n" });
  });

  it("counts a long prompt at its higher price, which models.json has too", async () => {
    const above = [{ tokens: 999, input: 20, output: 100 }];
    const place = await createServedShared(LOOK);
    price(place, { ...PRICE, above });
    const { code, stderr } = await place.run(["-p", ...MODEL, "--max-cost", "0.02", "go"]);
    expect([code, place.server.requests.length]).toEqual([1, 1]);
    expect(stderr).toContain("Stopped: $0.03 spent");
    price(place, { ...PRICE, above: [{ ...above[0], tokens: 1_000 }] }); // the twin: no more than that is no long prompt
    expect((await place.run(["-p", ...MODEL, "--max-cost", "0.02", "go"])).stderr).not.toContain("$0.03");
    const { stdout } = await place.run(["models", "scripted"]);
    expect(stdout).toContain("10 / 50, 20 / 100 above 1k");
  });

  it("holds for a session and its delegates together", async () => {
    const place = await createServedShared(({ rawBody }) =>
      rawBody.includes("You are the delegate")
        ? { calls: [{ name: "ls", input: {} }], usage: USAGE }
        : { calls: [{ name: "task", input: { agent: "scout", objective: "look" } }], usage: USAGE },
    );
    price(place);
    place.file(".indus/agents/scout.toml", 'description = "Looks."\nprompt = "Be brief."\n');
    const { code } = await place.run(["-p", ...MODEL, "--max-cost", "0.05", "go"]);
    expect(code).toBe(1);
    expect(place.server.requests).toHaveLength(4);
  });

  it("asks nothing of a model whose price is not known", async () => {
    const place = await createServedShared(LOOK);
    const { code, stderr } = await place.run(["-p", ...MODEL, "--max-cost", "1", "go"]);
    expect(code).toBe(1);
    expect(stderr).toContain(
      "The price of anthropic/scripted is unknown, so a limit of $1.00 cannot be enforced.",
    );
    expect(place.server.requests).toHaveLength(0);
  });

  it.each(rows(["0", "-1", "much", "Infinity"], theFirst))("refuses %j", async (amount) => {
    const place = await createServedShared(LOOK);
    const { code, stderr } = await place.run(["-p", ...MODEL, `--max-cost=${amount}`, "go"]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("--max-cost takes an amount in dollars above 0"),
    ]);
  });

  it("a limit that is misspelt or no number ends the start: without it more would pass", async () => {
    const place = await createServedShared(LOOK);
    for (const wrong of [{ maxCost: "1" }, { maxcost: 1 }]) {
      writeFileSync(join(place.home, "settings.json"), JSON.stringify(wrong));
      expect((await place.run(["-p", ...MODEL, "go"])).code).not.toBe(0);
    }
    expect(place.server.requests).toHaveLength(0);
  });
});

it("a wrong price is named and left out", async () => {
  const place = await createServedShared([{ text: "done" }]);
  const wrong = [
    { input: "ten" },
    { ...PRICE, above: { tokens: 1_000, ...PRICE } },
    { ...PRICE, above: [PRICE] },
    { ...PRICE, above: [{ tokens: 1_000, input: 1 }] },
    { ...PRICE, above: [{ tokens: 1_000, ...PRICE, above: [] }] },
  ];
  for (const each of wrong) {
    price(place, each);
    const { stderr } = await place.run(["models", "scripted"]);
    expect(stderr, JSON.stringify(each)).toContain("price must be dollars per million tokens");
  }
});
