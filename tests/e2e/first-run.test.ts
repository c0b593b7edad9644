// The first start of somebody who has no model: what was looked for, how to add one, and the rehearsal for one key.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createSharedWorkplace, type Workplace } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import { openTerminal, type TestedTerminal } from "../support/terminal.ts";

/** A model server on this machine with these models. */
async function localServer(models: readonly string[]): Promise<string> {
  const data = models.map((id) => ({ id }));
  const server = createServer((_, response) => response.end(JSON.stringify({ data })));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const NOBODY = "http://127.0.0.1:1/v1";
const NO_KEYS = { ANTHROPIC_API_KEY: "", ANTHROPIC_BASE_URL: "", OPENAI_API_KEY: "", OPENAI_BASE_URL: "" };

function withoutModel(): Workplace {
  const place = createSharedWorkplace();
  place.settings({ localServers: [NOBODY] });
  return place;
}

describe("without a terminal", () => {
  it("indus says on stderr what it looked for and which command shows it, and that it did no work", async () => {
    const place = withoutModel();
    const { code, stdout, stderr } = await place.run([], { stdin: "fix the tests\n" });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    for (const said of [
      "indus has no model to talk to. It looked for:",
      "ANTHROPIC_API_KEY",
      "OPENAI_API_KEY",
      "OPENAI_BASE_URL",
      `"providers" there or in models.json`,
      "GEMINI_API_KEY",
      "indus auth login PROVIDER",
      "127.0.0.1:1",
      "Add one of them and start indus again:",
      "  export ANTHROPIC_API_KEY=…",
    ])
      expect(stderr).toContain(said);
    expect(stderr.endsWith("\n  indus --rehearse\n")).toBe(true);
    expect(place.logs()).toEqual([]);
  });

  it.each([[["-p", "hello"]], [["-p", "--json", "hello"]]])(
    "indus %j says the same in one line",
    async (args) => {
      const place = withoutModel();
      const { code, stdout, stderr } = await place.run(args);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toBe(
        `indus: no model is configured: no --model, nothing in ${place.home}/settings.json or models.json, no provider key ` +
          "(ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY, …; indus auth lists them all), no OPENAI_BASE_URL; " +
          "no server at 127.0.0.1:1. Set one of them, or run indus auth login; indus --rehearse needs no model\n",
      );
      expect(place.logs()).toEqual([]);
    },
  );

  it("a key whose provider has no model to begin with is named", async () => {
    const place = withoutModel();
    const { stderr } = await place.run(["-p", "hello"], { env: { TOGETHER_API_KEY: "not-a-key" } });
    expect(stderr).toContain("TOGETHER_API_KEY has no default model: --model together/NAME");
  });

  it("a server that has no model is passed over for the next that has one, and named where none has", async () => {
    const place = createSharedWorkplace();
    const [empty, full] = [await localServer([]), await localServer(["qwen3"])];
    place.settings({ localServers: [empty, full] });
    const { stdout } = await place.run(["doctor", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ model: { name: "local/qwen3" } });
    place.settings({ localServers: [empty] });
    const { stderr } = await place.run(["-p", "hello"]);
    expect(stderr).toContain(`${new URL(empty).host} has no model yet`);
  });

  it("providers without a model are named with what to write", async () => {
    const place = createSharedWorkplace();
    const work = { id: "work", kind: "openai-compatible", baseUrl: NOBODY };
    place.settings({ localServers: [], providers: [work] });
    const { stderr } = await place.run([]);
    expect(stderr).toMatch(/"providers" there or in models\.json +work: indus --model work\/NAME\n/);
  });
});

describe("on a terminal", () => {
  const open = (place: Workplace, args: readonly string[] = []): TestedTerminal =>
    openTerminal({ console: "rich", place, url: NOBODY, env: NO_KEYS, args, underShell: true });

  it("Enter starts the rehearsal", LONG_ONLY, async () => {
    const place = withoutModel();
    const terminal = open(place);
    await terminal.waitFor("Press Enter to start that rehearsal, or any other key to quit:");
    expect(terminal.screen()).toContain("ANTHROPIC_API_KEY");
    terminal.type("\r");
    await terminal.waitFor("That was a recording of a model; everything it did really happened");
    await terminal.left;
    expect(terminal.screen()).toContain("left: 0\n");
    expect(terminal.screen()).toContain("Fixed: all three tests pass.");
  });

  it.each(
    rows(
      [
        ["q", "q", 1],
        ["Esc", "\u001b", 1],
        ["Ctrl+C", "\u0003", 130],
        ["Ctrl+D", "\u0004", 1],
      ],
      theFirst,
    ),
  )("%s leaves it, with an exit code that says that no work was done", async (_name, key, code) => {
    const place = withoutModel();
    const terminal = open(place, ["fix the tests"]);
    await terminal.waitFor("any other key to quit:");
    terminal.type(key);
    await terminal.left;
    expect(terminal.screen()).toContain(`left: ${code}\n`);
    const modes = [...terminal.screen().matchAll(/^modes: (.*)$/gm)].map(([, mode]) => mode);
    expect(modes).toHaveLength(2);
    expect(modes[1]).toBe(modes[0]); // the terminal is as it was
    expect(place.logs()).toEqual([]);
  });
});
