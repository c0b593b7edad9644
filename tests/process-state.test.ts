// Many sessions can run in one process only if none of them changes what all share, or takes from the process what is its
// own: the folder it works in, its environment and its home are handed in.
import { globSync, readFileSync } from "node:fs";
import { basename, relative, sep } from "node:path";
import { describe, expect, test } from "vitest";

const packagesFolder = new URL("../packages/", import.meta.url).pathname;

/** Who may read the process's environment or folder, and why. Nobody may change them. */
const READERS: Readonly<Record<string, string>> = {
  "induscode/src/boot/cli.ts": "the way in: what it reads goes into the invocation",
  "induscode/src/boot/sdk/sdk-options.ts": "a default for those who embed the library",
  "induscode/src/addons/library-host.ts": "a default for those who embed the library",
  "induscode/src/addons/source/path-hygiene.ts": "a default for those who embed the library",
  "induscode/src/addons/sandbox/landlock-launcher.ts": "a process of its own, which becomes the addon",
  "induscode/src/addons/sandbox/hosts/proxy-relay.ts": "a process of its own, which starts the command",
  "induscode/src/addons/runners/mcp/mcp-connection.ts":
    "a process of its own, whose server gets its variables",
  "induscode/src/addons/runners/hooks/hung-hooks.ts":
    "a process of its own, whose commands get its variables",
  "induscode/src/addons/kinds/python.ts": "which interpreter this machine has, once for the process",
  "induscode/src/deck/permissions/permissions.ts": "a default for those who embed the library",
  "induscode/src/store/home.ts": "a default of the check before anything is read",
  "indusagi/src/core/home.ts": "a default for those who embed the library",
  "indusagi/src/core/paths.ts": "a default for those who embed the library",
  "indusagi/src/capabilities/search/name-query.ts": "a default for those who embed the library",
  "indusagi/src/capabilities/registry.ts": "a default for those who embed the library",
  "indusagi/src/capabilities/backends/local-shell.ts": "a default for those who embed the library",
  "indusagi/src/capabilities/backends/scoped-shell.ts": "a default for those who embed the library",
  "indusagi/src/capabilities/web/web-search.ts": "a default for those who embed the library",
  "indusagi/src/capabilities/backends/host-reaper.ts": "one reaper for the process",
  "indusagi/src/llmgateway/http-stream.ts":
    "connections are the process's, and so is the proxy they go through",
  "indusagi/src/llmgateway/model-faults.ts":
    "connections are the process's, and so is the proxy they go through",
};

const READS = /\bprocess\.(?:env|cwd)\b|\bhomeFolder\(\)/;
const CHANGES =
  /\bprocess\.chdir\b|\bprocess\.env(?:\.\w+|\[[^\]]+\])?\s*(?:\?\?|\|\||&&)?=(?![=>])|\bdelete process\.env\b|\bObject\.assign\(process\.env\b|\bloadEnvFile\b/;

/** One line for each place that reads or changes what belongs to the process, and may not. */
function problems(files: ReadonlyMap<string, string>, readers: ReadonlySet<string>): readonly string[] {
  return [...files].flatMap(([path, text]) =>
    text.split("\n").flatMap((line, at) => {
      const code = line.replace(/^\s*(?:\/\/|\/?\*).*/, "");
      if (CHANGES.test(code)) return [`${path}:${at + 1} changes the process: ${code.trim()}`];
      return READS.test(code) && !readers.has(path)
        ? [`${path}:${at + 1} reads the process: ${code.trim()}`]
        : [];
    }),
  );
}

function productFiles(): ReadonlyMap<string, string> {
  const paths = globSync(`${packagesFolder}*/src/**/*.ts`).filter(
    (path) => !/(^test-[^/]*|-cases|\.test)\.ts$/.test(basename(path)),
  );
  return new Map(
    paths
      .sort()
      .map((path) => [relative(packagesFolder, path).split(sep).join("/"), readFileSync(path, "utf8")]),
  );
}

test("no file of the product changes the process's folder or environment, and few read them", () => {
  const files = productFiles();
  expect(files.size).toBeGreaterThan(0);
  expect(problems(files, new Set(Object.keys(READERS)))).toEqual([]);
  // A name that reads nothing any more goes from the list.
  const idle = Object.keys(READERS).filter((path) => !READS.test(files.get(path) ?? ""));
  expect(idle).toEqual([]);
});

describe("the check reports", () => {
  test.each([
    ["process.chdir(wanted);", "changes"],
    ['process.env.HOME = "/elsewhere";', "changes"],
    ['process.env["HOME"] ??= "/elsewhere";', "changes"],
    ["process.env[name]=value", "changes"],
    ["process.env = { ...process.env };", "changes"],
    ["delete process.env.HOME;", "changes"],
    ["Object.assign(process.env, more);", "changes"],
    ['if (process.env.HOME === "/") leave();', "reads"],
    ["const home = indusHome(process.env);", "reads"],
    ["const { HOME } = process.env;", "reads"],
    ["resolve(process.cwd(), path)", "reads"],
    ["const places = { cwd, home: homeFolder() };", "reads"],
  ])("%s", (code, what) => {
    const found = problems(new Map([["a.ts", `const x = 1;\n${code}`]]), new Set());
    expect(found).toEqual([`a.ts:2 ${what} the process: ${code}`]);
  });

  test("a change also where reading is allowed, and no comment", () => {
    const files = new Map([["a.ts", "// process.chdir is not called\nprocess.env.A = process.cwd();"]]);
    expect(problems(files, new Set(["a.ts"]))).toEqual([
      "a.ts:2 changes the process: process.env.A = process.cwd();",
    ]);
  });
});
