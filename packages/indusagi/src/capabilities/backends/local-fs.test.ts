import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { LONG_ONLY } from "../../../../../tests/support/long-form.ts";
import { createWorkspace } from "../../../../../tests/support/test-workspace.ts";
import { errorCode } from "../../core/faults.ts";
import { isInside } from "../../core/paths.ts";
import { localFs } from "./local-fs.ts";

const fs = localFs();

async function codeOf(work: Promise<unknown>): Promise<string | undefined> {
  return work.then(
    () => "no error",
    (error) => errorCode(error),
  );
}

test("text keeps its byte order mark, and other encodings are refused", async () => {
  const ws = createWorkspace();
  expect(await fs.readText(ws.put("bom.txt", "\ufeffhello\r\n"))).toBe("\ufeffhello\r\n");
  expect(await codeOf(fs.readText(ws.put("latin1.txt", Buffer.from([0x63, 0x61, 0x66, 0xe9]))))).toBe(
    "ERR_ENCODING_INVALID_ENCODED_DATA",
  );
});

test("a range reads no more than it names", async () => {
  const ws = createWorkspace();
  const path = ws.put("digits", "0123456789");
  const range = async (start: number, maxBytes: number): Promise<string> =>
    Buffer.from(await fs.readBytes(path, { start, maxBytes })).toString();
  expect([await range(0, 3), await range(8, 5), await range(20, 5), await range(0, 0)]).toEqual([
    "012",
    "89",
    "",
    "",
  ]);
  expect(Buffer.from(await fs.readBytes(path)).toString()).toBe("0123456789");
});

test.runIf(process.platform === "linux")(
  "a file that calls itself empty and is not is read to its end",
  async () => {
    expect(await fs.readText("/proc/self/status")).toContain("Pid:");
  },
);

test.skipIf(process.platform === "win32")(
  "a pipe and a device are refused at once, where a plain open hangs",
  async () => {
    const ws = createWorkspace();
    const pipe = ws.path("pipe");
    execFileSync("mkfifo", [pipe]);
    expect(await codeOf(fs.readText(pipe))).toBe("EINVAL");
    expect(await codeOf(fs.readBytes("/dev/zero"))).toBe("EINVAL");
    expect(await codeOf(fs.writeFile(pipe, "x"))).toBe("EINVAL");
    // The twin: without the guard, opening the pipe blocks until the process is killed.
    const naive = `require("fs").readFileSync(${JSON.stringify(pipe)})`;
    expect(() => execFileSync(process.execPath, ["-e", naive], { timeout: 500 })).toThrow("ETIMEDOUT");
  },
);

test("a folder is no file", async () => {
  const ws = createWorkspace();
  expect(await codeOf(fs.readText(ws.root))).toBe("EISDIR");
  expect(await codeOf(fs.writeFile(ws.root, "x"))).toBe("EISDIR");
  expect(await codeOf(fs.readText(ws.path("none")))).toBe("ENOENT");
});

test("a write replaces the file in one step and leaves nothing else behind", async () => {
  const ws = createWorkspace();
  const path = ws.put("a.txt", "old");
  const before = statSync(path).ino;
  await fs.writeFile(path, "new");
  expect(readFileSync(path, "utf8")).toBe("new");
  expect(statSync(path).ino).not.toBe(before); // a rename: no reader ever saw a half-written file
  await fs.writeFile(ws.path("b.bin"), Uint8Array.of(0, 255));
  expect([...readFileSync(ws.path("b.bin"))]).toEqual([0, 255]);
  expect(readdirSync(ws.root).sort()).toEqual(["a.txt", "b.bin"]);
});

test("a write that fails leaves the old content and no temporary file", async () => {
  const ws = createWorkspace();
  mkdirSync(ws.path("folder"));
  expect(await codeOf(fs.writeFile(ws.path("folder"), "x"))).toBe("EISDIR");
  expect(await codeOf(fs.writeFile(ws.path("none/a.txt"), "x"))).toBe("ENOENT");
  expect(readdirSync(ws.root)).toEqual(["folder"]);
});

test.skipIf(process.platform === "win32")("a file's mode survives a write, whatever the umask", async () => {
  const ws = createWorkspace();
  for (const mode of [0o755, 0o600, 0o666]) {
    const path = ws.put(`mode-${mode.toString(8)}`, "old");
    chmodSync(path, mode);
    await fs.writeFile(path, "new");
    expect((statSync(path).mode & 0o7777).toString(8)).toBe(mode.toString(8));
  }
});

test("a hard link still names the same file after a write, where a bare rename cuts it off", async () => {
  const ws = createWorkspace();
  const path = ws.put("a.txt", "a longer old content");
  linkSync(path, ws.path("b.txt"));
  await fs.writeFile(path, "new");
  expect(readFileSync(ws.path("b.txt"), "utf8")).toBe("new");
  // The twin.
  const { renameSync } = await import("node:fs");
  renameSync(ws.put("temp", "newer"), path);
  expect(readFileSync(ws.path("b.txt"), "utf8")).toBe("new");
});

test("a write goes through links to the file they name, and the links stay", async () => {
  const ws = createWorkspace();
  ws.put("real/a.txt", "old");
  symlinkSync("real/a.txt", ws.path("link"));
  symlinkSync("link", ws.path("chain"));
  await fs.writeFile(ws.path("chain"), "new");
  expect(readFileSync(ws.path("real/a.txt"), "utf8")).toBe("new");
  expect([readlinkSync(ws.path("chain")), readlinkSync(ws.path("link"))]).toEqual(["link", "real/a.txt"]);
});

test("links in a circle are refused", async () => {
  const ws = createWorkspace();
  symlinkSync("b", ws.path("a"));
  symlinkSync("a", ws.path("b"));
  expect(await codeOf(fs.writeFile(ws.path("a"), "x"))).toBe("ELOOP");
  expect(await codeOf(fs.realPath(ws.path("a/new.txt")))).toBe("ELOOP");
});

test("the real path of what does not exist yet is where a write would really put it", async () => {
  const ws = createWorkspace();
  mkdirSync(ws.path("inside"));
  mkdirSync(ws.path("outside/deep"), { recursive: true });
  symlinkSync("../outside/deep", ws.path("inside/dir"));
  symlinkSync("../outside/missing", ws.path("inside/dangling"));
  symlinkSync("dir/../up.txt", ws.path("inside/through")); // `..` is relative to where `dir` really is
  expect([
    await fs.realPath(ws.path("inside/new/a.txt")),
    await fs.realPath(ws.path("inside/dir/new.txt")),
    await fs.realPath(ws.path("inside/dangling")),
    await fs.realPath(ws.path("inside/dangling/x")),
    await fs.realPath(ws.path("inside/through")),
  ]).toEqual([
    ws.path("inside/new/a.txt"),
    ws.path("outside/deep/new.txt"),
    ws.path("outside/missing"),
    ws.path("outside/missing/x"),
    ws.path("outside/up.txt"),
  ]);
});

test("a dangling link does not hide that it leads outside, where a lexical fallback lets the write escape", async () => {
  const ws = createWorkspace();
  mkdirSync(ws.path("workspace"));
  symlinkSync("../escaped.txt", ws.path("workspace/notes.txt"));
  const link = ws.path("workspace/notes.txt");
  expect(isInside(ws.path("workspace"), await fs.realPath(link))).toBe(false);
  // The twin: realpath fails, the path is used as written, and the write goes through the link.
  const naiveRealPath = (path: string): string => {
    try {
      return realpathSync(path);
    } catch {
      return resolve(path);
    }
  };
  expect(isInside(ws.path("workspace"), naiveRealPath(link))).toBe(true);
  writeFileSync(link, "escaped");
  expect(existsSync(ws.path("escaped.txt"))).toBe(true);
});

test.skipIf(process.platform === "win32")(
  "a killed writer leaves the old content or the new one",
  LONG_ONLY,
  async () => {
    const ws = createWorkspace();
    const path = ws.put("state", "old".repeat(100_000));
    const source = join(import.meta.dirname, "local-fs.ts");
    const script = `
    const { localFs } = await import(${JSON.stringify(source)});
    for (let i = 0; ; i++) await localFs().writeFile(${JSON.stringify(path)}, (i % 2 ? "old" : "new").repeat(100_000));`;
    for (let attempt = 1; attempt <= 5; attempt++) {
      const args = ["--conditions=indus-source", "--input-type=module", "-e", script];
      expect(() =>
        execFileSync(process.execPath, args, {
          timeout: 300 + attempt * 37,
          killSignal: "SIGKILL",
          stdio: "ignore",
        }),
      ).toThrow();
      const content = readFileSync(path, "utf8");
      expect(["old".repeat(100_000), "new".repeat(100_000)].includes(content)).toBe(true);
    }
  },
);

test("an entry is described, and a link by what it points at", async () => {
  const ws = createWorkspace();
  ws.put("a.txt", "12345");
  symlinkSync("a.txt", ws.path("link"));
  const { modifiedMs, ...info } = await fs.stat(ws.path("link"));
  expect(info).toEqual({ isFile: true, isDirectory: false, isSymlink: true, size: 5 });
  expect(modifiedMs).toBe(lstatSync(ws.path("a.txt")).mtimeMs);
  expect(await codeOf(fs.stat(ws.path("none")))).toBe("ENOENT");
  expect([
    await fs.exists(ws.path("a.txt")),
    await fs.exists(ws.path("none")),
    await fs.exists(ws.path("a.txt/x")),
  ]).toEqual([true, false, false]);
});

test("folders are listed, made and removed", async () => {
  const ws = createWorkspace();
  await fs.mkdir(ws.path("a/b"), { recursive: true });
  symlinkSync("a", ws.path("link"));
  expect([...(await fs.readDir(ws.root))].sort((x, y) => (x.name < y.name ? -1 : 1))).toEqual([
    { name: "a", isDirectory: true, isSymlink: false },
    { name: "link", isDirectory: false, isSymlink: true },
  ]);
  expect(await codeOf(fs.rm(ws.path("none")))).toBe("ENOENT");
  await fs.rm(ws.path("none"), { ignoreMissing: true });
  await fs.rm(ws.path("a"), { recursive: true });
  expect(readdirSync(dirname(ws.path("x")))).toEqual(["link"]);
});
