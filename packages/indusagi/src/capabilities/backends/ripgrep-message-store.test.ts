import { existsSync, readdirSync, readlinkSync, writeSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { createWorkspace } from "../../../../../tests/support/test-workspace.ts";
import { untilHolds } from "../../../../../tests/support/until.ts";
import { grepWithRipgrep } from "./ripgrep.ts";
import { openMessageStore } from "./ripgrep-message-store.ts";
import { MessageReader } from "./ripgrep-messages.ts";

const { signal } = new AbortController();

/** The unnamed files that this process has open. */
function namelessHere(): readonly string[] {
  const paths = readdirSync("/proc/self/fd").map((file) => {
    try {
      return readlinkSync(`/proc/self/fd/${file}`);
    } catch {
      return ""; // the listing's own descriptor
    }
  });
  return paths.filter((path) => /\/#\d+ \(deleted\)$/.test(path));
}

/** A text file, one with a NUL in its opening bytes, one with a NUL after them. */
function place(): string {
  const ws = createWorkspace();
  ws.put("text", "one\n");
  ws.put("binary", "\0one\n");
  ws.put("late", `${"x".repeat(70_000)}\none\n\0`);
  return ws.root;
}

const found = {
  hits: ["late", "text"],
  binary: 1,
};

async function searchBelow(root: string): Promise<unknown> {
  const result = await grepWithRipgrep({ root, pattern: "on.", ignoreCase: false, maxHits: 10 }, signal);
  const hits = result?.hits.map(({ path }) => path.slice(root.length + 1));
  return { hits, binary: result?.binary };
}

test.skipIf(process.platform !== "linux")(
  "messages go into a file without a name, and are read whole",
  async () => {
    const ws = createWorkspace();
    vi.stubEnv("TMPDIR", ws.root);
    const store = openMessageStore();
    if (store === undefined) throw new Error("no file without a name can be made here");
    const lines = Array.from(
      { length: 3_000 },
      (_, at) => `rg: ${ws.root}/${at}: refused (os error 13)\n`,
    ).join("");
    writeSync(store.file, lines);
    expect(readdirSync(ws.root)).toEqual([]);
    const reader = new MessageReader(ws.root);
    await store.readInto(reader);
    expect(reader.read().omissions.unreadable).toBe(3_000);
    store.close(); // closing twice does nothing
    await store.readInto(reader);
  },
);

test.skipIf(!existsSync("/proc/self/fd"))(
  "a search leaves nothing open, one that is aborted neither",
  async () => {
    const root = place();
    const store = openMessageStore();
    expect(namelessHere()).toHaveLength(store === undefined ? 0 : 1);
    store?.close();
    expect(await searchBelow(root)).toEqual(found);
    const stopped = new AbortController();
    const search = grepWithRipgrep({ root, pattern: "on.", ignoreCase: false, maxHits: 10 }, stopped.signal);
    stopped.abort();
    await expect(search).rejects.toThrow();
    await untilHolds(() => expect(namelessHere()).toEqual([]));
  },
);

test("where no file without a name can be made, the messages come by a pipe", async () => {
  const root = place();
  vi.stubEnv("TMPDIR", `${root}/missing`);
  expect(openMessageStore()).toBeUndefined();
  expect(await searchBelow(root)).toEqual(found);
});
