// Files of hooks in the shapes that plugins have: each hook runs at its event, or the report says why it does not.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { rows } from "../support/long-form.ts";
import { createServedShared } from "../support/served-workplace.ts";

/** What a hook's program does: it leaves its word. */
const leaves = (word: string): string => `echo ${word} >> "$CLAUDE_PLUGIN_DATA/ran"`;
const command = (word: string, more: object = {}) => ({ type: "command", command: leaves(word), ...more });
/** The seconds that a hook may take. */
const lasting = (seconds: number) => ({ timeout: seconds });
const at = (event: string, matcher: string | undefined, ...hooks: readonly object[]) =>
  JSON.stringify({ hooks: { [event]: [{ matcher, hooks }] } });

interface Shape {
  readonly name: string;
  /** Of the short form. */
  readonly represents?: true;
  /** The text of `hooks/hooks.json`, unless `files` has it elsewhere. */
  readonly hooks?: string;
  /** Further files, by their path in the plugin. */
  readonly files?: Readonly<Record<string, string>>;
  /** The words of those that ran, sorted; what is not among them is explained by a line of the report. */
  readonly ran: readonly string[];
  readonly told?: RegExp;
}

const ROOT = "$" + "{CLAUDE_PLUGIN_ROOT}";
const SCRIPT = `#!/bin/sh\n${leaves("script")}\n`;
const SHAPES: readonly Shape[] = [
  { name: "one tool", hooks: at("PreToolUse", "Bash", command("a")), ran: ["a"] },
  {
    name: "a list of tools",
    represents: true,
    hooks: at("PreToolUse", "Edit|Write|MultiEdit", command("a")),
    ran: ["a"],
  },
  { name: "every tool, by a star", hooks: at("PreToolUse", "*", command("a")), ran: ["a", "a"] },
  { name: "every tool, by an empty matcher", hooks: at("PostToolUse", "", command("a")), ran: ["a", "a"] },
  {
    name: "every tool, without a matcher",
    hooks: at("PostToolUse", undefined, command("a")),
    ran: ["a", "a"],
  },
  { name: "a regular expression", hooks: at("PreToolUse", "^(Bash|Task)$", command("a")), ran: ["a"] },
  {
    name: "a regular expression with a look-ahead",
    hooks: at("PreToolUse", "^(?!Read)", command("a")),
    ran: [],
    told: /hook PreToolUse .* is skipped: .*linear time/,
  },
  {
    name: "the start, by its reasons",
    hooks: at("SessionStart", "startup|resume|clear", command("a")),
    ran: ["a"],
  },
  { name: "the start", hooks: at("SessionStart", undefined, command("a")), ran: ["a"] },
  { name: "a person's line", hooks: at("UserPromptSubmit", undefined, command("a")), ran: ["a"] },
  { name: "the end of a turn", hooks: at("Stop", "", command("a")), ran: ["a"] },
  { name: "the end", hooks: at("SessionEnd", undefined, command("a")), ran: ["a"] },
  {
    name: "several commands with their times",
    hooks: at("PreToolUse", "Bash", command("a", lasting(10)), command("b", lasting(60))),
    ran: ["a", "b"],
  },
  {
    name: "several events and a description",
    represents: true,
    hooks: JSON.stringify({
      description: "What it is for",
      hooks: {
        PreToolUse: [
          { matcher: "Bash", hooks: [command("a")] },
          { matcher: "Write", hooks: [command("b")] },
        ],
        Stop: [{ hooks: [command("c")] }],
        Notification: [{ hooks: [command("d")] }],
      },
    }),
    ran: ["a", "b", "c"],
    told: /idle .*Notification: /,
  },
  {
    name: "a script of its own, in quotes",
    represents: true,
    hooks: at("PreToolUse", "Bash", { type: "command", command: `sh "${ROOT}/hooks/do it.sh"` }),
    files: { "hooks/do it.sh": SCRIPT },
    ran: ["script"],
  },
  {
    name: "a script of its own, by a shell",
    hooks: at("PreToolUse", "Bash", { type: "command", command: `bash ${ROOT}/scripts/do.sh` }),
    files: { "scripts/do.sh": SCRIPT },
    ran: ["script"],
  },
  {
    name: "a program of Node",
    hooks: at("PreToolUse", "Write", { type: "command", command: `node "${ROOT}/do.mjs"` }),
    files: {
      "do.mjs":
        'import { appendFileSync } from "node:fs"; appendFileSync(process.env.CLAUDE_PLUGIN_DATA + "/ran", "node\\n");\n',
    },
    ran: ["node"],
  },
  {
    name: "a file that the manifest names",
    files: {
      ".claude-plugin/plugin.json": '{"name":"shape","hooks":"./config/hooks.json"}',
      "config/hooks.json": at("PreToolUse", "Bash", command("a")),
    },
    ran: ["a"],
  },
  {
    name: "in the manifest itself",
    files: {
      ".claude-plugin/plugin.json": `{"name":"shape",${at("PreToolUse", "Bash", command("a")).slice(1)}`,
    },
    ran: ["a"],
  },
  {
    name: "a question to a model, and an address",
    hooks: at(
      "PreToolUse",
      "Bash",
      { type: "prompt", prompt: "?" },
      { type: "http", url: "http://127.0.0.1:9/" },
    ),
    ran: [],
    told: /hook type prompt is not supported[\s\S]*hook type http is not supported/,
  },
  {
    name: "a mark at the file's start and CRLF",
    hooks: `\ufeff${at("Stop", undefined, command("a"))}\r\n`,
    ran: ["a"],
  },
  {
    name: "an event of another agent",
    hooks: at("beforeShellExecution", undefined, command("a")),
    ran: [],
    told: /beforeShellExecution: unknown hook event/,
  },
];

it("the shapes are 22", () => {
  expect(SHAPES).toHaveLength(22);
});

it.each(rows(SHAPES, ({ represents }) => represents === true))(
  "$name: runs, or is told",
  async ({ hooks, files = {}, ran, told }) => {
    const place = await createServedShared(
      (_, step) =>
        [
          { text: "On it.", calls: [{ name: "bash", input: { command: "echo plain" } }] },
          { text: "On it.", calls: [{ name: "write", input: { path: "a.txt", content: "a\n" } }] },
        ][step] ?? { text: "Done." },
    );
    const folder = join(dirname(place.cwd), "shape");
    const all = {
      ".claude-plugin/plugin.json": '{"name":"shape"}',
      ...(hooks === undefined ? {} : { "hooks/hooks.json": hooks }),
      ...files,
    };
    for (const [path, text] of Object.entries(all)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const added = await place.run(["add", folder, "--yes"]);
    if (told !== undefined) expect(added.stdout + added.stderr).toMatch(told);
    if (told === undefined || ran.length > 0) expect(added).toMatchObject({ code: 0, stderr: "" });
    const run = await place.run(["-p", "go", "--model", "anthropic/scripted", "--permission-mode", "bypass"]);
    expect(run).toMatchObject({ code: 0, stdout: "Done.\n" });
    const left = join(place.home, "state/shape/ran");
    expect(existsSync(left) ? readFileSync(left, "utf8").trim().split("\n").sort() : []).toEqual(ran);
  },
);
