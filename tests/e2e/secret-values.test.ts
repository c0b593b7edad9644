// What is masked and what is not, and what goes on working: the real command.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LONG_ONLY } from "../support/long-form.ts";
import type { ScriptedTurn } from "../support/model-server.ts";
import { createServedShared } from "../support/served-workplace.ts";

const VALUE = "hunter2-Zq8x";
const FLAGS = ["--model", "anthropic/scripted", "--permission-mode", "bypass"];
type Calls = readonly { readonly name: string; readonly input: object }[];
const ask = (...calls: Calls): readonly ScriptedTurn[] => [{ calls }, { text: "Done." }];

describe("a placeholder that the model sends back", () => {
  const echoing = ask(
    { name: "read", input: { path: ".env" } },
    {
      name: "edit",
      input: { path: ".env", oldText: "DEBUG=1", newText: "DEBUG=0\nCOPY=[secret DB_PASSWORD]" },
    },
    { name: "write", input: { path: "copy", content: "DB_PASSWORD=[secret DB_PASSWORD]\n" } },
    { name: "bash", input: { command: "echo '[secret DB_PASSWORD]' > copy" } },
    { name: "process", input: { action: "start", command: "echo '[secret DB_PASSWORD]' > copy" } },
    { name: "webfetch", input: { url: "http://127.0.0.1:9/?key=[secret DB_PASSWORD]" } },
  );

  it("is written nowhere, run by nothing and sent to nobody, and the model reads why", async () => {
    const { run, file, cwd, entries } = await createServedShared(echoing);
    file(".env", `DB_PASSWORD=${VALUE}\nDEBUG=1\n`);
    await run(["-p", "go", ...FLAGS], { env: { DB_PASSWORD: VALUE } });
    const outcomes = entries().filter((entry) => entry.type === "tool");
    expect(outcomes[0]).toMatchObject({ text: expect.stringContaining("DB_PASSWORD=[secret DB_PASSWORD]") });
    expect(outcomes.slice(1)).toMatchObject(
      ["edit", "write", "bash", "process", "webfetch"].map((name) => ({
        name,
        state: "failed",
        text: expect.stringContaining(
          `${name} was not run: its arguments contain [secret DB_PASSWORD]. That is not text of a file`,
        ),
      })),
    );
    expect(readFileSync(join(cwd, ".env"), "utf8")).toBe(`DB_PASSWORD=${VALUE}\nDEBUG=1\n`);
  });

  it(
    "is a text like any other where no secret has that name (the twin: it lands in the file)",
    LONG_ONLY,
    async () => {
      const { run, file, cwd } = await createServedShared(echoing);
      file(".env", `DB_PASSWORD=${VALUE}\nDEBUG=1\n`);
      await run(["-p", "go", ...FLAGS]);
      expect(readFileSync(join(cwd, ".env"), "utf8")).toContain("COPY=[secret DB_PASSWORD]");
    },
  );
});

it("what stands around a secret can be edited, and a command can use the variable by its name", async () => {
  const { run, file, cwd, entries } = await createServedShared(
    ask(
      { name: "read", input: { path: ".env" } },
      { name: "edit", input: { path: ".env", oldText: "DEBUG=1", newText: "DEBUG=0" } },
      { name: "bash", input: { command: '. ./.env; printf "%s" "$DB_PASSWORD" > used; wc -c < used' } },
    ),
  );
  file(".env", `DB_PASSWORD=${VALUE}\nDEBUG=1\n`);
  await run(["-p", "go", ...FLAGS], { env: { DB_PASSWORD: VALUE } });
  expect(readFileSync(join(cwd, ".env"), "utf8")).toBe(`DB_PASSWORD=${VALUE}\nDEBUG=0\n`);
  expect(readFileSync(join(cwd, "used"), "utf8")).toBe(VALUE);
  const outcomes = entries().filter((entry) => entry.type === "tool");
  expect(outcomes.map(({ state }) => state)).toEqual(["ok", "ok", "ok"]);
});

describe("a value that cannot be hidden", () => {
  it("is told once to each home, by its name and not by its value", async () => {
    const { run, file, entries } = await createServedShared([
      ...ask({ name: "read", input: { path: "compose.yml" } }),
      { text: "Again." },
      { text: "Other." },
    ]);
    file("compose.yml", "image: postgres:16\n");
    const env = { POSTGRES_PASSWORD: "postgres", MY_PIN_KEY: "1234" };
    const first = await run(["-p", "go", ...FLAGS], { env });
    expect(first.stderr).toContain(
      "POSTGRES_PASSWORD (it is an ordinary word), MY_PIN_KEY (it has fewer than 6 characters) cannot be masked " +
        "and may appear in logs and on the screen. This is reported only once",
    );
    expect(entries().find(({ type }) => type === "tool")).toMatchObject({
      text: expect.stringContaining("image: postgres:16"),
    });
    const second = await run(["-p", "go", ...FLAGS], { env });
    expect(second.stderr).not.toContain("cannot be masked");
    const third = await run(["-p", "go", ...FLAGS], { env: { ...env, NEW_TOKEN: "true" } });
    expect(third.stderr).toContain("NEW_TOKEN (it has fewer");
    expect(third.stderr).not.toContain("POSTGRES_PASSWORD");
  });

  it("the path of a file that exists is no secret, one of none is", async () => {
    const { run, file, entries } = await createServedShared(ask({ name: "read", input: { path: "notes" } }));
    const there = file("account.json", "{}");
    file("notes", `${there}\n/secret/kX93mQpZ72\n`);
    await run(["-p", "go", ...FLAGS], {
      env: { GOOGLE_APPLICATION_CREDENTIALS: there, ODD_PASSWORD: "/secret/kX93mQpZ72" },
    });
    expect(entries().find(({ type }) => type === "tool")).toMatchObject({
      text: expect.stringMatching(/account\.json[\s\S]*\[secret ODD_PASSWORD\]/),
    });
  });
});

it("hides keys that stand in the person's settings, and a repository's settings show nothing", async () => {
  const place = await createServedShared(ask({ name: "read", input: { path: "notes" } }));
  place.settings({
    localServers: [],
    providers: [
      { id: "mine", kind: "openai-compatible", baseUrl: "http://127.0.0.1:9", apiKey: "k-7Hq2LpXv9s" },
    ],
  });
  mkdirSync(join(place.cwd, ".indus"));
  writeFileSync(
    join(place.cwd, ".indus/settings.json"),
    JSON.stringify({ unmaskedSecrets: ["key of mine", "DB_PASSWORD"] }),
  );
  place.file("notes", `k-7Hq2LpXv9s\n${VALUE}\n`);
  const { stderr } = await place.run(["-p", "go", ...FLAGS], { env: { DB_PASSWORD: VALUE } });
  expect(stderr).toContain('"unmaskedSecrets" is ignored: a repository may only');
  expect(place.entries().find(({ type }) => type === "tool")).toMatchObject({
    text: expect.stringMatching(/\[secret key of mine\][\s\S]*\[secret DB_PASSWORD\]/),
  });
});

describe("a session that goes on", () => {
  it("writes back no placeholder of a secret that is not known any more", async () => {
    const { run, file, cwd } = await createServedShared([
      ...ask({ name: "read", input: { path: ".env" } }),
      ...ask({ name: "write", input: { path: ".env", content: "DB_PASSWORD=[secret DB_PASSWORD]\n" } }),
    ]);
    file(".env", `DB_PASSWORD=${VALUE}\n`);
    await run(["-p", "go", ...FLAGS], { env: { DB_PASSWORD: VALUE } });
    await run(["-c", "-p", "go on", ...FLAGS]);
    expect(readFileSync(join(cwd, ".env"), "utf8")).toBe(`DB_PASSWORD=${VALUE}\n`);
  });

  it("says that its log holds a secret from before it was known, and stays the session that it was", async () => {
    const { run, file } = await createServedShared([
      ...ask({ name: "read", input: { path: ".env" } }),
      { text: "Again." },
    ]);
    file(".env", `DB_PASSWORD=${VALUE}\n`);
    expect((await run(["-p", "go", ...FLAGS])).stderr).not.toContain("as it is");
    const resumed = await run(["-c", "-p", "go on", ...FLAGS], { env: { DB_PASSWORD: VALUE } });
    expect(resumed.stderr).toContain("contains the value of [secret DB_PASSWORD] in plain text");
    expect((await run(["session", "verify"])).stdout).toContain("Every request is explained");
  });
});
