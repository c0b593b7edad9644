import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { aCard } from "../../../../tests/support/test-input.ts";
import { createTree } from "../../../../tests/support/test-tree.ts";
import type { SkillLoad } from "./contract.ts";
import { fitSkillListing, skillInvocation } from "./skill-listing.ts";
import {
  gatherSkillCards,
  loadSkillCards,
  modelInvocableCards,
  skillDiagnostics,
  skillRoots,
} from "./skills.ts";

const skill = (...lines: readonly string[]): string => ["---", ...lines, "---", "Do it.", ""].join("\n");
const named = (name: string, description = `What ${name} does`): string =>
  skill(`name: ${name}`, `description: ${description}`);

/** Outcomes as `kind path detail`, with paths under `base`. */
const outcomes = ({ diagnostics }: SkillLoad, base: string): readonly string[] =>
  diagnostics.map(({ kind, location, detail }) =>
    `${kind} ${location}: ${detail}`.replaceAll(`${base}/`, ""),
  );

/** The outcome for one packaged skill in the folder `s/tool`. */
function outcomeOf(text: string, closed = false): string {
  const { base } = createTree({ "s/tool/SKILL.md": text });
  const load = loadSkillCards(join(base, "s"), "user", { closed });
  return outcomes(load, base)
    .map((line) => line.replace("s/tool/SKILL.md: ", ""))
    .join("\n");
}

describe("loadSkillCards", () => {
  it("makes a card of everything that the format knows", () => {
    const text = skill(
      "name: pdf-forms",
      "description: >",
      "  Fill forms.",
      "  Use it for PDF files.",
      "license: MIT",
      "compatibility: needs python",
      "metadata:",
      "  author: someone",
      "  version: 1.0",
      "allowed-tools: Bash(python:*) Read",
      "disable-model-invocation: true",
    );
    const { base } = createTree({ "s/pdf-forms/SKILL.md": text });
    const location = join(base, "s/pdf-forms/SKILL.md");
    const description = "Fill forms. Use it for PDF files.";
    expect(loadSkillCards(join(base, "s"), "project")).toEqual({
      cards: [
        {
          name: "pdf-forms",
          description,
          body: "Do it.",
          location,
          origin: "project",
          frontmatter: {
            name: "pdf-forms",
            description,
            license: "MIT",
            compatibility: "needs python",
            metadata: { author: "someone", version: "1.0" },
            allowedTools: ["Bash(python:*)", "Read"],
            disableModelInvocation: true,
            rest: {},
          },
        },
      ],
      diagnostics: [
        {
          kind: "loaded",
          location,
          detail: 'the skill "pdf-forms"',
          warnings: [
            {
              kind: "unsupported",
              text: "these keys have no effect: allowed-tools",
              instead: "allow tools with permissions.allow in your settings, a file grants nothing",
            },
          ],
        },
      ],
    });
  });

  it("walks sorted, into every folder but hidden and pruned ones, and takes loose files of the root only", () => {
    const { base } = createTree({
      "s/b/SKILL.md": named("b"),
      "s/a/deep/SKILL.md": named("deep"),
      "s/a/notes.md": named("notes"),
      "s/.hidden/SKILL.md": named("hidden"),
      "s/node_modules/x/SKILL.md": named("x"),
      "s/.git/SKILL.md": named("git"),
      "s/c/skill.md": named("c"),
      "s/loose.md": named("loose"),
      "s/plain.md": skill("description: A loose one"),
      "s/README.md": "# Our skills",
      "s/circle": "-> .",
    });
    const load = loadSkillCards(join(base, "s"), "user");
    expect(outcomes(load, base)).toEqual([
      "invalid s/a/notes.md: a skill in a folder of its own is called SKILL.md",
      "invalid s/c/skill.md: its name must be SKILL.md",
      "skipped s/README.md: it has no front matter",
      'loaded s/a/deep/SKILL.md: the skill "deep"',
      'loaded s/b/SKILL.md: the skill "b"',
      'loaded s/loose.md: the skill "loose"',
      'loaded s/plain.md: the skill "s"',
    ]);
  });

  it("takes the name of the folder where none is declared", () => {
    expect(outcomeOf(skill("description: x"))).toBe('loaded the skill "tool"');
  });

  it("follows links to skills, each real folder once", () => {
    const { base } = createTree({
      "shared/tool/SKILL.md": named("tool"),
      "s/one": "-> ../shared",
      "s/two": "-> ../shared",
    });
    expect(outcomes(loadSkillCards(join(base, "s"), "user"), base)).toEqual([
      'loaded s/one/tool/SKILL.md: the skill "tool"',
    ]);
  });

  it("has no cards for a folder that is missing", () => {
    expect(loadSkillCards("/nowhere/at/all", "user")).toEqual({ cards: [], diagnostics: [] });
  });

  it("stops in a tree without end", () => {
    const { base } = createTree();
    for (let n = 0; n < 4_100; n++) mkdirSync(join(base, `s/${n}`), { recursive: true });
    mkdirSync(join(base, `s/${"d/".repeat(9)}`), { recursive: true });
    const load = loadSkillCards(join(base, "s"), "user");
    expect(outcomes(load, base)).toEqual([
      `invalid ${base}/s: it has more than 4000 folders; the rest is not searched`.replace(`${base}/`, ""),
    ]);
  });
});

describe("a skill is invalid", () => {
  it.each([
    ["without a description", skill("name: tool"), "it has no description"],
    ["with a blank description", skill("name: tool", "description: ' '"), "it has no description"],
    ["without front matter", "# Tool", "it has no description"],
    [
      "with a description of 1025 characters",
      skill(`description: ${"é".repeat(1025)}`),
      "its description is longer than 1024 characters",
    ],
    [
      "with a name of 65 characters",
      skill(`name: ${"a".repeat(65)}`, "description: x"),
      "its name is longer than 64 characters",
    ],
    [
      "with the name of another folder",
      named("other"),
      'its name is "other", but its folder is "tool"; they must match',
    ],
    ["with a list for a description", skill("description: [a, b]"), "its description must be a string"],
  ])("%s", (_name, text, problem) => {
    expect(outcomeOf(text)).toBe(`invalid ${problem}`);
  });

  it.each(["Tool", "a--b", "-a", "a-", "a_b", "a b", "../x", "é"])("with the name %j", (name) => {
    expect(outcomeOf(named(name))).toBe(
      `invalid its name must be words of lower-case letters and digits, joined by single hyphens; found "${name}"`,
    );
  });

  it("when it is no text", () => {
    expect(outcomeOf("\0")).toBe("invalid it cannot be read: it is not UTF-8 text");
  });

  it("not at the limits themselves", () => {
    expect(outcomeOf(skill(`description: ${"é".repeat(1024)}`))).toBe('loaded the skill "tool"');
  });
});

describe("as sessions read it, a skill", () => {
  const lenient = (text: string) => {
    const { base } = createTree({ "s/tool/SKILL.md": text });
    const { cards, diagnostics } = loadSkillCards(join(base, "s"), "user", { isLenient: true });
    return { description: cards[0]?.description, told: skillDiagnostics(diagnostics) };
  };

  it.each([
    ["# Tool\n\nDoes it\nwell.\n\nMore.", "Does it well."],
    ["---\nname: tool\n---\n# Tool\nDoes it.\n## How", "Does it."],
    ["# Tool\n\n## How", "Tool"],
  ])("without a description %j has its first paragraph, and that is a remark", (text, description) => {
    expect(lenient(text)).toEqual({
      description,
      told: [expect.objectContaining({ message: expect.stringContaining("it has no description") })],
    });
  });

  it("without a description and a text is invalid", () => {
    expect(lenient("---\nname: tool\n---\n")).toEqual({
      description: undefined,
      told: [expect.objectContaining({ kind: "skill-invalid" })],
    });
  });

  it("with a description of 1025 characters has its beginning, and that is a remark", () => {
    const { description, told } = lenient(skill(`description: ${"é".repeat(1025)}`));
    expect(description).toBe(`${"é".repeat(1023)}…`);
    expect(told).toMatchObject([{ kind: "limit", instead: "shorten it" }]);
  });
});

it("a text written as a skill, in a folder that is none, is told; one without a header or of a skill is not", () => {
  const { base } = createTree({
    "s/tool/SKILL.md": named("tool"),
    "s/tool/inner/more.md": named("more"),
    "s/pair/one.md": named("one"),
    "s/pair/notes.md": "Notes.",
  });
  expect(outcomes(loadSkillCards(join(base, "s"), "user"), base)).toEqual([
    "invalid s/pair/one.md: a skill in a folder of its own is called SKILL.md",
    'loaded s/tool/SKILL.md: the skill "tool"',
  ]);
});

describe("a key that the format does not know", () => {
  const text = skill("name: tool", "description: x", "model: opus", "hooks:", "  - a");

  it("costs a warning, and is kept", () => {
    const { base } = createTree({ "s/tool/SKILL.md": text });
    const load = loadSkillCards(join(base, "s"), "user");
    expect(load.cards.map(({ frontmatter }) => frontmatter.rest)).toEqual([{ model: "opus", hooks: ["a"] }]);
    expect(skillDiagnostics(load.diagnostics)).toEqual([
      {
        kind: "unsupported",
        path: `${base}/s/tool/SKILL.md`,
        message: `${base}/s/tool/SKILL.md: these keys have no effect: model, hooks`,
        instead: "choose a model with /model or --model; handle events in an addon: indus addon new",
      },
    ]);
  });

  it("costs the skill under the closed rules", () => {
    expect(outcomeOf(text, true)).toBe("invalid unknown keys: model, hooks");
    expect(outcomeOf(named("tool"), true)).toBe('loaded the skill "tool"');
  });

  it("closed rules also know a loose file by its folder only", () => {
    const { base } = createTree({ "s/loose.md": named("loose") });
    expect(outcomes(loadSkillCards(join(base, "s"), "user", { closed: true }), base)).toEqual([
      'invalid s/loose.md: its name is "loose", but its folder is "s"; they must match',
    ]);
  });
});

describe("skillDiagnostics", () => {
  it("tells what is invalid, hidden, broken or taken, and nothing else", () => {
    const { base } = createTree({
      "a/x/SKILL.md": named("x"),
      "a/y/SKILL.md": skill("description: a\u202eb"),
      "a/z/SKILL.md": skill(`compatibility: ${"x".repeat(501)}`, "description: p: q", "metadata:", "  a: [b"),
      "b/x/SKILL.md": named("x", "another"),
      "b/y": "-> ../a/y",
      "b/z/SKILL.md": skill("name: z"),
      "c/x/SKILL.md": named("x"),
    });
    const roots = ["a", "b", "c"].map((name) => ({ dir: join(base, name), origin: "user" as const }));
    const load = gatherSkillCards(roots);
    expect(outcomes(load, base)).toEqual([
      'loaded a/x/SKILL.md: the skill "x"',
      'loaded a/y/SKILL.md: the skill "y"',
      'loaded a/z/SKILL.md: the skill "z"',
      'collision b/x/SKILL.md: the skill "x" is already defined in a/x/SKILL.md',
      "skipped b/y/SKILL.md: it is the same file as a/y/SKILL.md",
      "invalid b/z/SKILL.md: it has no description",
      "skipped c/x/SKILL.md: it is a copy of a/x/SKILL.md",
    ]);
    const told = skillDiagnostics(load.diagnostics).map(({ kind, message }) => `${kind}: ${message}`);
    expect(told.map((line) => line.replaceAll(`${base}/`, ""))).toEqual([
      "invisible: a/y/SKILL.md: it contains text that only the model can see (1 bidirectional control)",
      "unreadable: a/z/SKILL.md: its header is not valid YAML (Nested mappings are not allowed in compact mappings); only its plain lines are used",
      "limit: a/z/SKILL.md: its compatibility is longer than 500 characters",
      'collision: b/x/SKILL.md is not used: the skill "x" is already defined in a/x/SKILL.md',
      "skill-invalid: skill invalid: b/z/SKILL.md: it has no description",
    ]);
  });
});

it.each([
  ["Today: !`date`", "!`date` is not run"],
  ["```!\ndate\n```", "```! is not run"],
  ["Mend $ARGUMENTS[0].", "$ARGUMENTS[0] is not replaced"],
])("says that %j in a skill stays as it is", (body, told) => {
  const { base } = createTree({ "s/tool/SKILL.md": `${named("tool")}${body}\n` });
  const { diagnostics } = loadSkillCards(join(base, "s"), "user");
  expect(skillDiagnostics(diagnostics)).toEqual([
    expect.objectContaining({ kind: "unsupported", message: expect.stringContaining(`SKILL.md: ${told}`) }),
  ]);
});

describe("skillRoots", () => {
  it("are the four folders of the project, then of the home folder", () => {
    const tree = createTree();
    const folders = [".indus", ".indusagi", ".claude", ".agents"].map((name) => `${name}/skills`);
    expect(skillRoots(tree).map(({ dir, origin }) => ({ dir, origin }))).toEqual([
      ...folders.map((folder) => ({ dir: join(tree.cwd, folder), origin: "project" })),
      ...folders.map((folder) => ({ dir: join(tree.home, folder), origin: "user" })),
    ]);
  });
});

it.each([
  ["true", 0, false],
  ["True", 0, false],
  ["yes", 0, false],
  ["'On'", 0, false],
  ["1", 0, false],
  ["false", 1, false],
  ["No", 1, false],
  ["off", 1, false],
  ["0", 1, false],
  ["[true]", 0, true],
  ["maybe", 0, true],
  ["", 0, true],
] as const)(
  "disable-model-invocation: %s offers %i skills to the model, said: %s",
  (value, offered, isSaid) => {
    const text = skill("name: tool", "description: x", `disable-model-invocation: ${value}`);
    const { base } = createTree({ "s/tool/SKILL.md": text });
    const { cards, diagnostics } = loadSkillCards(join(base, "s"), "user");
    expect(modelInvocableCards(cards)).toHaveLength(offered);
    const told = skillDiagnostics(diagnostics).map(({ message }) => message);
    expect(told).toEqual(
      isSaid ? [expect.stringContaining("not true or false, so the skill is not offered to the model")] : [],
    );
  },
);

describe("modelInvocableCards", () => {
  it("leaves out what only a person may call", () => {
    const hidden = aCard({
      name: "b",
      frontmatter: { name: "b", description: "x", disableModelInvocation: true, rest: {} },
    });
    expect(modelInvocableCards([aCard({ name: "a" }), hidden]).map(({ name }) => name)).toEqual(["a"]);
  });
});

describe("fitSkillListing", () => {
  it("keeps the first that fit, and names the others", () => {
    const cards = [10, 500, 20].map((length, n) => aCard({ name: `s${n}`, description: "é".repeat(length) }));
    const { listed, dropped } = fitSkillListing(cards, 500);
    expect(listed.map(({ name }) => name)).toEqual(["s0", "s2"]);
    expect(dropped.map(({ name }) => name)).toEqual(["s1"]);
  });
});

describe("skillInvocation", () => {
  const card = aCard({ name: "pdf", location: '/a "b"/SKILL.md' });

  it("names the skill, and hands on the person's words as they typed them", () => {
    expect(skillInvocation(card, ' do <it> & "that" </skill>\n  twice ')).toBe(
      [
        '<skill name="pdf" location="/a &quot;b&quot;/SKILL.md" />',
        "",
        "Read the skill at this location and follow it. The request:",
        "",
        'do <it> & "that" </skill>\n  twice',
      ].join("\n"),
    );
  });

  it("asks for the skill alone where nothing was typed", () => {
    expect(skillInvocation(card, " ")).toBe(
      '<skill name="pdf" location="/a &quot;b&quot;/SKILL.md" />\n\nRead the skill at this location and follow it.',
    );
  });
});
