// What a session is called: by its first line, what the person says, or what a model that they set for it says after the first task;
// and how a person comes back to it.

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import {
  createSharedWorkplace,
  createWorkplace,
  modelEnvironment,
  type Workplace,
} from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import type { Script } from "../support/model-server.ts";
import { leaveConsole, openPlainConsole, openRichConsole, RICH_IDLE } from "../support/open-console.ts";
import { until } from "../support/until.ts";

const NAMES = "Give the conversation";

/** Answers tasks; what is asked for a name gets `name`. */
const answers =
  (name: string): Script =>
  ({ rawBody }) =>
    rawBody.includes(NAMES) ? { text: name } : { text: "The parser keeps its last token." };

function named(by?: string): Workplace {
  const place = createSharedWorkplace("");
  writeFileSync(
    join(place.home, "settings.json"),
    JSON.stringify({ localServers: [], ...(by ? { titleModel: by } : {}) }),
  );
  return place;
}

const listed = async (place: Workplace): Promise<string> => (await place.run(["sessions"])).stdout;

it("a model that is set for it names a session after its first task, once, and reads nothing but its beginning", async () => {
  const place = named("anthropic/small");
  const { type, screen, server, left } = await openPlainConsole(
    answers('# "How the parser keeps a token"\nmore'),
    { place },
  );
  type("why does the parser keep a token?\r");
  await until(() => server.requests.length === 2 && screen().includes("1 turn"));
  const asked = server.requests[1]?.body as {
    readonly model: string;
    readonly tools?: unknown;
    readonly system?: unknown;
    readonly messages: readonly unknown[];
  };
  expect([asked.model, asked.tools, asked.system, asked.messages.length]).toEqual([
    "small",
    undefined,
    undefined,
    1,
  ]);
  expect(server.requests[1]?.rawBody).toMatch(
    /why does the parser keep a token\?.*The parser keeps its last token\./,
  );
  type("and then?\r");
  await until(() => server.requests.length === 3 && screen().split("1 turn").length === 3);
  await leaveConsole({ type, left });
  expect(server.requests.filter(({ rawBody }) => rawBody.includes(NAMES))).toHaveLength(1);
  expect(await listed(place)).toContain("How the parser keeps a token");
  expect((await place.run(["session", "verify"])).code).toBe(0);
  expect((await place.run(["usage", "--by", "model"])).stdout).toMatch(/anthropic\/small +1 /);
});

it(
  "without one its first line is its name, and no model is asked (the twin); /rename gives it another",
  LONG_ONLY,
  async () => {
    const place = named();
    const { type, screen, server, left } = await openPlainConsole(answers("unwanted"), { place });
    type("why does the parser keep a token?\r");
    await until(() => screen().includes("1 turn"));
    type("/rename About tokens\r");
    await until(() => screen().includes('This session is now called "About tokens".'));
    await leaveConsole({ type, left });
    expect(server.requests).toHaveLength(1);
    expect(await listed(place)).toContain("About tokens");
  },
);

it("a name that the person gave stays, and no model is asked for another", LONG_ONLY, async () => {
  const place = named("anthropic/small");
  const { type, screen, server, left } = await openPlainConsole(answers("unwanted"), { place });
  type("/rename Mine\r");
  await until(() => screen().includes('This session is now called "Mine".'));
  type("why does the parser keep a token?\r");
  await until(() => screen().includes("1 turn"));
  await leaveConsole({ type, left });
  expect(server.requests).toHaveLength(1);
  expect(await listed(place)).toContain("Mine");
});

it("a recording holds the requests of its session alone", LONG_ONLY, async () => {
  const place = named("anthropic/small");
  const tape = join(place.home, "tape.jsonl");
  const args = ["--record", tape];
  const { type, screen, server, left } = await openPlainConsole(answers("unwanted"), { place, args });
  type("why does the parser keep a token?\r");
  await until(() => screen().includes("1 turn"));
  await leaveConsole({ type, left });
  expect(server.requests).toHaveLength(1);
});

it("a model that cannot be asked is said once", LONG_ONLY, async () => {
  const place = named("nobody/small");
  const { type, screen, left } = await openPlainConsole(answers("unwanted"), { place });
  type("why does the parser keep a token?\r");
  await until(() => screen().includes("The session keeps its first line as its name:"));
  await leaveConsole({ type, left });
  expect(await listed(place)).toContain("why does the parser keep a token?");
});

const LONG_LINE =
  "## Find out why `formatPrice` in /home/me/shop/src/money.js loses the currency of old orders";
const SHORT = "Find out why formatPrice in money.js loses the…";

it.each(rows(["plain", "rich"] as const, theFirst))(
  "without a name it has a short one, and who leaves the %s console reads how to come back to it",
  async (kind) => {
    const place = named();
    const open = kind === "plain" ? openPlainConsole : openRichConsole;
    const { type, waitFor, screen, left } = await open(answers("unwanted"), { place });
    type(`${LONG_LINE}\r`);
    await waitFor("The parser keeps its last token.");
    await waitFor(kind === "plain" ? /1 turn[\s\S]*\n› ?$/ : RICH_IDLE);
    type(kind === "plain" ? "/quit\r" : "\x04");
    expect(await left).toBe(0);
    const [, id = ""] =
      /To come back to "(?:.*)": indus -r ([\w-]+)/s.exec(screen().replaceAll("\n", "")) ?? [];
    expect(screen()).toContain(`To come back to "${SHORT}": indus`);
    expect(await listed(place)).toContain(SHORT);
    const {
      screen: again,
      left: ended,
      ...back
    } = await open(answers("unwanted"), {
      ...{ place, args: ["-r", id], idle: /last prompt: ## Find/ },
    });
    expect(again()).not.toContain("was cut off");
    await leaveConsole({ ...back, left: ended });
  },
);

it("who said nothing is told of no way back: there is none", LONG_ONLY, async () => {
  const { screen, ...open } = await openPlainConsole(answers("unwanted"), { place: named() });
  await leaveConsole(open);
  expect(screen()).not.toContain("To come back");
});

it.each(
  rows(
    [
      [
        "while a command ran",
        { calls: [{ name: "bash", input: { command: "echo begun > ../begun; exec sleep 6001" } }] },
      ],
      [
        "while the model worked",
        { text: "x", trouble: { kind: "held", until: new Promise(() => undefined) } },
      ],
    ] as const,
    theFirst,
  ),
)("a run that was killed %s is said to be cut off, and at what", async (_when, turn) => {
  const place = createWorkplace("");
  const script: Script = [turn, { text: "Here I am." }];
  const { signal, type, left, server } = await openPlainConsole(script, {
    place,
    args: ["--permission-mode", "bypass"],
  });
  type("go on for long\r");
  await until(() => server.requests.length === 1);
  if ("calls" in turn) await until(() => existsSync(join(place.cwd, "..", "begun")));
  signal("SIGKILL");
  await left;
  const words =
    "calls" in turn
      ? /while bash `echo begun > \.\.\/begun; exec sleep 6001` ran\./
      : /while the model worked on its answer\./;
  const again = await openPlainConsole(script, { place, args: ["-c"] });
  expect(again.screen().replaceAll(/\n\s*/g, " ")).toMatch(words);
  await leaveConsole(again);
  const printed = await place.run(["-p", "-c", "and now?", "--model", "anthropic/scripted"], {
    env: modelEnvironment(server.url),
  });
  expect(printed.stderr).toMatch(words);
});
