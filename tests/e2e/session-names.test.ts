// What a session is called: its first line, what the person says, or what a model that they set for it says after the first task.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createSharedWorkplace, type Workplace } from "../support/indus.ts";
import { LONG_ONLY } from "../support/long-form.ts";
import type { Script } from "../support/model-server.ts";
import { leaveConsole, openPlainConsole } from "../support/open-console.ts";
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

it("a recording holds the requests of its session alone", async () => {
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
