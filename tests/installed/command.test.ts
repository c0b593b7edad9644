// The command as it is installed, on a machine whose Node is too old for it, in a folder that has nothing to do with this
// tree. The short form lays the package out as npm would; the long one (INDUS_TESTS=all) follows README to the letter.

import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, type TestContext } from "vitest";
import { createWorkplace, type Workplace } from "../support/indus.ts";
import {
  freshFolder,
  layOut,
  MACHINE_PATH,
  oldNodeFolder,
  packTree,
  registryProblem,
  shellLine,
} from "../support/installed.ts";
import { isLong } from "../support/long-form.ts";
import { startModelServer } from "../support/model-server.ts";

const VERSION = "0.1.0";
const KINDS = ["toml", "ts", "python", "process", "wasm"] as const;

/** A folder that goes with its test: an installation takes 250 MB. */
function bigFolder(name: string): string {
  const folder = freshFolder(name);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A command reached through a link in a folder with blanks, with an old Node first on PATH. */
function workplaceWith(command: string, url?: string): Workplace {
  const folder = join(freshFolder("bin"), "some where");
  mkdirSync(folder);
  symlinkSync(command, join(folder, "indus"));
  return createWorkplace(url, {
    command: join(folder, "indus"),
    path: `${oldNodeFolder()}:${MACHINE_PATH}`,
  });
}

async function expectToWork(command: string, kinds: readonly string[]): Promise<void> {
  const server = await startModelServer([
    { calls: [{ name: "read", input: { path: "a.txt" } }] },
    { text: "It says hello." },
  ]);
  onTestFinished(server.close);
  const place = workplaceWith(command, server.url);
  const env = { NODE_OPTIONS: "--require ./not-there.cjs --no-such-option" };

  expect(await place.run(["--version"], { env })).toEqual({ code: 0, stdout: `${VERSION}\n`, stderr: "" });
  const help = await place.run(["--help"], { env });
  expect(help).toMatchObject({ code: 0, stderr: "", stdout: expect.stringMatching(/^indus: a terminal/) });

  place.file("a.txt", "hello\n");
  const task = await place.run(["-p", "what does a.txt say?", "--model", "anthropic/scripted"], { env });
  expect({ code: task.code, stdout: task.stdout }).toEqual({ code: 0, stdout: "It says hello.\n" });
  expect(JSON.stringify(server.requests[1]?.body)).toContain("hello");

  const rehearsal = await place.run(["--rehearse"], { env });
  expect(rehearsal).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("Fixed: all three tests pass."),
  });

  for (const kind of kinds) {
    const made = await place.run(["addon", "new", `my-${kind}`, "--kind", kind], { env });
    expect(made).toMatchObject({ code: 0, stderr: "" });
    const path = /next: indus addon check (.+)/.exec(made.stdout)?.[1] ?? "";
    const checked = await place.run(["addon", "check", path], { env });
    expect(checked).toMatchObject({
      code: 0,
      stderr: "",
      stdout: expect.stringContaining("good: no problems found"),
    });
    const tested = await place.run(["addon", "test", path], { env });
    expect(tested).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("met\n") });
  }
}

it("laid out as npm lays it out, it runs on the Node that it brings", async () => {
  await expectToWork(layOut(freshFolder("prefix")), ["ts"]);
});

it("without the Node that it brings, the same layout would run on the old one (the twin)", async () => {
  const command = layOut(freshFolder("prefix"), { omitOptional: true });
  const place = createWorkplace(undefined, { command, path: oldNodeFolder() });
  expect(await place.run(["--version"])).toEqual({ code: 99, stdout: "", stderr: "the old Node was run\n" });
});

describe.runIf(isLong)("installed by npm from the packed files", () => {
  /** Installs both packages with one line; skips the test, saying why, where npm reaches no registry. */
  async function install(line: string, context: TestContext): Promise<string> {
    const tree = await packTree();
    const prefix = join(bigFolder("install"), "a prefix");
    mkdirSync(prefix);
    const done = await shellLine(line, tree, {
      npm_config_prefix: prefix,
      npm_config_prefer_offline: "true",
    });
    const problem = registryProblem(done);
    if (problem !== undefined) context.skip(problem);
    expect(done.ok ? "" : done.stderr || done.stdout).toBe("");
    expect(done.stderr).not.toMatch(/EBADENGINE|npm error/);
    return prefix;
  }

  it("README's lines give a command that works from any folder, with an addon of each kind", async (context) => {
    const prefix = await install("npm install -g ./pack/*.tgz", context);
    await expectToWork(join(prefix, "bin/indus"), KINDS);
  }, 600_000);

  it("without its optional packages it says in one line what it needs", async (context) => {
    const prefix = await install("npm install -g --omit=optional ./pack/*.tgz", context);
    const place = createWorkplace(undefined, {
      command: join(prefix, "bin/indus"),
      path: `${freshFolder("empty")}:/usr/bin:/bin`,
    });
    const { code, stderr } = await place.run(["-p", "hello"]);
    // On a machine without any Node, on one with an old Node, and on one whose Node is new enough.
    expect(stderr).toMatch(/^indus: (needs Node 24\.15 or later; found .+|no model is configured.*)\n$/);
    expect(code).toBe(1);
  }, 600_000);

  it("as a project's dependency it runs with npx and npm exec", async (context) => {
    const tree = await packTree();
    const project = bigFolder("project");
    const done = await shellLine(`npm install --prefer-offline "${tree}"/pack/*.tgz`, project);
    const problem = registryProblem(done);
    if (problem !== undefined) context.skip(problem);
    expect(done.ok ? "" : done.stderr || done.stdout).toBe("");
    for (const line of [
      "npx indus --version",
      "npm exec indus -- --version",
      "npm exec -- indus --version",
    ]) {
      const { stdout } = await shellLine(line, project);
      expect({ line, stdout }).toEqual({ line, stdout: `${VERSION}\n` });
    }
    await expectToWork(join(project, "node_modules/.bin/indus"), ["ts"]);
  }, 600_000);
});
