import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { createSecretMask } from "indusagi/core";
import { expect, it, vi } from "vitest";
import { createFolder } from "../../../../../tests/support/test-folder.ts";
import { addonLogPath, createAddonLog } from "./addon-log.ts";

it("keeps what an addon says, harmless for a terminal, and makes no file for one that says nothing", () => {
  const home = createFolder();
  const log = createAddonLog(home, "redact");
  expect(existsSync(addonLogPath(home, "redact"))).toBe(false);
  log.write("one\n");
  log.write("two \u001b]52;c;aGk=\u0007");
  log.close();
  const text = readFileSync(addonLogPath(home, "redact"), "utf8");
  expect(text.startsWith("one\ntwo ")).toBe(true);
  expect(text).not.toContain("\u001b");
  expect(statSync(addonLogPath(home, "redact")).mode & 0o777).toBe(0o600);
});

it("keeps no secret, in whatever pieces it comes, and begins each line on a line of its own", () => {
  const home = createFolder();
  const mask = createSecretMask();
  mask.add("DB_PASSWORD", "hunter2-Zq8x");
  const log = createAddonLog(home, "leaky", mask);
  for (const piece of ["key: hunt", "er2-Zq8x\n", "one", "two\n", "hun", "gry", "hunter2"]) log.write(piece);
  log.close();
  expect(readFileSync(addonLogPath(home, "leaky"), "utf8")).toBe(
    "key: [secret DB_PASSWORD]\none\ntwo\nhungry\nhunter2\n",
  );
});

it("never grows beyond twice its limit: the old part is kept once", () => {
  const home = createFolder();
  const log = createAddonLog(home, "chatty");
  for (let written = 0; written < 300; written++) log.write("x".repeat(4_096));
  log.close();
  const path = addonLogPath(home, "chatty");
  expect(statSync(path).size).toBeLessThan(300 * 1024);
  expect(statSync(`${path}.old`).size).toBeLessThan(300 * 1024);
});

it("says once that it cannot write, and goes on", () => {
  const warned = vi.spyOn(process, "emitWarning").mockReturnValue();
  const home = createFolder({ logs: "a file where the folder should be" });
  const log = createAddonLog(home, "x");
  log.write("a");
  log.write("b");
  expect(warned.mock.calls.length).toBe(1);
  expect(String(warned.mock.calls[0]?.[0])).toContain(join(home, "logs", "addons", "x.log"));
  warned.mockRestore();
});
