import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { authorFolder } from "../../../../../tests/support/test-author.ts";
import { goesOnHolding, until } from "../../../../../tests/support/until.ts";
import { watchAddon } from "./watch-addon.ts";

/** How often a change was reported. */
function watched(root: string): () => number {
  let changes = 0;
  const stop = watchAddon(root, {
    onChange: () => {
      changes++;
    },
    onLost: (why) => expect.unreachable(why),
  });
  onTestFinished(stop);
  return () => changes;
}

/** Waits until one more change is reported. */
async function told(changes: () => number, act: () => unknown): Promise<void> {
  const before = changes();
  act();
  await until(() => changes() > before);
}

describe("a watched addon", () => {
  it("that is one file tells once for a burst of writes, also where a new file takes its place", async () => {
    const { file, cwd } = authorFolder();
    const path = file("a.ts", "0");
    const changes = watched(path);
    await told(changes, () => {
      for (const text of ["1", "2", "3"]) appendFileSync(path, text);
    });
    file("a.ts.new", "4");
    await told(changes, () => renameSync(join(cwd, "a.ts.new"), path));
    file("b.ts", "another addon");
    await goesOnHolding(() => expect(changes()).toBe(2));
  });

  it("that is a folder tells of files deep in it, and after it was removed and made again", async () => {
    const { file, cwd } = authorFolder();
    const path = file("a/lib/deep/x.ts", "0");
    const changes = watched(join(cwd, "a"));
    // A recursive watch scans the folders one by one; until it has reached a deep one, it misses changes there.
    await until(() => {
      writeFileSync(path, "1");
      return changes() > 0;
    });
    await told(changes, () => rmSync(join(cwd, "a"), { recursive: true }));
    await told(changes, () => mkdirSync(join(cwd, "a")));
    await told(changes, () => file("a/lib/y.ts", "1"));
  });

  it("tells while a burst goes on, and of its end", async () => {
    const { file } = authorFolder();
    const path = file("a.ts", "0");
    const changes = watched(path);
    await until(() => {
      appendFileSync(path, "x"); // too often for the file to come to rest
      return changes() > 0;
    });
    await told(changes, () => appendFileSync(path, "x"));
  });

  it("tells nothing once it is not watched any more", async () => {
    const { file } = authorFolder();
    const path = file("a.ts", "0");
    let changes = 0;
    const stop = watchAddon(path, { onChange: () => changes++, onLost: () => undefined });
    appendFileSync(path, "1");
    stop();
    stop();
    await goesOnHolding(() => expect(changes).toBe(0));
  });
});
