// A link in a repository opens nothing outside of it: whatever folder it stands for, and whatever lies there.

import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import type { Workplace } from "../support/indus.ts";
import { rows } from "../support/long-form.ts";
import { createServedShared } from "../support/served-workplace.ts";

const NOTE = "---\nname: notes\ndescription: OUTSIDE WORDS\n---\nOUTSIDE WORDS\n";

interface Scene extends Workplace {
  /** A folder next to the home and the repository: a note that is fit for anything, and a key. */
  readonly outside: string;
  readonly prompts: () => string;
}

/** The model reads the key and says so. */
async function createScene(): Promise<Scene> {
  const outside = "outside";
  const served = await createServedShared((_, index) =>
    index === 0
      ? { calls: [{ name: "read", input: { path: join(base, outside, "key") } }] }
      : { text: "Done." },
  );
  const base = realpathSync(dirname(served.cwd));
  mkdirSync(join(base, outside, "notes"), { recursive: true });
  for (const name of ["note.md", "AGENTS.md", "SKILL.md", "notes/SKILL.md"])
    writeFileSync(join(base, outside, name), NOTE);
  writeFileSync(join(base, outside, "key"), "SECRET KEY");
  writeFileSync(join(base, outside, "loose.md"), NOTE.replace("notes", "loose"));
  const prompts = (): string => served.server.requests.map(({ rawBody }) => rawBody).join("\n");
  return { ...served, outside: join(base, outside), prompts };
}

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}

const run = ({ run }: Workplace) =>
  run(["-p", "go", "--model", "anthropic/scripted", "--verbose", "--permission-prompt", "none"]);

const LINKS = [
  [".indus/skills", ""],
  [".claude/skills", ""],
  [".agents/skills", ""],
  [".indusagi/skills", ""],
  [".indus", ""],
  [".claude", ""],
  [".indus/skills/notes", "notes"],
  [".indus/skills/note.md", "note.md"],
  [".indus/skills/notes/SKILL.md", "SKILL.md"],
  [".indus/commands", ""],
  [".claude/commands/note.md", "note.md"],
  [".indus/agents", ""],
  [".claude/agents/note.md", "note.md"],
  [".indus/addons", ""],
  ["AGENTS.md", "AGENTS.md"],
  [".claude/CLAUDE.md", "AGENTS.md"],
] as const;

it.each(rows(LINKS, (_, at) => at % 4 === 0))(
  "%s, a link out of the repository, is not followed, and that is said once",
  async (path, target) => {
    const scene = await createScene();
    if (path === ".indus" || path === ".claude") {
      for (const kind of ["skills", "commands", "agents"]) {
        mkdirSync(join(scene.outside, kind));
        writeFileSync(join(scene.outside, kind, "note.md"), NOTE);
      }
      writeFileSync(join(scene.outside, "CLAUDE.md"), NOTE);
    }
    link(join(scene.outside, target), join(scene.cwd, path));
    const { code, stderr } = await run(scene);
    expect(code).toBe(0);
    expect(scene.prompts()).not.toMatch(/OUTSIDE WORDS|SECRET KEY/);
    const said = stderr
      .split("\n")
      .filter((line) => line.includes("it is a symlink ") || line.includes("was not read"));
    expect(said, stderr).toHaveLength(path === ".indus" ? 3 : path === ".claude" ? 4 : 1);
  },
);

it("a link that leads upwards, by way of the repository's parents, is not followed either", async () => {
  const scene = await createScene();
  link("../../outside", join(scene.cwd, ".indus/skills"));
  const { stderr } = await run(scene);
  expect(scene.prompts()).not.toMatch(/OUTSIDE WORDS|SECRET KEY/);
  expect(stderr).toContain(".indus/skills: it is a symlink to outside the project");
});

it("a folder of the repository that is a link out brings no instructions when a tool looks into it", async () => {
  const served = await createServedShared([
    { calls: [{ name: "ls", input: { path: "docs" } }] },
    { text: "Done." },
  ]);
  const outside = join(dirname(served.cwd), "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "AGENTS.md"), NOTE);
  link(outside, join(served.cwd, "docs"));
  await served.run(["-p", "go", "--model", "anthropic/scripted", "--permission-mode", "bypass"]);
  expect(served.server.requests.map(({ rawBody }) => rawBody).join()).not.toContain("OUTSIDE WORDS");
});

it("links that stay in the repository, or lead into the person's own folders for the same, are followed", async () => {
  const scene = await createScene();
  scene.file("docs/skills/inner.md", "---\nname: inner\ndescription: INNER WORDS\n---\n");
  link("../docs/skills", join(scene.cwd, ".indus/skills"));
  mkdirSync(join(scene.home, ".claude/skills/own"), { recursive: true });
  writeFileSync(
    join(scene.home, ".claude/skills/own/SKILL.md"),
    "---\nname: own\ndescription: OWN WORDS\n---\n",
  );
  link(join(scene.home, ".claude/skills"), join(scene.cwd, ".agents/skills"));
  const { stderr } = await run(scene);
  expect(scene.prompts()).toContain("INNER WORDS");
  expect(scene.prompts()).toContain("OWN WORDS");
  expect(stderr).not.toContain("is a symlink");
});

it("twin: the same link in the person's own folder makes the key readable unasked", async () => {
  const scene = await createScene();
  link(scene.outside, join(scene.home, "skills"));
  await run(scene);
  expect(scene.prompts().includes("OUTSIDE WORDS")).toBe(true);
  expect(scene.prompts().includes("SECRET KEY")).toBe(true);
});
