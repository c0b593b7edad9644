// Delegates in the background and within limits, with the real command: the model starts them and goes on, hears how they ended,
// looks at them, writes to them, stops them; the person sees them in both consoles.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Entry } from "../../packages/induscode/src/conductor/contract.ts";
import type { Workplace } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import type { ModelServer, RecordedRequest, Script, ScriptedTurn } from "../support/model-server.ts";
import { openRichConsole } from "../support/open-console.ts";
import { createServedShared } from "../support/served-workplace.ts";
import { until } from "../support/until.ts";

const MODEL = ["--model", "anthropic/scripted"] as const;
const USAGE = { input: 1_000, output: 100 } as const;
const SILENCE: ScriptedTurn = { text: "Never said.", trouble: { kind: "silence", after: 0 } };
const LOOK: ScriptedTurn = { text: "I look.", calls: [{ name: "ls", input: {} }], usage: USAGE };

const task = (input: object): ScriptedTurn => ({ calls: [{ name: "task", input }] });
const START = task({ action: "start", agent: "researcher", objective: "Look." });
const messages = (request: RecordedRequest | undefined): string => JSON.stringify(request?.body.messages);
const isDelegate = ({ rawBody }: RecordedRequest): boolean => rawBody.includes("You are the delegate");

/** A turn may be chosen by the request; the last one of each is played again. */
type Turn = ScriptedTurn | ((request: RecordedRequest) => ScriptedTurn);

function play(turns: { readonly main: readonly Turn[]; readonly delegate: readonly Turn[] }): Script {
  const played = { main: 0, delegate: 0 };
  return (request) => {
    const who = isDelegate(request) ? "delegate" : "main";
    const turn = turns[who][played[who]++] ?? turns[who].at(-1);
    return typeof turn === "function" ? turn(request) : turn;
  };
}

function price({ home }: Workplace): void {
  const models = { "anthropic/scripted": { price: { input: 10, output: 50 } } };
  writeFileSync(join(home, "models.json"), JSON.stringify({ models }));
}

const mainLog = (place: Workplace): readonly Entry[] =>
  place.entriesOf(place.logs().find((log) => !log.includes("/delegates/")) ?? "");
const outcomes = (place: Workplace): readonly string[] =>
  mainLog(place).flatMap((entry) => (entry.type === "tool" && entry.name === "task" ? [entry.text] : []));
const statuses = (place: Workplace): readonly string[] =>
  mainLog(place).flatMap((entry) => (entry.type === "delegate" ? [`${entry.id} ${entry.status}`] : []));

describe("in the background", () => {
  it("the model goes on, reads how it ended as a notice, and the log explains all", async () => {
    // Works until it is told.
    const goOn: Turn = (request) =>
      messages(request).includes("[notice from delegates]") ? { text: "I heard." } : LOOK;
    const place = await createServedShared(
      play({ main: [START, ...Array.from({ length: 500 }, () => goOn)], delegate: [{ text: "It is 42." }] }),
    );
    const { code, stdout } = await place.run(["-p", "go", ...MODEL]);
    expect([code, stdout.endsWith("I heard.\n")]).toEqual([0, true]);
    const last = messages(place.server.requests.filter((each) => !isDelegate(each)).at(-1));
    expect(last).toContain("delegate-1 (researcher) has ended: done.\\n\\nIt is 42.");
    expect(outcomes(place)).toEqual(["Started delegate-1 (researcher). You will be notified when it ends."]);
    expect(statuses(place)).toEqual(["delegate-1 working", "delegate-1 done"]);
    expect((await place.run(["session", "verify"])).code).toBe(0);
  });

  it("one is waited for; one that has ended goes on with a message, and knows what was said", async () => {
    const place = await createServedShared(
      play({
        main: [
          START,
          task({ action: "wait", id: "delegate-1" }),
          task({ action: "send", id: "delegate-1", message: "And twice that?" }),
          task({ action: "wait", id: "delegate-1" }),
          { text: "ok" },
        ],
        delegate: [{ text: "It is 42." }, { text: "It is 84." }],
      }),
    );
    expect((await place.run(["-p", "go", ...MODEL])).code).toBe(0);
    const [, first, sent, second] = outcomes(place);
    expect(first).toMatch(/^delegate-1 \(researcher\): done, 1 model call, \d+ tokens: Look\.\n\nIt is 42\./);
    expect(sent).toBe("delegate-1 continues with the message.");
    expect(second).toMatch(/: done, 2 model calls, \d+ tokens: And twice that\?\n\nIt is 84\./);
    const again = messages(place.server.requests.filter(isDelegate).at(-1));
    for (const words of ["Look.", "It is 42.", "And twice that?"]) expect(again).toContain(words);
  });

  it("a message to one that works joins its next model call; one that is stopped goes on later", async () => {
    const held = Promise.withResolvers<void>();
    const place = await createServedShared(
      play({
        main: [
          START,
          task({ action: "send", id: "delegate-1", message: "Look at the tests." }),
          () => {
            held.resolve();
            return task({ action: "wait", id: "delegate-1" });
          },
          task({ action: "send", id: "delegate-1", message: "More." }),
          task({ action: "stop", id: "delegate-1" }),
          task({ action: "read", id: "delegate-1" }),
          { text: "ok" },
        ],
        delegate: [{ ...LOOK, trouble: { kind: "held", until: held.promise } }, { text: "Seen." }, SILENCE],
      }),
    );
    expect((await place.run(["-p", "go", ...MODEL])).code).toBe(0);
    expect(messages(place.server.requests.filter(isDelegate)[1])).toContain("Look at the tests.");
    const said = outcomes(place);
    expect(said[1]).toBe("delegate-1 reads the message at its next model call.");
    expect(said.slice(3)).toEqual([
      "delegate-1 continues with the message.",
      "delegate-1 is stopped.",
      expect.stringMatching(/: stopped, \d model calls?, \d+ tokens: More\.\n\nIt was stopped\.$/),
    ]);
    expect(statuses(place).map((each) => each.split(" ")[1])).toEqual([
      "working",
      "done",
      "working",
      "stopped",
    ]);
  });

  it("what still works when the session ends is stopped, and said", async () => {
    const place = await createServedShared(play({ main: [START, { text: "ok" }], delegate: [SILENCE] }));
    const { code, stderr } = await place.run(["-p", "go", ...MODEL]);
    expect(code).toBe(0);
    expect(stderr).toContain("The session has ended: stopped 1 background delegate");
    expect(statuses(place)).toEqual(["delegate-1 working", "delegate-1 stopped"]);
  });

  it("at most eight work at a time, and none that may change files", LONG_ONLY, async () => {
    const eight = Array.from({ length: 8 }, () => ({ agent: "researcher", objective: "Look." }));
    const place = await createServedShared(
      play({
        main: [
          task({ action: "start", tasks: eight }),
          START,
          task({ action: "start", agent: "coder", objective: "x" }),
          task({ action: "list" }),
          { text: "ok" },
        ],
        delegate: [SILENCE],
      }),
    );
    await place.run(["-p", "go", ...MODEL]);
    const [, ninth, coder, list] = outcomes(place);
    expect(ninth).toContain(
      "at most 8 delegates and sessions work in the background at a time: wait for one, or stop one",
    );
    expect(coder).toContain("coder may change files while you work on them");
    expect(list?.split("\n")).toHaveLength(8);
  });

  const priced = async (): Promise<Workplace> => {
    const place = await createServedShared(
      play({
        main: [START, task({ action: "wait", id: "delegate-1" }), { text: "ok" }],
        delegate: [{ text: "Seen.", usage: USAGE }],
      }),
    );
    price(place);
    return place;
  };

  it("what it cost counts for the session", async () => {
    const place = await priced();
    expect((await place.run(["-p", "go", ...MODEL])).code).toBe(0);
    const ended = mainLog(place).find((entry) => entry.type === "delegate" && entry.status === "done");
    expect(ended).toMatchObject({ cost: 0.015 });
    const end = mainLog(place).at(-1);
    expect(end?.type === "end" && (end.cost ?? 0)).toBeGreaterThan(0.015);
  });

  it("--max-cost holds for both", async () => {
    const place = await priced();
    const limited = await place.run(["-p", "go", "--max-cost", "0.01", ...MODEL]);
    expect([limited.code, limited.stderr]).toEqual([
      1,
      expect.stringContaining("the limit of this run is $0.01"),
    ]);
  });
});

describe("what the person sees of one in the background", () => {
  it("is a row with its state and its seconds, between tasks too, until a line says how it ended", async () => {
    const held = Promise.withResolvers<void>();
    const { type, waitFor, screen } = await openRichConsole(
      play({
        main: [START, { text: "Begun." }],
        delegate: [{ text: "Seen.", trouble: { kind: "held", until: held.promise } }],
      }),
    );
    expect(screen()).not.toContain("delegate-1");
    type("go\r");
    await waitFor("Begun.");
    const row =
      /\n {2}[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] delegate-1 \(researcher\) Look\. {2}waiting for its model {2}[1-9]\d* s\n/;
    await waitFor(row); // it counts on though no task runs
    held.resolve();
    await waitFor(/\n {2}delegate-1 \(researcher\) ✓ ended {2}[\d.]+ m?s/);
    expect(screen()).not.toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] delegate-1/);
  });

  it("is a line at its start and at its end in the plain console, and with -p", LONG_ONLY, async () => {
    const script = () =>
      play({
        main: [START, task({ action: "wait", id: "delegate-1" }), { text: "ok" }],
        delegate: [{ text: "Seen." }],
      });
    const lines =
      /\n {2}delegate-1 \(researcher\) begins\n[\s\S]*\n {2}delegate-1 \(researcher\) ✓ ended {2}[\d.]+ m?s\n/;
    const place = await createServedShared(script());
    expect((await place.run([...MODEL], { stdin: "go\n" })).stdout).toMatch(lines);
    const printed = await createServedShared(script());
    expect(`\n${(await printed.run(["-p", "go", ...MODEL])).stderr}`).toMatch(lines);
  });

  it("says that it was stopped, or failed", LONG_ONLY, async () => {
    const place = await createServedShared(
      play({
        main: [START, task({ action: "stop", id: "delegate-1" }), START, { text: "ok" }],
        delegate: [SILENCE, { trouble: { kind: "status", status: 400 } }],
      }),
    );
    const { stdout } = await place.run([...MODEL], { stdin: "go\n/jobs\n" });
    expect(stdout).toMatch(/\n {2}delegate-1 \(researcher\) – cancelled {2}/);
    expect(stdout).toMatch(/delegate-2 \(researcher\) (?:begins|✗ failed)/);
  });
});

describe("a model for one objective", () => {
  const named = (model: string) => task({ agent: "researcher", objective: "Look.", model });
  const modelsOf = ({ server }: { readonly server: ModelServer }): readonly unknown[] =>
    server.requests.filter(isDelegate).map(({ body }) => body.model);

  it("is the one that it works with, and the next has the session's own again", async () => {
    const place = await createServedShared(
      play({
        main: [named("anthropic/small"), task({ agent: "researcher", objective: "Look." }), { text: "ok" }],
        delegate: [{ text: "Seen." }],
      }),
    );
    expect((await place.run(["-p", "go", ...MODEL])).code).toBe(0);
    expect(modelsOf(place)).toEqual(["small", "scripted"]);
  });

  it("is refused with what there is where it is unknown, or of a provider that the person did not choose; none of the call begins", async () => {
    const both = task({
      tasks: [
        { agent: "researcher", objective: "Look." },
        { agent: "researcher", objective: "Look.", model: "openai/big" },
      ],
    });
    const place = await createServedShared(
      play({ main: [named("nowhere/big"), both, { text: "ok" }], delegate: [{ text: "Seen." }] }),
    );
    await place.run(["-p", "go", ...MODEL]);
    const [unknown, other] = outcomes(place);
    expect(unknown).toMatch(
      /researcher cannot use nowhere\/big: Unknown provider "nowhere"\. .*anthropic, .*openai/,
    );
    expect(other).toContain(
      "cannot use openai/big: expected a model from a provider that the person uses (anthropic), found one of openai",
    );
    expect(modelsOf(place)).toEqual([]);
  });

  it("may be of a provider that an agent of the home names (the twin of the refusal)", async () => {
    const place = await createServedShared(
      play({ main: [named("openai/big"), { text: "ok" }], delegate: [{ text: "Seen." }] }),
    );
    mkdirSync(join(place.home, "agents"), { recursive: true });
    writeFileSync(
      join(place.home, "agents/other.toml"),
      'description = "x"\nprompt = "x"\nmodel = "openai/small"\n',
    );
    await place.run(["-p", "go", ...MODEL]);
    expect(modelsOf(place)).toEqual(["big"]);
  });
});

describe("limits", () => {
  it.each<readonly [object, readonly ScriptedTurn[], string]>(
    rows(
      [
        [{ turns: 1 }, [LOOK, LOOK], "it has used up its model calls"],
        [{ tokens: 2_000 }, [LOOK, LOOK, LOOK], "it has used 2200 tokens; its limit is 2000"],
        [{ dollars: 0.02 }, [LOOK, LOOK, LOOK], "it has spent $0.03; its limit is $0.02"],
        [{ seconds: 1 }, [LOOK, SILENCE], "it has reached its time limit of 1 s"],
      ],
      theFirst,
    ),
  )("%j end a delegate, and its last words are not lost", async (limits, delegate, why) => {
    const place = await createServedShared(
      play({ main: [task({ agent: "researcher", objective: "Look.", limits }), { text: "ok" }], delegate }),
    );
    price(place);
    const { code, stderr } = await place.run(["-p", "go", ...MODEL]);
    expect(code).toBe(0);
    const told = stderr.split("\n").filter((line) => line.includes("Stopped"));
    expect(told).toEqual([expect.stringContaining(`Stopped: ${why}.`)]);
    const [said] = outcomes(place);
    // Where the second's end comes before the first answer there are no words yet.
    expect(said).toContain(`The delegate did not finish: ${why}`);
    if (!("seconds" in limits)) expect(said).toContain("Its last words:\nI look.");
    expect(place.server.requests.filter(isDelegate).length).toBeLessThan(3);
  });

  it("what stays below them ends as without them (the twin)", async () => {
    const limits = { turns: 9, tokens: 99_999, seconds: 600 };
    const place = await createServedShared(
      play({
        main: [task({ agent: "researcher", objective: "Look.", limits }), { text: "ok" }],
        delegate: [LOOK, LOOK, { text: "Seen." }],
      }),
    );
    await place.run(["-p", "go", ...MODEL]);
    expect(outcomes(place)[0]).toMatch(/^Seen\.\n/);
  });
});

describe("/jobs", () => {
  it("the plain console shows them, what one says, and stops one", LONG_ONLY, async () => {
    const place = await createServedShared(
      play({ main: [START, { text: "ok" }], delegate: [LOOK, SILENCE] }),
    );
    const stdin =
      "go\n/jobs\n/jobs stop delegate-1\n/jobs output delegate-1\n/jobs stop delegate-2\n/jobs send delegate-3 Look.\n";
    const { stdout } = await place.run([...MODEL], { stdin });
    expect(stdout).toMatch(
      / {2}delegate-1 {2}researcher working, [^\n]*, \d turns?, [^\n]* tokens {2}Look\.\n/,
    );
    expect(stdout).toContain("delegate-1 is stopped.\n");
    expect(stdout).toMatch(/ {2}delegate-1 {2}researcher stopped, [^\n]*\n {2}It was stopped\.\n/);
    expect(stdout).toContain('Job not found: "delegate-2".');
    expect(stdout).toContain('Delegate not found: "delegate-3". Did you mean "delegate-1"?\n');
  });

  it(
    "a new conversation in which nothing was said leaves no log, whoever ends meanwhile",
    LONG_ONLY,
    async () => {
      const place = await createServedShared(play({ main: [START, { text: "ok" }], delegate: [SILENCE] }));
      const { stderr } = await place.run([...MODEL], { stdin: "go\n/new\n" });
      expect(stderr).toContain("stopped 1 background delegate");
      expect(place.logs().filter((log) => !log.includes("/delegates/"))).toHaveLength(1);
    },
  );

  it("the rich console counts and shows them, and says when one has ended", LONG_ONLY, async () => {
    const held = Promise.withResolvers<void>();
    const { type, waitFor, server } = await openRichConsole(
      play({
        main: [START, { text: "Begun." }],
        delegate: [
          { text: "Seen.", trouble: { kind: "held", until: held.promise } },
          { text: "Seen twice." },
        ],
      }),
    );
    type("go\r");
    await waitFor("Begun.");
    await until(() => server.requests.some(isDelegate));
    type("/jobs\r");
    await waitFor(/delegate-1 {2}researcher working, /);
    held.resolve();
    await waitFor(/\n {2}delegate-1 \(researcher\) ✓ ended {2}/);
    type("/jobs send delegate-1 Look again.\r");
    await waitFor("delegate-1 continues with the message.");
    await until(() => server.requests.filter(isDelegate).length === 2);
    await waitFor(/continues with the message\.[\s\S]* \(researcher\) ✓ ended/);
    type("/jobs output delegate-1\r");
    await waitFor("Seen twice.");
  });
});
