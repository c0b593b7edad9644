// The pictures of the documents are what the console shows: each scene is played with a scripted model through the real
// command in a pseudo-terminal. `npm run pictures` writes them anew.

import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createWorkplace, type Workplace } from "../support/indus.ts";
import { rows } from "../support/long-form.ts";
import type { Script } from "../support/model-server.ts";
import { type OpenedConsole, openRichConsole } from "../support/open-console.ts";
import { PALETTES, type PictureRow, rowsOf, svgOf, textOf, withoutFolder } from "../support/picture.ts";

const ROOT = join(import.meta.dirname, "../..");
const PICTURES = join(ROOT, "docs/pictures");
const COLUMNS = 84;
const ROWS = 30; // of the terminal in which it runs

interface Scene {
  readonly name: string;
  readonly title: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly script: Script;
  readonly args?: readonly string[];
  readonly lay?: (place: Workplace) => void;
  /** A page whose text blocks quote it. */
  readonly quotedIn?: string;
  readonly play: (console: OpenedConsole) => Promise<void>;
}

/** The first program that README shows. */
const [, README_ADDON = ""] =
  /^```ts\n([\s\S]*?)^```$/m.exec(readFileSync(join(ROOT, "README.md"), "utf8")) ?? [];

const ADDER = {
  "add.mjs": "export function add(a, b) {\n  return a - b;\n}\n",
  "test.mjs": 'import { add } from "./add.mjs";\nconsole.log(add(1, 2) === 3 ? "1 passed" : "1 failed");\n',
};

const PLAN =
  "1. `add.mjs`: join texts, add numbers\n2. `test.mjs`: one case for each\n\n**Check**: `node test.mjs`";

const TODO = [
  { id: "1", text: "Bump the version", status: "done" },
  { id: "2", text: "Publish it", status: "active" },
  { id: "3", text: "Announce it", status: "pending" },
];

const SCENES: readonly Scene[] = [
  {
    name: "crash",
    title:
      "An addon throws, ends its process and hangs: each failure is told under its name, and the task is done",
    files: { ".indus/addons/buggy.ts": README_ADDON, ...ADDER },
    args: ["--grant", "buggy", "--allow", "bash(node test.mjs)"],
    script: [
      { calls: [{ name: "read", input: { path: "add.mjs" } }] },
      { calls: [{ name: "edit", input: { path: "add.mjs", oldText: "a - b", newText: "a + b" } }] },
      { calls: [{ name: "bash", input: { command: "node test.mjs" } }] },
      { text: "**Fixed.** `add` subtracted:\n\n- `add.mjs` adds now\n- the test passes" },
    ],
    async play({ type, waitFor }) {
      type("the test of add fails, please fix it\r");
      await waitFor(/— 4 turns[^\n]*\n[\s\S]*›/);
    },
  },
  {
    name: "question",
    title: "A question before a command runs, with the command whole",
    script: [{ calls: [{ name: "bash", input: { command: "npm publish --access public" } }] }],
    args: ["--sandbox", "off"], // where a machine has one, a mode is offered as well
    quotedIn: "docs/guide/permissions.md",
    async play({ type, waitFor }) {
      type("publish it\r");
      await waitFor("what to do instead");
    },
  },
  {
    name: "plan",
    title: "A plan, and the question whether it is approved",
    script: [
      { calls: [{ name: "read", input: { path: "add.mjs" } }] },
      { calls: [{ name: "exit_plan_mode", input: { plan: PLAN } }] },
    ],
    files: ADDER,
    args: ["--permission-mode", "plan", "--sandbox", "off"],
    async play({ type, waitFor }) {
      type("make add work for texts\r");
      await waitFor(/keep planning[^\n]*\n/);
    },
  },
  {
    name: "choice",
    title: "A question of the model, with the answers to choose from",
    script: [
      {
        calls: [
          {
            name: "ask_user",
            input: {
              question: "Which versions of Node should it support?",
              choices: ["20 and later", "22 and later"],
            },
          },
        ],
      },
    ],
    async play({ type, waitFor }) {
      type("set up the tests\r");
      await waitFor(/Something else[^\n]*\n/);
    },
  },
  {
    name: "checklist",
    title: "The model's checklist above the prompt, while a call waits for an answer",
    script: [
      { calls: [{ name: "todo_set", input: { items: TODO } }] },
      { calls: [{ name: "bash", input: { command: "npm publish" } }] },
    ],
    args: ["--sandbox", "off"],
    async play({ type, waitFor }) {
      type("release it\r");
      await waitFor("what to do instead");
    },
  },
  {
    name: "delegate",
    title: "A delegate's calls, and what it found",
    files: ADDER,
    script: ({ body }) => {
      const said = JSON.stringify(body.messages);
      if (JSON.stringify(body.system).includes("You are the delegate"))
        return said.includes("tool_result")
          ? { text: "test.mjs calls it." }
          : { calls: [{ name: "grep", input: { pattern: "add\\(", path: "." } }] };
      return said.includes("tool_result")
        ? { text: "Only `test.mjs` calls `add`." }
        : { calls: [{ name: "task", input: { agent: "researcher", objective: "Find who calls add." } }] };
    },
    async play({ type, waitFor }) {
      type("who calls add?\r");
      await waitFor(/— \d turns[^\n]*\n[\s\S]*›/);
    },
  },
  {
    name: "diff",
    title: "An edit and a command that fails, with what each did",
    files: ADDER,
    args: ["--allow", "bash(node test.mjs)"],
    script: [
      { calls: [{ name: "read", input: { path: "add.mjs" } }] },
      { calls: [{ name: "edit", input: { path: "add.mjs", oldText: "a - b", newText: "a * b" } }] },
      { calls: [{ name: "bash", input: { command: "node test.mjs && exit 1" } }] },
      { text: "It multiplies now:\n\n```js\nexport const add = (a, b) => a * b; // not yet\n```" },
    ],
    async play({ type, waitFor }) {
      type("try something\r");
      await waitFor(/— 4 turns[^\n]*\n[\s\S]*›/);
    },
  },
  {
    name: "error",
    title: "A provider that is overloaded, then answers, and one that refuses the request",
    script: [
      { trouble: { kind: "status", status: 529 } },
      { text: "Here again." },
      { trouble: { kind: "status", status: 400, message: "max_tokens is too large" } },
    ],
    async play({ type, waitFor }) {
      type("are you there?\r");
      await waitFor(/— 1 turn[^\n]*\n[\s\S]*›/);
      type("go on\r");
      await waitFor(/too large/);
    },
  },
  {
    name: "addon",
    title: "An addon asks and shows a table, under its name",
    lay(place) {
      mkdirSync(join(place.cwd, ".indus/addons"), { recursive: true });
      const file = "release-desk.ts";
      copyFileSync(join(ROOT, "examples/addons", file), join(place.cwd, ".indus/addons", file));
    },
    args: ["--grant", "release-desk"],
    script: [],
    async play({ type, waitFor }) {
      type("/remind 2 to review\r");
      await waitFor(/\[project:release-desk 2 to review\]/);
      type("/release\r");
      await waitFor(/\[3\] major/);
      await pause();
      type("2");
      await waitFor("what you type is not shown");
      await pause();
      type("token");
      await waitFor("•••••");
      type("\r");
      await waitFor(/Release it\?[\s\S]*\[n\] no/);
    },
  },
];

function textBlocks(page: string): readonly string[] {
  const blocks = readFileSync(join(ROOT, page), "utf8").matchAll(/^```text\n([\s\S]*?)\n```$/gm);
  return Array.from(blocks, ([, block = ""]) => block);
}

/** Keys count as an answer once the keyboard has been quiet. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 600));
}

async function play({ files = {}, script, args = [], lay, play }: Scene): Promise<readonly PictureRow[]> {
  const place = createWorkplace();
  for (const [path, text] of Object.entries(files)) place.file(path, text);
  lay?.(place);
  const console = await openRichConsole(script, { place, args, columns: COLUMNS });
  await play(console);
  await pause(); // the last row of all is drawn
  const scene = { raw: console.raw(), columns: COLUMNS, rows: ROWS, from: /^› \S/ };
  return withoutFolder(await rowsOf(scene));
}

describe.each(rows(SCENES, ({ name }) => name === "question"))("docs/pictures/$name", (scene) => {
  it("is what the console shows, dark and light (npm run pictures writes it)", async () => {
    const rows = await play(scene);
    const shown = rows.map(textOf).join("\n");
    expect(shown).not.toMatch(/\/tmp\/|\/home\/|\/root|indus-e2e|127\.0\.0\.1/);
    for (const quote of scene.quotedIn ? textBlocks(scene.quotedIn) : []) expect(shown).toContain(quote);
    for (const [name, palette] of Object.entries(PALETTES)) {
      const path = join(PICTURES, `${scene.name}-${name}.svg`);
      const svg = svgOf(rows, scene.title, palette);
      if (process.env.UPDATE_PAGES === "1") {
        mkdirSync(PICTURES, { recursive: true });
        writeFileSync(path, svg);
      } else expect(existsSync(path) ? readFileSync(path, "utf8") : "", `${path} is stale`).toBe(svg);
    }
  });
});

it("the twin: a console that shows another word makes another picture", async () => {
  const picture = async (raw: string): Promise<string> =>
    svgOf(await rowsOf({ raw, columns: 20, rows: 3, from: /^›/ }), "t", PALETTES.dark);
  const before = await picture("greeting\r\n› go\r\n\x1b[31mfailed\x1b[0m 12 ms");
  expect(await picture("greeting\r\n› go\r\n\x1b[31mfailed\x1b[0m 900 ms")).toBe(before); // only a duration
  expect(await picture("greeting\r\n› go\r\n\x1b[31mrefused\x1b[0m 12 ms")).not.toBe(before);
  expect(await picture("greeting\r\n› go\r\n\x1b[32mfailed\x1b[0m 12 ms")).not.toBe(before);
});
