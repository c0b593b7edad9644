// What untrusted TypeScript can do to the process that compiles it, and that it cannot affect anything else.

import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { lacksLevel } from "../../../../../tests/support/needs.ts";
import type { Sandbox } from "../sandbox/contract.ts";
import { createSandbox } from "../sandbox/sandbox.ts";
import { createSourceCompiler } from "./source-compiler.ts";

const BOMB = `export const a = ${"(".repeat(17_000)}1${")".repeat(17_000)};`;
const file = (text: string, name = "a.ts") => ({ path: `/addons/${name}`, text, isModule: true });

/** A sandbox that counts what it confines. */
function counting(sandbox: Sandbox): { readonly sandbox: Sandbox; readonly starts: () => number } {
  let starts = 0;
  const confine: Sandbox["confine"] = (argv, spec) => {
    starts++;
    expect(spec).toMatchObject({ writable: [], mayStartProcesses: false });
    return sandbox.confine(argv, spec);
  };
  return { sandbox: { ...sandbox, confine }, starts: () => starts };
}

describe.each(["bubblewrap", "landlock", "node-permissions"] as const)("confined by %s", (level) => {
  const own = createSandbox({ prefer: level });

  describe.skipIf(lacksLevel(level, own.levelFor({ isNode: true }) === level))("the compiler", () => {
    test("what ends it is a fault of that file, with what was found and the limits; the others compile", async () => {
      const { sandbox, starts } = counting(own);
      const { compile, isFallback, warnings } = await createSourceCompiler(sandbox)();
      const compiled = await Promise.allSettled([
        compile(file("export const a: number = 1;")),
        compile(file(BOMB, "bomb.ts")),
        compile(file("enum A { x }\nexport const b = A.x;", "b.ts")),
      ]);
      expect(compiled).toMatchObject([
        { value: { code: expect.stringContaining("export const a = 1;"), format: "module" } },
        { reason: { name: "LoaderError", kind: "invalid", path: "/addons/bomb.ts" } },
        { value: { code: expect.stringContaining("A["), format: "module" } },
      ]);
      const [, bomb] = compiled;
      expect(String(bomb.status === "rejected" && bomb.reason)).toMatch(
        /^LoaderError: \/addons\/bomb\.ts: it cannot be compiled: the compiler's process failed on its 34019 bytes \((?:SIGSEGV|SIGABRT|signal \d+).*; code that nests too deeply or grows too large for 8 MB of stack, 512 MB of memory and 30 s is rejected$/,
      );
      expect([isFallback, warnings, starts()]).toEqual([false, [], 2]);
    });
  });
});

test("one process compiles what all ask for, and none is started before somebody does", async () => {
  const { sandbox, starts } = counting(createSandbox());
  const load = createSourceCompiler(sandbox);
  expect(starts()).toBe(0);
  const compilers = await Promise.all(Array.from({ length: 20 }, load));
  const compiled = await Promise.all(
    compilers.map(({ compile }, at) => compile(file(`export const a: number = ${at};`, `${at}.ts`))),
  );
  expect(compiled.map(({ code }) => code.split("\n")[0])).toEqual(
    compiled.map((_, at) => `export const a = ${at};`),
  );
  expect(starts()).toBe(1);
});

test("a file that takes too long costs its own time and no other's", async () => {
  const { sandbox, starts } = counting(createSandbox());
  const { compile } = await createSourceCompiler(sandbox, { fileMs: 1 })();
  await expect(compile(file("export const a = 1;\n".repeat(100_000), "slow.ts"))).rejects.toThrow(
    /^\/addons\/slow\.ts: it cannot be compiled: .*it took longer than 0\.001 s/,
  );
  const again = await createSourceCompiler(sandbox)();
  await expect(again.compile(file("export const a = 1;"))).resolves.toMatchObject({ format: "module" });
  expect(starts()).toBe(2);
});

test("a process that cannot start is an error of the system and of no addon's", async () => {
  const sandbox: Sandbox = {
    ...createSandbox(),
    confine: () => ({ argv: ["/bin/sh", "-c", "echo no room >&2; exit 3"], level: "none" }),
  };
  await expect(createSourceCompiler(sandbox)()).rejects.toMatchObject({
    kind: "io",
    message: expect.stringMatching(
      /: the process that compiles TypeScript could not be started: exit code 3\. Its last output: no room$/,
    ),
  });
});

test("its twin: compiled in the process that asks, the same file ends that process", () => {
  const entry = createRequire(import.meta.url).resolve("oxc-transform");
  const program = [
    `const { transformSync } = await import(${JSON.stringify(entry)});`,
    `console.log("before");`,
    `transformSync("a.ts", ${JSON.stringify(BOMB)});`,
    `console.log("after");`,
  ].join("\n");
  const argv = ["--input-type=module", "-e", program];
  const { stdout, signal } = spawnSync(
    "/bin/sh",
    ["-c", 'ulimit -c 0; ulimit -s 8192; exec "$@"', "sh", process.execPath, ...argv],
    {
      encoding: "utf8",
      cwd: join(import.meta.dirname),
    },
  );
  expect({ stdout, isEnded: signal !== null }).toEqual({ stdout: "before\n", isEnded: true });
});
