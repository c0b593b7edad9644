// What is specific to the memory file system; fs-cases.ts and fs-parity.test.ts cover the rest.

import { expect, test } from "vitest";
import { codeOf } from "../../../../../tests/support/fs-cases.ts";
import { memoryFs } from "./memory-fs.ts";

test("it begins with the files it is given, and the folders they need", async () => {
  const bytes = Uint8Array.of(1, 2);
  const fs = memoryFs({ "/ws/src/a.ts": "text", "/ws/b.bin": bytes, "/top": "" });
  bytes[0] = 9;
  expect(await fs.readText("/ws/src/a.ts")).toBe("text");
  expect([...(await fs.readBytes("/ws/b.bin"))]).toEqual([1, 2]);
  expect((await fs.readDir("/")).map((child) => child.name)).toEqual(["ws", "top"]);
  expect(() => memoryFs({ "/a": "", "/a/b": "" })).toThrow("EEXIST: file already exists, mkdir '/a'");
});

test("it takes its times from the clock it is given", async () => {
  let time = 1_000;
  const fs = memoryFs({ "/ws/a": "" }, { now: () => time });
  time = 2_000;
  await fs.writeFile("/ws/b", "");
  const timeOf = async (path: string): Promise<number> => (await fs.stat(path)).modifiedMs;
  expect([await timeOf("/ws/a"), await timeOf("/ws/b"), await timeOf("/ws")]).toEqual([1_000, 2_000, 2_000]);
  time = 3_000;
  await fs.rm("/ws/a");
  expect(await timeOf("/ws")).toBe(3_000);
});

test("where names fold, a file keeps its first spelling and answers to every one", async () => {
  const fs = memoryFs({ "/ws/README": "", "/ws/caf\u00e9": "" }, { foldsNames: true });
  await fs.writeFile("/WS/Readme", "new");
  expect(await fs.readText("/ws/README")).toBe("new");
  expect(await fs.realPath("/WS/readme")).toBe("/ws/README");
  expect(await fs.realPath("/ws/cafe\u0301")).toBe("/ws/caf\u00e9");
  expect((await fs.readDir("/ws")).map((child) => child.name)).toEqual(["README", "caf\u00e9"]);
  await fs.rm("/ws/ReadMe");
  expect(await fs.exists("/ws/README")).toBe(false);
});

test("a path that is not absolute, and the root where a file should be, are refused", async () => {
  const fs = memoryFs();
  expect([
    await codeOf(fs.readText("a")),
    await codeOf(fs.writeFile("/", "")),
    await codeOf(fs.mkdir("/")),
    await codeOf(fs.mkdir("/", { recursive: true })),
    await codeOf(fs.rm("/", { recursive: true })),
    await codeOf(fs.symlink("a", "/")),
  ]).toEqual(["EINVAL", "EISDIR", "EEXIST", "no error", "EBUSY", "EEXIST"]);
});

test("an error says what happened to which path", async () => {
  await expect(memoryFs().readText("/none")).rejects.toThrow(
    "ENOENT: no such file or directory, open '/none'",
  );
});
