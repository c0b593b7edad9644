import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lacks, lacksLevel } from "../../../../../tests/support/needs.ts";
import { createFolder } from "../../../../../tests/support/test-folder.ts";
import { LANDLOCKS, levelOf, sandboxAt } from "../../../../../tests/support/test-levels.ts";
import { run } from "../../../../../tests/support/test-run.ts";
import { NODE, PYTHON } from "../../../../../tests/support/test-scene.ts";
import type { SandboxSpec } from "./contract.ts";
import { createSandbox } from "./sandbox.ts";

function specFor(readable: readonly string[], changes: Partial<SandboxSpec> = {}): SandboxSpec {
  return {
    ...{ readable, writable: [], protected: [], mayStartProcesses: false, isNode: false },
    maxMemoryBytes: 256 * 1024 ** 2,
    ...changes,
  };
}

/** By another program than ours: else a launcher that is broken would look like a kernel without Landlock. */
function kernelAbi(): number {
  if (process.platform !== "linux") return 0;
  const { stdout } = spawnSync("perl", ["-e", "print syscall(444, 0, 0, 1)"], { encoding: "utf8" });
  return Number(stdout) || 0;
}

describe("createSandbox", () => {
  it.skipIf(lacks("Landlock", kernelAbi() >= 3))("has Landlock wherever the kernel has it", () => {
    expect(sandboxAt("landlock").levels()).toEqual([{ level: "landlock", works: true }]);
  });

  it("takes the strongest level that works, and reports what it tried", () => {
    const sandbox = createSandbox();
    const level = sandbox.levelFor({ isNode: false });
    const tried = sandbox.levels();
    expect(tried.at(-1)).toMatchObject({ works: true });
    for (const { works, reason } of tried.slice(0, -1))
      expect([works, typeof reason]).toEqual([false, "string"]);
    const strong = tried.find((report) => report.works && report.level !== "node-permissions")?.level;
    expect(level).toBe(strong ?? "none");
    expect(sandbox.levelFor({ isNode: true })).toBe(strong ?? "node-permissions");
  });

  it("confines nothing at the level none, whose report says so", () => {
    const sandbox = createSandbox({ prefer: "none" });
    expect(sandbox.levelFor({ isNode: true })).toBe("none");
    expect(sandbox.unconfined({ isNode: true })).toEqual([
      "It can read and change all of your files.",
      "It can use the network.",
      "It can start programs and read the environment and memory of your other programs.",
      "It can send signals to your other processes.",
      "Its processes can leave the process group that indus kills with it.",
    ]);
  });

  it("does not replace a level that was asked for by another one, and says why", () => {
    const sandbox = createSandbox({ prefer: "node-permissions" });
    expect(sandbox.levelFor({ isNode: true })).toBe("node-permissions");
    expect(sandbox.levelFor({ isNode: false })).toBe("none");
    expect(sandbox.unconfined({ isNode: false }).slice(0, 2)).toEqual([
      "The level node-permissions was requested but is not in force: it confines Node programs only.",
      "It can read and change all of your files.",
    ]);
  });

  it("remembers a strong level, and does not try it again", () => {
    const recordPath = join(createFolder(), "sandbox.json");
    const found = createSandbox({ recordPath }).levelFor({ isNode: false });
    expect(existsSync(recordPath)).toBe(found !== "none");
    if (found === "none") return;
    // Trying it would have found another level, so this shows that the record decides.
    const other = { ...JSON.parse(readFileSync(recordPath, "utf8")), level: "landlock", abi: 3 };
    writeFileSync(recordPath, JSON.stringify(other));
    const sandbox = createSandbox({ recordPath });
    expect(sandbox.levelFor({ isNode: false })).toBe("landlock");
    expect(sandbox.unconfined({ isNode: false })).toContain(
      "If it may start processes, it can send signals to your other processes.",
    );
    // A requested level is always tried.
    expect(createSandbox({ recordPath, prefer: "none" }).levelFor({ isNode: false })).toBe("none");
  });
});

const NODE_FILES = {
  "package.json": '{"type":"module"}',
  "addon/main.js":
    'import { EventEmitter } from "node:events";\nimport { double } from "./lib/double.js";\nimport common from "./lib/common.cjs";\nconst { greet } = await import("./lib/late.mjs");\nconst wasm = await WebAssembly.instantiate(new Uint8Array([0,97,115,109,1,0,0,0,1,5,1,96,0,1,127,3,2,1,0,7,5,1,1,102,0,0,10,6,1,4,0,65,42,11]));\nconst timer = await new Promise((done) => setTimeout(done, 1, "timer"));\nconst lines = [];\nfor await (const chunk of process.stdin) lines.push(chunk);\nconsole.log(JSON.stringify([double(21), common, greet(), wasm.instance.exports.f(), timer, new EventEmitter() instanceof EventEmitter, Buffer.concat(lines).toString(), process.env.HOME]));',
  "addon/package.json": '{"type":"module"}',
  "addon/lib/double.js": "export const double = (n) => n * 2;",
  "addon/lib/common.cjs": 'module.exports = require("node:path").basename(__filename);',
  "addon/lib/late.mjs": 'export const greet = () => "late";',
};

const PYTHON_PROGRAM = `
import dataclasses, datetime, hashlib, json, os, re, sys, tempfile, threading, unicodedata, zoneinfo
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(4) as pool: squares = list(pool.map(lambda n: n * n, range(5)))
print(json.dumps([re.findall(r"\\d+", "a1b22"), hashlib.sha256(b"x").hexdigest()[:8], squares, sys.stdin.read(), os.environ["HOME"]]))
`;

describe.each(["bubblewrap", ...LANDLOCKS, "node-permissions", "none"] as const)(
  "an ordinary program in %s",
  (tested) => {
    const level = levelOf(tested);
    const sandbox = sandboxAt(tested);
    const isMissing = lacksLevel(level, sandbox.levelFor({ isNode: false }) === level);

    it.skipIf(lacksLevel(level, sandbox.levelFor({ isNode: true }) === level))(
      "works in Node: modules, WebAssembly, timers",
      async () => {
        const folder = createFolder(NODE_FILES);
        const argv = [NODE, join(folder, "addon/main.js")];
        const command = sandbox.confine(argv, specFor([NODE, join(folder, "addon")], { isNode: true }));
        expect(command.level).toBe(level);
        const { status, stdout, stderr } = await run(command.argv, { cwd: join(folder, "addon") });
        expect([status, stderr]).toEqual([0, ""]);
        expect(JSON.parse(stdout)).toEqual([42, "common.cjs", "late", 42, "timer", true, "", "/nonexistent"]);
      },
    );

    it.skipIf(lacks("python3", PYTHON !== undefined) || isMissing)(
      "works in Python: the standard library, threads",
      async () => {
        const folder = createFolder({ "main.py": PYTHON_PROGRAM });
        const argv = [PYTHON ?? "", join(folder, "main.py")];
        const { status, stdout, stderr } = await run(sandbox.confine(argv, specFor([folder])).argv, {
          cwd: folder,
        });
        expect([status, stderr]).toEqual([0, ""]);
        expect(JSON.parse(stdout)).toEqual([["1", "22"], "2d711642", [0, 1, 4, 9, 16], "", "/nonexistent"]);
      },
    );

    it.skipIf(isMissing)("is a shell script that starts others, with the grant", async () => {
      const folder = createFolder({ "main.sh": "echo b a | tr ' ' '\\n' | sort | cat\n" });
      const spec = specFor([folder], { mayStartProcesses: true });
      const argv = ["/bin/sh", join(folder, "main.sh")];
      expect(await run(sandbox.confine(argv, spec).argv, { cwd: folder })).toMatchObject({
        status: 0,
        stdout: "a\nb\n",
      });
    });

    it.skipIf(isMissing)("that does not exist is named, with the shell's code", async () => {
      const folder = createFolder();
      const { status, stderr } = await run(
        sandbox.confine(["/nonexistent/program"], specFor([folder])).argv,
        { cwd: folder },
      );
      expect([1, 126, 127]).toContain(status);
      expect(stderr).toContain("/nonexistent/program");
    });

    it("gets exactly one writable place and leaves nothing of the sandbox in it", async ({ skip }) => {
      skip(sandbox.levelFor({ isNode: false }) !== level, "not in force here");
      const folder = createFolder({ "kept.txt": "" });
      const spec = specFor([], {
        writable: [folder],
        protected: [join(folder, ".mcp.json"), join(folder, ".git")],
      });
      const argv = ["/bin/sh", "-c", `echo changed >${join(folder, "kept.txt")}`];
      expect(await run(sandbox.confine(argv, spec).argv, { cwd: folder })).toMatchObject({
        status: 0,
        stderr: "",
      });
      expect(readFileSync(join(folder, "kept.txt"), "utf8")).toBe("changed\n");
      expect([".mcp.json", ".git"].filter((name) => existsSync(join(folder, name)))).toEqual([]);
      expect(statSync(folder).isDirectory()).toBe(true);
    });
  },
);
