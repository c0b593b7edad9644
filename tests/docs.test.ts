// The documents and the product say the same: names, flags, settings, links, versions. And nothing that is tracked says
// where it was made.

import { execFile, spawnSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createCassettePlayer } from "indusagi/llmgateway";
import { describe, expect, it, onTestFinished } from "vitest";
import { ask } from "../examples/embed/ask.ts";
import { SUBCOMMANDS } from "../packages/induscode/src/boot/subcommands.ts";
import { parseCommandLine } from "../packages/induscode/src/cli/command-line.ts";
import { refuseOwnFlags, usageMistake } from "../packages/induscode/src/cli/command-mistakes.ts";
import { flagMistake, subcommandOf, usageOf } from "../packages/induscode/src/cli/command-words.ts";
import { FLAGS } from "../packages/induscode/src/cli/flags.ts";
import { VERSION } from "../packages/induscode/src/cli/version.ts";
import { KNOWN_PROGRAMS } from "../packages/induscode/src/deck/permissions/command-risks.ts";
import { START_MODES } from "../packages/induscode/src/deck/permissions/modes.ts";
import { parseRule } from "../packages/induscode/src/deck/permissions/rules.ts";
import { WRAPPER_FLAGS } from "../packages/induscode/src/parts/stream-json/wrapper-flags.ts";
import { createWorkplace } from "./support/indus.ts";
import { startModelServer } from "./support/model-server.ts";

const ROOT: string = fileURLToPath(new URL("..", import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const find = (pattern: string): readonly string[] => globSync(pattern, { cwd: ROOT }).sort();

const PACKAGES = find("packages/*/package.json");
const DECISIONS = find("docs/decisions/[0-9]*.md");
const EARLIER = find("docs/decisions/history/[0-9]*.md");
const GUIDES = find("docs/guide/*.md");
const PAGES = [...find("*.md"), ...find("packages/*/README.md"), ...find("docs/**/*.md")];

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "indus-docs-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

describe("decisions", () => {
  it("name every dependency", () => {
    type Manifest = Readonly<Record<string, Record<string, string> | undefined>>;
    const kinds = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];
    const asked = ["package.json", ...PACKAGES].flatMap((path) => {
      const manifest = JSON.parse(read(path)) as Manifest;
      return kinds.flatMap((kind) => Object.keys(manifest[kind] ?? {}));
    });
    const own = PACKAGES.map((path) => path.split("/")[1]);
    const told = DECISIONS.map(read).join("\n");
    const oneForAllSystems = asked.map((name) => name.replace(/^(@oxc-transform\/binding)-.*/, "$1"));
    const foreign = [...new Set(oneForAllSystems)].filter((name) => !own.includes(name));
    expect(foreign.length).toBeGreaterThan(10);
    expect(foreign.filter((name) => !told.includes(`\`${name}\``))).toEqual([]);
  });

  it.each(DECISIONS)("%s is one page with a date, a status and the five headings", (path) => {
    const lines = read(path).split("\n");
    expect(lines[0]).toMatch(/^# [^:]+: \S/);
    expect(lines[2]).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(lines[4]).toMatch(/^Status: in force(;|$)/);
    expect(lines.slice(1).filter((line) => line.startsWith("#"))).toEqual([
      "## Question",
      "## Choice",
      "## Why",
      "## What it costs",
      "## What would change our mind",
    ]);
    expect(lines.length).toBeLessThanOrEqual(51);
  });

  it.each(EARLIER)("%s names the page in force that took it over", (path) => {
    const [, kept = ""] =
      /^Status: (?:part of|superseded by) \[\d{3}\]\(\.\.\/(\S+)\)$/m.exec(read(path)) ?? [];
    expect(DECISIONS).toContain(`docs/decisions/${kept}`);
    const taken = path.split("/").at(-1);
    const isSuperseded = read(path).includes("\nStatus: superseded by ");
    if (!isSuperseded) expect(read(`docs/decisions/${kept}`)).toContain(`(history/${taken})`);
  });

  /** The rows of an index: number, file, title. */
  const listed = (index: string): readonly string[] =>
    [...read(index).matchAll(/^- \[(\d{3})\]\((\S+)\) (.*)$/gm)].map(
      ([, number, file, title]) => `${number} ${file} ${title?.split(/: (?:part of|superseded by) \[/)[0]}`,
    );
  const real = (paths: readonly string[]): readonly string[] =>
    paths.map((path) => {
      const name = path.split("/").at(-1) ?? "";
      return `${name.slice(0, 3)} ${name} ${read(path).split("\n")[0]?.slice(2)}`;
    });

  it("are in the index once, by their titles, in about eight groups", () => {
    const index = "docs/decisions/README.md";
    expect([...listed(index)].sort()).toEqual(real(DECISIONS));
    const groups = read(index).split(/^## /m).slice(1);
    expect(groups.length).toBeLessThanOrEqual(10);
    for (const group of groups) {
      const numbers = [...group.matchAll(/^- \[(\d{3})\]/gm)].map(([, number]) => number);
      expect(numbers.length).toBeGreaterThan(1);
      expect(numbers).toEqual([...numbers].sort());
    }
  });

  it("that came earlier are in the index of the history, in order", () => {
    expect(listed("docs/decisions/history/README.md")).toEqual(real(EARLIER));
  });

  it("are named by the folders that they bind", () => {
    const readmes = find("packages/*/src/**/README.md").map(read).join("\n");
    const [, ...groups] = read("docs/decisions/README.md").split(/^## /m);
    const ofSources = groups.filter((group) => !group.startsWith("Build, libraries and tests"));
    const pages = ofSources.flatMap((group) =>
      [...group.matchAll(/\]\((\d{3}-\S+)\)/g)].map(([, page]) => page),
    );
    expect(pages.length).toBeGreaterThan(30);
    expect(pages.filter((page) => !readmes.includes(`docs/decisions/${page}`))).toEqual([]);
  });

  it("that sources, tests and documents name are in force", () => {
    const numbers = DECISIONS.map((path) => path.split("/").at(-1)?.slice(0, 3));
    const named = find("{packages,tests,scripts,bench,examples}/**/*.{ts,mjs,cjs,md,py}")
      .filter((path) => !path.includes("node_modules") && !path.includes("/dist/"))
      .flatMap((path) =>
        [...read(path).matchAll(/\bdecisions?[ /](\d{3}(?:, \d{3})*)/g)]
          .flatMap(([, list = ""]) => list.split(", "))
          .map((number) => ({ path, number })),
      );
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter(({ number }) => !numbers.includes(number))).toEqual([]);
  });
});

describe("links", () => {
  it.each(PAGES)("of %s lead somewhere", (path) => {
    const targets = [...read(path).matchAll(/\]\(([^)\s]+)\)/g)].map(
      ([, target = ""]) => target.split("#")[0] ?? "",
    );
    const relative = targets.filter((target) => target !== "" && !/^[a-z]+:/.test(target));
    expect(relative.filter((target) => !existsSync(join(ROOT, dirname(path), target)))).toEqual([]);
  });

  /** What a page's headings are called in links, as GitHub has it. */
  const anchorsOf = (path: string): readonly string[] =>
    [...read(path).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}_ -]/gu, "")
        .replaceAll(" ", "-"),
    );

  it.each(PAGES)("of %s to a heading lead to one that stands once", (path) => {
    const wrong = [...read(path).matchAll(/\]\(([^)\s:]*)#([^)\s]+)\)/g)].filter(([, file = "", anchor]) => {
      const page = file === "" ? path : join(dirname(path), file);
      return page.endsWith(".md") && anchorsOf(page).filter((each) => each === anchor).length !== 1;
    });
    expect(wrong.map(([link]) => link)).toEqual([]);
  });
});

describe("the command line", () => {
  it("has every flag of the table in help all", async () => {
    const { code, stdout } = await createWorkplace().run(["help", "all"]);
    expect(code).toBe(0);
    const told = [...stdout.matchAll(/^ {2}(?:-\w, | {4})--([\w-]+)/gm)].map(([, name]) => name);
    expect(told.sort()).toEqual(FLAGS.map(({ name }) => name as string).sort());
  });

  /** `indus …` in the shell blocks of a page, as its words: one pair of quotes is all that they need. */
  function commandsOf(path: string): readonly (readonly string[])[] {
    const blocks = [...read(path).matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => block);
    const lines = blocks.flatMap((block) => block.split("\n")).map((line) => line.split(" #")[0] ?? "");
    return lines
      .flatMap((line) => /(?:^|\| )indus( .*)?$/.exec(line.trimEnd())?.[1] ?? [])
      .map((rest) =>
        (rest.match(/'[^']*'|"[^"]*"|\S+/g) ?? []).map((word) => word.replace(/^(['"])(.*)\1$/, "$2")),
      );
  }

  it.each(["README.md", ...GUIDES])("takes what %s says", (path) => {
    for (const argv of commandsOf(path)) {
      const line = parseCommandLine(argv, SUBCOMMANDS);
      if (!line.ok) throw new Error(`${argv.join(" ")}: ${line.problem}`);
      const row = line.flags.print ? undefined : subcommandOf(line.words, SUBCOMMANDS);
      const usage = row && usageOf(row, line.words.slice(1));
      if (row === undefined) refuseOwnFlags(line, SUBCOMMANDS);
      else if (usage === undefined || flagMistake(usage, line)) throw usageMistake(row, line);
    }
    const own = [...FLAGS, ...SUBCOMMANDS.flatMap((row) => row.flags)].map(({ name }) => name);
    const flags = [...own, ...(path === "docs/guide/programs.md" ? WRAPPER_FLAGS : [])].map(
      (name) => `--${name}`,
    );
    const inline = [...read(path).matchAll(/`(?:indus )?(--[a-z-]+)/g)].map(([, flag = ""]) => flag);
    expect(inline.filter((flag) => !flags.includes(flag))).toEqual([]);
  });

  it("is shown by example (so that the checks above look at something)", () => {
    expect(commandsOf("README.md").length).toBeGreaterThan(4);
    expect(commandsOf("docs/guide/using-indus.md").length).toBeGreaterThan(8);
  });
});

describe("the page for whoever begins", () => {
  const START = "docs/guide/start.md";

  it("is linked from every other page of the guide", () => {
    expect(GUIDES.filter((path) => path !== START && !read(path).includes("(start.md)"))).toEqual([]);
  });

  it("takes ten minutes and six new words", () => {
    expect(read(START).split(/\s+/).length).toBeLessThan(800);
    expect(read(START).match(/\*\*[^*]+\*\*/g)).toHaveLength(6);
  });

  it("names only commands that a console has", async () => {
    const { run } = createWorkplace("");
    const { stdout } = await run(["--model", "anthropic/x"], { stdin: "/help\n" });
    const named = [...read(START).matchAll(/`(\/[a-z]+)/g)].map(([, name]) => name);
    expect(named.length).toBeGreaterThan(8);
    expect(named.filter((name) => !new RegExp(`\\n {2}${name} `).test(stdout))).toEqual([]);
  });
});

describe("permission rules in documents", () => {
  const SHOWN_AS_MISTAKES = ["Read(src:*)"];
  const rulesOf = (path: string): readonly string[] =>
    [...read(path).matchAll(/\b(?:bash|outside|read|edit|write|task|webfetch)\([^)\n]+\)/gi)].map(
      ([rule]) => rule,
    );

  it.each(["README.md", ...GUIDES])(
    "of %s can be written so, and cover nothing that is not meant",
    (path) => {
      for (const source of rulesOf(path)) {
        const rule = parseRule(source);
        if ("problem" in rule) {
          expect(SHOWN_AS_MISTAKES).toContain(source);
          continue;
        }
        const [program = "", ...more] = rule.pattern?.split(/[\s:]+/) ?? [];
        // Options that do something else are known of each program that an example allows more words of.
        if (rule.builtin === "bash" && more.some((word) => word.includes("*")) && program !== "rm")
          expect(KNOWN_PROGRAMS).toContain(program);
      }
    },
  );

  it("are there (so that the check above looks at something)", () => {
    expect(rulesOf("README.md")).toContain("bash(git diff *)");
    expect(rulesOf("docs/guide/permissions.md").length).toBeGreaterThan(10);
  });
});

describe("the guide", () => {
  const guide = read("docs/guide/using-indus.md");

  it("is short", () => {
    expect(guide.split("\n").length).toBeLessThanOrEqual(130);
    expect(read("docs/guide/embedding.md").split("\n").length).toBeLessThanOrEqual(96);
  });
});

describe("the guide to permissions", () => {
  const guide = read("docs/guide/permissions.md");
  const [screen = ""] = guide.split(/^## /m);

  it("begins with a screen that has every mode", () => {
    expect(screen.split("\n").length).toBeLessThanOrEqual(50);
    const told = [...screen.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, mode]) => mode);
    expect(told.sort()).toEqual([...START_MODES].sort());
  });

  it("has tables with short cells", () => {
    const rows = guide.split("\n").filter((line) => line.startsWith("|"));
    const cells = rows.flatMap((row) => row.split(/(?<!\\)\|/));
    expect(cells.length).toBeGreaterThan(50);
    expect(cells.filter((cell) => cell.trim().split(/\s+/).length > 25)).toEqual([]);
  });
});

describe("the embedding examples", () => {
  // That it compiles and runs, from the sources and installed: tests/installed/exports.test.ts.
  it("are short where the guide shows one, which is a whole program", () => {
    const [, shown = ""] = /^```ts\n([\s\S]*?)^```$/m.exec(read("docs/guide/embedding.md")) ?? [];
    const [, , ...program] = read("examples/embed/session.ts").split("\n");
    expect(shown).toBe(program.join("\n"));
    expect(program.length).toBeLessThanOrEqual(31);
  });

  it("are what the guide of the SDK shows, whole", () => {
    const shown = [...read("docs/guide/sdk.md").matchAll(/^```(?:ts|python)\n([\s\S]*?)^```$/gm)];
    const programs = find("examples/sdk/*").map((path) => read(path).replace(/^.*\n\n/, ""));
    expect(shown.map(([, program]) => program).sort()).toEqual(programs.sort());
    expect(read("examples/sdk/first.ts").split("\n").length).toBeLessThanOrEqual(12);
  });

  it("answer with what their tools really found, from a recording", async () => {
    const cwd = folder();
    writeFileSync(join(cwd, "a.txt"), "the answer is 42");
    const call = { kind: "tool_call", id: "c_1", name: "grep", input: { pattern: "answer" } };
    const turns = [
      { turn: 1, match: "what is the answer", reply: { message: { role: "assistant", content: [call] } } },
      // Played only if the outcome of the search holds it.
      {
        turn: 2,
        match: "the answer is 42",
        reply: { message: { role: "assistant", content: [{ kind: "text", text: "42." }] } },
      },
    ];
    const text = [{ cassette: 1, about: "an answer" }, ...turns]
      .map((line) => JSON.stringify(line))
      .join("\n");
    const provider = createCassettePlayer({ source: { text } });
    expect(await ask("what is the answer", { provider, model: "recording", cwd })).toBe("42.");
    await expect(ask("and now", { provider, model: "recording", cwd })).rejects.toThrow("recording ends");
  });

  it("run as a program against a model", async () => {
    const server = await startModelServer([
      { calls: [{ name: "ls", input: {} }] },
      { text: "There is one file." },
    ]);
    onTestFinished(server.close);
    const cwd = folder();
    writeFileSync(join(cwd, "only.txt"), "");
    const program = join(ROOT, "examples/embed/ask.ts");
    const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "k" };
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      ["--conditions=indus-source", program, "anthropic/scripted", "how many files?"],
      { cwd, env },
    );
    expect({ stdout, stderr }).toEqual({ stdout: "There is one file.\n", stderr: "ls\n" });
    expect(JSON.stringify(server.requests[1]?.body.messages)).toContain("only.txt");
  });
});

it("the version is the same everywhere", () => {
  const versions = ["package.json", ...PACKAGES].map(
    (path) => (JSON.parse(read(path)) as { version: string }).version,
  );
  expect(new Set([VERSION, ...versions]).size).toBe(1);
  const inner = JSON.parse(read("packages/induscode/package.json")) as {
    dependencies: Record<string, string>;
  };
  expect(inner.dependencies.indusagi).toBe(VERSION);
});

describe("nothing that is tracked", () => {
  // In pieces, so that this file does not hold what it looks for.
  const FORBIDDEN: Readonly<Record<string, readonly string[]>> = {
    "a path of the machine it was written on": [
      "(?<![\\w.-])/wo" + "rk/",
      "/tmp/(?:tr" + "y|bri" + "ef|bash_" + "jobs)",
    ],
    "a package registry": [
      "registry\\.(?:npm" + "js|yarn" + "pkg)",
      "npm" + "mirror",
      "verda" + "ccio",
      "artifa" + "ctory",
    ],
    "a secret": [
      "sk-ant" + "-[\\w-]{20}",
      "\\bgh[pousr]_[A-Za-z0-9]{30}",
      "AKIA[0-9A-Z]{16}",
      "BEGIN [A-Z ]*PRIV" + "ATE KEY",
    ],
    "a word on how the work is organised": [
      "\\bthe le" + "ad\\b",
      "\\bis" + "sue #?\\d",
      "\\b(?:help" + "er|assis" + "tant)s? sess" + "ion",
      "\\b(?:my|your) bri" + "ef\\b",
      "shared/(?:se" + "eds|refer" + "ence)",
    ],
    "a person's address": ["[\\w.+-]+@(?!example\\.)[\\w-]+\\.(?:com|org|net|io|dev)\\b"],
  };

  const tracked = (): readonly string[] => {
    const { status, stdout } = spawnSync("git", ["ls-files", "-z"], { cwd: ROOT, encoding: "utf8" });
    expect(status).toBe(0);
    return stdout.split("\0").filter((path) => path !== "" && existsSync(join(ROOT, path)));
  };

  /** `path: what it found`, for each place where a file holds it. */
  function findIn(paths: readonly string[], patterns: readonly string[]): readonly string[] {
    const pattern = new RegExp(patterns.join("|"), "gi");
    return paths
      .filter((path) => statSync(path).isFile())
      .flatMap((path) =>
        [...readFileSync(path, "utf8").matchAll(pattern)].map(([found]) => `${path}: ${found}`),
      );
  }

  it.skipIf(!existsSync(join(ROOT, ".git"))).each(Object.entries(FORBIDDEN))(
    "holds %s",
    (_what, patterns) => {
      const paths = tracked().map((path) => join(ROOT, path));
      expect(paths.length).toBeGreaterThan(50);
      expect(findIn(paths, patterns)).toEqual([]);
    },
  );

  it.each([
    ["see /wo" + "rk/main/x.ts", "a path of the machine it was written on"],
    ["https://registry.npm" + "js.org/x", "a package registry"],
    [`key = "sk-ant${"-api03-abcdefghijklmnopqrstuv"}"`, "a secret"],
    ["as is" + "sue 12 says", "a word on how the work is organised"],
    ["someone@some" + "where.com", "a person's address"],
  ])("holds what the check finds (the twin): %s", (text, what) => {
    const path = join(folder(), "page.md");
    writeFileSync(path, text);
    expect(findIn([path], FORBIDDEN[what] ?? [])).toHaveLength(1);
  });
});
