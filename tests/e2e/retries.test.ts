// When a provider cannot answer, through the real command: waits are shown and kept to, another model stands in, and what
// is not a fault of the moment stays one.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Workplace } from "../support/indus.ts";
import { rows, theFirst } from "../support/long-form.ts";
import type { Script, Trouble } from "../support/model-server.ts";
import { createServedShared } from "../support/served-workplace.ts";

const settings = (place: Workplace, value: object): void =>
  writeFileSync(join(place.home, "settings.json"), JSON.stringify(value));

const overloaded = (retryAfter: string): Trouble => ({
  kind: "status",
  status: 529,
  message: "Overloaded",
  headers: { "retry-after": retryAfter },
});

const modelsAsked = (place: {
  readonly server: { readonly requests: readonly { readonly body: object }[] };
}) => place.server.requests.map(({ body }) => (body as { readonly model: string }).model);

describe("a provider that is overloaded", () => {
  it("is asked again after the wait that it asks for, which is shown", async () => {
    const place = await createServedShared([{ trouble: overloaded("1") }, { text: "done" }]);
    const { code, stdout, stderr } = await place.run(["-p", "--model", "anthropic/first", "go"]);
    expect([code, stdout]).toEqual([0, "done\n"]);
    expect(stderr).toContain("[provider overloaded: retrying in 1 s]");
  });

  it("is not waited for beyond the limit, and that is said", async () => {
    const place = await createServedShared([{ trouble: overloaded("61") }]);
    settings(place, { retryMinutes: 1 });
    const { code, stderr } = await place.run(["-p", "--model", "anthropic/first", "go"]);
    expect(code).toBe(1);
    expect(stderr).toContain("(not retried: it asks to wait 61 s; the limit is 60 s)");
    expect(place.server.requests).toHaveLength(1);
  });

  it("is asked once where the settings give no time", async () => {
    const place = await createServedShared([{ trouble: overloaded("0") }]);
    settings(place, { retryMinutes: 0 });
    expect((await place.run(["-p", "--model", "anthropic/first", "go"])).code).toBe(1);
    expect(place.server.requests).toHaveLength(1);
  });
});

// The first model never answers, and asks for more time than a fallback leaves it.
const SECOND_ONLY: Script = ({ body }) =>
  body.model === "first" ? { trouble: overloaded("60") } : { text: `from ${String(body.model)}` };

describe("a fallback model", () => {
  it("stands in for the task, with a line, and an entry in the log that verify explains", async () => {
    const place = await createServedShared(SECOND_ONLY);
    const fallback = ["--fallback-model", "anthropic/second"];
    const run = await place.run(["--model", "anthropic/first", ...fallback], { stdin: "one\n/model\ntwo\n" });
    expect(run.stdout.match(/from second/g)).toHaveLength(2);
    expect(run.stdout).toMatch(
      /! anthropic\/first: .*anthropic\/second takes over until this task is done\./,
    );
    expect(modelsAsked(place)).toEqual(["first", "second", "first", "second"]);
    const prompts = place.entries().flatMap((entry) => (entry.type === "prompt" ? [entry.model] : []));
    expect(prompts).toEqual(["anthropic/first", "anthropic/second", "anthropic/first", "anthropic/second"]);
    expect((await place.run(["session", "verify"])).code).toBe(0);
  });

  it("is the next of several that can be asked; the last has the time that the settings give", async () => {
    const place = await createServedShared(({ body }) =>
      body.model === "third" ? { text: "from third" } : { trouble: overloaded("60") },
    );
    settings(place, { fallbackModels: ["nobody/x", "anthropic/second", "anthropic/third"], retryMinutes: 0 });
    const { code, stdout, stderr } = await place.run(["-p", "--model", "anthropic/first", "go"]);
    expect([code, stdout]).toEqual([0, "from third\n"]);
    expect(stderr).toContain("the fallback model nobody/x cannot be used: Unknown provider");
    expect(modelsAsked(place)).toEqual(["first", "second", "third"]);
  });

  it("where none is left the fault is the last one's", async () => {
    const place = await createServedShared(() => ({ trouble: overloaded("60") }));
    settings(place, { fallbackModels: ["anthropic/second"], retryMinutes: 0 });
    const { code, stderr } = await place.run(["-p", "--model", "anthropic/first", "go"]);
    expect(code).toBe(1);
    expect(stderr).toContain("Overloaded");
    expect(modelsAsked(place)).toEqual(["first", "second"]);
  });

  it.each(rows([400, 401, 404], theFirst))(
    "does not hide what is wrong with the request (%d)",
    async (status) => {
      const place = await createServedShared(() => ({ trouble: { kind: "status", status, message: "no" } }));
      settings(place, { fallbackModels: ["anthropic/second"] });
      expect((await place.run(["-p", "--model", "anthropic/first", "go"])).code).toBe(1);
      expect(modelsAsked(place)).toEqual(["first"]);
    },
  );

  it("of a delegate stands in as well", async () => {
    const place = await createServedShared(({ body, rawBody }) => {
      if (rawBody.includes("You are the delegate")) return SECOND_ONLY_TURN(body);
      return rawBody.includes("from second") ? { text: "done" } : handOn;
    });
    place.file(".indus/agents/scout.toml", 'description = "Looks."\nprompt = "Be brief."\n');
    settings(place, { fallbackModels: ["anthropic/second"] });
    const { code, stdout } = await place.run(["-p", "--model", "anthropic/first", "go"]);
    expect([code, stdout]).toEqual([0, "done\n"]);
    expect(modelsAsked(place)).toEqual(["first", "first", "second", "first"]);
  });
});

const handOn = { calls: [{ name: "task", input: { agent: "scout", objective: "look" } }] };
const SECOND_ONLY_TURN = (body: Readonly<Record<string, unknown>>) =>
  body.model === "first" ? { trouble: overloaded("60") } : { text: "from second" };
