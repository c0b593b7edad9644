// What hooks mean, without running any: entries, matchers, tools' words, and answers.

import { describe, expect, it } from "vitest";
import { BUILTIN_TOOLS } from "../../../../indusagi/src/capabilities/registry.ts";
import { readAnswer, together } from "./hooks/hook-answer.ts";
import { compileCondition, compileMatcher } from "./hooks/hook-matcher.ts";
import { commandInWords, readHooks } from "./hooks/hook-table.ts";
import { hookToolInput, hookToolName, hookToolNames, toolArguments } from "./hooks/hook-tools.ts";

const command = (text: string, more: object = {}): object => ({ type: "command", command: text, ...more });

describe("an entry", () => {
  it.each([
    [
      "no list",
      { PreToolUse: [{ matcher: "Bash" }] },
      'PreToolUse: expected a group with a list "hooks", found an object',
    ],
    [
      "a matcher that is no text",
      { Stop: [{ matcher: 1, hooks: [] }] },
      'Stop: expected "matcher" to be a string, found a number',
    ],
    ["no command", { Stop: [{ hooks: [{ type: "command" }] }] }, "Stop: a hook without a command"],
    [
      "another kind",
      { Stop: [{ hooks: [{ type: "http", url: "x" }] }] },
      'Stop: hook type http is not supported: only "command" hooks run',
    ],
    [
      "another shell",
      { Stop: [{ hooks: [command("x", { shell: "powershell" })] }] },
      "Stop: x: shell powershell is not supported; use bash or sh",
    ],
    [
      "arguments that are no texts",
      { Stop: [{ hooks: [command("x", { args: [1] })] }] },
      'Stop: x: expected "args" to be a list of strings',
    ],
    ["no list of groups", { Stop: { hooks: [] } }, "Stop: expected a list of groups, found an object"],
    [
      "a condition that is no text",
      { PreToolUse: [{ hooks: [command("x", { if: {} })] }] },
      'PreToolUse: x: expected "if" to be a string, found an object',
    ],
    [
      "reasons that there are none of",
      { PreCompact: [{ matcher: "other", hooks: [command("x")] }] },
      'PreCompact: its matcher "other" never matches: the only reasons here are manual and auto',
    ],
    ["no entry", { Stop: [null] }, 'Stop: expected a group with a list "hooks", found null'],
    ["an inherited name", { constructor: [] }, "constructor: unknown hook event"],
  ])("with %s is left out, by name", (_, hooks, line) => {
    expect(readHooks(hooks)).toEqual({ commands: [], unused: [line] });
  });

  it("that stands there twice runs once, and says what of it has no effect", () => {
    const group = { hooks: [command("x", { rewakeMessage: "?" }), command("x", { rewakeMessage: "?" })] };
    const { commands, unused } = readHooks({ Stop: [group, group] });
    expect(commands.map(commandInWords)).toEqual(["x"]);
    expect(unused).toEqual(["Stop: x: these keys have no effect in indus: rewakeMessage"]);
  });

  it("may be a program with its arguments", () => {
    const { commands } = readHooks({ Stop: [{ hooks: [command("a b", { args: ["c d"] })] }] });
    expect(commands.map(commandInWords)).toEqual(['"a b" "c d"']);
  });
});

describe("a matcher", () => {
  it.each([
    [undefined, "bash", true],
    ["", "bash", true],
    ["*", "bash", true],
    ["Bash", "bash", true],
    ["bash", "bash", true],
    ["Edit|Write", "write", true],
    ["Edit, Write", "edit", true],
    ["MultiEdit", "edit", true],
    ["Agent", "task", true],
    ["Glob", "find", true],
    ["Bas", "bash", false],
    ["Notebook.*", "edit", true],
    ["mcp__tickets__.*", "mcp__tickets__say", true],
    ["^Web", "bash", false],
  ])("%s means %s: %s", (matcher, tool, fits) => {
    expect(compileMatcher(matcher)(hookToolNames(tool))).toBe(fits);
  });

  it.each(["a(?=b)", "(a)\\1", "(", "[a-", `${"a".repeat(1_000)}.`])("%s is refused", (matcher) => {
    expect(() => compileMatcher(matcher)).toThrow();
  });

  it.each([
    ["Bash(git *)", "bash", { command: "git push" }, true],
    ["Bash(git:*)", "bash", { command: "git push" }, true],
    ["Bash(git *)", "bash", { command: "ls; git push" }, false],
    ["Edit(*.ts)", "edit", { path: "src/a.ts" }, true],
    ["Edit(*.ts)", "edit", { path: "src/a.tsx" }, false],
    ["Write", "write", { path: "a" }, true],
    ["Write", "read", { path: "a" }, false],
  ])("the condition %s of %s %o: %s", (condition, tool, args, fits) => {
    expect(compileCondition(condition)(tool, args)).toBe(fits);
  });
});

describe("the words of tools", () => {
  it("are back what they were", () => {
    const input = { path: "a", oldText: "b", newText: "c", replaceAll: true };
    const theirs = { file_path: "a", old_string: "b", new_string: "c", replace_all: true };
    expect(hookToolInput("edit", input)).toEqual(theirs);
    expect(toolArguments("edit", theirs)).toEqual(input);
    expect(toolArguments("bash", { command: "x", timeout: 5 })).toEqual({ command: "x", timeoutMs: 5 });
  });

  it("are known of each built-in tool that has a counterpart there", () => {
    const ours = new Set(["process"]); // has none
    const same = BUILTIN_TOOLS.map(({ name }) => name).filter((name) => hookToolName(name) === name);
    expect(same.filter((name) => !ours.has(name))).toEqual([]);
  });
});

describe("an answer", () => {
  const reading = { onFailure: "allow", takesText: false } as const;
  const ended = (code: number, stdout = "", stderr = "") => ({ code, stdout, stderr, problem: undefined });

  it("of plain text is for the model only where that is said, and not without end", () => {
    expect(readAnswer(ended(0, "hi"), reading).context).toEqual([]);
    expect(readAnswer(ended(0, "hi"), { ...reading, takesText: true }).context).toEqual(["hi"]);
    const [cut = ""] = readAnswer(ended(0, "x".repeat(20_000)), { ...reading, takesText: true }).context;
    expect(cut).toContain("[10000 more characters from the hook were left out]");
  });

  it("that allows says nothing", () => {
    const allowed = readAnswer(ended(0, '{"hookSpecificOutput":{"permissionDecision":"allow"}}'), reading);
    expect(allowed).toEqual({ ...together([]), problems: [] });
  });

  it("is nothing of what another hook says: a refusal holds, and the last change", () => {
    const change = (word: string) =>
      readAnswer(ended(0, JSON.stringify({ hookSpecificOutput: { updatedInput: { word } } })), reading);
    const both = together([change("a"), readAnswer(ended(2, "", "no"), reading), change("b")]);
    expect(both).toMatchObject({ deny: "no", updatedInput: { word: "b" } });
  });
});
