import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as fc from "../../../../tests/support/fast-check.ts";
import { createTree, type Tree, writeTree } from "../../../../tests/support/test-tree.ts";
import { readAgentFile } from "./agent-file.ts";
import { discoverProfiles, gatherAgents } from "./agent-files.ts";
import type { MacroOrigin, SubagentProfile } from "./contract.ts";
import { readTextFile } from "./text-file.ts";

const AGENTS = "home/repo/.indus/agents";

function read(name: string, text: string, origin: MacroOrigin = "project") {
  const tree = createTree({ [`${AGENTS}/${name}`]: text });
  return { tree, read: readAgentFile(join(tree.base, AGENTS, name), origin) };
}

/** The profile one file yields, without its origin and source. */
function profileOf(name: string, text: string, origin: MacroOrigin = "project"): Partial<SubagentProfile> {
  const { read: found } = read(name, text, origin);
  if (!found?.ok) throw new Error(found?.fault.message);
  const { origin: _, source: __, ...profile } = found.profile;
  return profile;
}

function problemOf(name: string, text: string): string {
  const { tree, read: found } = read(name, text);
  if (found === undefined || found.ok) throw new Error("it was read");
  expect(found.fault.kind).toBe("agent-invalid");
  return found.fault.message.replace(`${tree.base}/${AGENTS}/`, "");
}

function inVain(name: string, text: string, origin: MacroOrigin = "project"): readonly string[] {
  const { tree, read: found } = read(name, text, origin);
  return found?.ok
    ? found.diagnostics.map(({ message }) => message.replace(`${tree.base}/${AGENTS}/`, ""))
    : [];
}

describe("a profile in TOML", () => {
  it("may have every field", () => {
    const text = [
      'name = "sec"',
      'description = "Looks  for\\nholes."',
      'when = "code touches the network."',
      'model = "openai/small"',
      'tool_collection = "coding"',
      'tools = ["read", "bash"]',
      'withheld_tools = ["write"]',
      'prompt = " Be brief. "',
      "max_turns = 7",
    ].join("\n");
    expect(profileOf("x.toml", text, "user")).toEqual({
      name: "sec",
      purpose: "Looks for holes.",
      when: "code touches the network.",
      model: "openai/small",
      toolCollection: "coding",
      tools: ["read", "bash"],
      withheldTools: ["write"],
      prompt: " Be brief.",
      maxTurns: 7,
    });
  });

  it("without a name has its file's, and without a description its prompt's first line", () => {
    expect(profileOf("code-mender.toml", 'prompt = "Mend it.\\nSlowly."')).toEqual({
      name: "code-mender",
      purpose: "Mend it.",
      prompt: "Mend it.\nSlowly.",
    });
    expect(profileOf("x.toml", "")).toEqual({ name: "x", purpose: "x" });
  });

  it.each([
    ["Python Pro", "python-pro"],
    ["gpt_4.1-beast", "gpt-4-1-beast"],
    ["Café", "cafe"],
  ])("called %s is called %s here, and says so", (written, name) => {
    const text = `name = ${JSON.stringify(written)}`;
    expect(profileOf("x.toml", text)).toMatchObject({ name });
    expect(inVain("x.toml", text)).toEqual([expect.stringContaining(`(in indus, it is called ${name})`)]);
  });

  it.each([
    ["x.toml", "name = [", /^agent invalid: x\.toml: line 1, column \d+: /],
    ["x.toml", 'name = "¡…!"', /^agent invalid: x\.toml: expected the name to be 1 to 64 lower-case letters/],
    ["¡…!.toml", "", /found "¡…!"$/],
    ["x.toml", `name = "${"a".repeat(65)}"`, /expected the name to be 1 to 64/],
    ["x.toml", 'tool_collection = "some"', /to be one of read-only, coding, all, found "some"$/],
    ["x.toml", "description = 3", /expected description to be a string, found 3$/],
    ["x.toml", "tools = 3", /expected tools to be a list of tool names, found 3$/],
    ["x.toml", 'tools = ["a", 3]', /expected tools to be a list of tool names, found \["a",3\]$/],
    ["x.toml", "max_turns = 0", /expected max_turns to be a positive whole number, found 0$/],
    ["x.toml", `prompt = "${"a".repeat(70_000)}"`, /is longer than 65536 bytes$/],
    ["x.toml", `a = ${"[".repeat(500)}${"]".repeat(500)}`, /^agent invalid: x\.toml: line 1/],
    ["x.md", "---\nmaxTurns: many\n---\n", /expected maxTurns to be a positive whole number, found "many"$/],
    ["x.md", "---\nname: [a, b]\n---\n", /expected name to be a string/],
  ])("%s: %.40s is refused in words", (name, text, message) => {
    expect(problemOf(name, text)).toMatch(message);
  });

  it("with an unknown key is reported, also a key that every object has", () => {
    expect(inVain("x.toml", 'mood = "good"\n"__proto__" = 1\ntoString = 2')).toEqual([
      "x.toml: not supported, ignored: mood; __proto__; toString",
    ]);
  });
});

describe("a profile in Markdown", () => {
  const CLAUDE = [
    "---",
    "name: code-reviewer",
    "description: Reviews code. Use proactively after writing code.",
    "tools: Read, Grep, Glob, Bash(git diff:*), mcp__github__get",
    "disallowedTools: Write, Edit",
    "model: sonnet",
    "color: cyan",
    "hooks: x",
    "---",
    "",
    "You are a reviewer.",
    "",
  ].join("\n");

  it("of another product is used as it is, with its tools under their names here", () => {
    expect(profileOf("x.md", CLAUDE)).toEqual({
      name: "code-reviewer",
      purpose: "Reviews code. Use proactively after writing code.",
      prompt: "You are a reviewer.",
      model: "sonnet",
      tools: ["read", "grep", "find", "bash", "mcp__github__get"],
      withheldTools: ["write", "edit"],
    });
  });

  it("with keys that are not supported names them all in one line", () => {
    expect(inVain("x.md", CLAUDE)).toEqual([
      "x.md: not supported, ignored: hooks; the pattern in Bash(git diff:*) (permission rules decide)",
    ]);
  });

  it("with a description over 1024 characters says where it is cut", () => {
    const cut = "x.md: not supported, ignored: the description after 1024 characters";
    expect(inVain("x.md", `---\ndescription: ${"a ".repeat(600)}\n---\nGo.`)).toEqual([cut]);
    expect(inVain("x.md", `---\ndescription: ${"a".repeat(1024)}\n---\nGo.`)).toEqual([]);
  });

  it("narrows: plan mode reads only, no tools at all means none, * means all", () => {
    expect(profileOf("x.md", "---\npermissionMode: plan\n---\nGo.")).toMatchObject({
      toolCollection: "read-only",
    });
    expect(profileOf("x.md", "---\ntools:\n---\nGo.")).toMatchObject({ tools: [] });
    expect(profileOf("x.md", "---\ntools: '*'\n---\nGo.")).not.toHaveProperty("tools");
    expect(profileOf("x.md", "---\nname: a\n---\nGo.")).not.toHaveProperty("tools");
  });

  it("grants nothing: a permission mode that would is told and left out", () => {
    const text = "---\nname: x\npermissionMode: bypassPermissions\n---\nGo.";
    expect(profileOf("x.md", text)).toEqual({ name: "x", purpose: "Go.", prompt: "Go." });
    expect(inVain("x.md", text)).toEqual([
      "x.md: not supported, ignored: permissionMode bypassPermissions (a file grants nothing)",
    ]);
  });

  it("inherit asks for no model", () => {
    expect(profileOf("x.md", "---\nname: x\nmodel: inherit\n---\n")).not.toHaveProperty("model");
    expect(inVain("x.md", "---\nname: x\nmodel: inherit\n---\n")).toEqual([]);
  });

  it("characters that only a model sees are told", () => {
    expect(inVain("x.md", `---\nname: x\n---\nGo.${"\u{e0041}".repeat(8)}`)).toEqual([
      expect.stringContaining("x.md: it contains text that only the model can see"),
    ]);
  });

  it("without a header it is a text about agents, and no agent", () => {
    expect(read("README.md", "# Our agents\n").read).toBeUndefined();
  });

  it("with 50 unsupported keys names some, and counts the rest", () => {
    const keys = Array.from({ length: 50 }, (_, index) => `k${index}${"x".repeat(500)}: 1`);
    const [told = ""] = inVain("x.md", `---\nname: x\n${keys.join("\n")}\n---\n`);
    expect(told.length).toBeLessThan(3_000);
    expect(told).toMatch(/; 30 more$/);
  });

  it("any text is a profile or is refused with a reason, in bounded time", () => {
    const pieces = [
      "---\n",
      "name:",
      " x\n",
      "tools: [",
      "]",
      "{",
      "a: &b\n",
      "\u0000",
      "description: >\n",
      "é",
      '"',
    ];
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: "binary", maxLength: 8 })), {
          maxLength: 30,
        }),
        fc.constantFrom("x.md", "x.toml"),
        (parts, name) => {
          const { read: found } = read(name, parts.join(""));
          if (found === undefined) return;
          if (!found.ok) expect(found.fault.message).toMatch(/^agent invalid: /);
          else expect(found.profile.name).toMatch(/^[a-z0-9][a-z0-9-]{0,63}$/);
        },
      ),
      { numRuns: 100 },
    );
  });
});

const names = ({ cwd, home }: Tree): readonly string[] =>
  gatherAgents({ cwd, home }).profiles.map(({ name, source }) => `${name} ${source}`);
const BUILT_IN = ["researcher", "reviewer", "coder"];

describe("the folders", () => {
  it("are read four levels deep, in the same order everywhere; a bad file is left out alone", () => {
    const tree = createTree({
      [`${AGENTS}/b.toml`]: "",
      [`${AGENTS}/a.md`]: "---\ndescription: A.\n---\n",
      [`${AGENTS}/README.md`]: "About.",
      [`${AGENTS}/bad.toml`]: "=",
      [`${AGENTS}/deeper/README.md`]: "About.",
      [`${AGENTS}/deeper/c.toml`]: "",
      [`${AGENTS}/deeper/notes.md`]: "No header.",
      [`${AGENTS}/deeper/other.yaml`]: "name: other",
      [`${AGENTS}/1/2/3/4/d.md`]: "---\nname: d\n---\n",
      [`${AGENTS}/1/2/3/4/5/e.md`]: "---\nname: e\n---\n",
      [`${AGENTS}/1/round`]: "-> ..",
      [`${AGENTS}/docs/README.md`]: "About.",
      [`${AGENTS}/notes.txt`]: "",
      [`${AGENTS}/.hidden.toml`]: "",
    });
    const { profiles, diagnostics } = discoverProfiles(join(tree.base, AGENTS), "project");
    expect(profiles.map(({ name }) => name)).toEqual(["a", "b", "d", "c"]);
    expect(diagnostics.map(({ message }) => message.replaceAll(`${tree.base}/${AGENTS}/`, ""))).toEqual([
      expect.stringContaining("agent invalid: bad.toml: "),
      "agent invalid: 1/2/3/4/5 is not searched: agents are read at most 4 folders deep",
      "agent invalid: deeper/other.yaml is not used: an agent is a Markdown or TOML file",
      "agent invalid: deeper/notes.md: it has no header: an agent's Markdown begins with --- and its description",
    ]);
    expect(discoverProfiles(join(tree.base, "nowhere"), "project")).toEqual({
      profiles: [],
      diagnostics: [],
    });
  });

  it("the project's before the home's, the product's own before another's, the first of a name; the built-in ones last", () => {
    const tree = createTree({
      [`${AGENTS}/x.toml`]: "",
      "home/repo/.claude/agents/x.md": "---\ndescription: Other.\n---\n",
      "home/repo/.claude/agents/y.md": "---\ndescription: Y.\n---\n",
      "home/.indus/agents/y.toml": "",
      "home/.indus/agents/coder.toml": 'description = "Mine."',
    });
    const at = (path: string): string => join(tree.base, path);
    expect(names(tree)).toEqual([
      `x ${at(AGENTS)}/x.toml`,
      `coder ${at("home/.indus/agents/coder.toml")}`,
      `y ${at("home/.indus/agents/y.toml")}`,
      "researcher built in",
      "reviewer built in",
    ]);
    expect(gatherAgents(tree).diagnostics.map(({ kind }) => kind)).toEqual([
      "collision",
      "refused",
      "collision",
    ]);
  });

  it.each([".indus/agents/coder.toml", ".indus/agents/mine.md", ".claude/agents/coder.md"])(
    "a repository's %s takes no built-in delegate's place, and that is a warning (twin: the person's own does)",
    (path) => {
      const text = path.endsWith(".toml")
        ? 'description = "Evil."'
        : "---\nname: coder\ndescription: Evil.\n---\n";
      const tree = createTree({ [`home/repo/${path}`]: text });
      const { profiles, diagnostics } = gatherAgents(tree);
      expect(profiles.map(({ name }) => name)).toEqual(BUILT_IN);
      expect(JSON.stringify(profiles)).not.toContain("Evil");
      expect(diagnostics).toMatchObject([
        {
          kind: "refused",
          message: `${join(tree.base, "home/repo", path)} is not used: the delegate coder is built in, and a repository cannot replace yours or the built-in ones`,
        },
      ]);
      const own = gatherAgents(createTree({ [`home/${path}`]: text }));
      expect(own.profiles.find(({ name }) => name === "coder")).toMatchObject({
        purpose: "Evil.",
        origin: "user",
      });
      expect(own.diagnostics).toMatchObject([
        { message: expect.stringContaining(", which replaces the built-in one") },
      ]);
    },
  );

  it("a repository's link that leads out of it is not followed", () => {
    const tree = createTree({
      "home/.ssh/id_rsa": "secret key",
      [`${AGENTS}/key.md`]: "-> ../../../.ssh/id_rsa",
      [`${AGENTS}/within.md`]: "-> ../../docs/agent.md",
      "home/repo/docs/agent.md": "---\nname: within\n---\n",
    });
    const { profiles, diagnostics } = gatherAgents(tree);
    expect(profiles.map(({ name }) => name)).toEqual(["within", ...BUILT_IN]);
    expect(diagnostics.map(({ message }) => message)).toEqual([
      `${tree.base}/${AGENTS}/key.md is not used: it is a symlink to outside the project`,
    ]);
    // The twin: reading it would hand the key to the model.
    expect(readTextFile(join(tree.base, AGENTS, "key.md"), 100)).toMatchObject({ text: "secret key" });
  });

  it("a folder of links that leads out is not followed either", () => {
    const tree = createTree({ "home/other/x.md": "---\nname: x\n---\n", "home/repo/.indus/x": "" });
    writeTree(tree, { [AGENTS]: "-> ../../other" });
    expect(gatherAgents(tree).profiles.map(({ name }) => name)).toEqual(BUILT_IN);
  });

  it("with a pipe in them refuse it, and do not wait for it", () => {
    const tree = createTree();
    mkdirSync(join(tree.base, AGENTS), { recursive: true });
    expect(spawnSync("mkfifo", [join(tree.base, AGENTS, "x.md")]).status).toBe(0);
    expect(gatherAgents(tree).diagnostics[0]?.message).toContain("it is not a regular file");
  });

  it("what the model reads of them has a bound, and the built-in ones their place", () => {
    const files = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [
        `${AGENTS}/a${String(index).padStart(2, "0")}.toml`,
        `description = "${"d".repeat(2_000)}"`,
      ]),
    );
    const { profiles, diagnostics } = gatherAgents(createTree(files));
    expect(profiles).toHaveLength(15 + BUILT_IN.length);
    expect(profiles[0]?.purpose).toBe(`${"d".repeat(1_024)}…`);
    expect(diagnostics.at(-1)?.message).toBe(
      "the model's list of delegates is full; omitted: a15, a16, a17, a18, a19",
    );
  });

  it("give at most a thousand profiles, and say how many were left out", () => {
    const files = Object.fromEntries(
      Array.from({ length: 1_001 }, (_, index) => [`${AGENTS}/a${String(index).padStart(4, "0")}.toml`, ""]),
    );
    const { profiles, diagnostics } = gatherAgents(createTree(files));
    expect(profiles).toHaveLength(1_000 + BUILT_IN.length);
    expect(diagnostics[0]?.message).toContain("contains 1001 agents; only the first 1000 are read");
  });
});
