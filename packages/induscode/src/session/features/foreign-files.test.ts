import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { FOREIGN_HOME_FILES, FOREIGN_PROJECT_FILES, findForeignFiles } from "./foreign-files.ts";

const NOBODY = "/does/not/exist";

/** The files of other agents that a folder has, as a project and as a home. */
const inProject = (folder: string): readonly string[] => told({ projects: [folder], home: NOBODY });
const atHome = (folder: string): readonly string[] =>
  told({ projects: [folder], home: folder, isThorough: true });

function told(places: Parameters<typeof findForeignFiles>[0]): readonly string[] {
  return findForeignFiles(places).map(({ label, holds }) => `${label} (${holds})`);
}

function folderWith(files: Readonly<Record<string, unknown>>): string {
  const folder = mkdtempSync(join(tmpdir(), "indus-foreign-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content));
  }
  return folder;
}

describe("findForeignFiles", () => {
  it("is silent where nothing would act elsewhere", () => {
    const harmless = {
      ".claude/settings.json": { model: "opus", cleanupPeriodDays: 3 },
      ".mcp.json": { mcpServers: {} },
      ".vscode/settings.json": { "editor.tabSize": 2 },
      ".windsurf/rules": "a file where rules would be a folder",
    };
    expect(inProject(folderWith({}))).toEqual([]);
    expect(inProject(folderWith(harmless))).toEqual([]);
    expect(
      inProject(folderWith({ ".claude": "a file", ".indus": "a file", "GEMINI.md/x": "a folder" })),
    ).toEqual([]);
    expect(inProject(NOBODY)).toEqual([]);
  });

  it.each([
    [".mcp.json", { mcpServers: { a: {}, b: {} } }, "2 MCP servers"],
    [".vscode/mcp.json", { servers: { a: {} } }, "1 MCP server"],
    [".cursor/mcp.json", { mcpServers: { a: {} } }, "1 MCP server"],
    [".cursor/hooks.json", { version: 1, hooks: {} }, "hooks"],
    [".claude/settings.json", { env: {}, hooks: {}, model: "x" }, "hooks, env"],
    [".claude/settings.local.json", { permissions: { allow: ["Bash"] } }, "permissions"],
    [".gemini/settings.json", { mcpServers: {} }, "mcpServers"],
    ["opencode.json", { mcp: {}, plugin: [] }, "mcp, plugin"],
    [".codex/config.toml", "", "settings"],
    [
      ".mcp.json",
      { github: { command: "npx" }, serena: { type: "http", url: "https://x" } },
      "2 MCP servers",
    ],
    [".vscode/mcp.json", '{ // ours\n "servers": { "a": {}, } }', "1 MCP server"],
    ["opencode.json", { instructions: ["a.md"], permissions: [] }, "permissions, instructions"],
    ["opencode.jsonc", '{ /* ours */ "mcp": {} }', "mcp"],
    [".gemini/settings.json", { context: { fileName: "AGENTS.md" } }, "context"],
    [".gemini/policies/a.toml", "", "1 file"],
    [".claude/settings.local.json", { outputStyle: "Terse" }, "outputStyle"],
    [".codex/hooks.json", { hooks: {} }, "hooks"],
    [".agents/plugins/marketplace.json", {}, "1 entry"],
    [".geminiignore", "secrets/", "ignored paths"],
    [".goosehints", "Be kind.", "instructions"],
    [".pi/SYSTEM.md", "Be kind.", "1 entry"],
    ["GEMINI.md", "Be kind.", "instructions"],
    [".cursorrules", "Be kind.", "rules"],
    [".clinerules", "Be kind.", "rules"],
    [".github/copilot-instructions.md", "Be kind.", "instructions"],
  ])("names %s", (path, content, what) => {
    expect(inProject(folderWith({ [path]: content }))).toEqual([
      expect.stringMatching(`^${path.split("/")[0]}[^ ]* \\(${what}\\)$`),
    ]);
  });

  it.each([".roo/rules", ".continue/rules", ".kiro/steering", ".clinerules", ".windsurf/rules"])(
    "counts what lies in %s",
    (path) => {
      const folder = folderWith({ [`${path}/a.md`]: "", [`${path}/b.md`]: "" });
      const [found] = findForeignFiles({ projects: [folder], home: NOBODY });
      expect(found).toMatchObject({ label: path, holds: "2 rules", count: 2 });
      expect(found?.instead).toContain("AGENTS.md");
    },
  );

  it("names the person's own, under their home", () => {
    const home = folderWith({
      ".claude/settings.json": { permissions: {}, hooks: {} },
      ".codex/AGENTS.md": "Be kind.",
      ".claude.json": { mcpServers: { a: {} }, numStartups: 7 },
      "GEMINI.md": "no place of its own at home",
    });
    expect(atHome(home)).toEqual([
      "~/.claude/settings.json (hooks, permissions)",
      "~/.claude.json (1 MCP server)",
      "~/.codex/AGENTS.md (instructions)",
    ]);
  });

  it("reads the large state of another program only where somebody asks for everything", () => {
    const servers = { mcpServers: { a: {} }, history: "x".repeat(1024 * 1024) };
    const home = folderWith({ ".claude.json": servers });
    expect(told({ projects: [], home })).toEqual([]);
    expect(atHome(home)).toEqual(["~/.claude.json (1 MCP server)"]);
  });

  it("counts the servers that were added for one project, and no dotfiles", () => {
    const state = { mcpServers: { a: {} }, projects: { "/p": { mcpServers: { b: {} } }, "/q": 7 } };
    const home = folderWith({
      ".claude.json": state,
      ".codex/skills/.system/x": "",
      ".gemini/skills/a/x": "",
    });
    expect(atHome(home)).toEqual(["~/.claude.json (2 MCP servers)", "~/.gemini/skills (1 skill)"]);
  });

  it("counts no further than anybody would", () => {
    const files = Array.from({ length: 1_005 }, (_, n) => [`.windsurf/rules/${n}.md`, ""]);
    expect(inProject(folderWith(Object.fromEntries(files)))).toEqual([".windsurf/rules (1000 rules)"]);
  });

  it("looks into a working directory and the project's root once each", () => {
    const root = folderWith({ "GEMINI.md": "root", "a/GEMINI.md": "inner" });
    const found = findForeignFiles({ projects: [join(root, "a"), root, root], home: NOBODY });
    expect(found.map(({ path }) => path)).toEqual([join(root, "a/GEMINI.md"), join(root, "GEMINI.md")]);
    expect(found.map(({ label }) => label)).toEqual(["GEMINI.md", join(root, "GEMINI.md")]);
  });

  it("still names what it cannot read, and waits for nothing", () => {
    const folder = folderWith({
      ".mcp.json": "{ // a comment",
      ".claude/settings.json": "[".repeat(100_000),
      "opencode.json": `{"mcp":"${"x".repeat(300 * 1024)}"}`,
    });
    symlinkSync("/dev/zero", join(folder, ".claude/settings.local.json"));
    symlinkSync("/", join(folder, ".claude-plugin"));
    mkdirSync(join(folder, ".gemini"));
    execFileSync("mkfifo", [join(folder, ".gemini/settings.json")]);
    expect(inProject(folder)).toEqual([
      ".mcp.json (not read: it is not JSON)",
      ".claude/settings.json (not read: it is not JSON)",
      ".claude/settings.local.json (not read: it is a symlink)",
      ".claude-plugin (not read: it is a symlink)",
      ".gemini/settings.json (not read: it is not a regular file)",
      `opencode.json (not read: it has ${300 * 1024 + 10} bytes; the limit is ${256 * 1024})`,
    ]);
  });

  it("tells no text of the repository: neither names of servers nor keys that it does not know", () => {
    const folder = folderWith({
      ".mcp.json": { mcpServers: { "\u001b[2Jevil": {} } },
      ".claude/settings.json": '{"__proto__":{"hooks":{}},"evil":1}',
      ".windsurf/rules/\u001b[2Jevil": "",
    });
    expect(inProject(folder)).toEqual([".mcp.json (1 MCP server)", ".windsurf/rules (1 rule)"]);
  });

  it("says for each what to do instead", () => {
    for (const { path, instead } of [...FOREIGN_PROJECT_FILES, ...FOREIGN_HOME_FILES])
      expect([path, instead.length > 10]).toEqual([path, true]);
  });
});
