import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { placeFolder, replaceFile, updateFile, writeNamed } from "./replace-file.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "indus-store-"));
});

describe.each([false, true])("a file that is replaced, durable: %s", (isDurable) => {
  it("appears whole, in a folder for the person alone, and leaves nothing else", () => {
    const path = join(folder, "new/deep/a.json");
    replaceFile(path, "one", { isDurable });
    replaceFile(path, "two", { isDurable });
    expect(readFileSync(path, "utf8")).toBe("two");
    expect([statSync(path).mode & 0o777, statSync(join(folder, "new")).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(readdirSync(join(folder, "new/deep"))).toEqual(["a.json"]);
  });

  it("stays as it was when the last check says no", () => {
    const path = join(folder, "a");
    writeFileSync(path, "old");
    const beforeRename = (): void => {
      throw new Error("not now");
    };
    expect(() => replaceFile(path, "new", { isDurable, beforeRename })).toThrow("not now");
    expect([readFileSync(path, "utf8"), readdirSync(folder)]).toEqual(["old", ["a"]]);
  });

  it("replaces a link, and does not write through it", () => {
    writeFileSync(join(folder, "target"), "kept");
    symlinkSync("target", join(folder, "a"));
    replaceFile(join(folder, "a"), "new", { isDurable });
    expect(readFileSync(join(folder, "target"), "utf8")).toBe("kept");
    expect(lstatSync(join(folder, "a")).isFile()).toBe(true);
  });

  it("throws where a folder has its name, and leaves nothing behind", () => {
    mkdirSync(join(folder, "a/full"), { recursive: true });
    expect(() => replaceFile(join(folder, "a"), "new", { isDurable })).toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
    expect(readdirSync(folder)).toEqual(["a"]);
  });
});

it("the twin: a file that is written in its place is empty for whoever reads it meanwhile", () => {
  const path = join(folder, "a");
  writeFileSync(path, "old");
  replaceFile(path, "new", { beforeRename: () => expect(readFileSync(path, "utf8")).toBe("old") });
  writeFileSync(path, ""); // what a kill between the two steps of writeFileSync leaves behind
  expect(readFileSync(path, "utf8")).toBe("");
});

it("an update reads and writes under the lock, and a change that throws changes nothing", async () => {
  const path = join(folder, "home/a.json");
  await updateFile(path, () => {
    expect(readdirSync(join(folder, "home"))).toEqual(["a.json.lock"]);
    return "1";
  });
  const failing = updateFile(path, () => {
    throw new Error("damaged");
  });
  await expect(failing).rejects.toThrow("damaged");
  expect([readFileSync(path, "utf8"), readdirSync(join(folder, "home"))]).toEqual(["1", ["a.json"]]);
});

it("an update whose lock was taken away is refused", async () => {
  const path = join(folder, "a");
  const late = updateFile(path, () => {
    writeFileSync(`${path}.lock`, "someone else");
    return "late";
  });
  await expect(late).rejects.toThrow("was not changed: this process was suspended for too long; try again");
  expect(existsSync(path)).toBe(false);
});

it("a folder appears with all its files, and the first of two stays", () => {
  const path = join(folder, "cache/entry");
  placeFolder(path, [
    { name: "a.js", code: "1" },
    { name: "b/c.js", code: "2" },
  ]);
  placeFolder(path, [{ name: "a.js", code: "other" }]);
  expect(readFileSync(join(path, "a.js"), "utf8")).toBe("1");
  expect(readdirSync(join(folder, "cache"))).toEqual(["entry"]);
  writeFileSync(join(folder, "file"), "");
  expect(() => placeFolder(join(folder, "file/x"), [{ name: "a", code: "" }])).toThrow("ENOTDIR");
});

describe.skipIf(process.platform === "win32")("what a person names as a place to write to", () => {
  const makePipe = (name: string): string => {
    const path = join(folder, name);
    spawnSync("mkfifo", [path]);
    expect(statSync(path).isFIFO()).toBe(true);
    return path;
  };

  it("stays a pipe where it is one, and gets the text", async () => {
    const path = makePipe("pipe");
    const program = `const { writeNamed } = await import(${JSON.stringify(new URL("replace-file.ts", import.meta.url).href)}); writeNamed(${JSON.stringify(path)}, "the text");`;
    const reader = spawn("cat", [path], { stdio: ["ignore", "pipe", "ignore"] });
    const read: string[] = [];
    reader.stdout.on("data", (chunk: Buffer) => void read.push(chunk.toString()));
    const writer = spawn(process.execPath, [
      "--conditions=indus-source",
      "--input-type=module",
      "-e",
      program,
    ]);
    await Promise.all([once(reader, "close"), once(writer, "close")]);
    expect([read.join(""), statSync(path).isFIFO()]).toEqual(["the text", true]);
  });

  it("the twin: a file that is replaced takes the place of a pipe", () => {
    const path = makePipe("pipe");
    replaceFile(path, "the text");
    expect(statSync(path).isFile()).toBe(true);
  });

  it("is a file anywhere else", () => {
    writeNamed(join(folder, "new"), "one");
    writeNamed(join(folder, "new"), "two");
    expect(readFileSync(join(folder, "new"), "utf8")).toBe("two");
  });
});
