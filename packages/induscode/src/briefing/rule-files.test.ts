import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createTree } from "../../../../tests/support/test-tree.ts";
import { LookBudget } from "../store/look-budget.ts";
import { findRules } from "./rule-files.ts";

function rulesOf(files: Readonly<Record<string, string>>, look: LookBudget = LookBudget.unlimited()) {
  const { base } = createTree(files);
  return { base, ...findRules({ projects: [base], home: join(base, "home"), cwd: base }, look) };
}

describe("globs", () => {
  it.each([
    [".claude/rules/a.md", "paths: '*.md'", ["a.md"], ["docs/a.md"]],
    [".claude/rules/a.md", "paths: ./src/", ["src/a.ts", "src/b/c.ts"], ["src.ts", "lib/src/a.ts"]],
    [
      ".claude/rules/a.md",
      "paths: src/**/*.{ts,tsx}, lib/{a,b}/**",
      ["src/a.ts", "src/x/y.tsx", "lib/b/c"],
      ["lib/c/d", "src/a.js"],
    ],
    [".claude/rules/a.md", "paths: [src/**, '**/*.css']", ["src/a", "x/y.css"], ["lib/a"]],
    [".cursor/rules/a.mdc", "globs: **/*.ts,*.vue", ["a.ts", "x/y.vue"], ["a.js"]],
    [".github/instructions/a.instructions.md", 'applyTo: "**/*.py"', ["a.py", "x/a.py"], ["a.pyc"]],
  ])("of %s: %s", (path, header, about, others) => {
    const { base, rules, diagnostics } = rulesOf({ [path]: `---\n${header}\n---\nWords.\n` });
    expect(diagnostics).toEqual([]);
    const matches = (file: string) => rules[0]?.isAbout(join(base, file));
    expect(about.filter((file) => !matches(file))).toEqual([]);
    expect(others.filter((file) => matches(file))).toEqual([]);
  });

  it.each([
    ["braces in braces", "{a,b}".repeat(60)],
    ["many choices before much text", `{${"a,".repeat(2000)}b}${"x/".repeat(4000)}`],
    ["much text for each choice", `{${"a,".repeat(50)}b}${"x/".repeat(200)}`],
    ["many globs", Array.from({ length: 201 }, (_, at) => `f${at}`).join(",")],
    ["a long glob", "**/".repeat(4000)],
  ])("of a hostile header are not used, which is told: %s", (_, paths) => {
    const { rules, diagnostics } = rulesOf({ ".claude/rules/a.md": `---\npaths: "${paths}"\n---\n` });
    expect(rules).toEqual([]);
    expect(diagnostics).toMatchObject([
      { kind: "limit", message: expect.stringContaining("more than 200 patterns or 10000 characters") },
    ]);
  });
});

it("a link that leads out of the project is refused", () => {
  const { base } = createTree({ "out/secret.md": "Words.", "work/.claude/rules/a.md": "Words." });
  symlinkSync(join(base, "out/secret.md"), join(base, "work/.claude/rules/b.md"));
  const found = findRules(
    { projects: [join(base, "work")], home: join(base, "home"), cwd: join(base, "work") },
    LookBudget.unlimited(),
  );
  expect(found.rules.map(({ path }) => path)).toEqual([join(base, "work/.claude/rules/a.md")]);
  expect(found.diagnostics[0]?.message).toContain("b.md is not used: it is a symlink to outside the project");
});

it("the person's own are about the files of the working directory", () => {
  const { base, rules } = rulesOf({ "home/.claude/rules/a.md": "---\npaths: '**/*.ts'\n---\nWords." });
  expect(rules[0]?.isAbout(join(base, "src/a.ts"))).toBe(true);
});
