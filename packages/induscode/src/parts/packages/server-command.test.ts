import { beforeEach, describe, expect, it } from "vitest";
import { createFolder } from "../../../../../tests/support/test-folder.ts";
import { readServerCommand } from "./server-command.ts";

let base = "";
beforeEach(() => {
  base = createFolder({ "srv/package.json": "{}", "srv/src/main.js": "", "one.py": "" });
});
const read = (line: string) => readServerCommand(line.split(" "), base);

describe("the command line of an MCP server", () => {
  it.each([
    ["npx tickets", { spec: "tickets", args: [] }],
    ["npx -y @org/tickets@2 --read-only", { spec: "@org/tickets@2", args: ["--read-only"] }],
    [
      "npx --yes --package=@org/tickets serve --port 1",
      { spec: "@org/tickets", bin: "serve", args: ["--port", "1"] },
    ],
    ["npx -p @org/tickets -- serve", { spec: "@org/tickets", bin: "serve", args: [] }],
    ["/usr/local/bin/npx -y tickets", { spec: "tickets", args: [] }],
    ["npx.cmd -y tickets", { spec: "tickets", args: [] }],
    ["bunx tickets x", { spec: "tickets", args: ["x"] }],
    ["pnpm dlx tickets", { spec: "tickets", args: [] }],
    ["npm exec -y tickets -- --port 1", { spec: "tickets", args: ["--", "--port", "1"] }],
  ])("%s installs a package", (line, command) => {
    expect(read(line)).toEqual({ kind: "package", ...command });
  });

  it("with a script of a package brings the package's folder", () => {
    expect(read("node srv/src/main.js --all")).toEqual({
      kind: "script",
      folder: `${base}/srv`,
      words: ["node", "src/main.js", "--all"],
    });
  });

  it("with a script that belongs to no package brings the script's folder", () => {
    expect(read("python3 one.py")).toEqual({ kind: "script", folder: base, words: ["python3", "one.py"] });
  });

  it.each(["node --import x -r y one.py", "python3 -X utf8 -u one.py", "bun run one.py"])(
    "%s brings its script, whatever options come first",
    (line) => {
      expect(read(line)).toEqual({ kind: "script", folder: base, words: line.split(" ") });
    },
  );

  it("without a file brings nothing", () => {
    expect(read("node -e x")).toMatchObject({ kind: "program" });
    expect(read("bun x tickets")).toMatchObject({ kind: "package", spec: "tickets" });
  });

  it("with one of the system's programs brings nothing", () => {
    expect(read("/bin/sh -c x")).toMatchObject({ kind: "program" });
    expect(read("sh -c x")).toMatchObject({ kind: "program" });
  });

  it.each([
    ["npx -y", "npx -y names no package"],
    [
      "uvx mcp-server-git",
      "uvx fetches Python packages, which indus does not install: pip install --target FOLDER/lib mcp-server-git, write",
    ],
    ["uvx --from git-tools serve-git", "pip install --target FOLDER/lib git-tools, write"],
    ["uv tool run tickets", '[run] mcp = ["python3", "lib/bin/tickets"] and [run.env] PYTHONPATH = "lib"'],
    [
      "pipx run tickets",
      "pipx fetches Python packages, which indus does not install: pip install --target FOLDER/lib tickets,",
    ],
    [
      "python3 -m tickets.server --all",
      'python3 -m starts a Python module, which indus does not install: pip install --target FOLDER/lib tickets, write FOLDER/manifest.toml with id = "NAME", [run] mcp = ["python3", "-m", "tickets.server"]',
    ],
    ["python3.12 -u -X utf8 -m tickets", "python3.12 -m starts a Python module"],
    ["deno run -A npm:@org/tickets@1", 'this one is on npm, so indus add "mcp:npx -y @org/tickets@1"'],
    ["deno run -A one.ts", "deno compile -A -o FOLDER/server one.ts), and indus add mcp:FOLDER/server"],
    ["docker run -i x", "docker starts a container, which the sandbox cannot confine"],
    ["node missing.js", "there is no "],
    ["no-such-program-here", "this program is not in the system's folders"],
  ])("%s says in one line why not", (line, problem) => {
    expect(read(line)).toEqual({ kind: "none", problem: expect.stringContaining(problem) });
  });
});
