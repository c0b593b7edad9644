import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createTree } from "../../../../tests/support/test-tree.ts";
import type { MacroLoad } from "./contract.ts";
import { gatherMacros, loadMacros, MAX_MACRO_BYTES, readMacroFile } from "./macro-files.ts";
import { expandInvocation } from "./macros.ts";

const messages = ({ diagnostics }: MacroLoad): readonly string[] =>
  diagnostics.map(({ kind, message }) => `${kind}: ${message}`);

describe("readMacroFile", () => {
  it("reads the header that Claude's commands carry", () => {
    const text = [
      "---",
      "description: Commit the work",
      "argument-hint: [message] [branch]",
      "allowed-tools: Bash(git add:*), Read",
      "model: anthropic/claude-haiku-4-5",
      "---",
      "",
      "Commit with $ARGUMENTS.",
      "",
    ];
    const path = join(createTree({ "commit.MD": text.join("\n") }).base, "commit.MD");
    expect(readMacroFile(path, "project")).toEqual({
      ok: true,
      macro: {
        name: "commit",
        description: "Commit the work (project)",
        body: "Commit with $ARGUMENTS.",
        origin: "project",
        source: path,
        argumentHint: "[message] [branch]",
        allowedTools: ["Bash(git add:*)", "Read"],
        model: "anthropic/claude-haiku-4-5",
      },
      diagnostics: [],
    });
  });

  it.each([`\${CLAUDE_PLUGIN_ROOT}/run.sh`, "$CLAUDE_PROJECT_DIR", `\${GEMINI_CLI_HOME}`])(
    "says that %s is not expanded",
    (text) => {
      const { base } = createTree({ "a.md": `Run ${text} now.` });
      const read = readMacroFile(join(base, "a.md"), "project");
      expect(read.ok && read.diagnostics).toEqual([
        expect.objectContaining({
          kind: "unsupported",
          message: expect.stringContaining("is not expanded"),
        }),
      ]);
      expect(read.ok && read.macro.body).toContain(text);
    },
  );

  it.each([
    ["!{git log {{arg.1}}} and !{git log}", "!{git log} is not run"],
    ["@{docs/a.md}", "@{docs/a.md} is not replaced"],
    ["First: $ARGUMENTS[0]", "$ARGUMENTS[0] is replaced with all arguments, but its number is not removed"],
    [`\${1:-all}`, `\${1:-all} is not replaced`],
    ["{{args}}", "{{args}} is not replaced"],
  ])("reports %j, which another program would replace", (text, told) => {
    const { base } = createTree({ "a.md": text });
    const read = readMacroFile(join(base, "a.md"), "project");
    expect(read.ok && read.diagnostics.map(({ message }) => message)).toEqual([
      expect.stringContaining(`a.md: ${told}`),
    ]);
  });

  it("says nothing of variables that are the person's own", () => {
    const { base } = createTree({ "a.md": `Run $HOME/x, \${PATH} and $CLAUDE.` });
    const read = readMacroFile(join(base, "a.md"), "project");
    expect(read.ok && read.diagnostics).toEqual([]);
  });

  it.each([
    ["\n\n  Ship it.  \nNow.", "Ship it."],
    ["é".repeat(72), "é".repeat(72)],
    ["😀".repeat(73), `${"😀".repeat(72)}…`],
    ["---\nmodel: x\n---\n# Title", "# Title"],
    ["", ""],
  ])("describes %j by its first line, in 72 characters", (text, description) => {
    const { base } = createTree({ "a.md": text });
    const read = readMacroFile(join(base, "a.md"), "user", "mine");
    expect(read.ok && read.macro.description).toBe(description);
  });

  it("shows a hint in brackets as it was written, though it is a list to YAML", () => {
    const { base } = createTree({ "a.md": "---\nargument-hint: [file]\nmodel:\n  - x\n---\nx" });
    const read = readMacroFile(join(base, "a.md"), "user");
    expect(read.ok && [read.macro.argumentHint, read.macro.model]).toEqual(["[file]", undefined]);
  });

  it("puts its label behind a description of its own", () => {
    const { base } = createTree({ "a.md": "---\ndescription: Ship\n---\nx" });
    const read = readMacroFile(join(base, "a.md"), "user", "mine");
    expect(read.ok && read.macro.description).toBe("Ship (mine)");
  });

  it.each([
    ["missing.md", "cannot be read: ENOENT"],
    ["folder.md", "cannot be read: it is not a regular file"],
    ["long.md", `is longer than ${MAX_MACRO_BYTES} bytes`],
    ["binary.md", "cannot be read: it is not UTF-8 text"],
  ])("is a macro-invalid fault for %s", (name, problem) => {
    const { base } = createTree({
      "folder.md/x": "",
      "long.md": "x".repeat(MAX_MACRO_BYTES + 1),
      "binary.md": "\0",
    });
    const read = readMacroFile(join(base, name), "path");
    expect(read.ok ? undefined : read.fault.kind).toBe("macro-invalid");
    expect(read.ok ? "" : read.fault.message).toContain(`macro invalid: ${join(base, name)} ${problem}`);
  });
});

describe("loadMacros", () => {
  it("follows links to folders, each real folder once", () => {
    const { base } = createTree({
      "shared/x.md": "x",
      "c/one": "-> ../shared",
      "c/two": "-> ../shared",
      "c/me": "-> .",
    });
    const load = loadMacros(join(base, "c"), "user", { namespaces: true });
    expect(load.macros.map(({ name }) => name)).toEqual(["one:x"]);
    expect(
      messages(loadMacros(join(base, "c"), "user", { namespaces: true, within: [join(base, "c")] })),
    ).toEqual([
      `refused: ${base}/c/one is not used: it is a symlink to outside the project`,
      `refused: ${base}/c/two is not used: it is a symlink to outside the project`,
    ]);
  });

  it("tells of commands that are too deep to be read", () => {
    const { base } = createTree({ "c/a/b/c/d/e/x.md": "x", "c/git/d.md": "d", "c/doc/y.txt": "" });
    const load = (namespaces: boolean) => messages(loadMacros(join(base, "c"), "user", { namespaces }));
    expect(load(true)).toEqual([
      `macro-invalid: macro invalid: ${base}/c/a/b/c/d/e is not searched: commands are read at most 4 folders deep`,
    ]);
    expect(load(false)).toEqual([
      `macro-invalid: macro invalid: ${base}/c/git is not searched: commands are read directly in their folder`,
    ]);
  });

  it("tells of commands in another product's format", () => {
    const { base } = createTree({ "c/git/a.toml": "", "c/git/b.TOML": "", "c/x.toml": "" });
    expect(messages(loadMacros(join(base, "c"), "user", { namespaces: true }))).toEqual([
      `macro-invalid: macro invalid: ${base}/c/x.toml is not used: a command is a Markdown file`,
      `macro-invalid: macro invalid: ${base}/c/git/a.toml (of 2 TOML files there) is not used: a command is a Markdown file`,
    ]);
  });

  it("reads the direct children of a flat folder, sorted, without dot files and other endings", () => {
    const { base } = createTree({
      "c/b.md": "b",
      "c/a.md": "a",
      "c/.x.md": "x",
      "c/n.txt": "n",
      "c/git/d.md": "d",
    });
    const names = (namespaces: boolean): readonly string[] =>
      loadMacros(join(base, "c"), "project", { namespaces }).macros.map(({ name }) => name);
    expect(names(false)).toEqual(["a", "b"]);
    expect(names(true)).toEqual(["a", "b", "git:d"]);
  });

  it("keeps the first of two files with one name, and every good one beside a bad one", () => {
    const { base } = createTree({ "c/a.MD": "upper", "c/a.md": "lower", "c/b.md": "\0", "c/c.md": "c" });
    const load = loadMacros(join(base, "c"), "user");
    expect(load.macros.map(({ name, body }) => `${name}: ${body}`)).toEqual(["a: upper", "c: c"]);
    expect(messages(load)).toEqual([
      `macro-invalid: macro invalid: ${base}/c/b.md cannot be read: it is not UTF-8 text`,
    ]);
  });

  it("has none for a folder that is missing, or a file", () => {
    const { base } = createTree({ file: "" });
    expect(loadMacros(join(base, "none"), "user")).toEqual({ macros: [], diagnostics: [] });
    expect(loadMacros(join(base, "file"), "user")).toEqual({ macros: [], diagnostics: [] });
  });

  it("stops at 500 and says so", () => {
    const files = Object.fromEntries(Array.from({ length: 502 }, (_, n) => [`c/${n}.md`, `${n}`]));
    const { base } = createTree(files);
    const load = loadMacros(join(base, "c"), "user");
    expect(load.macros).toHaveLength(500);
    expect(messages(load)).toEqual([`limit: ${base}/c contains 502 commands; only the first 500 are read`]);
  });

  it("reports once for each file what it has that is not supported, and its invisible characters", () => {
    const { base } = createTree({
      "c/a.md": "---\nagent: build\nsubtask: true\n---\n!`git status`\nPay $5.00 to $1 (not $$6.00)\u202e",
      "c/b.md": "---\ndescription: a: b\nlist:\n - [x\n---\nx",
    });
    expect(
      messages(loadMacros(join(base, "c"), "user")).map((text) => text.replaceAll(`${base}/c/`, "")),
    ).toEqual([
      "unsupported: a.md: these keys have no effect: agent, subtask",
      "invisible: a.md: it contains text that only the model can see (1 bidirectional control)",
      "unreadable: b.md: its header is not valid YAML (Nested mappings are not allowed in compact mappings); only its plain lines are used",
      "unsupported: b.md: these keys have no effect: list",
    ]);
  });
});

describe("gatherMacros", () => {
  it("puts the project before the home folder, and each product's folder in its order", () => {
    const tree = createTree({
      "home/repo/a/.indus/commands/one.md": "cwd",
      "home/repo/.indus/commands/one.md": "root",
      "home/repo/.indusagi/commands/flat.md": "flat",
      "home/repo/.indusagi/commands/sub/deep.md": "passed over",
      "home/repo/.claude/commands/git/commit.md": "commit $1",
      "home/.indus/commands/one.md": "root",
      "home/.claude/commands/two.md": "two",
    });
    const load = gatherMacros({ ...tree, cwd: join(tree.cwd, "a") });
    expect(load.macros.map(({ name, origin, body }) => [name, origin, body])).toEqual([
      ["one", "project", "cwd"],
      ["flat", "project", "flat"],
      ["git:commit", "project", "commit $1"],
      ["two", "user", "two"],
    ]);
    const used = join(tree.cwd, "a/.indus/commands/one.md");
    const isTaken = (folder: string): string =>
      `collision: ${folder}/.indus/commands/one.md is not used: /one is already defined in ${used}`;
    expect(messages(load)).toEqual([
      isTaken(tree.cwd),
      expect.stringContaining("commands/sub is not searched"),
      isTaken(tree.home),
    ]);
    expect(expandInvocation("/git:commit now", load.macros)).toBe("commit now");
  });

  it("says nothing of a copy, and takes the home folder for nobody's project", () => {
    const tree = createTree({
      "home/.indus/commands/a.md": "same",
      "home/.claude/commands/a.md": "same",
      "moved/commands/b.md": "b",
    });
    const load = gatherMacros({ cwd: tree.home, home: tree.home });
    expect(load.macros.map(({ name, origin }) => [name, origin])).toEqual([["a", "user"]]);
    expect(load.diagnostics).toEqual([]);
    const moved = gatherMacros({ ...tree, indusHome: join(tree.base, "moved") });
    expect(moved.macros.map(({ name, body }) => [name, body])).toEqual([
      ["b", "b"],
      ["a", "same"],
    ]);
  });
});
