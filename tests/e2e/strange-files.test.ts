// What the product opens by itself in a repository may be anything but a file: a pipe that nobody writes to, a device
// without end, a folder, links in a circle, ten gigabytes of nothing. None of it is waited for or taken into memory.

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { READ_PLACES } from "../../packages/induscode/src/parts/doctor/read-places.ts";
import { FOREIGN_PROJECT_FILES } from "../../packages/induscode/src/session/features/foreign-files.ts";
import type { Workplace } from "../support/indus.ts";
import { LONG_ONLY, rows } from "../support/long-form.ts";
import { ODD_FILES } from "../support/odd-files.ts";
import { createServedShared } from "../support/served-workplace.ts";

/** Every file of the tables; in folders, a file of each kind that is looked for there. */
const INSIDE: Readonly<Record<string, readonly string[]>> = {
  skills: ["loose.md", "packed/SKILL.md"],
  commands: ["c.md", "deep/c.md"],
  agents: ["a.md", "a.toml"],
  addons: ["a.ts", "a.py", "t/manifest.toml", "p/package.json", "i/index.js", "y/__init__.py"],
};
const FILES = [
  ...new Set([
    ".git",
    ".gitignore",
    "sub/.gitignore",
    "sub/AGENTS.md",
    ...READ_PLACES.flatMap(({ what, repository }) =>
      repository.flatMap((path) => (INSIDE[what] ?? [""]).map((name) => join(path, name))),
    ),
    ...FOREIGN_PROJECT_FILES.map(({ path }) => path).filter((path) => path !== ".opencode"),
  ]),
];

/** Files that may not be both: a folder's own name, and one in it. */
function place(workplace: Workplace, shape: (path: string) => void): void {
  for (const name of FILES) {
    const path = join(workplace.cwd, name);
    mkdirSync(dirname(path), { recursive: true });
    shape(path);
  }
}

const SCRIPT = [
  { calls: [{ name: "grep", input: { pattern: "needle" } }] },
  { calls: [{ name: "find", input: { query: "needle" } }] },
  { calls: [{ name: "ls", input: { path: "sub" } }] },
  { calls: [{ name: "read", input: { path: "sub/plain.txt" } }] },
  { text: "Done." },
];

/** May write: for its sandbox it is looked up what is protected from it, and where `.git` leads. */
const ADDON = `// /// indus-addon
// [[capability]]
// kind = "files"
// read = true
// write = true
// reason = "writes"
// ///
export function register(s) { s.addCommand("hello", { summary: "x", run: (c) => c.say("hello") }); }`;

const shapes = rows(Object.entries(ODD_FILES), ([shape]) => shape === "a pipe");

describe.each(shapes)("every file is %s", (_, shape) => {
  it("a task with tools, and an addon's process, come to their end", async () => {
    const served = await createServedShared(SCRIPT);
    served.file("sub/plain.txt", "needle\n");
    served.file(".indus/addons/good.ts", ADDON);
    place(served, shape);
    const task = await served.run(["-p", "go", "--model", "anthropic/scripted", "--grant", "good"]);
    expect({ code: task.code, stdout: task.stdout }, task.stderr).toEqual({ code: 0, stdout: "Done.\n" });
    const command = await served.run(["-p", "/hello", "--grant", "good"]);
    expect({ code: command.code, stdout: command.stdout }, command.stderr).toEqual({
      code: 0,
      stdout: "hello\n",
    });
  });

  it.each(
    rows([["doctor"], ["prompt"], ["agents"], ["addons"], ["skills check"]], ([words]) => words === "doctor"),
  )("indus %s comes to its end", async (words) => {
    const served = await createServedShared([]);
    place(served, shape);
    const { code, stderr } = await served.run(words.split(" "));
    expect([0, 1], stderr).toContain(code);
  });
});

it("twin: reading by name alone waits for a pipe until somebody writes to it", LONG_ONLY, async () => {
  const path = join(mkdtempSync(join(tmpdir(), "indus-pipe-")), ".git");
  ODD_FILES["a pipe"]?.(path);
  const read = "process.stdout.write(fs.readFileSync(process.argv[1], 'utf8'))";
  const child = spawn(process.execPath, ["-e", read, path], { stdio: ["ignore", "pipe", "inherit"] });
  const writer = await open(path, "w"); // opens when the other waits
  await writer.writeFile("at last");
  await writer.close();
  expect(await text(child.stdout)).toBe("at last");
});
