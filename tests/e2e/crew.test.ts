// A crew, with the real command: delegates work through the tickets of a plan, and whatever ends them, the next run goes on
// where they ended.

import { type ChildProcess, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { runtimeNode } from "../../scripts/setup.mjs";
import type { Workplace } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import type { Script, ScriptedTurn } from "../support/model-server.ts";
import { createServedShared, createServedWorkplace } from "../support/served-workplace.ts";
import { openTerminal } from "../support/terminal.ts";
import { until } from "../support/until.ts";

const DISK = fileURLToPath(new URL("../support/faulty-disk.cjs", import.meta.url));
const MODEL = ["--model", "anthropic/x"] as const;
const RUN = ["crew", "run", "plan.toml", ...MODEL] as const;
const SILENCE: ScriptedTurn = { text: "Never said.", trouble: { kind: "silence", after: 0 } };

interface Running {
  readonly end: (signal: NodeJS.Signals) => void;
  readonly ended: Promise<number | null>;
}

function start(place: Workplace): Running {
  let child: ChildProcess | undefined;
  const onStart = (started: ChildProcess): void => {
    child = started;
  };
  const ended = place.run(RUN, { onStart }).then(({ code }) => code);
  return { end: (signal) => void child?.kill(signal), ended };
}

/** Answers each delegate: the researcher looks, the coder changes. */
function answers(turns: Readonly<Record<string, readonly ScriptedTurn[]>>): Script {
  const played = new Map<string, number>();
  return ({ rawBody }) => {
    const title = rawBody.includes("You are the delegate coder:") ? "change" : "look";
    const count = played.get(title) ?? 0;
    played.set(title, count + 1);
    return turns[title]?.[count] ?? turns[title]?.at(-1);
  };
}

const PLAN = `members = ["researcher", "coder"]

[[ticket]]
key = "look"
title = "do: look"
agent = "researcher"

[[ticket]]
key = "change"
title = "do: change"
brief = "With care."
agent = "coder"
deps = ["look"]
`;

const statuses = async (place: Workplace): Promise<readonly string[]> => {
  const { stdout } = await place.run(["crew", "status", "plan.toml", "--json"]);
  const { tickets } = JSON.parse(stdout) as { tickets: readonly { title: string; status: string }[] };
  return tickets.map(({ title, status }) => `${title} ${status}`);
};

it(
  "a ticket may name its delegate's model and limits; one that is used up has failed with that",
  LONG_ONLY,
  async () => {
    const place = await createServedShared(({ rawBody }) =>
      rawBody.includes("do: much")
        ? { text: "More.", calls: [{ name: "ls", input: {} }], usage: { input: 1_000, output: 100 } }
        : { text: "Done." },
    );
    const tickets = ['small"\nmodel = "anthropic/small', "own"];
    const plan = tickets
      .map((title) => `[[ticket]]\nagent = "researcher"\ntitle = "do: ${title}"\n`)
      .join("");
    place.file("plan.toml", `${plan}[[ticket]]\nagent = "researcher"\ntitle = "do: much"\ntokens = 1000\n`);
    const { stdout, code } = await place.run(RUN);
    expect(code).toBe(1);
    expect(place.server.requests.map(({ body }) => body.model)).toEqual(["small", "x", "x"]);
    expect(stdout).toContain("it has used 1100 tokens; its limit is 1000");
    const refused: readonly (readonly [line: string, why: string])[] = [
      ["turns = 1.5", "turns: expected a whole number above 0, found 1.5"],
      ["cost = 0", "cost: expected a number above 0, found 0"],
      ["token = 9", 'has no key "token"; did you mean tokens?'],
    ];
    for (const [line, why] of refused) {
      place.file("plan.toml", `[[ticket]]\ntitle = "x"\n${line}\n`);
      expect((await place.run(RUN)).stderr).toContain(why);
    }
    place.file("plan.toml", '[[ticket]]\ntitle = "x"\nturns = 1\n');
    const shared = await place.run([...RUN, "--board", "postgres://me@localhost/work"]);
    expect(shared.stderr).toContain("whoever runs a worker chooses its model and limits");
  },
);

it("tickets are done in the order of what they wait for, and each is told what those came to", async () => {
  const place = await createServedShared(
    answers({ look: [{ text: "The number is 42." }], change: [{ text: "Changed." }] }),
  );
  place.file("plan.toml", PLAN);
  const first = await place.run(RUN);
  expect(first.stdout.split("\n")).toEqual([
    "plan: 2 tickets, 0 already done; members researcher, coder",
    "researcher  starts  do: look",
    "researcher  done  do: look: The number is 42.",
    "coder  starts  do: change",
    "coder  done  do: change: Changed.",
    "2 done, 0 failed, 0 left (2 rounds)",
    "",
  ]);
  expect(first.code).toBe(0);
  const [look, change] = place.server.requests.map(({ rawBody }) => rawBody);
  expect(look).toContain("You are the delegate researcher:");
  expect(look).not.toContain("With care.");
  expect(change).toContain("You are the delegate coder:");
  expect(change).toContain("With care.");
  expect(change).toContain("The number is 42.");
  const status = await place.run(["crew", "status", "plan.toml"]);
  expect([status.code, status.stdout]).toEqual([
    0,
    "done     do: look  (researcher: The number is 42.)\ndone     do: change  (coder: Changed.)\n",
  ]);
  const second = await place.run(RUN);
  expect([second.code, second.stdout]).toEqual([
    0,
    "plan: 2 tickets, 2 already done; members researcher, coder\n0 done, 0 failed, 0 left (0 rounds)\n",
  ]);
  expect(place.server.requests).toHaveLength(2);
});

it("what fails is said, with what waits for it, and the exit code is 1", async () => {
  const place = await createServedShared(answers({ look: [{ text: "" }], change: [{ text: "Changed." }] }));
  place.file("plan.toml", PLAN);
  const { code, stdout } = await place.run(RUN);
  expect(stdout).toContain("0 done, 1 failed, 1 left (1 round)\n");
  expect(stdout).toContain("  failed   do: look  (researcher: The delegate ended without an answer.)\n");
  expect(stdout).toContain("  open     do: change  (waits for do: look)\n");
  expect(code).toBe(1);
});

it(
  "a crew that is killed, or stopped, loses no ticket: the next run does what is left, once",
  LONG_ONLY,
  async () => {
    const place = await createServedShared(
      answers({ look: [{ text: "Seen." }], change: [SILENCE, SILENCE, { text: "Changed." }] }),
    );
    place.file("plan.toml", PLAN);
    for (const [signal, code] of [
      ["SIGKILL", null],
      ["SIGINT", 130],
    ] as const) {
      const before = place.server.requests.length;
      const running = start(place);
      await until(() =>
        place.server.requests.slice(before).some(({ rawBody }) => rawBody.includes("delegate coder:")),
      );
      running.end(signal);
      expect(await running.ended).toBe(code);
      expect(await statuses(place)).toEqual([
        "do: look done",
        signal === "SIGKILL" ? "do: change claimed" : "do: change open",
      ]);
    }
    const { code, stdout } = await place.run(RUN);
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining(
        "plan: 2 tickets, 1 already done; members researcher, coder\ncoder  starts  do: change\n",
      ),
    ]);
    expect(
      place.server.requests.filter(({ rawBody }) => rawBody.includes("delegate researcher:")),
    ).toHaveLength(1);
  },
);

it("of two crews on one plan, the second is refused and changes nothing", LONG_ONLY, async () => {
  const place = await createServedShared(answers({ look: [SILENCE], change: [] }));
  place.file("plan.toml", PLAN);
  const running = start(place);
  await until(() => place.server.requests.length > 0);
  const { code, stderr } = await place.run([...RUN, "--new"]);
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(
      /^indus: a crew is already working on \S+plan\.toml: the board is in use by process \d+\n$/,
    ),
  ]);
  expect(await statuses(place)).toEqual(["do: look claimed", "do: change open"]);
  running.end("SIGINT");
  await running.ended;
});

it.each(
  rows(
    [
      ["another brief", PLAN.replace("With care.", "In haste."), "[[ticket]] 2 differs"],
      ["another order of work", PLAN.replace('deps = ["look"]\n', ""), "[[ticket]] 2 differs"],
      [
        "another priority",
        PLAN.replace('key = "look"', 'key = "look"\npriority = "low"'),
        "[[ticket]] 1 differs",
      ],
      ["fewer tickets", PLAN.slice(0, PLAN.lastIndexOf("[[ticket]]")), "a ticket is missing"],
      ["more tickets", `${PLAN}\n[[ticket]]\ntitle = "more"\n`, "[[ticket]] 3 differs"],
    ],
    theFirst,
  ),
)("a plan with %s is refused until it is as it was, or begun anew", async (_what, changed, said) => {
  const place = await createServedShared(
    answers({ look: [{ text: "Seen." }], change: [{ text: "Changed." }] }),
  );
  place.file("plan.toml", PLAN);
  await place.run(RUN);
  place.file("plan.toml", changed);
  const refused = await place.run(RUN);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain(
    `has changed since its crew started (${said}): restore it to continue, or start over with --new`,
  );
  const anew = await place.run([...RUN, "--new"]);
  expect([anew.code, anew.stdout]).toEqual([0, expect.stringContaining(", 0 failed, 0 left (")]);
});

it("who is to do a ticket may change, and its key", async () => {
  const place = await createServedShared(answers({ look: [{ text: "" }], change: [{ text: "Changed." }] }));
  place.file("plan.toml", PLAN);
  expect((await place.run(RUN)).code).toBe(1);
  place.file("plan.toml", PLAN.replaceAll('"look"', '"see"').replace('"researcher"\n\n', '"coder"\n\n'));
  expect((await place.run(RUN)).stdout).toContain("2 done, 0 failed, 0 left (2 rounds)\n");
});

it("what failed is tried once more by the next run, and said where it fails again", LONG_ONLY, async () => {
  const place = await createServedShared(
    answers({ look: [{ text: "" }, { text: "" }, { text: "Seen." }], change: [{ text: "Changed." }] }),
  );
  place.file("plan.toml", PLAN);
  for (let n = 0; n < 2; n++) {
    const { stdout } = await place.run(RUN);
    expect(stdout).toContain("\nresearcher  failed  do: look: The delegate ended without an answer.\n");
    expect(stdout).toContain("0 done, 1 failed, 1 left (1 round)\n");
  }
  const again = await place.run(RUN);
  expect([again.code, again.stdout]).toEqual([
    0,
    expect.stringContaining("2 done, 0 failed, 0 left (2 rounds)\n"),
  ]);
});

it("with --json a run is one value: its end, and every ticket", async () => {
  const place = await createServedShared(
    answers({ look: [{ text: "Seen." }], change: [{ text: "Changed." }] }),
  );
  place.file("plan.toml", PLAN);
  const { code, stdout } = await place.run([...RUN, "--json"]);
  expect([code, JSON.parse(stdout)]).toEqual([
    0,
    {
      crewId: expect.stringContaining("plan"),
      completed: 2,
      failed: 0,
      rounds: 2,
      left: 0,
      isStopped: false,
      unable: [],
      cost: 0,
      used: ["researcher", "coder"].map((member) => ({
        ...{ ticket: expect.stringMatching(/^tkt_/), member, turns: 1, cost: 0 },
        tokens: expect.any(Number),
        durationMs: expect.any(Number),
      })),
      tickets: [
        expect.objectContaining({
          title: "do: look",
          status: "done",
          assignee: "researcher",
          summary: expect.any(String),
        }),
        expect.objectContaining({ title: "do: change", status: "done", assignee: "coder" }),
      ],
    },
  ]);
});

it("on a terminal a table says who works on what; the lines stay when it is gone", async () => {
  const held = Promise.withResolvers<void>();
  const place = await createServedShared(
    answers({
      look: [
        { text: "I look.", calls: [{ name: "ls", input: {} }] },
        { text: "Seen.", trouble: { kind: "held", until: held.promise } },
      ],
      change: [{ text: "Changed." }],
    }),
  );
  place.file("plan.toml", PLAN);
  const { waitFor, left, screen } = openTerminal({
    console: "none",
    place,
    url: place.server.url,
    args: RUN,
  });
  await waitFor(/\nresearcher {2}starts {2}do: look\n▸ researcher {2}1 turn, [^\n]* {2}do: look/);
  held.resolve();
  expect(await left).toBe(0);
  expect(screen()).toContain("coder  done  do: change: Changed.\n2 done, 0 failed, 0 left (2 rounds)");
  expect(screen()).not.toContain("▸");
});

it(
  "who set the console to plain has lines alone, on a terminal too (the twin is above)",
  LONG_ONLY,
  async () => {
    const place = await createServedWorkplace(
      answers({ look: [{ text: "Seen." }], change: [{ text: "Changed." }] }),
    );
    writeFileSync(join(place.home, "settings.json"), '{ "console": "plain" }');
    place.file("plan.toml", PLAN);
    const { left, raw } = openTerminal({ console: "none", place, url: place.server.url, args: RUN });
    expect(await left).toBe(0);
    expect(raw()).toContain("researcher  starts  do: look");
    expect(raw()).not.toMatch(/▸|\x1b\[\d+A/);
  },
);

it("--report writes what became of each ticket, and nothing that a member wrote is markup in it", async () => {
  const wild = "![x](http://127.0.0.1/x.png)\n```\n# Not a heading\n<script>1</script>\u001b[2J";
  const place = await createServedShared(answers({ look: [{ text: wild }], change: [{ text: "" }] }));
  place.file("plan.toml", PLAN.replace("do: look", "do: a|b <look>"));
  const { code } = await place.run([...RUN, "--report", "made/report.md"]);
  expect(code).toBe(1);
  const report = readFileSync(join(place.cwd, "made/report.md"), "utf8");
  expect(report).toMatch(/^# plan\n\n1 done, 1 failed, 0 left \(2 rounds\)\n\n\| \| ticket \|/);
  expect(report).toMatch(
    /\n\| 1 \| do: a\\\|b &lt;look> \| done \| researcher \| 1 \| \d+ \| {2}\| [^|]+ \|\n\| 2 \| do: change \| failed \| coder \|/,
  );
  expect(report).toContain(
    "## 1. do: a|b &lt;look>\n\ndone:\n\n````\n![x](http://127.0.0.1/x.png)\n```\n# Not a heading\n",
  );
  expect(report).toContain(
    "## 2. do: change\n\n```\nWith care.\n```\n\nfailed:\n\n```\nThe delegate ended without an answer.",
  );
  expect(report).not.toContain("\u001b");
  await place.run([...RUN, "--report", "made/report.html"]);
  const page = readFileSync(join(place.cwd, "made/report.html"), "utf8");
  expect(page).toContain("<td>1</td><td>do: a|b &lt;look&gt;</td><td>done</td><td>researcher</td>");
  expect(page).toContain(
    "![x](http://127.0.0.1/x.png)\n```\n# Not a heading\n&lt;script&gt;1&lt;/script&gt;",
  );
  expect(page).toContain("script-src 'none'");
  expect(page).not.toMatch(/\u001b|<script/);
});

it("a report that cannot be written is a problem of its own: the tickets are done", LONG_ONLY, async () => {
  const place = await createServedShared(
    answers({ look: [{ text: "Seen." }], change: [{ text: "Changed." }] }),
  );
  place.file("plan.toml", PLAN);
  const { code, stdout, stderr } = await place.run([...RUN, "--report", "plan.toml/report.md"]);
  expect([code, stdout]).toEqual([1, expect.stringContaining("2 done, 0 failed, 0 left")]);
  expect(stderr).toMatch(/indus: \S+plan\.toml\/report\.md cannot be written: /);
  const folder = await place.run([...RUN, "--report", "."]);
  expect([folder.code, folder.stderr]).toEqual([
    1,
    expect.stringMatching(/it is a folder, and a file was expected\. Write --report \S+\/plan\.md\n$/),
  ]);
});

it("--max-cost ends the spending of the whole crew, not of each member", async () => {
  const place = await createServedShared(
    answers({
      look: [{ text: "Seen.", usage: { input: 1_000, output: 100 } }],
      change: [{ text: "Changed.", usage: { input: 1_000, output: 100 } }],
    }),
  );
  place.file("plan.toml", PLAN);
  const models = { "anthropic/x": { price: { input: 10, output: 50 } } };
  writeFileSync(join(place.home, "models.json"), JSON.stringify({ models }));
  const { code, stdout, stderr } = await place.run([...RUN, "--max-cost", "0.01"]);
  expect([code, stdout]).toEqual([
    1,
    expect.stringContaining("1 done, 0 failed, 1 left (2 rounds, $0.01)\n"),
  ]);
  expect(stderr).toContain("the limit of this run is $0.01 (maxCost). Restart with a higher limit");
  expect(place.server.requests).toHaveLength(1);

  const same = await place.run([...RUN, "--max-cost", "0.01"]);
  expect([same.code, same.stdout]).toEqual([
    1,
    expect.stringContaining("0 done, 0 failed, 1 left (1 round, $0.01 for the whole plan so far)\n"),
  ]);
  expect(place.server.requests).toHaveLength(1);

  const higher = await place.run([...RUN, "--max-cost", "0.02", "--report", "report.md"]);
  expect([higher.code, higher.stdout]).toEqual([
    0,
    expect.stringContaining("1 done, 0 failed, 0 left (1 round, $0.01, $0.03 for the whole plan so far)\n"),
  ]);
  const report = readFileSync(join(place.cwd, "report.md"), "utf8");
  expect(report).toMatch(/\| 1 \| do: look \| done \| researcher \| 1 \| 1100 \| \$0\.01 \|/);
  expect(report).toMatch(/\| 2 \| do: change \| done \| coder \| 1 \| 1100 \| \$0\.01 \|/);
});

it("what a member that is stopped had spent counts as well", LONG_ONLY, async () => {
  const call = { calls: [{ name: "ls", input: {} }], usage: { input: 1_000, output: 100 } };
  const place = await createServedShared(answers({ look: [call, SILENCE], change: [] }));
  place.file("plan.toml", PLAN);
  const models = { "anthropic/x": { price: { input: 10, output: 50 } } };
  writeFileSync(join(place.home, "models.json"), JSON.stringify({ models }));
  const running = start(place);
  await until(() => place.server.requests.length === 2);
  running.end("SIGINT");
  expect(await running.ended).toBe(130);
  const { stdout } = await place.run(["crew", "status", "plan.toml", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({
    tickets: [{ status: "open", used: { turns: 2, tokens: 1_100, dollars: 0.015 } }, { status: "open" }],
  });
  const again = await place.run([...RUN, "--max-cost", "0.01"]);
  expect([again.code, place.server.requests.length]).toEqual([1, 2]);
});

it(
  "a member whose key is refused gives its ticket back and takes no more; one that can work goes on",
  LONG_ONLY,
  async () => {
    const refused: ScriptedTurn = { trouble: { kind: "status", status: 401, message: "bad key" } };
    const place = await createServedShared(answers({ look: [refused], change: [{ text: "Changed." }] }));
    const tickets = [1, 2, 3, 4].map((at) => `[[ticket]]\ntitle = "do: ${at}"\n`).join("\n");
    place.file("looks.toml", `members = ["researcher"]\n${tickets}`);
    const looks = await place.run(["crew", "run", "looks.toml", ...MODEL]);
    expect([looks.code, looks.stdout]).toEqual([
      1,
      expect.stringMatching(
        /\nresearcher {2}returns {2}do: 1: .*refused the key.*\n0 done, 0 failed, 4 left \(1 round\)\n/,
      ),
    ]);
    expect(looks.stderr).toMatch(/researcher accepts no more tickets: .*refused the key.* Check /);
    expect(looks.stdout).toContain("run the same command to continue\n");
    place.file("both.toml", `members = ["researcher", "coder"]\n${tickets}`);
    const both = await place.run(["crew", "run", "both.toml", ...MODEL]);
    expect([both.code, both.stdout]).toEqual([
      0,
      expect.stringContaining("4 done, 0 failed, 0 left (4 rounds)\n"),
    ]);
  },
);

it("a run whose model does not exist fails no ticket, and says which model", async () => {
  const place = await createServedShared(() => ({ text: "Done." }));
  place.file("plan.toml", '[[ticket]]\ntitle = "one"\n\n[[ticket]]\ntitle = "two"\n');
  const run = await place.run(["crew", "run", "plan.toml", "--model", "nosuch/x1"]);
  expect([run.code, run.stdout]).toEqual([
    1,
    expect.stringContaining("0 done, 0 failed, 2 left (1 round)\n"),
  ]);
  expect(run.stderr).toContain('coder accepts no more tickets: Unknown provider "nosuch".');
});

it(
  "a ticket whose own model cannot be reached is left, with the reason, and its member does the others",
  LONG_ONLY,
  async () => {
    const place = await createServedShared(({ body }) =>
      body.model === "gone" ? { trouble: { kind: "status", status: 404 } } : { text: "Done." },
    );
    const tickets = ['404"\nmodel = "anthropic/gone', 'no provider"\nmodel = "nowhere/big', "two", "three"];
    place.file("plan.toml", tickets.map((title) => `[[ticket]]\ntitle = "do: ${title}"\n`).join("\n"));
    const { code, stdout, stderr } = await place.run(RUN);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /coder {2}returns {2}do: 404: cannot reach its model anthropic\/gone: anthropic does not/,
    );
    expect(stdout).toMatch(
      /\n {2}open {5}do: no provider {2}\(coder: cannot reach its model nowhere\/big: Unknown provider/,
    );
    expect(stdout).toContain("2 done, 0 failed, 2 left (4 rounds)\n");
    expect(stderr).not.toContain("accepts no more tickets");
  },
);

it(
  "a server that fails gets no ticket, and one that fails in the middle of a ticket fails that one",
  LONG_ONLY,
  async () => {
    const failing: ScriptedTurn = {
      // It asks for a longer wait than anybody grants.
      trouble: { kind: "status", status: 500, headers: { "retry-after": "10000" } },
    };
    const call: ScriptedTurn = { calls: [{ name: "ls", input: {} }] };
    const place = await createServedShared(
      answers({ look: [failing, call, failing, { text: "Seen." }], change: [] }),
    );
    place.file(
      "plan.toml",
      'members = ["researcher"]\n\n[[ticket]]\ntitle = "one"\n\n[[ticket]]\ntitle = "two"\n',
    );
    expect((await place.run(RUN)).stdout).toContain("0 done, 0 failed, 2 left (1 round)\n");
    expect((await place.run(RUN)).stdout).toContain("1 done, 1 failed, 0 left (2 rounds)\n");
  },
);

it("members share nothing of an addon: each has a process of its own", LONG_ONLY, async () => {
  const place = await createServedShared(({ rawBody }) =>
    rawBody.includes("tool_result")
      ? { text: /count \d+/.exec(rawBody)?.[0] ?? "not counted" }
      : { calls: [{ name: "count", input: {} }] },
  );
  place.file(
    ".indus/addons/counter.ts",
    `// /// indus-addon
// ///
import type { AddonSurface } from "induscode/addons";
let n = 0;
export function register({ addTool }: AddonSurface): void {
  addTool({
    name: "count",
    description: "Counts.",
    parameters: { type: "object" },
    run: async () => "count " + ++n,
  });
}
`,
  );
  for (const name of ["ada", "bob"])
    place.file(`.indus/agents/${name}.md`, `---\nname: ${name}\ndescription: Counts.\n---\nCount.\n`);
  const ticket = (agent: string): string => `[[ticket]]\ntitle = "do: ${agent}"\nagent = "${agent}"\n`;
  place.file("plan.toml", ["ada", "bob", "ada"].map(ticket).join("\n"));
  const { stdout, stderr } = await place.run([...RUN, "--grant", "counter", "--permission-mode", "bypass"]);
  const counted = [...stdout.matchAll(/(\w+) {2}done {2}do: \w+: count (\d+)/g)];
  expect(counted.map(([, who, count]) => `${who} ${count}`).sort(), stdout + stderr).toEqual([
    ...["ada 1", "ada 2", "bob 1"],
  ]);
});

it(
  "a disk that is full while the board is written is said: the next run does what is left, and what was done is kept",
  LONG_ONLY,
  async () => {
    const place = await createServedWorkplace(
      answers({ look: [{ text: "Seen." }], change: [{ text: "Changed." }] }),
    );
    place.file("plan.toml", PLAN);
    const base = dirname(place.home);
    const [notes, node] = [join(base, "notes"), join(base, "node")];
    writeFileSync(node, `#!/bin/sh\nexec '${runtimeNode()}' --require '${DISK}' "$@"\n`, { mode: 0o755 });
    const run = (fault: string): ReturnType<Workplace["run"]> =>
      place.run([...RUN, "--new"], {
        env: { INDUS_NODE: node, FAULT: fault, FAULT_FOLDER: join(place.home, "crews"), FAULT_NOTES: notes },
      });
    expect((await run("none:0")).code).toBe(0);
    const calls = readFileSync(notes, "utf8").split("\n");
    const writes = calls.flatMap((line) => /^call (\d+) write\S* .*board\.jsonl$/.exec(line)?.[1] ?? []);
    expect(writes.length).toBeGreaterThan(4);
    const begun = await run(`full:${writes[1]}`);
    expect([begun.code, begun.stderr]).toEqual([1, expect.stringContaining("ENOSPC")]);
    const after = await place.run(RUN);
    expect([after.code, after.stdout]).toEqual([0, expect.stringContaining(", 0 failed, 0 left (")]);
    expect(await statuses(place)).toEqual(["do: look done", "do: change done"]);
    // What a member did was paid for: it is kept until there is room, and nobody does it again.
    const before = place.server.requests.length;
    const finish = Number(writes.at(-2)) + 1; // --new sets the old board aside first
    const done = await run(`full:${finish}`);
    expect([done.code, done.stderr]).toEqual([0, expect.stringMatching(/ENOSPC.*; trying again\n/)]);
    expect(await statuses(place)).toEqual(["do: look done", "do: change done"]);
    expect(place.server.requests).toHaveLength(before + 2);
  },
);

it("whoever does not hold a right has not got it through a crew", async () => {
  const place = await createServedShared(
    answers({
      look: [{ text: "Seen." }],
      change: [{ calls: [{ name: "bash", input: { command: "touch made" } }] }, { text: "It was refused." }],
    }),
  );
  place.file("plan.toml", PLAN);
  const { stdout, stderr } = await place.run([...RUN, "--deny", "bash"]);
  expect(stdout).toContain("coder  done  do: change: It was refused.");
  expect(place.server.requests.at(-1)?.rawBody).toContain("denies it");
  expect(existsSync(join(place.cwd, "made"))).toBe(false);
  expect(stderr).toContain("indus: 1 call was refused:\n  bash: touch made: ");
});

it.each(
  rows(
    [
      ["", "expected at least one [[ticket]], found none"],
      ['[ticket]\ntitle = "a"\n', 'ticket: expected tables under [[ticket]], found {"title":"a"}'],
      ["[[ticket]]\n", "[[ticket]] 1: title is missing"],
      ['[[ticket]]\ntitel = "a"\n', '[[ticket]] 1 has no key "titel"; did you mean title?'],
      ['[[ticket]]\ntitle = "a"\nagent = "codr"\n', 'delegate "codr" not found; this folder has '],
      [
        '[[ticket]]\ntitle = "a"\npriority = "now"\n',
        '[[ticket]] 1: priority: expected low, normal or high, found "now"',
      ],
      ['[[ticket]]\ntitle = "a"\ndeps = ["b"]\n', 'plan.toml: [[ticket]] 1: deps: ticket not found: "b"\n'],
      [
        '[[ticket]]\nkey = "first"\ntitle = "a"\n[[ticket]]\ntitle = "b"\ndeps = ["frst"]\n',
        '[[ticket]] 2: deps: ticket not found: "frst"; did you mean first?\n',
      ],
      ['[[ticket]]\nkey = "a"\ntitle = "a"\ndeps = ["a"]\n', "plan.toml: dependency cycle: a -> a\n"],
      [
        '[[ticket]]\nkey = "a"\ntitle = "a"\n[[ticket]]\nkey = "a"\ntitle = "b"\n',
        'plan.toml: duplicate key "a"\n',
      ],
      ["rounds = 0\n[[ticket]]\ntitle = 'a'\n", "rounds: expected a whole number above 0, found 0"],
      ["[[ticket\n", "plan.toml: "],
    ],
    theFirst,
  ),
)("the plan %j is refused before anything is asked", async (plan, said) => {
  const place = await createServedShared(() => undefined);
  place.file("plan.toml", plan);
  const { code, stdout, stderr } = await place.run(RUN);
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toContain(said);
  expect(place.server.requests).toEqual([]);
});

it("a plan with a mistake leaves the board where it is, also with --new", async () => {
  const place = await createServedShared(
    answers({ look: [{ text: "Seen." }], change: [{ text: "Changed." }] }),
  );
  place.file("plan.toml", PLAN);
  await place.run(RUN);
  for (const mistaken of [
    PLAN.replace('deps = ["look"]', 'deps = ["lok"]'),
    PLAN.replace("do: look", "x".repeat(201)),
  ]) {
    place.file("plan.toml", mistaken);
    expect((await place.run([...RUN, "--new"])).code).toBe(1);
  }
  place.file("plan.toml", PLAN);
  expect(await statuses(place)).toEqual(["do: look done", "do: change done"]);
});

it("a plan that is no regular file is refused, and nobody waits for a writer", async () => {
  const place = await createServedShared(() => undefined);
  expect(spawnSync("mkfifo", [join(place.cwd, "plan.toml")]).status).toBe(0);
  const { code, stderr } = await place.run(RUN);
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/plan\.toml: cannot be read: .*not a regular file/),
  ]);
});
