// Every file that a start opens by itself, found by tracing one: the table in docs/reference/opened-files.md says the same
// (`UPDATE_PAGES=1` writes it anew), and each of them may be anything but a file without holding the start up.

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { nodeWithoutCode } from "../support/built.ts";
import { createSharedWorkplace, type Finished, type Workplace } from "../support/indus.ts";
import { LONG_ONLY, rows } from "../support/long-form.ts";
import { measuredNode } from "../support/measured-node.ts";
import { startModelServer } from "../support/model-server.ts";
import { lacks } from "../support/needs.ts";
import { ODD_FILES } from "../support/odd-files.ts";
import { openedFiles } from "../support/opened-files.ts";
import { traceProblem } from "../support/system-trace.ts";
import { PATIENCE_MS } from "../support/until.ts";

const PAGE = fileURLToPath(new URL("../../docs/reference/opened-files.md", import.meta.url));
const [BEGIN, END] = ["<!-- opened -->\n", "<!-- /opened -->"];
const GRANTS = ["--grant", "code", "--grant", "words", "--grant", "pack"];
const TASK = ["-p", "go", "--model", "anthropic/scripted"];

const NOTE = (name: string): string =>
  `---\nname: ${name}\ndescription: it is used in a test\n---\nWords of ${name}.\n`;

/** One of everything that a session reads by itself, of the person and of a repository. */
const CONTENT: Readonly<Record<string, string>> = Object.fromEntries(
  ["~/", ""].flatMap((where) => [
    ...[
      "AGENTS.override.md",
      "AGENTS.md",
      "CLAUDE.md",
      "INDUSAGI.md",
      "CLAUDE.local.md",
      "AGENTS.local.md",
    ].map((name): readonly [string, string] => [`${where}${name}`, `Words of ${where}${name}.\n`]),
    [`${where}.indusagi/CLAUDE.md`, `Words of ${where}.indusagi.\n`],
    [`${where}.claude/CLAUDE.md`, `Words of ${where}.claude.\n`],
    [`${where}.indus/AGENTS.md`, `Words of ${where}.indus.\n`],
    [
      `${where}.indus/settings.json`,
      where === "" ? '{"permissions":{"deny":["read(x)"]}}' : '{"localServers":[],"outputStyle":"mine"}',
    ],
    [`${where}.indus/skills/packed/SKILL.md`, NOTE("packed")],
    [`${where}.indus/skills/loose.md`, NOTE("loose")],
    [`${where}.indus/commands/c.md`, NOTE("c")],
    [`${where}.indus/agents/a.md`, NOTE("a")],
    [`${where}.indus/agents/t.toml`, 'name = "t"\ndescription = "x"\nprompt = "y"\n'],
    [
      `${where}.indus/output-styles/${where === "" ? "theirs" : "mine"}.md`,
      NOTE(where === "" ? "theirs" : "mine"),
    ],
    [`${where}.indus/addons/code.ts`, "export function register(s) {}\n"],
    [`${where}.indus/addons/words/manifest.toml`, 'id = "words"\nsummary = "x"\n'],
    [`${where}.indus/addons/pack/package.json`, '{"name":"pack","main":"index.js"}'],
    [`${where}.indus/addons/pack/index.js`, "export function register(s) {}\n"],
    ...(where === ""
      ? []
      : [
          ["~/.indus/trust.json", '{"version":1,"trusted":{}}'] as const,
          ["~/.indus/models.json", "{}"] as const,
          ["~/.indus/credentials.json", '{"version":1,"keys":{}}'] as const,
          ["~/.indus/permissions.json", '{"version":1,"answers":[]}'] as const,
          ["~/.indus/quarantine.json", '{"version":1,"quarantined":[]}'] as const,
          [
            "~/.indus/held/0123456789abcdef.json",
            '{"root":"/etc","addons":["a"],"held":["/etc/passwd"]}',
          ] as const,
          ["~/.indus/SYSTEM.md", "Words.\n"] as const,
          ["~/.indus/APPEND_SYSTEM.md", "x\n"] as const,
        ]),
    ...(where === ""
      ? [["GEMINI.md", "x\n"] as const, [".git/HEAD", "ref: refs/heads/main\n"] as const]
      : []),
  ]),
);

interface Scene extends Workplace {
  readonly at: (name: string) => string;
  readonly start: (args?: readonly string[]) => Promise<Finished>;
  readonly env: Readonly<Record<string, string>>;
  /** Where the model answers. */
  readonly url: string;
}

async function createScene(template?: Scene): Promise<Scene> {
  const server = await startModelServer(Array.from({ length: 4 }, () => ({ text: "Done." })));
  onTestFinished(() => server.close());
  const place = createSharedWorkplace(server.url);
  const at = (name: string): string =>
    name.startsWith("~/") ? join(place.home, name.slice(2)) : join(place.cwd, name);
  const env = {
    ...{ INDUS_HOME: join(place.home, ".indus"), XDG_CACHE_HOME: join(place.home, ".cache") },
    INDUS_NODE: nodeWithoutCode(), // else it opens nothing there
  };
  const start = (args: readonly string[] = TASK): Promise<Finished> => place.run(args, { env });
  if (template) {
    for (const folder of ["home", "cwd"] as const)
      cpSync(template[folder], place[folder], { recursive: true });
    return { ...place, at, env, start, url: server.url };
  }
  for (const [name, text] of Object.entries(CONTENT)) {
    mkdirSync(dirname(at(name)), { recursive: true });
    writeFileSync(at(name), text);
  }
  // The second one finds what the first one leaves: the log, caches, records.
  await start([...TASK, ...GRANTS]);
  return { ...place, at, env, start, url: server.url };
}

/** A prompt that the person's file replaces has no style, and then none is looked for. */
function withStyles(scene: Scene): Scene {
  rmSync(scene.at("~/.indus/SYSTEM.md"));
  return scene;
}

/** It ended by itself: `run` kills what does not within a minute, and the system what takes all memory. */
function expectEnded({ code }: Finished, what: string): void {
  expect({ what, isEnded: code !== null }).toEqual({ what, isEnded: true });
}

const written = existsSync(PAGE) ? readFileSync(PAGE, "utf8") : "";
const writtenRows = (written.split(BEGIN)[1] ?? "").split(END)[0] ?? "";
const TABLE: readonly string[] = [...writtenRows.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name = ""]) => name);

const isTraceable = traceProblem() === undefined;

describe.skipIf(lacks("strace", isTraceable))("what a start opens", { timeout: 4 * PATIENCE_MS }, () => {
  it("is what the table names", LONG_ONLY, async () => {
    const scene = await createScene();
    const opened = [
      ...(await openedFiles(scene, [...TASK, "--grant", "code"])),
      ...(await openedFiles(scene, ["-c", ...TASK])),
      ...(await openedFiles(withStyles(scene), TASK)),
    ];
    // What is known of an addon's files is kept, and read, once they are older than a few seconds: not always in this test, and tested
    // beside its source (known-content).
    const names = [...new Set(opened)].filter((name) => !name.includes("/cache/contents/")).sort();
    const table = names.map(
      (name) => `| \`${name}\` | ${name.startsWith("~") ? "yours" : "the repository's"} |\n`,
    );
    if (process.env.UPDATE_PAGES === "1") {
      const [before = "", rest = ""] = written.split(BEGIN);
      writeFileSync(PAGE, `${before}${BEGIN}${table.join("")}${END}${rest.split(END)[1] ?? ""}`);
    } else expect(writtenRows).toBe(table.join(""));
  });
});

/** Of what a start needs 80 MB for, and a file of 10 GB or without end would take. */
const MOST_MEMORY = 512 * 1024 ** 2;

/** Where the page says that silence is right, and why. */
function silenceOf(name: string, shape: string): string | undefined {
  if (name.endsWith("/theirs.md")) return "the style that is chosen is another one; doctor names it";
  if (/\/cache\/|\/\.cache\//.test(name)) return "it is made again";
  if (shape === "a link to itself" && /\.md$/.test(name) && !/\/(?:skills|commands|agents)\//.test(name))
    return "a link that leads nowhere is no file";
  if (shape === "a folder" && /\/(?:skills|agents)\//.test(name) && !name.endsWith(".toml"))
    return "a folder among folders is looked into, and is empty";
  if (shape.startsWith("a link") && name.endsWith("/package.json"))
    return "a link in its place is not followed, and the addon begins with index.js";
  return undefined;
}

/** By its name, its session's, or the addon's that it is a part of. */
function calledIn(told: string, file: string): boolean {
  const [, addon] = /(\/addons\/[^/]+)\//.exec(file) ?? [];
  return [basename(file).replace(/\.jsonl$/, ""), ...(addon === undefined ? [] : [`${addon}:`])].some(
    (name) => told.includes(name),
  );
}

/** What a name of the table has in the place of what differs from run to run. */
const UNSTEADY = /SESSION|HASH|VERSION|FOLDER/;

/** The files that a name of the table stands for in a scene. */
function filesOf(scene: Scene, name: string): readonly string[] {
  const parts = name.split("/");
  let found = [scene.at(parts[0] === "~" ? "~/" : ".")];
  for (const part of parts[0] === "~" ? parts.slice(1) : parts) {
    found = found.flatMap((folder) => {
      if (!UNSTEADY.test(part)) return [join(folder, part)];
      const pattern = new RegExp(`^${part.replaceAll(".", "\\.").replace(UNSTEADY, "[\\w.-]+?")}$`);
      return existsSync(folder)
        ? readdirSync(folder)
            .filter((each) => pattern.test(each))
            .map((each) => join(folder, each))
        : [];
    });
  }
  return found;
}

describe("each file that a start opens may be anything else", { timeout: 40 * PATIENCE_MS }, () => {
  let template: Scene;

  const shapes = Object.keys(ODD_FILES);
  /** One that is waited for, one that never ends; strange-files.test shows the others. */
  const FEW = ["a pipe", "a file of 10 GB"];
  const cells = TABLE.flatMap((name) => shapes.map((shape) => [name, shape] as const));

  it.each(rows(cells, ([name, shape]) => name === TABLE[0] && FEW.includes(shape)))(
    "%s is %s",
    async (name, shape) => {
      template ??= await createScene();
      const scene = await createScene(template);
      if (name.includes("/output-styles/")) withStyles(scene);
      if (name.includes("SESSION")) await scene.start(); // sessions are kept by the folder that they were held in
      // A lock lies there only while a session runs.
      const files = name.endsWith(".lock")
        ? filesOf(scene, name.slice(0, -".lock".length)).map((log) => `${log}.lock`)
        : filesOf(scene, name);
      for (const file of files) {
        mkdirSync(dirname(file), { recursive: true });
        rmSync(file, { recursive: true, force: true });
        ODD_FILES[shape]?.(file);
      }
      const peak = join(scene.home, "peak");
      const env = { ...scene.env, ...measuredNode(scene.home, peak) };
      const goesOn = name.includes("SESSION") ? ["-c"] : [];
      const args = [...goesOn, ...TASK, "--verbose", ...GRANTS];
      const ended = await scene.run(args, { env });
      expectEnded(ended, `${name} is ${shape}`);
      expect(files).not.toEqual([]);
      expect(Number(readFileSync(peak, "utf8")) * 1024).toBeLessThan(MOST_MEMORY);
      const told = `${ended.stdout}${ended.stderr}`;
      // Of the folders of sessions only the one of this working directory is looked at.
      const looked = name.includes("FOLDER") ? files.filter((file) => told.includes(dirname(file))) : files;
      const isNamed = looked.length > 0 && looked.every((file) => calledIn(told, file));
      if (!isNamed) expect(silenceOf(name, shape), told).toBeDefined();
    },
  );
});
