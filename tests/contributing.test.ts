// docs/guide/contributing.md is true: each example's patch is applied to a copy of the sources, touches as many files as its
// heading says, and what it adds then works, as the command runs from source.

import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { rows } from "./support/long-form.ts";

const ROOT: string = fileURLToPath(new URL("..", import.meta.url));
const page = readFileSync(join(ROOT, "docs/guide/contributing.md"), "utf8");
const COUNTS: readonly string[] = ["no", "one", "two", "three", "four", "five"];

interface Patch {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** The patches below a heading, in order. */
function patchesOf(heading: string): readonly Patch[] {
  const [, section = ""] = page.split(`\n## ${heading}`);
  const blocks = [...(section.split("\n## ")[0] ?? "").matchAll(/^```diff (\S+)\n([\s\S]*?)^```$/gm)];
  return blocks.map(([, path = "", block = ""]) => {
    const lines = block.replace(/\n$/, "").split("\n");
    const side = (signs: string): string =>
      lines.flatMap((line) => (signs.includes(line[0] ?? " ") ? `${line.slice(1)}\n` : [])).join("");
    return { path, before: side(" -"), after: side(" +") };
  });
}

/** The text with the patch; throws unless what it changes is there exactly once. */
function patched(text: string | undefined, { path, before, after }: Patch): string {
  if (text === undefined) {
    if (before !== "") throw new Error(`${path} is not there`);
    return after;
  }
  const places = text.split(before).length - 1;
  if (before === "" || places !== 1) throw new Error(`${path} has ${places} places for the patch`);
  return text.replace(before, () => after);
}

let made: string | undefined;

/** The one copy, which each example leaves as it was. */
function copy(): string {
  made ??= copyOfSources();
  return made;
}

/** A copy of the packages' sources in which their names lead to each other. */
function copyOfSources(): string {
  const copy = realpathSync(mkdtempSync(join(tmpdir(), "indus-contributing-")));
  const linked = join(copy, "node_modules");
  mkdirSync(linked);
  for (const name of readdirSync(join(ROOT, "node_modules")))
    if (!name.startsWith(".") && !name.startsWith("indus"))
      symlinkSync(join(ROOT, "node_modules", name), join(linked, name));
  for (const name of ["indusagi", "induscode"]) {
    const parts = ["package.json", "src", "assets", "python"].filter((part) =>
      existsSync(join(ROOT, "packages", name, part)),
    );
    for (const part of parts)
      cpSync(join(ROOT, "packages", name, part), join(copy, "packages", name, part), { recursive: true });
    symlinkSync(join(copy, "packages", name), join(linked, name));
  }
  return copy;
}

/** Writes what `npm run protocol` does, and answers what puts back the files that it changed. */
function generate(copy: string): () => void {
  for (const part of ["scripts", "docs/reference", "examples/events", "biome.json", ".gitignore"])
    cpSync(join(ROOT, part), join(copy, part), { recursive: true });
  const script = join(copy, "scripts/protocol/generate.mjs");
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], { encoding: "utf8" });
  if (status !== 0) throw new Error(`npm run protocol failed: ${stdout}${stderr}`);
  const written = [...stderr.matchAll(/^indus: wrote (.+)$/gm)].map(([, path = ""]) => path);
  expect(written).not.toEqual([]);
  return () => {
    for (const path of written) cpSync(join(ROOT, path), join(copy, path));
  };
}

/** Answers what takes the patches away again. */
function apply(copy: string, patches: readonly Patch[]): () => void {
  const before = new Map<string, string | undefined>();
  for (const patch of patches) {
    const path = join(copy, patch.path);
    const text = existsSync(path) ? readFileSync(path, "utf8") : undefined;
    if (!before.has(path)) before.set(path, text);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, patched(text, patch));
  }
  return () => {
    for (const [path, text] of before) text === undefined ? rmSync(path) : writeFileSync(path, text);
  };
}

/** Runs `indus` from the copy's sources in a folder of its own, and answers what it printed. */
function run(copy: string, args: readonly string[], stdin = ""): string {
  const cwd = join(copy, "work");
  const home = join(copy, "home");
  for (const folder of [cwd, home]) mkdirSync(folder, { recursive: true });
  const cli = JSON.stringify(join(copy, "packages/induscode/src/boot/cli.ts"));
  const code = `import(${cli}).then(async ({ main }) => process.exit(await main(${JSON.stringify(args)})))`;
  const done = spawnSync(process.execPath, ["--conditions=indus-source", "-e", code], {
    ...{ cwd, input: stdin, encoding: "utf8" },
    env: {
      ...{ PATH: process.env.PATH, HOME: home, INDUS_HOME: home },
      NODE_COMPILE_CACHE: join(copy, "code"), // most of a start from source is compiling
    },
  });
  return `${done.stdout}${done.stderr}`;
}

/** While it runs, the person's settings are these. */
function withSettings(copy: string, settings: object, work: () => string): string {
  const path = join(copy, "home", "settings.json");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(settings));
  try {
    return work();
  } finally {
    rmSync(path);
  }
}

function cassette(copy: string, turns: readonly object[]): string {
  const path = join(copy, "cassette.jsonl");
  const replies = turns.map((message, at) => ({
    turn: at + 1,
    reply: { message: { role: "assistant", ...message } },
  }));
  writeFileSync(
    path,
    [{ cassette: 1, about: "x" }, ...replies].map((line) => `${JSON.stringify(line)}\n`).join(""),
  );
  return path;
}

/** Runs a line with an addon in JavaScript whose `register` is this. */
function runWithAddon(copy: string, register: string, turns: readonly object[]): string {
  const addon = `// /// indus-addon
// [[capability]]
// kind = "alert"
// reason = "tells"
// ///
import { observe } from "induscode/addons";
export const register = (s) => ${register};
`;
  mkdirSync(join(copy, "work/.indus/addons"), { recursive: true });
  writeFileSync(join(copy, "work/.indus/addons/own.mjs"), addon);
  return run(copy, ["-p", "go", "--grant", "own", "--cassette", cassette(copy, turns)]);
}

const DONE = { content: [{ kind: "text", text: "Done." }] };

interface Example {
  readonly heading: string;
  /** What is printed where the addition works, and not without it. */
  readonly use: (copy: string) => string;
  readonly works: string;
}

const EXAMPLES: readonly Example[] = [
  {
    heading: "A tool",
    use: (copy) => {
      const call = { kind: "tool_call", id: "c_1", name: "count_words", input: { text: "one two three" } };
      return run(copy, ["--json", "count", "--cassette", cassette(copy, [{ content: [call] }, DONE])]);
    },
    works: '"text":"3 words"',
  },
  {
    heading: "A subcommand",
    use: (copy) => run(copy, ["help", "where"]) + run(copy, ["where", "--cwd", ".."]),
    works: "indus where: the folder that a session would work in",
  },
  {
    heading: "A slash command",
    use: (copy) => run(copy, ["--cassette", cassette(copy, [DONE])], "/help\n/where\n/quit\n"),
    works: "› /where\n/",
  },
  {
    heading: "A part",
    use: (copy) => {
      const line = ["--cassette", cassette(copy, [DONE])];
      return withSettings(copy, { turnsWord: "rounds" }, () => run(copy, line, "go\n/turns\n/quit\n"));
    },
    works: "rounds so far: 1",
  },
  {
    heading: "A provider on a known wire",
    use: (copy) => run(copy, ["auth", "list"]),
    works: "EXAMPLE_API_KEY",
  },
  {
    heading: "An event",
    use: (copy) => runWithAddon(copy, 's.on("turn:failed", observe(() => s.host.alert("heard of it")))', []),
    works: "heard of it",
  },
  {
    heading: "A host service",
    use: (copy) => {
      const asks =
        's.on("turn:start", observe(async () => s.host.alert("it is " + (await s.host.workspace()))))';
      return runWithAddon(copy, asks, [DONE]);
    },
    works: "it is /",
  },
];

it("has an example for each heading, and no other", () => {
  const headings = [...page.matchAll(/^## ([^:\n]+): (\w+) files?$/gm)].map(([, name]) => name);
  expect(headings).toEqual(EXAMPLES.map(({ heading }) => heading));
});

describe.each(rows(EXAMPLES, ({ heading }) => heading === "A tool"))(
  "$heading",
  ({ heading, use, works }) => {
    it("touches as many files as its heading says", () => {
      const [, told = ""] = new RegExp(`^## ${heading}: (\\w+) files?$`, "m").exec(page) ?? [];
      const paths = new Set(patchesOf(heading).map(({ path }) => path));
      expect(COUNTS[paths.size]).toBe(told);
    });

    it("works once its patch is applied, and not before (the twin)", () => {
      const patches = patchesOf(heading);
      const isGenerated = patches.some(({ path }) => path.endsWith(".schema.json"));
      const here = copy();
      expect(use(here)).not.toContain(works);
      onTestFinished(apply(here, patches));
      if (isGenerated) onTestFinished(generate(here));
      expect(use(here)).toContain(works);
    });
  },
);

it("a patch whose place is not there is found out", () => {
  const patch = { path: "a.ts", before: "one\n", after: "one\ntwo\n" };
  expect(patched("zero\none\n", patch)).toBe("zero\none\ntwo\n");
  expect(() => patched("one\none\n", patch)).toThrow("has 2 places");
  expect(() => patched(undefined, patch)).toThrow("is not there");
});
