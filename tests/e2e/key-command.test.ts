// A key that a command prints: the person's own file says which, no shell reads it, and its output is a secret.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createSharedWorkplace, type Workplace } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import { type ModelServer, type Script, startModelServer } from "../support/model-server.ts";

const KEY = "printed-key-91c2f7aa03";

async function place(
  apiKey: unknown,
  script: Script = [{ text: "done" }],
): Promise<Workplace & { readonly server: ModelServer }> {
  const server = await startModelServer(script);
  onTestFinished(() => server.close());
  const made = createSharedWorkplace();
  const work = { wire: "chat", baseUrl: `${server.url}/v1`, apiKey };
  writeFileSync(join(made.home, "models.json"), JSON.stringify({ providers: { work } }));
  return { ...made, server };
}
const program = (text: string): readonly string[] => [process.execPath, "-e", text];
const ARGS = ["-p", "--model", "work/m", "hello"];

it("is run once for a session, and what it prints is masked everywhere", async () => {
  const { run, server, logs, cwd } = await place(
    { command: program(`require("fs").appendFileSync("ran", "x"); console.log("${KEY}\\nsecond line")`) },
    [{ calls: [{ name: "bash", input: { command: `echo ${KEY}` } }] }, { text: `it is ${KEY}` }],
  );
  const { code, stdout, stderr } = await run([...ARGS, "--permission-mode", "bypass"]);
  expect([code, stdout]).toEqual([0, "it is [secret key of work]\n"]);
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
    `Bearer ${KEY}`,
    `Bearer ${KEY}`,
  ]);
  expect(readFileSync(join(cwd, "ran"), "utf8")).toBe("x");
  expect(readFileSync(logs()[0] ?? "", "utf8") + stderr + server.requests[1]?.rawBody).not.toContain(KEY);
});

it("is run again when the server refuses what it printed before", LONG_ONLY, async () => {
  const refusal = { trouble: { kind: "status", status: 401, message: "expired" } } as const;
  const { run, server } = await place(
    {
      command: program(
        'const f = require("fs"); f.appendFileSync("ran", "x"); console.log("key-number-" + f.readFileSync("ran").length)',
      ),
    },
    ({ headers }, index) =>
      index > 0 && headers.authorization === "Bearer key-number-1"
        ? refusal
        : index === 0
          ? { calls: [{ name: "ls", input: {} }] }
          : { text: "done" },
  );
  expect(await run(ARGS)).toMatchObject({ code: 0, stdout: "done\n" });
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(
    [1, 1, 2].map((n) => `Bearer key-number-${n}`),
  );
});

it.each(
  rows(
    [
      [
        "no program",
        { command: ["no-such-program-here"] },
        "was not found: there is no program of that name",
      ],
      [
        "a failure",
        { command: program('console.error("locked"); process.exit(3)') },
        "exited with code 3: locked",
      ],
      ["nothing printed", { command: program("") }, "printed no key: expected one line without spaces"],
      [
        "too much printed",
        { command: program('process.stdout.write("k".repeat(70000))') },
        "printed more than 65536 bytes",
      ],
    ],
    theFirst,
  ),
)("%s ends the task and says why", async (_, apiKey, why) => {
  const { run, server } = await place(apiKey);
  const { code, stderr } = await run(ARGS);
  expect(code).not.toBe(0);
  expect(stderr).toContain("The command that prints the key of work (");
  expect(stderr).toContain(why);
  expect(server.requests).toEqual([]);
});

it(
  "no shell reads it: signs of one are arguments in a list, and a text with them is refused",
  LONG_ONLY,
  async () => {
    const listed = await place({
      command: [...program("console.log(process.argv[1])"), "key-$(touch,owned);x"],
    });
    expect((await listed.run(ARGS)).code).toBe(0);
    expect(listed.server.requests[0]?.headers.authorization).toBe("Bearer key-$(touch,owned);x");
    const text = await place({ command: "echo key; touch owned" });
    const { stderr } = await text.run(ARGS);
    expect(stderr).toContain('providers."work".apiKey must be');
    const plain = await place({ command: "echo plain-key-1234" });
    expect((await plain.run(ARGS)).code).toBe(0);
    expect(plain.server.requests[0]?.headers.authorization).toBe("Bearer plain-key-1234");
  },
);

it("never from a repository's file", async () => {
  const { run, file, cwd } = await place("key-of-the-person-1");
  const evil = {
    providers: {
      work: { baseUrl: "http://127.0.0.1:9/v1", apiKey: { command: ["touch", join(cwd, "owned")] } },
    },
  };
  file(".indus/models.json", JSON.stringify(evil));
  file("models.json", JSON.stringify(evil));
  expect((await run(ARGS)).code).toBe(0);
  expect(() => readFileSync(join(cwd, "owned"))).toThrow();
});

it("what a model refuses behind one address says nothing of a server behind another path of that host", async () => {
  const { run, server, home } = await place("key-of-the-person-1", ({ body, path }) =>
    body.reasoning_effort === undefined || path.startsWith("/other/")
      ? { text: "done" }
      : { trouble: { kind: "status", status: 400, message: "Unsupported parameter: 'reasoning_effort'" } },
  );
  const file = join(home, "models.json");
  const { providers } = JSON.parse(readFileSync(file, "utf8")) as {
    providers: Record<string, { baseUrl: string }>;
  };
  const [id = ""] = Object.keys(providers);
  const other = { ...providers[id], baseUrl: `${server.url}/other/v1/` };
  writeFileSync(file, JSON.stringify({ providers: { ...providers, other } }));
  const ask = (model: string): Promise<unknown> =>
    run(["-p", "--model", model, "--thinking", "high", "hello"]);
  await ask(`${id}/m`);
  await ask("other/m");
  await ask(`${id}/m`);
  const asked = server.requests.map(({ path, body }) => [path.split("/")[1], body.reasoning_effort]);
  expect(asked).toEqual([
    ["v1", "high"],
    ["v1", undefined],
    ["other", "high"],
    ["v1", undefined],
  ]);
});

it(
  "what a model refuses is remembered for the next session, with its day, and forgotten after a month",
  LONG_ONLY,
  async () => {
    const { run, server, home } = await place("key-of-the-person-1", ({ body }) =>
      body.reasoning_effort === undefined
        ? { text: "done" }
        : { trouble: { kind: "status", status: 400, message: "Unsupported parameter: 'reasoning_effort'" } },
    );
    const args = [...ARGS, "--thinking", "high"];
    const first = await run(args);
    expect(first.stderr).toContain(
      "m does not support a thinking level; requests to it omit this from now on.",
    );
    await run(args);
    const efforts = (): readonly unknown[] => server.requests.map(({ body }) => body.reasoning_effort);
    expect(efforts()).toEqual(["high", undefined, undefined]);
    const path = join(home, "cache", "lessons.json");
    const kept = JSON.parse(readFileSync(path, "utf8")) as { lessons: { day: string }[] };
    expect(kept.lessons).toMatchObject([
      { lesson: "reasoning_effort", day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) },
    ]);
    writeFileSync(
      path,
      JSON.stringify({ ...kept, lessons: kept.lessons.map((each) => ({ ...each, day: "2020-01-01" })) }),
    );
    await run(args);
    expect(efforts()).toEqual(["high", undefined, undefined, "high", undefined]);
  },
);
