import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { delay } from "indusagi/core";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { authorFolder } from "./test-author.ts";
import { watchAddon } from "./watch-addon.ts";

const NEVER: AbortSignal = new AbortController().signal;

/** How often it told of a change. */
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

async function seen(changes: () => number, count: number): Promise<void> {
  await vi.waitFor(() => expect(changes()).toBe(count), { timeout: 3_000, interval: 20 });
}

describe("a watched addon", () => {
  it("that is one file tells once for a burst of writes, also where a new file takes its place", async () => {
    const { file, cwd } = authorFolder();
    const path = file("a.ts", "0");
    const changes = watched(path);
    for (const text of ["1", "2", "3"]) appendFileSync(path, text);
    await seen(changes, 1);
    file("a.ts.new", "4");
    renameSync(join(cwd, "a.ts.new"), path);
    await seen(changes, 2);
    file("b.ts", "another addon");
    await delay(300, NEVER);
    expect(changes()).toBe(2);
  });

  it("that is a folder tells of files deep in it, and after it was removed and made again", async () => {
    const { file, cwd } = authorFolder();
    const path = file("a/lib/deep/x.ts", "0");
    const changes = watched(join(cwd, "a"));
    await delay(50, NEVER); // a recursive watch looks into the folders in turn
    writeFileSync(path, "1");
    await seen(changes, 1);
    rmSync(join(cwd, "a"), { recursive: true });
    await seen(changes, 2);
    mkdirSync(join(cwd, "a"));
    await seen(changes, 3);
    file("a/lib/y.ts", "1");
    await seen(changes, 4);
  });

  it("tells while a burst goes on, once a second", async () => {
    const { file } = authorFolder();
    const path = file("a.ts", "0");
    const changes = watched(path);
    const until = Date.now() + 1_600;
    while (Date.now() < until) {
      appendFileSync(path, "x");
      await delay(40, NEVER);
    }
    expect(changes()).toBe(1);
    await seen(changes, 2);
  });

  it("tells nothing once it is not watched any more", async () => {
    const { file } = authorFolder();
    const path = file("a.ts", "0");
    let changes = 0;
    const stop = watchAddon(path, { onChange: () => changes++, onLost: () => undefined });
    appendFileSync(path, "1");
    stop();
    stop();
    await delay(300, NEVER);
    expect(changes).toBe(0);
  });
});
