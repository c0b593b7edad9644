import { chmodSync, linkSync, mkdirSync, symlinkSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { isRoot, lacks } from "../../../../../tests/support/needs.ts";
import { createWorkspace, HELD_UP_MS, longestBlock } from "../../../../../tests/support/test-workspace.ts";
import { localFs } from "../backends/local-fs.ts";
import { memoryFs } from "../backends/memory-fs.ts";
import type { Fs } from "../kernel/contract.ts";
import { openIgnoreScope } from "./ignore-scope.ts";
import { createTally, MAX_IGNORED_COUNTED, type Walk, type WalkTally, walk } from "./walk.ts";

const { signal } = new AbortController();

interface Walked {
  readonly paths: readonly string[];
  readonly tally: WalkTally;
}

async function walked(fs: Fs, root: string, options: Partial<Walk> = {}): Promise<Walked> {
  const tally = createTally();
  const paths: string[] = [];
  for await (const entry of walk({ fs, root, signal, tally, ...options })) paths.push(entry.path);
  return { paths, tally };
}

async function walkedRepository(fs: Fs, root: string): Promise<Walked> {
  const scope = await openIgnoreScope(fs, root, createTally());
  return walked(fs, root, { scope });
}

/** `inner`, failing at each path in `codes`: a disk with folders that cannot be opened. */
function failing(inner: Fs, codes: Readonly<Record<string, string>>): Fs {
  const readDir: Fs["readDir"] = async (path) => {
    const code = codes[path];
    if (code === undefined) return inner.readDir(path);
    throw Object.assign(new Error(`${code}: refused, scandir '${path}'`), { code });
  };
  return { ...inner, readDir };
}

test("folders that cannot be read are counted and passed over, those that went away say nothing", async () => {
  const fs = memoryFs({ "/a/x": "", "/b/x": "", "/c/x": "", "/d/x": "" });
  const codes = { "/a": "EACCES", "/b": "EIO", "/c": "ENOENT" };
  expect(await walked(failing(fs, codes), "/")).toEqual({
    paths: ["/a", "/b", "/c", "/d", "/d/x"],
    tally: { ...createTally(), unreadable: 2 },
  });
});

test("a root that cannot be read is an error, and so is any failure that is not the system's", async () => {
  const fs = memoryFs({ "/a/x": "" });
  await expect(walked(failing(fs, { "/a": "EACCES" }), "/a")).rejects.toThrow("EACCES: refused");
  const broken: Fs = {
    ...fs,
    readDir: async (path) => (path === "/" ? fs.readDir(path) : Promise.reject("?")),
  };
  await expect(walked(broken, "/")).rejects.toBe("?");
});

test.skipIf(lacks("not root", !isRoot))("a folder without permission is counted", async () => {
  const ws = createWorkspace();
  ws.put("closed/x", "");
  ws.put("open/x", "");
  chmodSync(ws.path("closed"), 0);
  onTestFinished(() => chmodSync(ws.path("closed"), 0o700)); // so that the workspace can be removed
  const { paths, tally } = await walked(localFs(), ws.root);
  expect([paths.length, tally.unreadable]).toEqual([3, 1]);
});

test("a tree 1,000 folders deep is walked to its end", async () => {
  const ws = createWorkspace();
  const deep = "d/".repeat(1_000);
  mkdirSync(ws.path(deep), { recursive: true });
  ws.put(`${deep}x`, "");
  ws.put(".gitignore", "y\n");
  expect((await walked(localFs(), ws.root)).paths).toHaveLength(1_002);
  expect((await walkedRepository(localFs(), ws.root)).paths.at(-1)).toBe(ws.path(`${deep}x`));
});

test("10,000 entries in a folder hold nothing up, with ignore rules too", async () => {
  const ws = createWorkspace();
  const first = ws.put("1", "");
  for (let name = 2; name <= 10_000; name++) linkSync(first, ws.path(String(name))); // faster than separate files
  ws.put(".gitignore", Array.from({ length: 200 }, (_, index) => `${index}??`).join("\n"));
  const block = await longestBlock(async () => {
    expect((await walked(localFs(), ws.root)).paths).toHaveLength(10_001);
    expect((await walkedRepository(localFs(), ws.root)).tally.ignored).toBeGreaterThan(8_000);
  });
  expect(block).toBeLessThan(HELD_UP_MS);
});

test("links that lead in circles are listed and not followed", async () => {
  const ws = createWorkspace();
  ws.put("a/x", "");
  symlinkSync("..", ws.path("a/up"));
  symlinkSync("self", ws.path("self"));
  symlinkSync("/", ws.path("root"));
  const { paths, tally } = await walked(localFs(), ws.root);
  expect(paths).toEqual(["a", "a/up", "a/x", "root", "self"].map(ws.path));
  expect(tally.unreadable).toBe(0);
});

test("ignored files are counted up to a limit, and what is ignored beyond it is not read", async () => {
  const files: Record<string, string> = { "/.gitignore": "out*/", "/src/x": "" };
  for (let index = 0; index <= MAX_IGNORED_COUNTED; index++) files[`/out1/${index}`] = "";
  for (let index = 0; index < 100; index++) files[`/out2/${index}/x`] = "";
  const inner = memoryFs(files);
  const read: string[] = [];
  const fs: Fs = { ...inner, readDir: (path) => inner.readDir(path).finally(() => read.push(path)) };
  const { paths, tally } = await walkedRepository(fs, "/");
  expect(paths).toEqual(["/.gitignore", "/src", "/src/x"]);
  expect(tally.ignored).toBe(MAX_IGNORED_COUNTED + 1);
  expect(read.filter((path) => path.startsWith("/out2/"))).toEqual([]);
});

test("a cancelled walk ends at once, even when the disk does not answer", async () => {
  const abort = new AbortController();
  const inner = memoryFs({ "/a/x": "" });
  const hanging: Fs = {
    ...inner,
    readDir: (path) => (path === "/a" ? new Promise(() => undefined) : inner.readDir(path)),
  };
  const pending = walked(hanging, "/", { signal: abort.signal });
  abort.abort();
  await expect(pending).rejects.toThrow("Cancelled.");
});
