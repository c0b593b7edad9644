import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import * as fc from "../../../../../tests/support/fast-check.ts";
import { LONG_ONLY } from "../../../../../tests/support/long-form.ts";
import { createFileListing } from "./file-listing.ts";

/** Longer than a file system's clock takes from one time to the next. */
const TICK_MS = 60;

/** A repository, and the folder in it that is listed. */
function place() {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "indus-listing-")));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  const cwd = join(top, "a", "work");
  for (const folder of [".git/info", "a/work/in", "a/work/empty", "a/work/out/deep"])
    mkdirSync(join(top, folder), { recursive: true });
  for (const file of ["one.txt", "in/two.txt", "in/two.log", "out/deep/three.txt"])
    writeFileSync(join(cwd, file), "");
  const run = (line: string): void => void spawnSync("sh", ["-c", line], { cwd, stdio: "ignore" });
  const fresh = async () => (await createFileListing(cwd, 1000)()).paths.toSorted();
  return { cwd, run, fresh };
}

/** What changes which files are listed, as shell commands in the listed folder. */
const CHANGES = [
  "touch new.txt",
  "touch empty/first.txt",
  "rm -r empty; mkdir empty",
  "mkdir -p empty/more/below",
  "touch empty/more/below/late.txt",
  "mv in moved",
  "mv moved in",
  "rm -f one.txt in/two.txt",
  "echo '*.log' > .gitignore",
  "echo 'new.txt' >> .gitignore",
  "rm -f .gitignore",
  "echo '.gitignore' > in/.gitignore; echo '*.txt' >> in/.gitignore",
  "echo '!*.txt' >> in/.gitignore",
  "echo '/out' > ../.gitignore",
  "echo 'work/in' > ../.gitignore",
  "rm -f ../.gitignore",
  "echo 'two.*' > ../../.git/info/exclude",
  "echo 'one.*' > ../../.git/info/exclude",
  "mv ../../.git ../../was",
  "mv ../../was ../../.git",
  "mkdir -p ../.git",
  "rm -rf ../.git",
  "mkdir -p in/.git/info; echo '*.txt' > in/.git/info/exclude",
  "echo '*.log' > in/.git/info/exclude",
  "echo '*.txt' > ../rules; ln -sf ../rules .gitignore",
  "echo '*.log' > ../rules",
  "rm -rf out; ln -s in out",
  "rm -rf out; mkdir -p out/deep; touch out/deep/three.txt",
  "mkdir -p node_modules/some; touch node_modules/some/file.txt",
] as const;

describe.skipIf(process.platform === "win32")("the files that are not ignored", () => {
  it("are those of a new listing, whatever changed since the last", LONG_ONLY, async () => {
    const steps = fc.array(fc.array(fc.constantFrom(...CHANGES), { maxLength: 3 }), {
      minLength: 1,
      maxLength: 5,
    });
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const { cwd, run, fresh } = place();
        const listed = createFileListing(cwd, 1000);
        await listed();
        for (const changes of all) {
          await sleep(TICK_MS);
          await listed(); // knows the folders from here on
          run(changes.join("\n"));
          expect((await listed()).paths.toSorted()).toEqual(await fresh());
        }
      }),
      { numRuns: 12 },
    );
  });

  it.each([
    ["a file in an empty folder", ":", "touch empty/first.txt"],
    ["a folder with files", ":", "mkdir -p empty/more && touch empty/more/some.txt"],
    ["rules", "echo '*.log' > .gitignore", "echo '*.txt' > .gitignore"],
    ["rules in a folder", "echo '*.log' > in/.gitignore", "echo '*.txt' > in/.gitignore"],
    ["rules behind a link", "echo '*.log' > ../rules; ln -s ../rules .gitignore", "echo '*.txt' > ../rules"],
    ["rules above", "echo '*.log' > ../.gitignore", "echo '*.txt' > ../.gitignore"],
    ["rules where there were none", ":", "echo '*.txt' > ../.gitignore"],
    ["the repository's own rules", "echo '*.log' > ../../.git/info/exclude", "rm ../../.git/info/exclude"],
    ["that it is a repository", "echo 'one.*' > ../.gitignore", "mv ../../.git ../../was"],
    [
      "the rules of a repository in it",
      "mkdir -p in/.git/info; echo '*.log' > in/.git/info/exclude",
      "echo '*.txt' > in/.git/info/exclude",
    ],
  ])("are listed again after a change of %s", async (_what, before, change) => {
    const { cwd, run, fresh } = place();
    run(before);
    await sleep(TICK_MS);
    const listed = createFileListing(cwd, 1000);
    await listed();
    const known = await listed();
    run(change);
    expect((await listed()).paths.toSorted()).toEqual(await fresh());
    expect((await listed()).paths.toSorted()).not.toEqual(known.paths.toSorted());
  });

  it("are not listed again where nothing changed but what is in them", async () => {
    const { cwd, run } = place();
    await sleep(TICK_MS);
    const listed = createFileListing(cwd, 1000);
    await listed();
    const known = await listed();
    run("echo more >> one.txt; echo more >> in/two.txt");
    expect(await listed()).toBe(known);
    run("touch new.txt");
    expect((await listed()).paths).toContain("new.txt");
  });
});
