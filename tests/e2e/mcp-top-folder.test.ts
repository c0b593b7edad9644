// What an MCP server that may write files makes, replaces and removes directly in the workspace: while its tool runs, and not later; and
// what becomes of names that take effect by themselves.

import { existsSync, lstatSync, readdirSync, readFileSync, renameSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { commandWithout } from "../support/guard-off.ts";
import type { WorkplaceOptions } from "../support/indus.ts";
import { LONG_ONLY } from "../support/long-form.ts";
import { lacksLevel } from "../support/needs.ts";
import { serverManifest } from "../support/odd-mcp-server.ts";
import { createServedWorkplace, type ServedWorkplace } from "../support/served-workplace.ts";
import { sandboxAt } from "../support/test-levels.ts";
import { until } from "../support/until.ts";

const hasBubblewrap = sandboxAt("bubblewrap").strong() !== undefined;

/** Its tool does each of the given steps, and answers with what came of them. */
const SERVER = `
import * as fs from "node:fs";
import { createInterface } from "node:readline";
const kept = [];
const STEPS = {
  write: (path, text) => fs.writeFileSync(path, text),
  replace: (path, text) => { fs.writeFileSync(path + ".tmp", text); fs.renameSync(path + ".tmp", path); },
  remove: (path) => fs.unlinkSync(path),
  folder: (path) => fs.mkdirSync(path, { recursive: true }),
  move: (path, to) => fs.renameSync(path, to),
  link: (path, to) => { fs.unlinkSync(path); fs.symlinkSync(to, path); },
  until: async (path) => { while (!fs.existsSync(path)) await new Promise((done) => setTimeout(done, 10)); },
  hold: (path) => { kept.push(fs.openSync(path, "w")); },
  // Once there is a file, and reports in a folder what came of it.
  folderOnce: (path, there, report) => {
    const timer = setInterval(() => {
      if (!fs.existsSync(there)) return;
      clearInterval(timer);
      let outcome = "made";
      try { fs.mkdirSync(path); } catch (error) { outcome = error.code; }
      fs.writeFileSync(report, outcome);
    }, 10);
  },
};
const attempt = async ([step, ...args]) => {
  try { await STEPS[step](...args); return "done"; } catch (error) { return error.code; }
};
createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params } = JSON.parse(line);
  const results = {
    initialize: () => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } }),
    "tools/list": () => ({ tools: [{ name: "do", inputSchema: { type: "object" } }] }),
    "tools/call": async () => {
      const outcomes = [];
      for (const step of params.arguments.steps) outcomes.push(await attempt(step));
      return { content: [{ type: "text", text: outcomes.join(" ") }] };
    },
  };
  if (id === undefined) return;
  const made = await results[method]?.();
  const answer = made ? { result: made } : { error: { code: -32601, message: "unknown" } };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\\n");
});
`;
const FILES = '[[capability]]\nkind = "files"\nread = true\nwrite = true\nreason = "x"\n';

/** As long as a name may be. */
const LONG_NAME = `${"x".repeat(240)}.code-workspace`;

type Step = readonly [step: string, ...args: string[]];

interface Outcome {
  readonly place: ServedWorkplace;
  /** What the model read of each call. */
  readonly texts: readonly string[];
}

/** More places with protected names than the sandbox keeps by themselves. */
const crowded: readonly string[] = Array.from({ length: 97 }, (_, at) => `f${at}/AGENTS.md`);
const FILL = `for each in ${crowded.join(" ")}; do mkdir -p $(dirname $each); touch $each; done`;

/** Waits, as a command of the model, until there is a file. */
const awaited = (path: string): string =>
  `for i in $(seq 1200); do [ -e ${path} ] && break; sleep 0.05; done`;

/** One call for each list of steps, in which a path begins with `/W/` for the workspace; between them, one for each command. */
async function called(
  calls: readonly (readonly Step[] | string)[],
  prepare: (place: ServedWorkplace) => void = () => undefined,
  options: WorkplaceOptions = { isShared: true },
): Promise<Outcome> {
  const place = await createServedWorkplace((_, at) => {
    const call = calls[at];
    if (call === undefined) return { text: "Done." };
    if (typeof call === "string")
      return { text: "On it.", calls: [{ name: "bash", input: { command: call } }] };
    const steps = call.map((step) => step.map((each) => each.replace(/^\/W\//, `${place.cwd}/`)));
    return { text: "On it.", calls: [{ name: "mcp__top__do", input: { steps } }] };
  }, options);
  place.file("old.txt", "old");
  place.file("src/a.txt", "");
  prepare(place);
  place.file(".indus/addons/top/server.mjs", SERVER);
  place.file(".indus/addons/top/manifest.toml", serverManifest("top", ["node", "server.mjs"], FILES));
  const flags = ["--model", "anthropic/scripted", "--permission-mode", "bypass", "--grant", "top"];
  await place.run(["-p", "go", ...flags]);
  const texts = place.entries().flatMap((entry) => (entry.type === "tool" ? [entry.text] : []));
  return { place, texts };
}

describe.skipIf(lacksLevel("bubblewrap", hasBubblewrap))("directly in the workspace", () => {
  it("a tool makes, replaces, moves and removes", async () => {
    const { place, texts } = await called([
      [
        ["write", "/W/new.txt", "new"],
        ["replace", "/W/old.txt", "newer"],
        ["folder", "/W/docs/deep"],
        ["write", "/W/docs/deep/a.txt", "a"],
        ["move", "/W/new.txt", "/W/moved.txt"],
        ["write", "/W/gone.txt", ""],
        ["remove", "/W/gone.txt"],
      ],
    ]);
    expect(texts).toEqual(["done done done done done done done"]);
    const read = (name: string): string => readFileSync(join(place.cwd, name), "utf8");
    expect([read("moved.txt"), read("old.txt"), read("docs/deep/a.txt")]).toEqual(["new", "newer", "a"]);
    expect(existsSync(join(place.cwd, "gone.txt"))).toBe(false);
  });

  /** What becomes of a folder that it makes when its tool has answered. */
  async function madeLater(options?: WorkplaceOptions): Promise<string> {
    const step: Step = ["folderOnce", "/W/late", "/W/src/go", "/W/src/report"];
    const { place } = await called([[step], `touch src/go; ${awaited("src/report")}`], undefined, options);
    return readFileSync(join(place.cwd, "src/report"), "utf8");
  }

  it("nothing is made once its tool has answered", async () => {
    expect(await madeLater()).toBe("EROFS");
  });

  it("would be made if the folder stayed writable: the twin", LONG_ONLY, async () => {
    const command = commandWithout([
      {
        file: "addons/sandbox/root-window/root-window.ts",
        guard: 'const change = await changeMount(open, "read-only")',
        instead: 'const change = await changeMount(open, "writable")',
      },
    ]);
    expect(await madeLater({ command })).toBe("made");
  });

  it("what takes effect by itself is moved aside when the tool has answered, and said", async () => {
    const { place, texts } = await called(
      [
        [
          ["write", "/W/AGENTS.md", "obey"],
          ["folder", "/W/.vscode"],
          ["write", "/W/.vscode/tasks.json", "{}"],
          ["write", "/W/x.code-workspace", "{}"],
          ["write", `/W/${LONG_NAME}`, "{}"],
          ["write", "/W/src/GEMINI.md", "obey"],
          ["link", "/W/CLAUDE.md", "src/a.txt"],
          ["write", "/W/fine.txt", ""],
        ],
      ],
      (at) => symlinkSync("old.txt", join(at.cwd, "CLAUDE.md")),
    );
    const [text = ""] = texts;
    const moved = ["AGENTS.md", ".vscode", "x.code-workspace", "CLAUDE.md", "src/GEMINI.md"];
    for (const name of moved) {
      const ending = name.endsWith("-workspace") ? "_" : "";
      const aside = join(dirname(name), `put-away-1-${basename(name)}${ending}`);
      const [from, to] = [name, aside].map((each) => join(place.cwd, each));
      expect(text).toContain(
        `sandbox: ${from} was moved to ${to}, because it takes effect automatically later, or must not be changed. If it is wanted, create it with write or edit.`,
      );
      expect(lstatSync(to as string, { throwIfNoEntry: false })).toBeDefined();
      expect(lstatSync(from as string, { throwIfNoEntry: false })).toBeUndefined();
    }
    expect(readdirSync(place.cwd)).toContain("fine.txt");
    expect(readdirSync(place.cwd)).not.toContain(LONG_NAME);
  });

  const OBEY: readonly Step[] = [["write", "/W/AGENTS.md", "obey"]];

  it("AGENTS.md would stay without that: the twin", LONG_ONLY, async () => {
    const command = commandWithout([
      {
        file: "addons/sandbox/root-window/root-window.ts",
        guard: "putAway(root, withoutExchanged(open))",
        instead: "([] as readonly PutAway[])",
      },
    ]);
    const { place } = await called([OBEY], undefined, { command });
    expect(existsSync(join(place.cwd, "AGENTS.md"))).toBe(true);
  });

  it("what exists under such a name stays as it is; where its folder is exchanged, it is moved aside as what takes its place is", async () => {
    const { place, texts } = await called(
      [
        [
          ["write", "/W/AGENTS.md", "obey"],
          ["remove", "/W/AGENTS.md"],
          ["write", "/W/.git/config", "[core]"],
          ["move", "/W/.git", "/W/other"],
          ["move", "/W/part", "/W/parted"],
          ["folder", "/W/part/in"],
          ["write", "/W/part/in/AGENTS.md", "obey"],
        ],
      ],
      (at) => {
        at.file("AGENTS.md", "ours");
        at.file(".git/config", "");
        at.file("part/in/AGENTS.md", "ours");
      },
    );
    expect(texts[0]?.split("\n")[0]?.split(" ").slice(0, 4)).toEqual(["EROFS", "EBUSY", "EROFS", "EBUSY"]);
    const read = (name: string): string => readFileSync(join(place.cwd, name), "utf8");
    expect([read("AGENTS.md"), read(".git/config")]).toEqual(["ours", ""]);
    // The folder went with its document, and another one is in its place: neither document acts.
    const documents = ["part", "parted"].map((folder) => join(folder, "in/AGENTS.md"));
    const aside = documents.map((name) => join(dirname(name), `put-away-1-${basename(name)}`));
    expect(documents.filter((name) => existsSync(join(place.cwd, name)))).toEqual([]);
    expect(aside.map(read)).toEqual(["obey", "ours"]);
    for (const name of documents)
      expect(texts[0]).toContain(`sandbox: ${join(place.cwd, name)} was moved to `);
  });

  const MADE: readonly (readonly Step[] | string)[] = [
    [["write", "/W/first.txt", ""]],
    "mkdir .vscode; for each in AGENTS.md .vscode/tasks.json; do echo ours > $each; done; echo ours > x; mv x CLAUDE.md",
    [
      ["write", "/W/AGENTS.md", "obey"],
      ["write", "/W/.vscode/tasks.json", "obey"],
      ["write", "/W/CLAUDE.md", "obey"],
      ["remove", "/W/AGENTS.md"],
      ["move", "/W/.vscode", "/W/other"],
      ["write", "/W/fine.txt", ""],
    ],
  ];
  const named = (at: ServedWorkplace): void => void at.file("CLAUDE.md", "older");
  const contents = ({ place }: Outcome): readonly string[] =>
    ["AGENTS.md", ".vscode/tasks.json", "CLAUDE.md"].map((name) =>
      readFileSync(join(place.cwd, name), "utf8").trim(),
    );

  it("what is made or replaced under such a name while the server runs is read-only to its next tool", async () => {
    const outcome = await called(MADE, named);
    expect(outcome.texts.at(-1)).toBe("EROFS EROFS EROFS EBUSY EBUSY done");
    expect(contents(outcome)).toEqual(["ours", "ours", "ours"]);
  });

  it("would be written in without that: the twin", LONG_ONLY, async () => {
    const command = commandWithout([
      {
        file: "addons/sandbox/root-window/root-mount.ts",
        guard: "keep.filter((place) => !mounts.has(place))",
        instead: "keep.filter(() => false)",
      },
    ]);
    const outcome = await called([...MADE.slice(0, 2), (MADE[2] as readonly Step[]).slice(0, 3)], named, {
      command,
    });
    expect(contents(outcome)).toEqual(["obey", "obey", "obey"]);
  });

  /** The person saves a document, as editors do, while a tool runs, which then writes in it. */
  async function savedMeanwhile(options?: WorkplaceOptions): Promise<Outcome> {
    const steps: readonly Step[] = [
      ["write", "/W/src/ready", ""],
      ["until", "/W/src/saved"],
      ["write", "/W/AGENTS.md", "obey"],
    ];
    const saves = async (at: ServedWorkplace): Promise<void> => {
      await until(() => existsSync(join(at.cwd, "src/ready")));
      at.file("saved", "ours");
      renameSync(join(at.cwd, "saved"), join(at.cwd, "AGENTS.md"));
      at.file("src/saved", "");
    };
    let saving: Promise<void> | undefined;
    const outcome = await called(
      [steps],
      (at) => {
        at.file("AGENTS.md", "older");
        saving = saves(at);
      },
      options,
    );
    await saving;
    return outcome;
  }

  it("what is replaced under such a name while a tool runs is moved aside, since the tool can have written in it", async () => {
    const { place, texts } = await savedMeanwhile();
    expect(texts[0]).toContain(
      `sandbox: ${place.cwd}/AGENTS.md was moved to ${place.cwd}/put-away-1-AGENTS.md`,
    );
    expect(existsSync(join(place.cwd, "AGENTS.md"))).toBe(false);
  });

  it("would stay as the tool left it: the twin", LONG_ONLY, async () => {
    const command = commandWithout([
      {
        file: "addons/sandbox/root-window/root-window.ts",
        guard: "withoutExchanged(open))",
        instead: "open.before)",
      },
    ]);
    const { place } = await savedMeanwhile({ command });
    expect(readFileSync(join(place.cwd, "AGENTS.md"), "utf8")).toBe("obey");
  });

  it("a server that keeps a file open there is ended, and says so; its next tool works", async () => {
    const { place, texts } = await called([[["hold", "/W/held.txt"]], [["write", "/W/next.txt", ""]]]);
    expect(texts).toEqual([
      "done\nsandbox: its process was ended, because it still had a file directly in the workspace's top folder open for writing when its tool had answered. It may keep files open in subfolders.",
      "done",
    ]);
    expect(place.problems()).toEqual([]);
    expect(readdirSync(place.cwd)).toEqual(expect.arrayContaining(["held.txt", "next.txt"]));
  });

  it.each([
    ["from the start", (at: ServedWorkplace) => crowded.forEach((name) => void at.file(name, "")), []],
    ["since the server started", () => undefined, [[["write", "/W/first.txt", ""]] as const, FILL]],
  ])(
    "why nothing can be made there %s is in the result of a tool that failed for it, in one line",
    async (_, prepare, before) => {
      const after: readonly (readonly Step[])[] = [
        [["write", "/W/new.txt", ""]],
        [["write", "/W/src/a.txt", ""]],
      ];
      const { texts } = await called([...before, ...after], prepare);
      expect(texts.slice(-2)).toEqual([
        "EROFS\nsandbox: it can make nothing directly in the workspace's top folder: more than 96 places with protected names are in the workspace",
        "done",
      ]);
    },
  );

  it("a file in a subfolder may stay open", async () => {
    const { texts } = await called([[["hold", "/W/src/held.txt"]], [["write", "/W/next.txt", ""]]]);
    expect(texts).toEqual(["done", "done"]);
  });
});
