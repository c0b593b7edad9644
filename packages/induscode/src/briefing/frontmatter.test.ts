import { describe, expect, it } from "vitest";
import { growthOf } from "../../../../tests/support/effort.ts";
import * as fc from "../../../../tests/support/fast-check.ts";
import { rows, theFirst } from "../../../../tests/support/long-form.ts";
import { LookBudget, NO_LIMITS } from "../store/look-budget.ts";
import {
  MAX_YAML_CHARS,
  nameList,
  readFrontmatter,
  splitFrontmatter,
  withoutBlankEnds,
} from "./frontmatter.ts";
import { parseYaml } from "./yaml.ts";

const fieldsOf = (header: string): unknown =>
  Object.fromEntries(readFrontmatter(`---\n${header}\n---\n`).fields);

describe("splitFrontmatter", () => {
  it("reads flat lines: the last value of a key at its first place, quotes taken off, the rest skipped", () => {
    const text = [
      "---",
      "b: 1",
      "# c: no",
      "",
      "a: 'x: y'",
      "  in: no",
      "none",
      'b: "2"',
      ": no",
      "---",
      "body",
      "",
    ];
    expect(splitFrontmatter(text.join("\n"))).toEqual({
      entries: [
        ["b", "2"],
        ["a", "x: y"],
      ],
      body: "body\n",
    });
  });

  it.each([
    ["no header", "text"],
    ["a first line that is not the fence", "\n---\na: b\n---\n"],
    ["a fence with blanks", "--- \na: b\n---\n"],
    ["a header that nothing ends", "---\na: b\n----\n"],
  ])("takes %s for body", (_name, text) => {
    expect(splitFrontmatter(text)).toEqual({ entries: [], body: text });
  });

  it("takes a byte order mark and the line ends of Windows", () => {
    expect(splitFrontmatter("\ufeff---\r\na: b\r\n---\r\nbody")).toEqual({
      entries: [["a", "b"]],
      body: "body",
    });
  });

  it("ends at the first fence, also when nothing is behind it", () => {
    expect(splitFrontmatter("---\na: b\n---")).toEqual({ entries: [["a", "b"]], body: "" });
    expect(splitFrontmatter("---\n---\nx\n---\ny")).toEqual({ entries: [], body: "x\n---\ny" });
  });
});

describe("readFrontmatter", () => {
  it("reads YAML, with every scalar as the text that was written", () => {
    const header = [
      "description: >",
      "  folded",
      "  text",
      "metadata:",
      "  version: 1.10",
      "  draft: true",
      "tags: [a, 2024-01-01]",
      "list:",
      "  - x",
      "empty:",
    ];
    expect(fieldsOf(header.join("\n"))).toEqual({
      description: "folded text\n",
      metadata: { version: "1.10", draft: "true" },
      tags: ["a", "2024-01-01"],
      list: ["x"],
      empty: "",
    });
  });

  it("reads the flat lines where YAML refuses the text, and says so only where something is lost", () => {
    expect(readFrontmatter("---\ndescription: Use when: a colon\n---\nx")).toEqual({
      fields: new Map([["description", "Use when: a colon"]]),
      body: "x",
      present: true,
    });
    const mixed = readFrontmatter("---\ndescription: Use when: a colon\ntags:\n  - [x\n---\n");
    expect([...mixed.fields]).toEqual([
      ["description", "Use when: a colon"],
      ["tags", ""],
    ]);
    expect(mixed.problem).toMatch(/^its header is not valid YAML \(Nested mappings/);
  });

  it.each([
    ['["Read", "Grep"]', ["Read", "Grep"]],
    ["['Read', 'Grep']", ["Read", "Grep"]],
    ["[Read, Grep]", ["Read", "Grep"]],
    ['["Bash(git add:*)", Read] # two', ["Bash(git add:*)", "Read"]],
    ["Read, Grep", ["Read", "Grep"]],
    ["Read Grep", ["Read", "Grep"]],
    ['"Read, Grep"', ["Read", "Grep"]],
    ['"Read", "Grep"', ["Read", "Grep"]],
    ["[Read, Grep", ["Read", "Grep"]],
  ])("reads tools: %s below a line that YAML refuses as it means them", (tools, names) => {
    const refused = "description: Use when: x (Context: y)";
    expect(() => parseYaml(refused)).toThrow();
    const { fields, problem } = readFrontmatter(`---\n${refused}\ntools: ${tools}\n---\n`);
    expect([nameList(fields.get("tools")), problem]).toEqual([names, undefined]);
  });

  it("reads what is in quotes below such a line as YAML does", () => {
    const { fields } = readFrontmatter(`---\na: b: c\nd: "x \\"y\\" z"\ne: 'it''s'\nf: "g" h\n---\n`);
    expect(Object.fromEntries(fields)).toEqual({ a: "b: c", d: 'x "y" z', e: "it's", f: '"g" h' });
  });

  it.each([
    ["blank lines before it", "\n \n---\na: b\n---\nbody"],
    ["blanks behind the fences", "--- \na: b\n---\t \nbody"],
    ["the line ends of Windows", "---\r\na: b\r\n---\r\nbody"],
    ["a byte order mark", "\ufeff---\na: b\n---\nbody"],
    ["both, and blanks", "\ufeff\r\n---  \r\na: b\r\n--- \r\nbody"],
    ["a tab behind the colon", "---\na:\tb\n---\nbody"],
    ["the end of a YAML document", "---\na: b\n...\nbody"],
  ])("takes %s", (_name, text) => {
    expect(readFrontmatter(text)).toEqual({ fields: new Map([["a", "b"]]), body: "body", present: true });
  });

  it("says of a header that nothing ends that it is open, and takes all for body", () => {
    expect(readFrontmatter("---\na: b\n----\n")).toMatchObject({ present: false, isOpen: true });
    expect(readFrontmatter("text\n---\n").isOpen).toBeUndefined();
  });

  it("reads no more YAML than the budget pays for, and then the plain lines", () => {
    const look = new LookBudget({ ...NO_LIMITS, yamlSigns: 100 });
    const text = `---\nname: x\nmetadata:\n${"  - [a, b]\n".repeat(10)}---\n`;
    expect(readFrontmatter(text, look).problem).toBeUndefined();
    const second = readFrontmatter(text, look);
    expect(second.fields.get("name")).toBe("x");
    expect(second.problem).toBe(
      "its header is beyond the limit of YAML that indus parses from a repository at a start",
    );
    expect(readFrontmatter(text).problem).toBeUndefined(); // the twin
  });

  it("loses nothing of the other lines because of one with a colon, a star or brackets", () => {
    const odd = "argument-hint: [a] it's: b\npaths: **/*.ts\n";
    const { fields, problem } = readFrontmatter(
      `---\n${odd}description: |\n  Two\n  lines: x\nmetadata:\n  a: b\n---\n`,
    );
    expect(problem).toBeUndefined();
    expect(Object.fromEntries(fields)).toEqual({
      "argument-hint": "[a] it's: b",
      paths: "**/*.ts",
      description: "Two\nlines: x\n",
      metadata: { a: "b" },
    });
  });

  it("reads a hint of several brackets, which YAML refuses, as the text it is", () => {
    const header = "argument-hint: [message] [branch]\ntools: [Read, Bash]\n";
    expect(() => parseYaml(header)).toThrow("Unexpected flow-seq-start at node end");
    expect(readFrontmatter(`---\n${header}---\n`)).toEqual({
      fields: new Map<string, unknown>([
        ["argument-hint", "[message] [branch]"],
        ["tools", ["Read", "Bash"]],
      ]),
      body: "",
      present: true,
    });
  });

  it.each([
    ["a: &x\n  - 1\nb: *x", "Alias resolution is disabled"],
    ["- a list", "it is not a mapping"],
    [`a:\n  ${"[".repeat(200)}`, "it is nested too deeply"],
    ["? [a]\n: b", "a key must be a string"],
  ])("does not take %j for a header", (header, problem) => {
    expect(readFrontmatter(`---\n${header}\n---\n`).problem).toBe(
      `its header is not valid YAML (${problem})`,
    );
  });

  it("lets no header reach a prototype", () => {
    for (const header of [
      "__proto__: x\nb: y",
      "__proto__:\n  polluted: yes",
      "a:\n  __proto__:\n    polluted: yes",
    ]) {
      const { fields } = readFrontmatter(`---\n${header}\n---\n`);
      expect(Object.getPrototypeOf(fields.get("a") ?? {})).toBe(Object.prototype);
      expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    }
    expect(fieldsOf("a:\n  __proto__: x")).toEqual({ a: JSON.parse('{ "__proto__": "x" }') });
  });

  it("takes time in proportion to the length of texts made to be slow", () => {
    const hostile = ["[", "{a: ", "a: ", "- ", "a: \n", "&a ", "? ", "'", " \n", "a: b \u0001"];
    for (const piece of rows(hostile, theFirst)) {
      const read = (length: number) =>
        readFrontmatter(`---\n${piece.repeat(Math.ceil(length / piece.length))}\n---\n`);
      expect(growthOf([40, 400, MAX_YAML_CHARS - 8], read), piece).toBe("even");
      expect(growthOf([10_000, 100_000, 1_000_000], read), piece).toBe("even");
    }
  });

  it("agrees with YAML on every header that it reads without it, unless YAML refuses it", () => {
    const words =
      "a|b c|: |:|#| #|- |-|?|[|]|{|}|!|&|*|>|%|@|`|'|\"|\\|~|null|1.0|\t|é|---|...|=|<<|, |,|] b|] [";
    const word = fc.constantFrom(...words.split("|"), "|");
    const line = fc
      .tuple(
        fc.constantFrom("a: ", "b:  ", "c:", "# ", "d-e: '", 'f: "', "g: [", "h: [a] "),
        fc.array(word, { maxLength: 5 }),
      )
      .map(([key, words]) => key + words.join(""));
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 4 }), (lines) => {
        const header = lines.join("\n");
        const read = readFrontmatter(`---\n${header}\n---\n`);
        let yaml: unknown;
        try {
          yaml = parseYaml(`${header}\n`);
        } catch {
          yaml = undefined; // refused: the flat reader decides
        }
        const isTable = typeof yaml === "object" && yaml !== null && !Array.isArray(yaml);
        if (isTable) expect(Object.fromEntries(read.fields)).toEqual(yaml);
      }),
      { numRuns: 1_500 },
    );
  });

  it("never throws", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (header) => {
        readFrontmatter(`---\n${header}\n---\nbody`);
      }),
    );
  });
});

describe("nameList", () => {
  it.each([
    ["read grep", ["read", "grep"]],
    ["Read, Grep,Bash(git add:*)", ["Read", "Grep", "Bash(git add:*)"]],
    [
      ["Read", "Bash(npm test)"],
      ["Read", "Bash(npm test)"],
    ],
    ['"Bash(git log --format=%(refname))", Read', ["Bash(git log --format=%(refname))", "Read"]],
    ["Bash(git status, Read", ["Bash(git status, Read"]],
    ["Bash (git status) Read", ["Bash (git status)", "Read"]],
    ["Bash(a)) Read", ["Bash(a))", "Read"]],
    ["", []],
    [undefined, undefined],
    [{ a: "b" }, undefined],
  ])("%j", (value, expected) => {
    expect(nameList(value)).toEqual(expected);
  });
});

it("withoutBlankEnds keeps what is indented", () => {
  expect(withoutBlankEnds("\n \n    code\n  text \n\n")).toBe("    code\n  text");
  expect(withoutBlankEnds(" \n\t")).toBe("");
});
