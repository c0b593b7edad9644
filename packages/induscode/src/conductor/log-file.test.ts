import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { EntryBody } from "./contract.ts";
import { createLog, LogError, openLog, type SessionLog } from "./log.ts";
import { readEntries } from "./log-reader.ts";

let path: string;
beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), "indus-log-")), "folder", "s1.jsonl");
});

const user = (text: string): EntryBody => ({
  type: "user",
  via: "submit",
  content: [{ kind: "text", text }],
});
const begin = (): { readonly log: SessionLog; readonly heard: string[] } => {
  const log = createLog({ id: "s1", path, cwd: "/w", version: "1" });
  const heard: string[] = [];
  log.hear((text) => heard.push(text));
  return { log, heard };
};
const texts = (where: string): readonly string[] =>
  readEntries(where).entries.flatMap((entry) =>
    entry.type === "user" && entry.content[0]?.kind === "text" ? entry.content[0].text : [],
  );

describe("the log is the file that was opened", () => {
  const WAYS: readonly (readonly [string, (log: SessionLog) => Promise<void>])[] = [
    ["sync", async (log) => log.sync()],
    ["flush", (log) => log.flush()],
  ];

  it.each(WAYS)("one that was deleted is written again, whole, and said (%s)", async (_, safe) => {
    const { log, heard } = begin();
    log.append(user("one"));
    rmSync(path);
    log.append(user("two"));
    await safe(log);
    log.append(user("three"));
    log.close();
    expect(texts(path)).toEqual(["one", "two", "three"]);
    expect(heard).toEqual([expect.stringMatching(/was deleted or moved .* rewritten in full/)]);
  });

  it.each(WAYS)("also with its folder (%s)", async (_, safe) => {
    const { log } = begin();
    log.append(user("one"));
    rmSync(dirname(path), { recursive: true });
    await safe(log);
    log.close();
    expect(texts(path)).toEqual(["one"]);
  });

  it.each(WAYS)(
    "one that another file replaced goes on beside it, and that is said (%s)",
    async (_, safe) => {
      const { log, heard } = begin();
      log.append(user("one"));
      await safe(log);
      writeFileSync(`${path}.new`, "another\n");
      renameSync(`${path}.new`, path);
      log.append(user("two"));
      await safe(log);
      log.append(user("three"));
      log.close();
      expect(readFileSync(path, "utf8")).toBe("another\n");
      expect(log.path).toBe(path.replace("s1.jsonl", "s1-2.jsonl"));
      expect(texts(log.path)).toEqual(["one", "two", "three"]);
      expect(heard).toEqual([expect.stringContaining(log.path)]);
      openLog(log.path).log.close();
    },
  );

  it("the twin: whoever writes on into what it opened loses it without an error", () => {
    const { log } = begin();
    log.append(user("one"));
    rmSync(path);
    log.append(user("two"));
    log.close();
    expect(existsSync(path)).toBe(false);
  });

  it("where it cannot be written again, whoever relies on it is told", async () => {
    const { log } = begin();
    log.append(user("one"));
    rmSync(dirname(path), { recursive: true });
    writeFileSync(dirname(path), "in the way");
    expect(() => log.sync()).toThrow(LogError);
    await expect(log.flush()).rejects.toThrow(LogError);
    log.close();
  });
});

describe("flush", () => {
  it("of many at once is what each of them waits for; of nothing new it is nothing", async () => {
    const { log } = begin();
    await log.flush();
    expect(existsSync(path)).toBe(false);
    log.append(user("one"));
    await Promise.all([log.flush(), log.flush()]);
    log.append(user("two"));
    const both = [log.flush(), log.flush()];
    log.close();
    await Promise.all(both);
    await log.flush();
    expect(texts(path)).toEqual(["one", "two"]);
    expect(readdirSync(dirname(path))).toEqual(["s1.jsonl"]);
  });
});
