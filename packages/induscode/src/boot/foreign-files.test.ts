import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { foreignNotices } from "./foreign-files.ts";

const NOTICE = "not used here, and nothing in it runs: ";

function folderWith(files: Readonly<Record<string, unknown>>): string {
  const folder = mkdtempSync(join(tmpdir(), "indus-foreign-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content));
  }
  return folder;
}

describe("foreignNotices", () => {
  it("is silent where nothing would act elsewhere", () => {
    const harmless = {
      ".claude/settings.json": { model: "opus", cleanupPeriodDays: 3 },
      ".mcp.json": { mcpServers: {} },
      ".vscode/settings.json": { "editor.tabSize": 2 },
    };
    expect(foreignNotices(folderWith({}))).toEqual([]);
    expect(foreignNotices(folderWith(harmless))).toEqual([]);
    expect(foreignNotices(folderWith({ ".claude": "a file", ".indus": "a file" }))).toEqual([]);
    expect(foreignNotices("/does/not/exist")).toEqual([]);
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
  ])("names %s", (path, content, what) => {
    expect(foreignNotices(folderWith({ [path]: content }))).toEqual([`${NOTICE}${path} (${what})`]);
  });

  it("names several in one line, in the order of its table", () => {
    const folder = folderWith({
      ".codex/config.toml": "",
      ".mcp.json": { mcpServers: { a: {} } },
    });
    expect(foreignNotices(folder)).toEqual([
      `${NOTICE}.mcp.json (1 MCP server), .codex/config.toml (settings)`,
    ]);
  });

  it("still names what it cannot read, and waits for nothing", () => {
    const folder = folderWith({
      ".mcp.json": "{ // a comment",
      ".claude/settings.json": "[".repeat(100_000),
      "opencode.json": `{"mcp":"${"x".repeat(300 * 1024)}"}`,
    });
    symlinkSync("/dev/zero", join(folder, ".claude/settings.local.json"));
    mkdirSync(join(folder, ".gemini"));
    execFileSync("mkfifo", [join(folder, ".gemini/settings.json")]);
    expect(foreignNotices(folder)).toEqual([
      NOTICE +
        [
          ".mcp.json (not read: it is not JSON)",
          ".claude/settings.json (not read: it is not JSON)",
          ".claude/settings.local.json (not read: it is a link)",
          ".gemini/settings.json (not read: it is not a regular file)",
          `opencode.json (not read: it has ${300 * 1024 + 10} bytes; the limit is ${256 * 1024})`,
        ].join(", "),
    ]);
  });

  it("tells no text of the repository: neither names of servers nor keys that it does not know", () => {
    const folder = folderWith({
      ".mcp.json": { mcpServers: { "\u001b[2Jevil": {} } },
      ".claude/settings.json": '{"__proto__":{"hooks":{}},"evil":1}',
    });
    expect(foreignNotices(folder)).toEqual([`${NOTICE}.mcp.json (1 MCP server)`]);
  });
});
