import { spawnSync } from "node:child_process";
import { lstatSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createKnownFiles } from "./known-files.ts";
import { type SeenFile, seenAs } from "./seen-file.ts";

const COUNT = 40;
const nameOf = (at: number): string => `f${String(at).padStart(2, "0")}`;

function place() {
  const root = `${mkdtempSync(join(tmpdir(), "indus-known-"))}/`;
  const known = new Map<string, SeenFile>();
  const see = (name: string): void => {
    known.set(name, seenAs(lstatSync(root + name), Date.now() + 60_000, "x"));
  };
  for (let at = 0; at < COUNT; at++) {
    writeFileSync(root + nameOf(at), "");
    see(nameOf(at));
  }
  const files = createKnownFiles(root, 10);
  onTestFinished(() => {
    files.close();
    rmSync(root, { recursive: true, force: true });
  });
  const others = async () => [...(await files.others(known))].sort();
  return { root, known, see, files, others };
}

it("finds each that changed, whichever thread asks for it", async () => {
  const { root, known, see, others } = place();
  const [edited, renamed, gone, folder] = [1, COUNT / 2 + 1, COUNT - 2, COUNT - 1].map(nameOf) as [
    string,
    string,
    string,
    string,
  ];
  for (let round = 0; round < 3; round++) {
    expect(await others()).toEqual([]);
    writeFileSync(root + edited, `edited ${"!".repeat(round)}`);
    writeFileSync(`${root}new`, "");
    renameSync(`${root}new`, root + renamed);
    rmSync(root + gone);
    rmSync(root + folder);
    mkdirSync(root + folder);
    expect(await others()).toEqual([edited, renamed, gone, folder]);
    rmSync(root + folder, { recursive: true });
    for (const name of [gone, folder]) writeFileSync(root + name, "");
    for (const name of [edited, renamed, gone, folder]) see(name);
  }
  known.set("never there", seenAs(lstatSync(root), 0, "x"));
  expect(await others()).toEqual(["never there"]);
});

it("those that changed since the thread was given them are given to it again, and none is found for what it was", async () => {
  const { root, see, others } = place();
  await others();
  for (let at = COUNT / 2; at < COUNT; at++) {
    writeFileSync(root + nameOf(at), "changed");
    see(nameOf(at));
  }
  for (let round = 0; round < 3; round++) expect(await others()).toEqual([]);
});

it("without its thread, it asks for all", async () => {
  const { root, files, others } = place();
  await others();
  files.close();
  rmSync(root + nameOf(COUNT - 1));
  for (let round = 0; round < 3; round++) expect(await others()).toEqual([nameOf(COUNT - 1)]);
});

it.each([1, 2])("a process whose thread was asked %i times ends by itself, with the answer", (times) => {
  const { root } = place();
  const program = `
    import { createKnownFiles } from ${JSON.stringify(new URL("known-files.ts", import.meta.url).href)};
    const seen = () => ({ mtimeMs: 0, ctimeMs: 0, size: 0, ino: 0, state: "x", isFresh: false });
    const known = new Map([["a", seen()], ["b", seen()]]);
    const files = createKnownFiles(${JSON.stringify(root)}, 1);
    for (let left = ${times}; left > 0; left--) console.log((await files.others(known)).size);`;
  const args = ["--conditions=indus-source", "--input-type=module", "-e", program];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", timeout: 30_000 });
  expect([stderr, status, stdout]).toEqual(["", 0, "2\n".repeat(times)]);
});
