// Stored keys, through the real command: who gets them, who does not, and that they are never shown.

import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Workplace } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import { createServedShared } from "../support/served-workplace.ts";
import { openTerminal } from "../support/terminal.ts";

const KEY = "sk-stored-0123456789abcdef";
const MODEL = ["--model", "openai/x"] as const;
// The workplace has a key for each provider in its environment; here it has none.
const WITHOUT = { env: { OPENAI_API_KEY: "" } } as const;

const fileOf = ({ home }: Workplace): string => join(home, "credentials.json");

async function placeWithKey(...texts: readonly string[]) {
  const place = await createServedShared(texts.map((text) => ({ text })));
  const login = await place.run(["auth", "login", "openai", "--file"], { ...WITHOUT, stdin: `${KEY}\n` });
  expect(login).toMatchObject({ code: 0, stdout: "Stored …cdef for openai.\n" });
  return place;
}

describe("indus auth login", () => {
  it("stores a key that the person alone may read, and the model's server gets it", async () => {
    const place = await placeWithKey("done");
    expect(statSync(fileOf(place)).mode & 0o777).toBe(0o600);
    expect(await place.run(["-p", ...MODEL, "go"], WITHOUT)).toMatchObject({ code: 0, stdout: "done\n" });
    expect(place.server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  });

  it("counts after the environment, and says so", LONG_ONLY, async () => {
    const place = await placeWithKey("done");
    await place.run(["-p", ...MODEL, "go"], { env: { OPENAI_API_KEY: "sk-of-the-environment" } });
    expect(place.server.requests[0]?.headers.authorization).toBe("Bearer sk-of-the-environment");
    const again = await place.run(["auth", "login", "openai", "--file"], {
      env: { OPENAI_API_KEY: "sk-of-the-environment" },
      stdin: `${KEY}\n`,
    });
    expect(again.stdout).toContain("OPENAI_API_KEY is set in the environment, and takes precedence.");
  });

  it.each(
    rows(
      [
        ["nothing", "", 2, "no key was given on standard input"],
        ["an empty line", "\n", 1, "that is not a valid key"],
        ["two words", "two words\n", 1, "that is not a valid key"],
        ["a control character", "sk-0123456\u001b[31m789\n", 1, "that is not a valid key"],
        ["something endless", "x".repeat(100_000), 2, "too long for a key"],
      ],
      theFirst,
    ),
  )("refuses %s, and stores nothing", async (_, stdin, code, message) => {
    const place = await createServedShared([]);
    const run = await place.run(["auth", "login", "openai", "--file"], { stdin });
    expect(run).toMatchObject({ code, stderr: expect.stringContaining(message) });
    expect(existsSync(fileOf(place))).toBe(false);
  });

  it("is no place for the key itself: the words after the provider are refused and not repeated", async () => {
    const place = await createServedShared([]);
    const { code, stderr } = await place.run(["auth", "login", "openai", KEY]);
    expect(code).toBe(2);
    expect(stderr).not.toContain(KEY);
  });

  it("is what a session without the key names", async () => {
    const { run } = await createServedShared([]);
    const { code, stderr } = await run(["-p", "--model", "groq/x", "go"], { env: { GROQ_API_KEY: "" } });
    expect(code).toBe(1);
    expect(stderr).toContain("set GROQ_API_KEY in the environment. indus auth login groq stores a key.");
  });

  it("names the provider that comes nearest", async () => {
    const place = await createServedShared([]);
    expect((await place.run(["auth", "login", "antropic", "--file"])).stderr).toContain(
      "did you mean anthropic?",
    );
  });
});

describe("a key that is typed", () => {
  const typing = async () => {
    const place = await createServedShared([]);
    const env = { OPENAI_API_KEY: "" };
    const terminal = openTerminal({
      console: "none",
      place,
      url: place.server.url,
      args: ["auth", "login", "openai", "--file"],
      env,
    });
    await terminal.waitFor("not shown:");
    return { place, terminal };
  };

  it("is not shown, and a mistake in it can be taken back", async () => {
    const { place, terminal } = await typing();
    terminal.type(`${KEY}x\u007f\r`);
    expect(await terminal.left).toBe(0);
    expect(terminal.raw()).not.toContain(KEY.slice(0, 8));
    expect(terminal.screen()).toContain(`Stored …${KEY.slice(-4)} for openai.`);
    expect(JSON.parse(readFileSync(fileOf(place), "utf8")).keys.OPENAI_API_KEY.key).toBe(KEY);
  });

  it("is pasted without the terminal's marks", async () => {
    const { place, terminal } = await typing();
    terminal.type(`\u001b[200~${KEY}\u001b[201~\r`);
    expect(await terminal.left).toBe(0);
    expect(JSON.parse(readFileSync(fileOf(place), "utf8")).keys.OPENAI_API_KEY.key).toBe(KEY);
  });

  it.each([
    ["Ctrl+C", "\u0003", 130, "stopped: nothing was stored"],
    ["Ctrl+D", "\u0004", 2, "no key was given: nothing was stored"],
  ])("%s stores nothing", async (_, key, code, said) => {
    const { place, terminal } = await typing();
    terminal.type(`abc${key}`);
    expect(await terminal.left).toBe(code);
    expect(terminal.screen()).toContain(said);
    expect(existsSync(fileOf(place))).toBe(false);
  });
});

describe("a stored key", () => {
  it("is in no command's environment, and hidden wherever it turns up", async () => {
    const place = await createServedShared([
      { calls: [{ name: "bash", input: { command: `cat ${"$INDUS_HOME"}/credentials.json; env` } }] },
      { text: "done" },
    ]);
    await place.run(["auth", "login", "openai", "--file"], { ...WITHOUT, stdin: `${KEY}\n` });
    const run = await place.run(["--json", ...MODEL, "--permission-mode", "bypass", "go"], WITHOUT);
    expect(run.code).toBe(0);
    const entries = JSON.stringify(place.entries());
    expect(entries).toContain("[secret OPENAI_API_KEY]");
    expect(
      run.stdout + run.stderr + entries + place.server.requests.map(({ rawBody }) => rawBody).join(),
    ).not.toContain(KEY);
    expect(entries).not.toContain("OPENAI_API_KEY=");
  });

  it(
    "that is refused is named as one, with what replaces it; one of the environment by its variable",
    LONG_ONLY,
    async () => {
      const refused = { trouble: { kind: "status", status: 401, message: "bad key" } } as const;
      const place = await createServedShared(() => refused);
      await place.run(["auth", "login", "openai", "--file"], { ...WITHOUT, stdin: `${KEY}\n` });
      const { stderr } = await place.run(["-p", ...MODEL, "go"], WITHOUT);
      expect(stderr).toContain("bad key. Check the stored key: indus auth login openai replaces it.\n");
      const other = await place.run(["-p", ...MODEL, "go"], {
        env: { OPENAI_API_KEY: "sk-of-the-environment" },
      });
      expect(other.stderr).toContain("bad key. Check OPENAI_API_KEY.\n");
    },
  );

  it("is removed by logout, which says that it is still valid", LONG_ONLY, async () => {
    const place = await placeWithKey("done");
    const out = await place.run(["auth", "logout", "openai"], WITHOUT);
    expect(out).toMatchObject({ code: 0, stdout: expect.stringContaining("still valid at the provider") });
    expect(readFileSync(fileOf(place), "utf8")).not.toContain(KEY);
    expect((await place.run(["auth", "logout", "openai"], WITHOUT)).code).toBe(1);
  });

  it("that two providers share is gone for both, and logout names the other", LONG_ONLY, async () => {
    const place = await createServedShared([]);
    await place.run(["auth", "login", "bedrock", "--file"], { ...WITHOUT, stdin: `${KEY}\n` });
    const { stdout } = await place.run(["auth", "logout", "bedrock"], WITHOUT);
    expect(stdout).toContain(
      "The same key, AWS_BEARER_TOKEN_BEDROCK, is also removed for bedrock-anthropic.",
    );
  });

  it("is listed by its last characters, with where it comes from", LONG_ONLY, async () => {
    const place = await placeWithKey();
    const { stdout } = await place.run(["auth"], {
      env: { OPENAI_API_KEY: "", ANTHROPIC_API_KEY: "short-one" },
    });
    expect(stdout).toMatch(/\nopenai +OPENAI_API_KEY +…cdef {2}stored \d{4}-\d\d-\d\d\n/);
    expect(stdout).toMatch(/^anthropic +ANTHROPIC_API_KEY +… {2}in the environment\n/);
    expect(stdout).toMatch(/\ngroq +GROQ_API_KEY +none\n/);
    expect(stdout).not.toContain(KEY);
  });
});

describe("a file of keys that cannot be used", () => {
  it.each(
    rows(
      [
        ["cut off", '{"version":1,"keys":'],
        ["of a later version", '{"version":2,"keys":{}}'],
        ["a list", "[]"],
      ],
      theFirst,
    ),
  )("%s is told, left as it is, and never overwritten", async (_, text) => {
    const place = await createServedShared([{ text: "done" }]);
    writeFileSync(fileOf(place), text);
    const run = await place.run(["-p", "--model", "anthropic/x", "go"]);
    expect(run).toMatchObject({ code: 0, stderr: expect.stringContaining("credentials.json") });
    expect((await place.run(["auth", "login", "openai", "--file"], { stdin: `${KEY}\n` })).code).not.toBe(0);
    expect(readFileSync(fileOf(place), "utf8")).toBe(text);
  });
});
