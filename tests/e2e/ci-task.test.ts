// What a pipeline runs: `ci/run-task.mjs`, which the action and the guide name, with `indus` on PATH.

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { builtCommand } from "../support/built.ts";
import { CANARY_KEY, createWorkplace, modelEnvironment, type Workplace } from "../support/indus.ts";
import { type Script, startModelServer } from "../support/model-server.ts";
import { lacks } from "../support/needs.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

interface Scene {
  readonly place: Workplace;
  readonly requests: readonly { readonly rawBody: string }[];
  readonly run: (variables: Readonly<Record<string, string>>) => Promise<{
    readonly code: number | null;
    readonly stdout: string;
    readonly stderr: string;
    readonly outputs: string;
  }>;
}

async function scene(script: Script): Promise<Scene> {
  const server = await startModelServer(script);
  onTestFinished(server.close);
  const place = createWorkplace(server.url);
  const bin = join(place.home, "bin");
  mkdirSync(bin);
  symlinkSync(builtCommand(), join(bin, "indus"));
  const git = (...args: readonly string[]): void =>
    void execFileSync("git", args, { cwd: place.cwd, stdio: "ignore" });
  place.file("a.txt", "one\n");
  git("init", "-q", "-b", "main");
  git("add", ".");
  git("-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-qm", "first");
  const outputs = join(place.home, "outputs");
  return {
    place,
    requests: server.requests,
    run: (variables) =>
      new Promise((resolve, reject) => {
        const child = spawn(process.execPath, [join(ROOT, "ci/run-task.mjs")], {
          cwd: place.cwd,
          env: {
            ...{
              PATH: `${bin}:${process.env.PATH}`,
              HOME: place.home,
              INDUS_HOME: place.home,
              GITHUB_OUTPUT: outputs,
            },
            ...modelEnvironment(server.url),
            ...{ INDUS_CI_MODEL: "anthropic/scripted", ...variables },
          },
        });
        let [stdout, stderr] = ["", ""];
        child.stdout.on("data", (chunk) => (stdout += chunk));
        child.stderr.on("data", (chunk) => (stderr += chunk));
        child.on("error", reject);
        child.on("close", (code) => {
          const said = existsSync(outputs) ? readFileSync(outputs, "utf8") : "";
          resolve({ code, stdout, stderr, outputs: said });
        });
      }),
  };
}

it("reviews changes: the answer is a file, an output of the step, and nothing but that", async () => {
  const { place, run, requests } = await scene([{ text: "a.txt:1 is wrong\nanswer<<x" }]);
  place.file("a.txt", "two\n");
  const done = await run({
    INDUS_CI_PROMPT: "Review this.",
    INDUS_CI_OUTPUT: "comment",
    INDUS_CI_DIFF: "HEAD",
  });
  expect(done).toMatchObject({ code: 0, stdout: "a.txt:1 is wrong\nanswer<<x\n" });
  expect(readFileSync(join(place.cwd, "indus-comment.md"), "utf8")).toBe("a.txt:1 is wrong\nanswer<<x\n");
  expect(done.outputs).toMatch(/^answer<<(end-\S+)\na\.txt:1 is wrong\nanswer<<x\n\1\n/);
  expect(done.outputs).toMatch(/session<<(end-\S+)\n\d{8}-\S+\n\1\n/);
  expect(requests[0]?.rawBody).toContain("-one\\n+two");
  expect(JSON.stringify(done)).not.toContain(CANARY_KEY);
});

it("a link that a repository has under the answer's name is replaced, and no line of the answer is a command", async () => {
  const { place, run } = await scene([{ text: "::add-mask::one\nFine." }]);
  const outside = join(place.home, "outside");
  writeFileSync(outside, "mine");
  symlinkSync(outside, join(place.cwd, "indus-comment.md"));
  const { code, stdout } = await run({
    ...{ INDUS_CI_PROMPT: "look", INDUS_CI_OUTPUT: "comment", GITHUB_ACTIONS: "true" },
  });
  expect(code).toBe(0);
  expect(readFileSync(outside, "utf8")).toBe("mine");
  expect(readFileSync(join(place.cwd, "indus-comment.md"), "utf8")).toBe("::add-mask::one\nFine.\n");
  expect(stdout).toMatch(/^::stop-commands::(\S+)\n::add-mask::one\nFine\.\n::\1::\n$/);
});

it("makes a patch with what was changed and what is new, which applies", async () => {
  const { place, run } = await scene([
    {
      calls: [
        { name: "write", input: { path: "new.txt", content: "new\n" } },
        { name: "read", input: { path: "a.txt" } },
      ],
    },
    { calls: [{ name: "edit", input: { path: "a.txt", oldText: "one", newText: "two" } }] },
    { text: "Done." },
  ]);
  expect(await run({ INDUS_CI_PROMPT: "Change it.", INDUS_CI_OUTPUT: "patch" })).toMatchObject({ code: 0 });
  const patch = readFileSync(join(place.cwd, "indus.patch"), "utf8");
  expect(patch).toMatch(/-one\n\+two[\s\S]*new file mode[\s\S]*\+new/);
  const git = (...args: readonly string[]): void =>
    void execFileSync("git", args, { cwd: place.cwd, stdio: "ignore" });
  git("reset", "-q", "--hard");
  git("apply", "indus.patch");
  expect(readFileSync(join(place.cwd, "a.txt"), "utf8")).toBe("two\n");
});

it("says that calls were refused, by exit code and in words, and hands over the answer", async () => {
  const { place, run } = await scene([
    { calls: [{ name: "bash", input: { command: "touch b.txt" } }] },
    { text: "Not all of it." },
  ]);
  const asked = { INDUS_CI_PROMPT: "Review.", INDUS_CI_OUTPUT: "comment", INDUS_CI_MODE: "ask" };
  const done = await run(asked);
  expect(done).toMatchObject({ code: 3, stdout: "Not all of it.\n" });
  expect(done.stderr).toContain(
    "calls were refused, since nobody can be asked (exit code 3); INDUS_CI_ALLOW",
  );
  expect(done.outputs).toContain("indus-comment.md");
  expect(readFileSync(join(place.cwd, "indus-comment.md"), "utf8")).toBe("Not all of it.\n");
});

it("without a repository that git can read there is no patch, and that is a fault", async () => {
  const { place, run } = await scene([{ text: "Done." }]);
  rmSync(join(place.cwd, ".git"), { recursive: true });
  const done = await run({ INDUS_CI_PROMPT: "Change it.", INDUS_CI_OUTPUT: "patch" });
  expect(done).toMatchObject({ code: 1, stdout: "", outputs: "" });
  expect(done.stderr).toMatch(
    /cannot make a patch: git add ended with exit code 128: .*not a git repository/,
  );
  expect(existsSync(join(place.cwd, "indus.patch"))).toBe(false);
});

it.each([
  ["indus cannot be run: ", undefined],
  ["indus wrote a line that is not an event: hello", "#!/bin/sh\necho hello\n"],
  ["indus was ended by SIGKILL", "#!/bin/sh\nkill -KILL $$\n"],
])("a fault of the command is told: %s", async (why, program) => {
  const { place, run } = await scene([]);
  const bin = join(place.home, "other");
  mkdirSync(bin);
  if (program !== undefined) writeFileSync(join(bin, "indus"), program, { mode: 0o755 });
  const { code, stderr } = await run({ INDUS_CI_PROMPT: "x", PATH: `${bin}:/usr/bin:/bin` });
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(why) });
});

it("gives a verdict that matches a schema, or fails", async () => {
  const schema = JSON.stringify({
    type: "object",
    properties: { ok: { type: "boolean" } },
    required: ["ok"],
  });
  const good = await scene([{ text: '{"ok":true}' }]);
  good.place.file("schema.json", schema);
  const asked = { INDUS_CI_PROMPT: "Ready?", INDUS_CI_OUTPUT: "json", INDUS_CI_SCHEMA: "schema.json" };
  expect(await good.run(asked)).toMatchObject({ code: 0, stdout: '{"ok":true}\n' });
  expect(JSON.parse(readFileSync(join(good.place.cwd, "indus-verdict.json"), "utf8"))).toEqual({ ok: true });
  const bad = await scene([{ text: "yes" }, { text: "yes" }, { text: "yes" }]);
  bad.place.file("schema.json", schema);
  expect(await bad.run(asked)).toMatchObject({ code: 1, stdout: "", outputs: "" });
});

it.each([
  ["INDUS_CI_PROMPT is empty", {}],
  [
    'INDUS_CI_OUTPUT takes text, comment, patch, json; got "xml"',
    { INDUS_CI_PROMPT: "x", INDUS_CI_OUTPUT: "xml" },
  ],
  ["INDUS_CI_SCHEMA, the file", { INDUS_CI_PROMPT: "x", INDUS_CI_OUTPUT: "json" }],
  ["INDUS_CI_DIFF is not a git range", { INDUS_CI_PROMPT: "x", INDUS_CI_DIFF: "--output=/tmp/x" }],
  ["unknown variable INDUS_CI_OUTPTU; expected INDUS_CI_PROMPT, ", { INDUS_CI_OUTPTU: "json" }],
  ["INDUS_CI_DIFF: ", { INDUS_CI_PROMPT: "x", INDUS_CI_DIFF: "nowhere...HEAD" }],
])("is refused with %j", async (why, variables) => {
  const { run } = await scene([]);
  const { code, stderr } = await run(variables);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(why) });
});

const hasBubblewrap = spawnSync("bwrap", ["--unshare-user", "--ro-bind", "/", "/", "true"]).status === 0;

it.skipIf(lacks("bubblewrap", hasBubblewrap))(
  "the command works as nobody in particular, on a root file system that nobody writes",
  async () => {
    const server = await startModelServer([
      { calls: [{ name: "write", input: { path: "b.txt", content: "b" } }] },
      { text: "Done." },
    ]);
    onTestFinished(server.close);
    const place = createWorkplace(server.url);
    const around = [
      "--ro-bind",
      "/",
      "/",
      "--dev",
      "/dev",
      "--proc",
      "/proc",
      "--unshare-user",
      "--uid",
      "1000",
    ];
    const written = ["--bind", place.cwd, place.cwd, "--bind", place.home, place.home];
    const command = [builtCommand(), "-p", "go", "--model", "anthropic/scripted"];
    const child = spawn("bwrap", [...around, ...written, ...command], {
      cwd: place.cwd,
      env: {
        ...{ PATH: process.env.PATH, HOME: place.home, INDUS_HOME: place.home, TMPDIR: place.home },
        ...modelEnvironment(server.url),
      },
    });
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (chunk) => (stdout += chunk));
    child.stderr.on("data", (chunk) => (stderr += chunk));
    const [code] = await once(child, "close");
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Done.\n" });
    expect(stderr).not.toMatch(/EROFS|EACCES/);
    expect(readFileSync(join(place.cwd, "b.txt"), "utf8")).toBe("b");
  },
);

it("the action hands over every variable, and none on a command line", () => {
  const action = parse(read("action.yml"));
  const script = read("ci/run-task.mjs");
  const named = [...script.matchAll(/variable\("(\w+)"/g)].map(([, name]) => `INDUS_CI_${name}`);
  const [, , ...rest] = action.runs.steps;
  const given = Object.keys(action.runs.steps[1].env);
  expect(new Set(given)).toEqual(new Set(named));
  for (const { run } of [...action.runs.steps, ...rest]) expect(run).not.toContain("${{");
});

it("whoever may publish runs nothing of the repository or of its packages", () => {
  const { permissions, jobs } = parse(read(".github/workflows/publish.yml"));
  expect(permissions).toEqual({ contents: "read" });
  expect(jobs.pack.permissions).toBeUndefined();
  expect(jobs.publish).toMatchObject({ needs: "pack", permissions: { "id-token": "write" } });
  const uses = jobs.publish.steps.flatMap((step: { readonly uses?: string }) => step.uses ?? []);
  expect(uses.map((name: string) => name.split("@")[0])).toEqual([
    ...["actions/setup-node", "actions/download-artifact"],
  ]);
  expect(JSON.stringify(jobs.pack)).not.toContain("secrets.");
});
