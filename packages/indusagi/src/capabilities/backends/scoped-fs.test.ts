// Ways to escape a scope. Each is refused, and its twin shows that it works against a weaker guard.

import {
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { symlink } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import * as fc from "../../../../../tests/support/fast-check.ts";
import { codeOf } from "../../../../../tests/support/fs-cases.ts";
import { createWorkspace } from "../../../../../tests/support/test-workspace.ts";
import { isInside } from "../../core/paths.ts";
import type { Fs, FsSearch, GrepQuery } from "../kernel/contract.ts";
import { portableGrep } from "../search/portable-grep.ts";
import { walk } from "../search/walk.ts";
import { localFs } from "./local-fs.ts";
import { type MemoryFs, memoryFs } from "./memory-fs.ts";
import { confinedTo, type FsScope, ScopeError } from "./scoped.ts";
import { scopedFs } from "./scoped-fs.ts";

/** A folder `ws` to stay in, and next to it what must not be reached. */
interface World {
  /** Unguarded. */
  readonly inner: Fs;
  readonly fs: Fs;
  readonly ws: string;
  readonly at: (name: string) => string;
  readonly symlink: (target: string, path: string) => Promise<void>;
}

const FILES = ["ws/mine", "ws/dir/mine", "ws-evil/secret", "outside/secret", "outside/dir/secret"];

async function onDisk(): Promise<World> {
  const workspace = createWorkspace();
  for (const name of FILES) workspace.put(name, basename(name));
  return world(localFs(), { root: workspace.root, symlink });
}

async function inMemory(): Promise<World> {
  const inner = memoryFs(Object.fromEntries(FILES.map((name) => [`/${name}`, basename(name)])));
  return world(inner, { root: "/", symlink: inner.symlink });
}

function world(inner: Fs, { root, symlink }: Pick<World, "symlink"> & { readonly root: string }): World {
  const ws = join(root, "ws");
  const at = (name: string): string => join(root, name);
  return { inner, fs: scopedFs(inner, confinedTo(ws)), ws, at, symlink };
}

/** The weaker guards: what each checks before it uses the path as given. */
const weaker = {
  prefix: ({ inner, ws }: World) => letting(inner, async (path) => path.startsWith(ws)),
  lexical: ({ inner, ws }: World) => letting(inner, async (path) => isInside(ws, resolve(path))),
  checkThenUse: ({ inner, ws }: World, realPath: Fs["realPath"]) =>
    letting(inner, async (path) => isInside(ws, await realPath(path))),
};

function letting(inner: Fs, isAllowed: (path: string) => Promise<boolean>) {
  const check = async (path: string): Promise<void> => {
    if (!(await isAllowed(path))) throw Object.assign(new Error("no"), { code: "EACCES" });
  };
  return {
    readText: async (path: string) => check(path).then(() => inner.readText(path)),
    writeFile: async (path: string, text: string) => check(path).then(() => inner.writeFile(path, text)),
    rm: async (path: string) => check(path).then(() => inner.rm(path, { recursive: true })),
  };
}

/** The error codes of every operation that takes a path. */
async function allCodes(fs: Fs, path: string): Promise<ReadonlySet<string>> {
  const work = [
    fs.readText(path),
    fs.readBytes(path),
    fs.writeFile(path, "x"),
    fs.stat(path),
    fs.readDir(path),
    fs.realPath(path),
  ];
  return new Set(await Promise.all(work.map(codeOf)));
}

const REFUSED = new Set(["EACCES"]);

describe.each([
  ["on disk", onDisk],
  ["in memory", inMemory],
])("%s", (_, make) => {
  test("what lies in the scope is reached", async () => {
    const { fs, at } = await make();
    expect(await fs.readText(at("ws/mine"))).toBe("mine");
    await fs.mkdir(at("ws/new/deep"), { recursive: true });
    await fs.writeFile(at("ws/new/deep/file"), "text");
    expect(await fs.readText(at("ws/new/deep/file"))).toBe("text");
    await fs.rm(at("ws/new"), { recursive: true });
    expect(await fs.exists(at("ws/new"))).toBe(false);
  });

  test("`..` does not lead out, where a prefix check lets it", async () => {
    const here = await make();
    const path = `${here.ws}/dir/../../outside/secret`;
    expect(await allCodes(here.fs, path)).toEqual(REFUSED);
    expect(await weaker.prefix(here).readText(path)).toBe("secret");
  });

  test("a sibling that shares the root's name as a prefix is outside, where a prefix check lets it in", async () => {
    const here = await make();
    expect(await allCodes(here.fs, here.at("ws-evil/secret"))).toEqual(REFUSED);
    expect(await weaker.prefix(here).readText(here.at("ws-evil/secret"))).toBe("secret");
  });

  test.each([
    ["a link to a file", [["../outside/secret", "link"]], "link"],
    ["a link to a folder", [["../outside", "link"]], "link/secret"],
    ["an absolute link", [["ABSOLUTE/outside", "link"]], "link/dir/secret"],
    ["a chain of links", [["../outside", "one"], ["one/dir", "two"], ["two", "three"]], "three/secret"], // biome-ignore format: one row
    ["a link up through a link", [["dir", "inner"], ["inner/../../outside", "link"]], "link/secret"], // biome-ignore format: one row
  ])("%s does not lead out, where a lexical check lets it", async (_name, links, path) => {
    const here = await make();
    for (const [target = "", name = ""] of links)
      await here.symlink(target.replace("ABSOLUTE", resolve(here.ws, "..")), join(here.ws, name));
    expect(await allCodes(here.fs, join(here.ws, path))).toEqual(REFUSED);
    expect(await here.fs.exists(join(here.ws, path))).toBe(false);
    expect(await weaker.lexical(here).readText(join(here.ws, path))).toBe("secret");
    await weaker.lexical(here).writeFile(join(here.ws, path), "overwritten");
    expect(await here.inner.readText(await here.inner.realPath(join(here.ws, path)))).toBe("overwritten");
  });

  test("links in a circle are an error and no way out", async () => {
    const { fs, at, symlink } = await make();
    await symlink("b", at("ws/a"));
    await symlink("a", at("ws/b"));
    expect(await allCodes(fs, at("ws/a"))).toEqual(new Set(["ELOOP"]));
  });

  test("a write through a dangling link is refused, where a lexical fallback lets it out", async () => {
    const here = await make();
    const link = join(here.ws, "notes");
    await here.symlink("../outside/made", link);
    expect(await allCodes(here.fs, link)).toEqual(REFUSED);
    expect(await codeOf(here.fs.mkdir(join(link, "x"), { recursive: true }))).toBe("ENOTDIR");
    expect(await here.inner.exists(here.at("outside/made"))).toBe(false);
    // The twin: no real path, so the path is used as written, and the write goes through the link.
    const naiveRealPath = async (path: string): Promise<string> =>
      (await here.inner.exists(path)) ? here.inner.realPath(path) : resolve(path);
    await weaker.checkThenUse(here, naiveRealPath).writeFile(link, "escaped");
    expect(await here.inner.readText(here.at("outside/made"))).toBe("escaped");
  });

  test("a root that is a link is given by its real path; by the link it covers nothing", async () => {
    const { inner, at, symlink } = await make();
    await symlink("ws", at("to-ws"));
    const byRealPath = scopedFs(inner, confinedTo(await inner.realPath(at("to-ws"))));
    expect([await byRealPath.readText(at("to-ws/mine")), await byRealPath.readText(at("ws/mine"))]).toEqual([
      "mine",
      "mine",
    ]);
    const byLink = scopedFs(inner, confinedTo(at("to-ws")));
    expect(await allCodes(byLink, at("to-ws/mine"))).toEqual(REFUSED);
  });

  test("a folder is made only where each new folder on the way is permitted", async () => {
    const { inner, at, symlink, ws } = await make();
    await symlink("../outside", at("ws/out"));
    const confined = scopedFs(inner, confinedTo(ws));
    expect(await codeOf(confined.mkdir(at("ws/out/new")))).toBe("EACCES");
    expect(await codeOf(confined.mkdir(at("ws/out/new/deep"), { recursive: true }))).toBe("EACCES");
    const deep = scopedFs(inner, confinedTo(at("ws/a/b/c")));
    expect(await codeOf(deep.mkdir(at("ws/a/b/c"), { recursive: true }))).toBe("EACCES");
    expect(await inner.exists(at("ws/a"))).toBe(false);
    // The twin: checking only the last folder creates all of them.
    expect(isInside(at("ws/a/b/c"), at("ws/a/b/c"))).toBe(true);
    await inner.mkdir(at("ws/a/b/c"), { recursive: true });
    expect(await inner.exists(at("ws/a"))).toBe(true);
  });

  test("removing a link removes the link, and removing through one is refused", async () => {
    const here = await make();
    await here.symlink("../outside", join(here.ws, "link"));
    expect(await codeOf(here.fs.rm(join(here.ws, "link/dir"), { recursive: true }))).toBe("EACCES");
    await here.fs.rm(join(here.ws, "link"), { recursive: true });
    expect(await here.inner.exists(here.at("outside/dir/secret"))).toBe(true);
    await here.symlink("../outside", join(here.ws, "link"));
    await weaker.lexical(here).rm(join(here.ws, "link/dir"));
    expect(await here.inner.exists(here.at("outside/dir"))).toBe(false);
  });

  test("a folder goes only when all below it may go, where asking for the folder alone takes the rest along", async () => {
    const { inner, at, ws } = await make();
    await inner.mkdir(at("ws/repo/.git"), { recursive: true });
    await inner.writeFile(at("ws/repo/.git/config"), "");
    const scope = without(confinedTo(ws), ".git");
    expect(await codeOf(scopedFs(inner, scope).rm(at("ws/repo"), { recursive: true }))).toBe("EACCES");
    expect(await inner.exists(at("ws/repo/.git/config"))).toBe(true);
    expect(scope.mayWrite(at("ws/repo"))).toBe(true); // the twin checks no more than this
    await inner.rm(at("ws/repo"), { recursive: true });
    expect(await inner.exists(at("ws/repo/.git/config"))).toBe(false);
  });

  test("a listing shows what may be read, and a link by its name only", async () => {
    const { inner, fs, at, ws, symlink } = await make();
    await inner.writeFile(at("ws/.env"), "");
    await symlink("../outside", at("ws/out"));
    const listed = await scopedFs(inner, without(confinedTo(ws), ".env")).readDir(ws);
    expect(listed.map((child) => child.name).sort()).toEqual(["dir", "mine", "out"]);
    expect(await codeOf(fs.stat(at("ws/out")))).toBe("EACCES");
  });

  test("nothing tells what exists outside", async () => {
    const { fs, at } = await make();
    const codes = async (path: string): Promise<readonly unknown[]> => [
      await fs.exists(path),
      await codeOf(fs.stat(path)),
      await codeOf(fs.mkdir(path)),
      await codeOf(fs.rm(path, { ignoreMissing: true })),
    ];
    const expected = [false, "EACCES", "EACCES", "EACCES"];
    const paths = [
      "outside/secret",
      "outside/secret/below",
      "outside/none",
      "outside/none/x",
      `outside/${"n".repeat(300)}`,
    ];
    for (const path of paths) expect([path, ...(await codes(at(path)))]).toEqual([path, ...expected]);
  });

  test("a refusal names the operation, the path, the real place and what would allow it", async () => {
    const { fs, at, ws, symlink } = await make();
    await symlink("../outside", at("ws/link"));
    const [asked, real] = [JSON.stringify(at("ws/link/secret")), JSON.stringify(at("outside/secret"))];
    await expect(fs.readText(at("ws/link/secret"))).rejects.toThrow(
      `EACCES: cannot read ${asked}: it resolves to ${real}, which is outside what this scope may read ` +
        `(allowed: paths inside '${ws}'). Grant read access to ${real} to allow it.`,
    );
    await expect(fs.writeFile(at("outside/secret"), "")).rejects.toThrow(
      `EACCES: cannot write ${real}: it is outside what this scope may write ` +
        `(allowed: paths inside '${ws}'). Grant write access to ${real} to allow it.`,
    );
    await expect(fs.readText(at("outside/secret"))).rejects.toThrow(ScopeError);
  });

  test("reading and writing are two rights", async () => {
    const { inner, at, ws } = await make();
    const { mayRead } = confinedTo(ws);
    const fs = scopedFs(inner, { mayRead, mayWrite: () => false });
    expect(await fs.readText(at("ws/mine"))).toBe("mine");
    expect([
      await codeOf(fs.writeFile(at("ws/mine"), "")),
      await codeOf(fs.mkdir(at("ws/new"))),
      await codeOf(fs.rm(at("ws/mine"))),
    ]).toEqual(["EACCES", "EACCES", "EACCES"]);
    expect(await inner.readText(at("ws/mine"))).toBe("mine");
  });
});

/** `scope` without paths that contain `name`, as a careful policy writes it: in any case, with trailing dots or spaces. */
function without(scope: FsScope, name: string): FsScope {
  const isProtected = (path: string): boolean =>
    path.split("/").some((part) => part.toLowerCase().replace(/[. ]+$/, "") === name);
  return {
    mayRead: (path) => scope.mayRead(path) && !isProtected(path),
    mayWrite: (path) => scope.mayWrite(path) && !isProtected(path),
  };
}

describe("what changes between the check and the use", () => {
  /** The scope `ws`, in which the first check of a place is followed by `swap`. */
  function swapping({ ws }: World, swap: () => void): FsScope {
    let isSwapped = false;
    const ask = (path: string): boolean => {
      const answer = isInside(ws, path);
      if (!isSwapped) {
        isSwapped = true;
        swap();
      }
      return answer;
    };
    return { mayRead: ask, mayWrite: ask };
  }

  const replaceByLink =
    ({ at }: World, name: string, target: string) =>
    (): void => {
      renameSync(at(name), at(`${name}.moved`));
      symlinkSync(target, at(name));
    };

  /** By paths alone, as the guard works where files cannot be opened first: the twin. */
  function byPath({ checked: _, ...inner }: Fs): Fs {
    return inner;
  }

  test("a file swapped for a link is not followed: what was opened is read, where paths lead out", async () => {
    for (const twin of [false, true]) {
      const here = await onDisk();
      const racing = swapping(here, replaceByLink(here, "ws/mine", "../outside/secret"));
      const path = here.at("ws/mine");
      if (twin) expect(await codeOf(scopedFs(byPath(here.inner), racing).readText(path))).toBe("EACCES");
      else expect(await scopedFs(here.inner, racing).readText(path)).toBe("mine");
      expect(await weaker.lexical(here).readText(path)).toBe("secret"); // as it reads now without a guard
    }
  });

  test("a link that is turned elsewhere is not followed again, for reading and for writing", async () => {
    const here = await onDisk();
    const link = here.at("ws/link");
    symlinkSync("mine", link);
    const turn = (): FsScope => swapping(here, replaceByLink(here, "ws/link", "../outside/secret"));
    expect(await scopedFs(here.inner, turn()).readText(link)).toBe("mine");
    rmSync(link);
    symlinkSync("mine", link);
    await scopedFs(here.inner, turn()).writeFile(link, "new");
    expect(await here.inner.readText(here.at("ws/mine"))).toBe("new");
    expect(await here.inner.readText(here.at("outside/secret"))).toBe("secret");
    expect(await weaker.lexical(here).readText(link)).toBe("secret"); // the twin
  });

  const DEEDS: readonly (readonly [string, (fs: Fs, path: string) => Promise<unknown>])[] = [
    ["read", (fs, path) => fs.readText(path)],
    ["write", (fs, path) => fs.writeFile(path, "changed")],
    ["write a new file", (fs, path) => fs.writeFile(`${path}.new`, "changed")],
    ["list", (fs, path) => fs.readDir(dirname(path))],
    ["remove", (fs, path) => fs.rm(path)],
    ["remove the folder", (fs, path) => fs.rm(dirname(path), { recursive: true })],
    ["make a folder", (fs, path) => fs.mkdir(join(dirname(path), "a/b"), { recursive: true })],
  ];

  test.each(DEEDS)("a folder swapped for a link leads nowhere: %s", async (_name, deed) => {
    const here = await onDisk();
    const racing = swapping(here, replaceByLink(here, "ws/dir", "../outside/dir"));
    writeFileSync(here.at("ws/dir/secret"), "mine");
    mkdirSync(here.at("outside/dir/only-there"));
    const result = await deed(scopedFs(here.inner, racing), here.at("ws/dir/secret")).catch(() => undefined);
    expect(JSON.stringify(result ?? "")).not.toMatch(/secret"$|only-there/);
    expect(readdirSync(here.at("outside/dir")).toSorted()).toEqual(["only-there", "secret"]);
    expect(readFileSync(here.at("outside/dir/secret"), "utf8")).toBe("secret");
  });

  test("twin: by paths a write goes to the folder that took the place, and only a second look tells", async () => {
    const here = await onDisk();
    const racing = swapping(here, replaceByLink(here, "ws/dir", "../outside/dir"));
    const path = here.at("ws/dir/secret");
    const real = JSON.stringify(here.at("outside/dir/secret"));
    await expect(scopedFs(byPath(here.inner), racing).writeFile(path, "new")).rejects.toThrow(
      `Grant write access to ${real} to allow it. It resolved to ${JSON.stringify(path)} when it was checked: ` +
        "part of the path was replaced in the meantime. The change may have been made there: check it.",
    );
    expect(await here.inner.readText(here.at("outside/dir/secret"))).toBe("new");
  });
});

test.runIf(process.platform === "linux")(
  "the links of /proc lead where they really lead, where a lexical check takes them for files",
  async () => {
    const here = await onDisk();
    await symlink("/proc/self/root", here.at("ws/root"));
    await symlink("/proc/self/cwd", here.at("ws/cwd"));
    const path = join(here.ws, "root", here.at("outside/secret"));
    expect(await allCodes(here.fs, path)).toEqual(REFUSED);
    expect(await allCodes(here.fs, here.at("ws/cwd/package.json"))).toEqual(REFUSED);
    expect(await weaker.lexical(here).readText(path)).toBe("secret");
    expect(await here.fs.readText(join(here.ws, "root", here.at("ws/mine")))).toBe("mine"); // a detour to the same file
  },
);

test.runIf(process.platform === "linux")(
  "a scope above /proc, /dev and /sys does not reach into them, where plain containment does",
  async () => {
    const fs = scopedFs(localFs(), confinedTo("/"));
    expect(await allCodes(fs, "/proc/self/environ")).toEqual(REFUSED);
    expect(await codeOf(fs.readText("/dev/null"))).toBe("EACCES");
    expect(await fs.exists("/sys/kernel")).toBe(false);
    expect(isInside("/", "/proc/self/environ")).toBe(true);
    const ws = createWorkspace();
    expect(await fs.readText(ws.put("a", "text"))).toBe("text");
    expect(confinedTo("/dev/shm/ws").mayRead("/dev/shm/ws/a")).toBe(true);
  },
);

test("a protected name in other letters is protected, where a check of the path as written lets it through", async () => {
  const inner = memoryFs({ "/ws/.git/config": "old", "/ws/café": "old" }, { foldsNames: true });
  const deny = (name: string): FsScope => ({
    mayRead: () => true,
    mayWrite: (path) => !path.split("/").includes(name),
  });
  const fs = scopedFs(inner, deny(".git"));
  for (const path of ["/ws/.GIT/config", "/ws/.Git/hooks"]) {
    expect(await codeOf(fs.writeFile(path, "new"))).toBe("EACCES");
    expect(await codeOf(fs.mkdir(path))).toBe("EACCES");
  }
  expect(await codeOf(fs.rm("/WS/.GIT", { recursive: true }))).toBe("EACCES");
  expect(await codeOf(scopedFs(inner, deny("café")).writeFile("/ws/cafe\u0301", "new"))).toBe("EACCES");
  // The twin: the same predicate, called with the path as written.
  expect(deny(".git").mayWrite("/ws/.GIT/config")).toBe(true);
  await inner.writeFile("/ws/.GIT/config", "new");
  expect(await inner.readText("/ws/.git/config")).toBe("new");
  // A missing entry has no stored spelling: such a policy folds case itself.
  const empty = memoryFs({ "/ws/a": "" }, { foldsNames: true });
  expect(await codeOf(scopedFs(empty, deny(".git")).mkdir("/ws/.GIT"))).toBe("no error");
  const careful = scopedFs(empty, without(confinedTo("/ws"), ".hg"));
  expect(await codeOf(careful.mkdir("/ws/.HG"))).toBe("EACCES");
  expect(await codeOf(careful.mkdir("/ws/.hg. "))).toBe("EACCES");
});

test("a scope within a scope is the narrower of both", async () => {
  const { inner, at, ws } = await inMemory();
  const fs = scopedFs(scopedFs(inner, confinedTo(ws)), confinedTo(at("ws/dir")));
  expect(await fs.readText(at("ws/dir/mine"))).toBe("mine");
  await fs.mkdir(at("ws/dir/a/b"), { recursive: true });
  expect(await allCodes(fs, at("ws/mine"))).toEqual(REFUSED);
  expect(await allCodes(scopedFs(fs, confinedTo("/")), at("outside/secret"))).toEqual(REFUSED);
});

describe("search", () => {
  const ask = (fs: Fs, query: Partial<GrepQuery> & { readonly root: string }) =>
    fs.search?.grep(
      { pattern: "mine|secret", ignoreCase: false, maxHits: 10, ...query },
      new AbortController().signal,
    );

  test("finds what may be read, below the root as it was asked for", async () => {
    const here = await onDisk();
    await symlink("dir", here.at("ws/to-dir"));
    await symlink("../outside", here.at("ws/out"));
    expect(await ask(here.fs, { root: here.at("ws/to-dir") })).toEqual({
      hits: [{ path: here.at("ws/to-dir/mine"), line: 1, text: "mine", at: 0 }],
      truncated: false,
    });
    await expect(ask(here.fs, { root: here.at("ws/out") })).rejects.toThrow("EACCES: cannot search");
    const upper = realpathSync(resolve(here.ws, ".."));
    expect((await ask(here.inner, { root: upper }))?.hits).toHaveLength(FILES.length); // the twin
  });

  test("leaves forbidden hits out, and lets the portable walker answer where they filled the cap", async () => {
    const files = { "/ws/a/secret": "x", "/ws/b": "x", "/ws/c": "x" };
    const inner = memoryFs(files);
    const native: FsSearch = { grep: (query, signal) => portableGrep(inner, query, { signal }) };
    const fs = scopedFs({ ...inner, search: native }, without(confinedTo("/ws"), "secret"));
    const hit = (path: string) => ({ path, line: 1, text: "x", at: 0 });
    expect(await ask(fs, { root: "/ws", pattern: "x" })).toEqual({
      hits: [hit("/ws/b"), hit("/ws/c")],
      truncated: false,
    });
    const capped = { root: "/ws", pattern: "x", maxHits: 2 };
    expect(await ask(fs, capped)).toBeUndefined();
    const query = { ignoreCase: false, ...capped };
    expect(await portableGrep(fs, query, { signal: new AbortController().signal })).toEqual({
      hits: [hit("/ws/b"), hit("/ws/c")],
      truncated: false,
    });
  });

  test("is there only where the inner file system has it", async () => {
    expect((await inMemory()).fs.search).toBeUndefined();
  });
});

describe("random requests among random links", () => {
  const OUTSIDE = {
    "/out/hidden": "classified",
    "/out/dir/hidden": "classified",
    "/ws-evil/hidden": "classified",
  };
  const segment = fc.constantFrom("a", "b", "dir", "..", "out", "hidden");
  const path = fc.array(segment, { maxLength: 4 }).map((segments) => `/ws/${segments.join("/")}`);
  const target = fc.oneof(path, fc.constantFrom("/out", "/out/none", "../out", "..", "a", "dir/../.."));
  const kind = fc.constantFrom("link", "write", "mkdir", "mkdirs", "rm", "rmAll", "read");
  const requests = fc.array(fc.record({ kind, path, target }), { maxLength: 15 });

  type Request = typeof requests extends fc.Arbitrary<(infer Item)[]> ? Item : never;

  /** Plants links as an attacker would, inside only. */
  async function plant(inner: MemoryFs, { path, target }: Request): Promise<void> {
    const at = resolve(path);
    if (isInside("/ws", await inner.realPath(dirname(at)))) await inner.symlink(target, at);
  }

  async function perform(fs: Fs, { kind, path }: Request): Promise<string | undefined> {
    if (kind === "read") return fs.readText(path);
    if (kind === "write") await fs.writeFile(path, "x");
    else if (kind.startsWith("mkdir")) await fs.mkdir(path, { recursive: kind === "mkdirs" });
    else await fs.rm(path, { recursive: kind === "rmAll" });
    return undefined;
  }

  /** The requests that read or changed something outside, if any. */
  async function findEscape(guarded: (inner: Fs) => Fs): Promise<unknown> {
    const property = fc.asyncProperty(requests, async (all) => {
      const inner = memoryFs({ "/ws/a": "mine", ...OUTSIDE });
      await inner.symlink("../out", "/ws/out");
      const fs = guarded(inner);
      for (const request of all) {
        const work = request.kind === "link" ? plant(inner, request) : perform(fs, request);
        if ((await work.catch(() => undefined)) === "classified") return false;
      }
      return (await outline(inner)) === (await outline(memoryFs({ "/ws/a": "mine", ...OUTSIDE })));
    });
    return (await fc.check(property, { numRuns: 500 })).counterexample;
  }

  /** All names and texts outside, as one text. */
  async function outline(fs: Fs): Promise<string> {
    const lines: string[] = [];
    for await (const entry of walk({ fs, root: "/", signal: new AbortController().signal })) {
      if (isInside("/ws", entry.path)) continue;
      lines.push(entry.isDirectory ? entry.path : `${entry.path}: ${await fs.readText(entry.path)}`);
    }
    return lines.join("\n");
  }

  test("find no way out, where they soon find one through a lexical guard", async () => {
    expect(await findEscape((inner) => scopedFs(inner, confinedTo("/ws")))).toBeNull();
    const lexical = (inner: Fs): Fs => {
      const check = async (path: string): Promise<string> => {
        if (!isInside("/ws", path)) throw new Error("outside");
        return path;
      };
      return {
        ...inner,
        readText: (path) => check(path).then(inner.readText),
        writeFile: (path, data) => check(path).then(() => inner.writeFile(path, data)),
        mkdir: (path, options) => check(path).then(() => inner.mkdir(path, options)),
        rm: (path, options) => check(path).then(() => inner.rm(path, options)),
      };
    };
    expect(await findEscape(lexical)).not.toBeNull();
  });
});
